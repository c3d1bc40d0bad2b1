"""The scores of the checks on labelled references, on the terminal: the brief parts of their sections in a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_citecheck.benchmark.metrics import wilson
from pytest_citecheck.benchmark.predictions import PREDICTED
from pytest_citecheck.benchmark.score_pages import score_sections
from pytest_citecheck.reports import Block, Inline, Items, Note, Section, Table, text_lines
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.plugin import Scores
    from pytest_citecheck.reports import ReferenceResult, RunResult

_SHOWN = 20  # wrong verdicts in each list
_MARKUP: Final[Mapping[str, dict[str, bool]]] = {"strong": {"bold": True}, "warning": {"yellow": True}, "": {}}


def write_scores(reporter: SafeReporter, scores: Scores, result: RunResult, *, selftest: bool = False) -> None:
    """Write the scores, the wrong verdicts and the thresholds.

    selftest: the scores belong to a self-test, which prints one table of the detected corruptions.
    """
    if scores.problem:
        reporter.line(f"citecheck: no scores: {scores.problem}", yellow=True)
    if reporter.config.get_verbosity() >= -1:  # also with -q: the scores are the result of a benchmark
        blocks: list[Block] = [selftest_section(document) for document in scores.splits] if selftest else []
        tools = [] if selftest else [{**document, "tool_name": document["split_name"]} for document in scores.splits]
        blocks += score_sections({"tools": tools, "arena": scores.arena})
        if scores.splits:
            blocks += _wrong(result)
        for line, style in text_lines(blocks):
            if style == "section":
                reporter.section(line)
            else:
                reporter.line(line, **_MARKUP[style])
    for text, passed in scores.gates:
        reporter.line(f"{'passed' if passed else 'FAILED':<8}{text}", **({"green": True} if passed else {"red": True}))


def _wrong(result: RunResult) -> Iterator[Block]:
    """List the first references whose verdict contradicts the label: label conflicts, false positives, missed hallucinations."""
    judged = [
        (reference, reference.gold["label"], reference.verdict.get("label") or PREDICTED[reference.verdict["name"]])
        for reference in result.references
        if reference.verdict and reference.gold
    ]
    for label, proven, heading in (
        ("VALID", True, "label conflicts: references labelled valid that the records contradict:"),
        ("VALID", False, "valid references that failed on single evidence (false positives):"),
        ("HALLUCINATED", False, "hallucinations that passed as verified:"),
    ):
        wrong = [
            f"{reference.path}:{reference.line} {reference.key}: {_reason(reference)}"
            for reference, gold, predicted in judged
            if gold == label and predicted not in (label, "UNCERTAIN") and _contradicted(reference) == proven
        ]
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        yield Note(heading if wrong else "", "strong", brief=True)
        yield Items([*wrong[:_SHOWN], *more], brief=True)


def _reason(reference: ReferenceResult) -> str:
    failed = (finding for finding in reference.findings.values() if finding["outcome"] == "failed")
    codes = ", ".join(code for finding in failed for code in (finding["code"], *finding["also"]))
    return codes or (reference.gold and reference.gold["hallucination_type"]) or ""


def _contradicted(reference: ReferenceResult) -> bool:
    """Return True if a check that decides fails on proof, not on single evidence: then the label is probably wrong."""
    return any(
        data["outcome"] == "failed" and data.get("evidence") not in ("single record", "compiled record")
        for check, data in reference.findings.items()
        if check != "completeness"
    )


def selftest_section(scores: Mapping[str, Any]) -> Section:
    """Detected corruptions by type of hallucination. Undecided references are not caught; failed originals are counted.

    scores: of one file. Intervals: Wilson (1927), over all references of a type.
    """
    counts = scores["counts"]
    rows = [
        _row(name, values["tp"], values["num_hallucinated"], values["decided"])
        for name, values in scores["per_type_metrics"].items()
        if values["num_hallucinated"]
    ]
    if rows:
        rows.append(_row("all of these", counts["tp"], scores["num_hallucinated"], counts["tp"] + counts["fn"]))
    rows.append(_row("originals accused", counts["fp"], scores["num_valid"], counts["fp"] + counts["tn"]))
    head = ["made of your references", "caught", "95 % interval", "undecided"]
    title = f"self-test on {scores['split_name']}: detected references"
    return Section(title, [Table("", head, rows, brief=True)])


def _row(name: str, part: int, whole: int, decided: int) -> list[Inline]:
    if not whole:
        return [name, "none made", "–", "–"]
    low, high = wilson(part, whole)
    return [name, f"{part} of {whole} ({part / whole:.1%})", f"{low:.1%} to {high:.1%}", str(whole - decided)]
