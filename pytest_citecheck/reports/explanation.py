"""A failed check in words: the headline, cited and found side by side, the record, who said what, the entry to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Asked, Finding, Found, Reference, Unavailable
from pytest_citecheck.reports.fixes import corrected_entry
from pytest_citecheck.reports.safe_text import safe_line, safe_lines

if TYPE_CHECKING:
    from pytest_citecheck.verdict import Evaluation

__all__ = ["explain", "headline"]

_HEADLINE = 120
_QUESTION = 80


def headline(finding: Finding, said: str = "") -> str:
    """The line for summaries, annotations and JUnit messages: complete in itself, at most 120 characters.

    said: what policy or options of the run say of the finding, if they say more than that the check failed.
    """
    text = ": ".join(filter(None, (finding.code, safe_line(said), safe_line(finding.message))))
    return text if len(text) <= _HEADLINE else text[: _HEADLINE - 1].rstrip() + "…"


def explain(
    reference: Reference,
    finding: Finding,
    evaluation: Evaluation | None,
    said: str = "",
    sentence: str = "",
    told: str = "",
) -> str:
    """The whole message of a failing item, beginning with ``file:line key [check] code: …``.

    said: as in `headline`. sentence: whose word that is. told: the item of the same reference whose message has said already
    who was asked and how to correct the entry; empty if none has.
    """
    where = f"{reference.location.path}:{reference.location.line} {safe_line(reference.key) or '(no key)'}"
    lines = [": ".join(filter(None, (f"{where} [{finding.check}] {finding.code}", safe_line(said), finding.message)))]
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
            [f"  evidence and correction: see {safe_line(told)}"] if told else _of_all_checks(reference, evaluation)
        )
    return safe_lines("\n".join(lines))


def _of_all_checks(reference: Reference, evaluation: Evaluation) -> list[str]:
    """What is the same for all checks of a reference: who was asked, and the corrected entry."""
    asked = evaluation.case.evidence.asked
    related = {
        (candidate.record.source, candidate.record.id)
        for candidate in evaluation.case.candidates
        if candidate.relation in ("work", "near")
    }
    lines = ["  asked:", *(f"    {_answer(line, related)}" for line in asked)] if asked else []
    entry = corrected_entry(reference, evaluation.findings.values())
    if entry:
        lines += ["  corrected entry (changed fields marked):", *(f"    {line}" for line in entry)]
        lost = [name for name, value in evaluation.findings["venue"].fixes.items() if not value]
        lines += [f"  dropped: {', '.join(lost)} of the venue cited before; the record names none"] if lost else []
    return lines


def _answer(asked: Asked, related: set[tuple[str, str]]) -> str:
    """One line of evidence; of records found, how many are of the cited work."""
    answer = asked.answer
    question = asked.question
    value = safe_line(question.value)
    value = value if len(value) <= _QUESTION else value[: _QUESTION - 1].rstrip() + "…"
    what = f"{source_name(asked.source)}: {question.kind} {value}" + (f" {question.year}" if question.year else "")
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
            records += f", {fitting or 'none'} of this work" if fitting != count else ""
        return f"{what}: {records}{date}"
    if isinstance(answer, Unavailable):
        return f"{what}: no answer ({answer.reason}{': ' + answer.detail if answer.detail else ''})"
    return f"{what}: knows none{' (' + answer.scope + ')' if answer.scope else ''}{date}"
