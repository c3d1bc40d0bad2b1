// What an open row shows: its checks, and who was asked.

function diffOf(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(/\[-(.*?)-\]|\{\+(.*?)\+\}/g)) {
    parts.push(text.slice(end, found.index));
    parts.push(found[1] === undefined ? own("ins", found[2]) : own("del", found[1]));
    end = found.index + found[0].length;
  }
  parts.push(text.slice(end));
  return element("span", { dir: "auto" }, ...parts);
}

function recordOf(record) {
  const people = (record.authors || []).join(", ") + (record.author_count > (record.authors || []).length ? ", …" : "");
  const facts = [people, record.venue, (record.years || []).join(", ")].filter(Boolean).join(" · ");
  return element(
    "span",
    {},
    link(record.url, record.title || record.id),
    own("span", ` (${record.source})`),
    own("div", facts, { class: "quiet" }),
  );
}

function definitions(pairs) {
  const made = pairs
    .filter(([, value]) => value)
    .flatMap(([name, value]) => [
      element("dt", {}, name),
      value instanceof Node ? element("dd", {}, value) : own("dd", value),
    ]);
  return made.length ? element("dl", {}, ...made) : null;
}

function findingOf(check, finding) {
  const fixes = Object.entries(finding.fixes || {}).map(([field, value]) =>
    own("div", value ? `${field} = {${value}}` : `drop ${field}`),
  );
  const outcome = [finding.outcome, finding.waived ? "waived" : "", isHeldApart ? heldAs(finding) : ""].filter(Boolean).join(", ");
  return element(
    "section",
    { class: `finding ${finding.outcome}` },
    element(
      "h3",
      {},
      `${CHECKS[check] || check} `,
      element("span", { class: `badge ${finding.outcome}` }, outcome),
      " ",
      element("code", {}, codesOf(finding).join(" · ")),
    ),
    finding.diff ? null : own("p", finding.message || ""),
    definitions([
      ["place", finding.place ? `line ${finding.place[0]}, column ${finding.place[1]}` : null],
      ["held as", finding.said],
      ["cited", finding.cited],
      ["found", finding.found],
      ["diff", finding.diff ? diffOf(finding.diff) : null],
      ["rule", finding.rule],
      ["record", finding.record === undefined ? null : recordOf(data.records[finding.record])],
      ["fix", fixes.length ? element("span", {}, ...fixes) : null],
    ]),
  );
}

function correctedOf(reference) {
  if (!reference.corrected) return null;
  return element(
    "section",
    { class: "corrected", "aria-label": "Corrected entry" },
    element("h3", {}, "Corrected entry"),
    element("pre", { dir: "auto" }, reference.corrected),
    element("button", { type: "button", class: "copy" }, "Copy entry"),
  );
}

function answerOf(answer) {
  if (answer.answer === "found") {
    const records = answer.records || [];
    const links = records.slice(0, 5).flatMap((address) => [" ", link(address, address)]);
    return element("span", {}, `${records.length} record${records.length === 1 ? "" : "s"}`, ...links);
  }
  const why = [answer.reason, answer.detail, answer.scope].filter(Boolean).join(": ");
  return own("span", (answer.answer === "absent" ? "knows none" : "no answer") + (why ? ` (${why})` : ""));
}

function evidenceOf(evidence) {
  if (!evidence.length) return null;
  const head = ["Source", "Question", "Answer", "Date"].map((name) => element("th", { scope: "col" }, name));
  const body = evidence.map(([name, date, asked, answered, endpoint]) => {
    const [address, tail] = data.endpoints[endpoint];
    const source = link(address + data.tails[tail], name);
    const question = data.questions[asked];
    return element(
      "tr",
      {},
      element("td", {}, source),
      own("td", `${question.kind || ""} ${question.value || ""}`),
      element("td", {}, answerOf(data.answers[answered])),
      element("td", {}, date.slice(0, 10)),
    );
  });
  return element(
    "table",
    { class: "evidence" },
    element("caption", {}, "Who was asked"),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
}

function detailRow(row) {
  const { reference } = row;
  const notices = (reference.notices || []).map((notice) =>
    own("p", [notice.kind, notice.date, notice.doi, notice.stated_by].filter(Boolean).join(", "), notice.alarming ? { class: "failed" } : {}),
  );
  const gold = goldOf(reference);
  const label = [gold.label, gold.hallucination_type, gold.difficulty_tier ? `tier ${gold.difficulty_tier}` : "", gold.generation_method];
  const cell = element(
    "td",
    { colspan: columns.length },
    reference.verdict ? own("p", `${verdictOf(reference)}${typeOf(reference) && ` (looks like ${typeOf(reference)})`}: ${reference.verdict.reason || ""}`) : null,
    gold.label ? own("p", `Labelled ${label.filter(Boolean).join(", ")}`) : null,
    ...notices,
    element(
      "div",
      { class: "findings" },
      ...Object.keys(reference.checks).map((check) => findingOf(check, reference.checks[check])),
    ),
    correctedOf(reference),
    evidenceOf(reference.evidence || []),
  );
  return element("tr", { class: "detail", id: `detail-${row.place}` }, cell);
}
