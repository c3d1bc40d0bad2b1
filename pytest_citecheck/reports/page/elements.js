"use strict";
// What the report holds, and elements made of it. Text from the report only ever becomes text nodes; nothing parses markup.

const CHECKS = {
  syntax: "Syntax", doi: "DOI", title: "Title", authors: "Authors", venue: "Venue", completeness: "Completeness",
  cross_db: "Databases agree",
};
const data = JSON.parse(document.getElementById("payload").textContent);
for (const { checks } of data.references) {
  for (const check of Object.keys(checks)) checks[check] = data.findings[checks[check]];
}
const isLabelled = data.references.some((reference) => reference.gold);
const isAnswers = data.references.some((reference) => reference.model);
const isHeldApart = data.severities;
const isTyped = data.references.some((reference) => typeOf(reference));

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

// Where a reference stands: "refs.bib:12"; "paper.pdf, page 12".
const place = ({ path, line, unit }) => (unit ? `${path}, ${unit} ${line}` : `${path}:${line}`);

// Text in any script and direction.
const own = (tag, text, properties) => element(tag, { dir: "auto", ...properties }, String(text));

function link(address, text) {
  if (!/^https?:\/\//i.test(address || "")) return own("span", text);
  return own("a", text, { href: address, target: "_blank", rel: "noopener noreferrer" });
}

const hasSeveral = (of) => new Set(data.references.map(of)).size > 1;

// Copies text and says so on the button. Without a clipboard (an old browser, an insecure page) a selection is copied.
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { class: "sr" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
}

// All codes of a finding, the first one first.
const codesOf = (finding) => [finding.code, ...(finding.also || [])].filter(Boolean);
const verdictOf = (reference) => (reference.verdict ? reference.verdict.name : "");
// The type of hallucination that a wrong citation looks like.
function typeOf(reference) {
  return (reference.verdict && reference.verdict.type) || "";
}

// As what a finding is held against its reference: error, strict (an error by --citecheck-strict alone), warning, or nothing.
const HELD = ["error", "strict", "warning"];
function heldAs(finding) {
  const severity = finding.severity || (finding.outcome === "failed" ? "error" : "ignore");
  if (finding.waived || severity === "ignore") return "";
  return finding.demanded ? "strict" : severity;
}

const isHeldAtAll = data.references.some((reference) => Object.values(reference.checks).some((finding) => HELD.includes(heldAs(finding))));

// Where nobody could be asked, the probability is only what was assumed.
const isUnasked = (reference) =>
  verdictOf(reference) === "undecided" &&
  (reference.evidence || []).every(([, , , answer]) => data.answers[answer].answer === "unavailable");
const wrongness = (reference) => (reference.verdict && !isUnasked(reference) ? reference.verdict.probability || 0 : -1);

function goldOf(reference) {
  return reference.gold || {};
}

function labelOf(reference) {
  const gold = goldOf(reference);
  return gold.hallucination_type || gold.label || "";
}
