// The list of references: filters, order, rows, theme.

const MARKS = { passed: "✓", failed: "✗", unverifiable: "?" };
const VERDICTS = ["fabricated", "unfindable", "misdescribed", "undecided", "verified"];
const OUTCOMES = ["failed", "unverifiable", "passed"];
const STEP = 100;
const form = document.getElementById("filters");
const list = document.getElementById("list");
const more = document.getElementById("more");
const tiles = [...document.querySelectorAll("[data-filter]")];
const opened = new Set();
let matching = [];
let shown = 0;
let order = { name: "", descending: false };

// "12~2", the second answer to the twelfth query, stands behind "12".
function queryNumber(query) {
  const [number, sample] = (query || "").split("~");
  return Number(number || 0) + Number(sample || 1) / 1e6;
}

const columns = [
  { name: "key", label: "Reference", value: (row) => row.reference.key || "" },
  ...(isAnswers
    ? [
        { name: "model", label: "Model", value: (row) => row.reference.model || "" },
        { name: "query", label: "Query", value: (row) => queryNumber(row.reference.query) },
      ]
    : []),
  { name: "verdict", label: "Verdict", value: (row) => VERDICTS.indexOf(verdictOf(row.reference)) },
  { name: "probability", label: "P(wrong)", note: document.getElementById("probability-note").textContent, value: (row) => wrongness(row.reference) },
  ...[...new Set([...Object.keys(CHECKS), ...data.references.flatMap((reference) => Object.keys(reference.checks))])]
    .filter((check) => data.references.some((reference) => reference.checks[check]))
    .map((check) => ({
      name: check, label: CHECKS[check] || check, check,
      value: (row) => {
        const finding = row.reference.checks[check];
        return finding ? OUTCOMES.indexOf(finding.outcome) : OUTCOMES.length;
      },
    })),
  ...(isLabelled
    ? [
        { name: "label", label: "Label", value: (row) => labelOf(row.reference) },
        { name: "decision", label: "Decision", value: (row) => row.reference.decision || "" },
      ]
    : []),
];

const rows = data.references.map((reference, place) => {
  const findings = Object.values(reference.checks);
  const words = [reference.key, reference.title, reference.path, reference.type, verdictOf(reference), typeOf(reference), reference.model];
  for (const finding of findings) words.push(...codesOf(finding), finding.message, finding.cited, finding.found);
  return { place, reference, words: words.filter(Boolean).join("\n").toLowerCase() };
});

// Filters ---------------------------------------------------------------------------------------------------------

const byText = (one, other) => (one < other ? -1 : 1);

function fillSelect(name, values, compareValues = byText) {
  const counts = new Map();
  for (const row of rows) for (const value of new Set(values(row.reference))) counts.set(value, (counts.get(value) || 0) + 1);
  const options = [...counts].filter(([value]) => value).sort(([one], [other]) => compareValues(one, other));
  form.elements[name].append(
    element("option", { value: "" }, "all"),
    ...options.map(([value, count]) => element("option", { value }, `${value} (${count})`)),
  );
}

function prepareForm() {
  fillSelect("verdict", (reference) => [verdictOf(reference)]);
  fillSelect("path", (reference) => [reference.path]);
  fillSelect("type", (reference) => [reference.type]);
  fillSelect("submission", (reference) => [reference.submission]);
  fillSelect("code", (reference) => Object.values(reference.checks).flatMap(codesOf));
  fillSelect("outcome", (reference) => Object.values(reference.checks).map((finding) => finding.outcome));
  fillSelect("severity", (reference) => Object.values(reference.checks).map(heldAs), (one, other) => HELD.indexOf(one) - HELD.indexOf(other));
  fillSelect("check", (reference) => Object.keys(reference.checks));
  fillSelect("label", (reference) => [goldOf(reference).label]);
  fillSelect("decision", (reference) => [reference.decision]);
  fillSelect("kind", (reference) => [goldOf(reference).hallucination_type]);
  fillSelect("predicted", (reference) => [typeOf(reference)]);
  fillSelect("model", (reference) => [reference.model]);
  fillSelect("query", (reference) => [reference.query], (one, other) => queryNumber(one) - queryNumber(other));
  for (const label of form.querySelectorAll("[data-gold]")) label.hidden = !isLabelled;
  for (const label of form.querySelectorAll("[data-answers]")) label.hidden = !isAnswers;
  for (const label of form.querySelectorAll("[data-typed]")) label.hidden = !isTyped;
  for (const label of form.querySelectorAll("[data-submissions]")) label.hidden = !data.references.some((one) => one.submission);
  for (const label of form.querySelectorAll("[data-held]")) label.hidden = !isHeldAtAll;
  for (const label of form.querySelectorAll("[data-files]")) label.hidden = !hasSeveral((reference) => reference.path);
}

function fits(row, wanted) {
  const { reference } = row;
  const gold = goldOf(reference);
  if (wanted.words.some((word) => !row.words.includes(word))) return false;
  if (wanted.verdict && verdictOf(reference) !== wanted.verdict) return false;
  if (wanted.path && reference.path !== wanted.path) return false;
  if (wanted.type && reference.type !== wanted.type) return false;
  if (wanted.submission && reference.submission !== wanted.submission) return false;
  if (wanted.label && gold.label !== wanted.label) return false;
  if (wanted.kind && gold.hallucination_type !== wanted.kind) return false;
  if (wanted.predicted && typeOf(reference) !== wanted.predicted) return false;
  if (wanted.model && reference.model !== wanted.model) return false;
  if (wanted.query && reference.query !== wanted.query) return false;
  if (wanted.decision && reference.decision !== wanted.decision) return false;
  if (!wanted.check && !wanted.outcome && !wanted.code && !wanted.severity) return true;
  // One and the same check has this name, outcome, code and severity.
  return Object.entries(reference.checks).some(
    ([name, finding]) =>
      (!wanted.check || name === wanted.check) &&
      (!wanted.outcome || finding.outcome === wanted.outcome) &&
      (!wanted.code || codesOf(finding).includes(wanted.code)) &&
      (!wanted.severity || heldAs(finding) === wanted.severity),
  );
}

function wantedNow() {
  const wanted = Object.fromEntries(new FormData(form));
  wanted.words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted;
}

function readHash() {
  const stated = new URLSearchParams(location.hash.slice(1));
  for (const field of form.elements) {
    if (!field.name) continue;
    field.value = stated.get(field.name) || "";
    if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = "";
  }
  const name = (stated.get("sort") || "").replace(/^-/, "");
  const isColumn = columns.some((column) => column.name === name);
  order = { name: isColumn ? name : "", descending: (stated.get("sort") || "").startsWith("-") };
}

function writeHash() {
  const stated = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (order.name) stated.set("sort", (order.descending ? "-" : "") + order.name);
  const text = stated.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

// Rows ------------------------------------------------------------------------------------------------------------

// Worst first: fabricated, unfindable, misdescribed, undecided, verified; among these, what has errors before what has warnings.
function badness(reference) {
  const held = Object.values(reference.checks).map(heldAs).filter(Boolean);
  const verdict = VERDICTS.indexOf(verdictOf(reference));
  const worst = Math.min(HELD.length, ...held.map((kind) => HELD.indexOf(kind)).filter((rank) => rank >= 0));
  return (verdict < 0 ? VERDICTS.length : verdict) * 10 + worst;
}

function compare(one, other) {
  const column = columns.find((candidate) => candidate.name === order.name);
  if (!column) return badness(one.reference) - badness(other.reference) || one.place - other.place;
  const [first, second] = [column.value(one), column.value(other)];
  const sign = order.descending ? -1 : 1;
  return first < second ? -sign : first > second ? sign : one.place - other.place;
}

function checkCell(reference, column) {
  const finding = reference.checks[column.check];
  if (!finding) return element("td", { class: "mark" }, element("span", { class: "sr" }, "not run"));
  return element(
    "td",
    {
      class: `mark ${finding.outcome} ${isHeldApart ? `held-${heldAs(finding) || "nothing"}` : ""}`,
      "data-name": column.label,
      title: [codesOf(finding).join(" "), finding.said, finding.message].filter(Boolean).join(": "),
    },
    element("span", { "aria-hidden": "true" }, MARKS[finding.outcome] || ""),
    element("span", { class: "sr" }, finding.outcome + (isHeldApart && heldAs(finding) ? `, ${heldAs(finding)}` : "")),
  );
}

function whatCell(row) {
  const { reference } = row;
  const isOpen = opened.has(row.place);
  const button = element(
    "button",
    { type: "button", class: "open-row", "aria-expanded": String(isOpen), "data-place": row.place, "aria-controls": `detail-${row.place}` },
    own("span", reference.title || reference.key || "(no key)"),
  );
  // What was waived stays in view where outcomes are all that is shown.
  const held = Object.values(reference.checks).filter((finding) => (isHeldApart ? heldAs(finding) : finding.outcome === "failed"));
  const codes = HELD.flatMap((kind) => {
    const named = held.filter((finding) => (isHeldApart ? heldAs(finding) : "error") === kind).flatMap(codesOf);
    return named.length ? [own("div", (isHeldApart ? `${kind}: ` : "") + named.join(" · "), { class: `codes held-${kind}` })] : [];
  });
  return element(
    "td",
    { class: "what" },
    button,
    own("div", `${reference.key || "(no key)"} · ${reference.type || ""} · ${place(reference)}`, { class: "where" }),
    ...codes,
    ...(reference.notices || []).filter((notice) => notice.alarming).map((notice) => own("div", notice.kind, { class: "notice" })),
  );
}

function cellOf(row, column) {
  const { reference } = row;
  if (column.check) return checkCell(reference, column);
  if (column.name === "key") return whatCell(row);
  if (column.name === "verdict") {
    const name = verdictOf(reference);
    const kind = typeOf(reference);
    return element("td", {}, element("span", { class: `badge ${name}` }, name || "none"), kind ? own("small", kind) : null);
  }
  if (column.name === "query") return element("td", {}, reference.query || "");
  if (column.name === "probability") {
    if (!reference.verdict) return element("td", {}, "");
    return element("td", {}, isUnasked(reference) ? "–" : wrongness(reference).toFixed(2));
  }
  if (column.name === "decision") {
    const decision = reference.decision || "";
    return element("td", {}, element("span", { class: `badge ${decision}` }, decision));
  }
  return own("td", column.value(row));
}

function tableRow(row) {
  return element("tr", {}, ...columns.map((column) => cellOf(row, column)));
}

function append(count) {
  const made = [];
  for (const row of matching.slice(shown, shown + count)) {
    made.push(tableRow(row));
    if (opened.has(row.place)) made.push(detailRow(row));
  }
  list.tBodies[0].append(...made);
  shown = Math.min(shown + count, matching.length);
  more.hidden = shown === matching.length;
}

const copyAll = document.getElementById("copy-all");
const correctedNow = () => matching.map((row) => row.reference.corrected).filter(Boolean);

function refresh() {
  const wanted = wantedNow();
  matching = rows.filter((row) => fits(row, wanted)).sort(compare);
  shown = 0;
  list.tBodies[0].replaceChildren();
  append(STEP);
  document.getElementById("count").textContent = `${matching.length} of ${rows.length} reference${rows.length === 1 ? "" : "s"}`;
  const corrected = correctedNow();
  copyAll.hidden = corrected.length === 0;
  copyAll.textContent = `Copy ${corrected.length} corrected ${corrected.length === 1 ? "entry" : "entries"}`;
  for (const tile of tiles) tile.setAttribute("aria-pressed", String(tile.value === wanted[tile.dataset.filter]));
  for (const head of list.tHead.rows[0].cells) {
    if (head.dataset.name === order.name) head.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    head.querySelector(".arrow").textContent = head.dataset.name !== order.name ? "" : order.descending ? " ↓" : " ↑";
  }
}

function toggle(button) {
  const row = rows[Number(button.dataset.place)];
  const line = button.closest("tr");
  const isOpen = !opened.delete(row.place);
  if (isOpen) {
    opened.add(row.place);
    line.after(detailRow(row));
  } else {
    line.nextElementSibling.remove();
  }
  button.setAttribute("aria-expanded", String(isOpen));
}

// Theme -----------------------------------------------------------------------------------------------------------

const theme = document.getElementById("theme");
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function showTheme() {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : systemIsDark.matches;
  theme.textContent = isDark ? "Light theme" : "Dark theme";
  return isDark;
}

// Wiring ----------------------------------------------------------------------------------------------------------

function changed() {
  writeHash();
  refresh();
}

prepareForm();
list.tHead.rows[0].append(
  ...columns.map((column) =>
    element(
      "th",
      { scope: "col", "data-name": column.name, ...(column.note ? { title: column.note } : {}) },
      element("button", { type: "button" }, column.label, element("span", { class: "arrow", "aria-hidden": "true" })),
    ),
  ),
);
list.tHead.addEventListener("click", (event) => {
  const head = event.target.closest("th");
  if (!head) return;
  const { name } = head.dataset;
  order = order.name !== name ? { name, descending: false } : order.descending ? { name: "" } : { name, descending: true };
  changed();
});
list.tBodies[0].addEventListener("click", (event) => {
  const button = event.target.closest(".open-row");
  if (button) toggle(button);
  const copied = event.target.closest(".copy");
  if (copied) copy(copied.previousElementSibling.textContent, copied);
});
form.addEventListener("input", changed);
form.addEventListener("submit", (event) => event.preventDefault());
// The fields are empty only after the event.
form.addEventListener("reset", () => setTimeout(changed));
for (const tile of tiles) {
  tile.addEventListener("click", () => {
    const select = form.elements[tile.dataset.filter];
    select.value = select.value === tile.value ? "" : tile.value;
    if (select.selectedIndex < 0) select.value = "";
    changed();
    document.getElementById("references").scrollIntoView();
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the hash holds the filters
  document.getElementById("references").focus();
});
copyAll.addEventListener("click", () => copy(`${correctedNow().join("\n\n")}\n`, copyAll));
more.addEventListener("click", () => append(STEP));
new IntersectionObserver((seen) => {
  if (seen.some((entry) => entry.isIntersecting)) append(STEP);
}, { rootMargin: "600px" }).observe(more);
addEventListener("beforeprint", () => append(matching.length));
addEventListener("hashchange", () => {
  readHash();
  refresh();
});
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = showTheme() ? "light" : "dark";
  showTheme();
});
systemIsDark.addEventListener("change", showTheme);

showTheme();
readHash();
refresh();
