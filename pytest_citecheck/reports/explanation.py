"""The message of a failed check: headline, cited and found values, record, answers of the sources, corrected entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from pytest_citecheck.checks import macro_for
from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import MAYBE_BLANKS, lazy_pattern, safe_line, safe_lines
from pytest_citecheck.model import Finding, Found, QueryResult, Reference, Unavailable

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation

_CHANGED, _TO_REMOVE = "\ue000", "\ue001"
_TAIL = lazy_pattern(MAYBE_BLANKS + r"(?:,\s*+)?[})]\s*+$")


def corrected_entry(reference: Reference, findings: Iterable[Finding]) -> list[str]:
    """The lines of the entry with all fixes of these findings applied; empty if nothing is wrong.

    Fields that the entry lacks (a DOI) are also added from findings that did not fail.

    Other fields stay as they are in the file. In the margin, ``>`` marks a changed or new field and ``-`` one to
    remove. A field to remove that shares its line with others is removed from that line, which is marked as changed.
    """
    fixes = _fixes(reference, list(findings))
    if not fixes or not reference.text.lstrip().startswith("@"):  # a plain-text reference has no fields to mark
        return []
    from pytest_citecheck.fixing import delimited, written_value  # noqa: PLC0415 - for what is wrong only

    year = fixes.get("year", reference.fields.get("year", ""))
    macros = {name: macro_for(reference, name, value, year) for name, value in fixes.items()}
    spans = {name: _field_span(reference.text, name) for name in fixes}
    text, changed = reference.text, set()
    for name, span in sorted(spans.items(), key=lambda item: -(item[1] or (0, 0))[0]):
        if span is None:
            continue
        start, end = span
        if fixes[name]:
            value = macros.get(name) or delimited(text[start:end], written_value(reference, name, fixes[name]))
            text = f"{text[:start]}{_CHANGED}{value}{text[end:]}"
        else:
            text = _without(text, name, start, end)
        changed.add(name)
    added = [name for name in fixes if name not in changed and fixes[name]]
    if not changed and not added:
        return []
    if added:
        body = _TAIL.sub("", text)
        written = {name: macros[name] or f"{{{written_value(reference, name, fixes[name])}}}" for name in added}
        new = ",\n".join(f"{_CHANGED}  {name} = {value}" for name, value in written.items())
        text = f"{body},\n{new},\n}}"
    return [_marked(line) for line in text.splitlines()]


def _fixes(reference: Reference, findings: Sequence[Finding]) -> dict[str, str]:
    """The values to write, by field: the first one of what failed, and what the entry lacks from the others."""
    failed = [one.fixes for one in findings if one.outcome == "failed"]
    others = [one.fixes for one in findings if one.outcome != "failed"] if any(failed) else []
    lacking = [{name: value for name, value in one.items() if name not in reference.fields} for one in others]
    fixes: dict[str, str] = {}
    for name, value in (item for one in [*failed, *lacking] for item in one.items()):
        fixes.setdefault(name, value)
    return {name: value for name, value in fixes.items() if value != reference.fields.get(name, "")}


def corrected_text(reference: Reference, findings: Iterable[Finding]) -> str:
    """The corrected entry, ready to paste: without marks, and without the fields to remove; empty if nothing of it is wrong."""
    return "\n".join(line[2:] for line in corrected_entry(reference, findings) if not line.startswith("-"))


def _without(text: str, name: str, start: int, end: int) -> str:
    """The text with the field marked for removal, or without it if it shares its line with other fields."""
    head = re.search(rf"{re.escape(name)}\s*=\s*\Z", text[:start], re.IGNORECASE)
    first = head.start() if head else start
    comma = re.match(r"\s*,[ \t]*", text[end:])
    last = end + (comma.end() if comma else 0)
    before, after = text[text.rfind("\n", 0, first) + 1 : first], text[last:].partition("\n")[0]
    if before.strip() or after.strip():
        return f"{text[:first]}{_CHANGED}{text[last:]}"
    return f"{text[:start]}{_TO_REMOVE}{text[start:]}"


def _marked(line: str) -> str:
    """The line with a mark in its margin."""
    mark = ">" if _CHANGED in line else "-" if _TO_REMOVE in line else " "
    return f"{mark} {line.replace(_CHANGED, '').replace(_TO_REMOVE, '')}".rstrip()


def _field_span(text: str, name: str) -> tuple[int, int] | None:
    """Start and end of the value of a field in the source of an entry, with its delimiters; None if it is not found."""
    match = re.search(rf"(?:^|[,{{(])\s*{re.escape(name)}\s*=\s*", text, re.IGNORECASE | re.MULTILINE)
    if match is None:
        return None
    start = end = match.end()
    depth, quoted = 0, False
    while end < len(text):
        character = text[end]
        if character == "\\":
            end += 2
            continue
        if character == '"' and depth == 0:
            quoted = not quoted
        elif character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                break
            depth -= 1
        elif character in ",)" and depth == 0 and not quoted:
            break
        end += 1
    return start, start + len(text[start:end].rstrip())


_HEADLINE = 120
# The last one that matches decides.
_PAUSES = (lazy_pattern(r"\s"), lazy_pattern(r"\s(?=[a-z])"), lazy_pattern(r"(?:(?<=[,;:)”»])|(?<=[)”»]\.))\s"))
_QUESTION = 80


def headline(finding: Finding, said: str = "") -> str:
    """One line of at most 120 characters for summaries, annotations and JUnit messages.

    said: additions of the policy or the options to the finding; may be empty.
    """
    text = ": ".join(filter(None, (finding.code, safe_line(said), safe_line(finding.message))))
    return shortened(text, _HEADLINE)


def shortened(text: str, most: int) -> str:
    """The text, cut to this many characters after punctuation, or in front of a small word: not inside a name if possible."""
    if len(text) <= most:
        return text
    breaks = [match.start() for pause in _PAUSES for match in pause.finditer(text, max(most - 60, most // 2), most - 1)]
    return text[: breaks[-1] if breaks else most - 2].rstrip() + " …"


def explain(
    reference: Reference,
    finding: Finding,
    evaluation: Evaluation | None,
    said: str = "",
    sentence: str = "",
    see_item: str = "",
) -> str:
    """The whole message of a failing item; it begins with ``file:line key [check] code: …``.

    The message of completeness ends there: no source was queried for it.

    said: as in `headline`. sentence: the policy or option that adds it. see_item: an item of the same reference whose
    message already has the queried sources and the corrected entry; empty without one.
    """
    where = f"{reference.location} {safe_line(reference.key) or '(no key)'}"
    lines = [": ".join(filter(None, (f"{where} [{finding.check}] {finding.code}", safe_line(said), finding.message)))]
    if finding.check == "completeness":
        return safe_lines("\n".join([*lines, *([f"  {safe_line(sentence)}"] if sentence else [])]))
    for label, value in (("cited", finding.cited), ("found", finding.found), ("diff", finding.diff)):
        if value:
            lines.append(f"  {label + ':':<8}{safe_line(value)}")
    if finding.record is not None and finding.record.url:
        lines.append(f"  record: {finding.record.url} ({source_name(finding.record.source)})")
    if finding.rule:
        lines.append(f"  rule:   {finding.rule}")
    lines += [f"  {safe_line(sentence)}"] if sentence else []
    if evaluation is not None:
        lines += [f"  verdict: {evaluation.verdict.name} ({evaluation.verdict.reason})"]
        lines += (
            [f"  evidence and correction: see {safe_line(see_item)}"]
            if see_item
            else _of_all_checks(reference, evaluation)
        )
    return safe_lines("\n".join(lines))


def _of_all_checks(reference: Reference, evaluation: Evaluation) -> list[str]:
    """The part that all checks of a reference share: the sources queried and the corrected entry."""
    asked = evaluation.case.evidence.asked
    related = {
        (candidate.record.source, candidate.record.id)
        for candidate in evaluation.case.candidates
        if candidate.relation in ("work", "near")
    }
    lines = ["  queried:", *(f"    {_answer(line, related)}" for line in asked)] if asked else []
    entry = corrected_entry(reference, evaluation.findings.values())
    if entry:
        lines += ["  corrected entry (changed fields marked):", *(f"    {line}" for line in entry)]
        lost = [name for name, value in evaluation.findings["venue"].fixes.items() if not value]
        lines += [f"  removed: {', '.join(lost)} (of the other venue)"] if lost else []
    return lines


def _answer(asked: QueryResult, related: set[tuple[str, str]]) -> str:
    """One line of evidence; for records found, also how many are of the cited work."""
    answer = asked.answer
    query = asked.query
    authors = ", ".join(query.authors) if query.kind == "author_search" else ""
    value = safe_line(" in ".join(filter(None, (authors, query.value))))
    value = shortened(value, _QUESTION)
    kind = query.kind.replace("_", " ")
    what = f"{source_name(asked.source)}: {kind} {value}" + (f" {query.year}" if query.year else "")
    date = f", {asked.date[:10]}" if asked.date else ""
    if isinstance(answer, Found):
        agency = answer.records[0].agency if answer.records else ""
        if query.kind == "venue_year":
            return f"{what}: listed{date}"
        if query.kind == "prefix" and agency:
            return f"{what}: {agency}{date}"
        count = len(answer.records)
        records = f"{count} record{'s' if count != 1 else ''}"
        if any(record.title for record in answer.records):
            fitting = sum((record.source, record.id) in related for record in answer.records)
            records += f", {fitting or 'none'} of the cited work" if fitting != count else ""
        return f"{what}: {records}{date}"
    if isinstance(answer, Unavailable):
        return f"{what}: no answer ({answer.reason}{': ' + answer.detail if answer.detail else ''})"
    return f"{what}: no record{' (' + answer.scope + ')' if answer.scope else ''}{date}"


ReportedReference = Mapping[str, Any]

ReportSeverity = Literal["error", "demanded", "warning", ""]
REPORT_SEVERITIES: tuple[ReportSeverity, ...] = ("error", "demanded", "warning")
"""The severities that reports show, worst first; ``demanded``: an error only because of ``--citecheck-strict``."""

WRONG_SHOWN = 50
"""Maximum number of references with a wrong verdict in a report."""

_LABELS = {"verified": "VALID", "misdescribed": "HALLUCINATED", "fabricated": "HALLUCINATED"}
_QUERY = lazy_pattern(r"q\d+(?:~\d+)?")


def place_of(reference: ReportedReference) -> str:
    """Place of the reference, in words: ``refs.bib:12``; ``paper.pdf, page 12``."""
    path, line = reference.get("path", ""), reference.get("line", "")
    return f"{path}, {reference['unit']} {line}" if reference.get("unit") else f"{path}:{line}"


def verdict_is_right(reference: ReportedReference) -> bool | None:
    """Return True if the verdict agrees with the label of the reference; None if either is missing or undecided.

    If the policy predicts labels itself, its label counts (``label`` beside the verdict).
    """
    label = (reference.get("gold") or {}).get("label")
    verdict = reference.get("verdict") or {}
    predicted = verdict.get("label") or _LABELS.get(str(verdict.get("name")))
    if label not in _LABELS.values() or predicted not in _LABELS.values():
        return None
    return bool(predicted == label)


def wrong_verdicts(result: ReportedReference) -> list[ReportedReference]:
    """The labelled references with a wrong verdict: false positives, then missed hallucinations."""
    wrong = [reference for reference in result.get("references") or () if verdict_is_right(reference) is False]
    return sorted(wrong, key=lambda reference: reference["gold"]["label"] != "VALID")


def report_severity(finding: ReportedReference) -> ReportSeverity:
    """The severity of a finding: ``error``, ``demanded``, ``warning``, or empty for none.

    In a report without severities, a failed check is an error.
    """
    severity = finding.get("severity") or ("error" if finding.get("outcome") == "failed" else "ignore")
    if severity == "error" and finding.get("demanded"):
        return "demanded"
    return severity if severity in REPORT_SEVERITIES else ""


def is_reported(finding: ReportedReference) -> bool:
    """Return True if reports show a finding as an error or a warning."""
    return bool(report_severity(finding))


def codes_of(finding: ReportedReference) -> list[str]:
    """All codes of a finding, the main one first."""
    return [str(finding.get("code") or ""), *map(str, finding.get("also") or ())]


def verdict_text(reference: ReportedReference) -> tuple[str, str]:
    """The name of the verdict and, for a labelled reference, the predicted hallucination type; each empty if there is none.

    Hallucination types belong to benchmarks; they do not help to correct one's own bibliography.
    """
    verdict = reference.get("verdict") or {}
    return str(verdict.get("name") or ""), str(verdict.get("type") or "") if reference.get("gold") else ""


def answer_of(reference: ReportedReference) -> tuple[str, str] | None:
    """Model and query (``1``; ``1~2`` for its second sample) of a reference in a model's answer; None for other references.

    They are read from its id, ``answers.jsonl::some-model::q1::key``, which is percent-encoded.
    """
    _, *parts = str(reference.get("id") or "").split("::")
    if len(parts) < 3 or not _QUERY.fullmatch(parts[-2]):
        return None
    return unquote(parts[-3]), parts[-2][1:]
