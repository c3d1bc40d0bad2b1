"""The message of a failed check: headline, cited and found values, record, answers of the sources, corrected entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Asked, Finding, Found, Reference, Unavailable
from pytest_citecheck.reports.corrected_entry import corrected_entry
from pytest_citecheck.reports.safe_text import safe_line, safe_lines

if TYPE_CHECKING:
    from pytest_citecheck.verdict import Evaluation

__all__ = ["explain", "headline"]

_HEADLINE = 120
_QUESTION = 80


def headline(finding: Finding, said: str = "") -> str:
    """One line of at most 120 characters for summaries, annotations and JUnit messages.

    said: what the policy or the options of the run add to the finding; empty if nothing.
    """
    text = ": ".join(filter(None, (finding.code, safe_line(said), safe_line(finding.message))))
    return text if len(text) <= _HEADLINE else text[: _HEADLINE - 1].rstrip() + "…"


def explain(
    reference: Reference,
    finding: Finding,
    evaluation: Evaluation | None,
    said: str = "",
    sentence: str = "",
    see_item: str = "",
) -> str:
    """The whole message of a failing item; it begins with ``file:line key [check] code: …``.

    That of completeness ends there: no source was queried for it.

    said: as in `headline`. sentence: the policy or option that adds it. see_item: the item of the same reference whose message
    already shows the sources queried and the corrected entry; empty if none does.
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


def _answer(asked: Asked, related: set[tuple[str, str]]) -> str:
    """One line of evidence; for records found, also how many are of the cited work."""
    answer = asked.answer
    question = asked.question
    value = safe_line(question.value)
    value = value if len(value) <= _QUESTION else value[: _QUESTION - 1].rstrip() + "…"
    kind = question.kind.replace("_", " ")
    what = f"{source_name(asked.source)}: {kind} {value}" + (f" {question.year}" if question.year else "")
    date = f", {asked.date[:10]}" if asked.date else ""
    if isinstance(answer, Found):
        agency = answer.records[0].agency if answer.records else ""
        if question.kind == "venue_year":
            return f"{what}: listed{date}"
        if question.kind == "prefix" and agency:
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
