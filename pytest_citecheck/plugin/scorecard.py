"""The scores of the checks on labelled references, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.hallmark.cases import PREDICTED
from pytest_citecheck.reports.safe_text import safe_line

if TYPE_CHECKING:
    from pytest_citecheck.plugin.scoring import Scores
    from pytest_citecheck.reports.results import RunResult

__all__ = ["write_scores"]

_FIELDS = ("title", "author", "year", "doi", "venue")
_ODD = {
    "errors": "could not be checked",
    "failed_calls": "failed calls",
    "refusals": "answers without references",
    "duplicates": "repeated",
}
_SHOWN = 20  # wrong verdicts of a kind
_READINGS = {"excluded": "UNCERTAIN left out", "as_valid": "read as VALID", "as_hallucinated": "read as HALLUCINATED"}
_HEADLINE = {
    "detection_rate": "DR",
    "false_positive_rate": "FPR",
    "precision": "precision",
    "f1_hallucination": "F1",
    "tier_weighted_f1": "TW-F1",
    "mcc": "MCC",
}
_OTHER = {"ece_tie_safe": "ECE", "brier": "Brier", "auroc": "AUROC", "auprc": "AUPRC"}


def write_scores(reporter: pytest.TerminalReporter, scores: Scores, result: RunResult) -> None:
    """The headline scores in the three readings of UNCERTAIN, the rates per type, wrong verdicts, and the thresholds."""
    if scores.problem:
        reporter.line(f"citecheck: no scores: {scores.problem}", yellow=True)
    if reporter.config.get_verbosity() >= -1:  # with -q as well: whoever runs a benchmark wants to see them
        for document in scores.splits:
            _write_split(reporter, document)
        if scores.splits:
            _write_wrong(reporter, result)
        if scores.arena is not None:
            _write_models(reporter, scores.arena)
    for text, held in scores.gates:
        reporter.line(f"{'held' if held else 'MISSED':<8}{text}", **({"green": True} if held else {"red": True}))


def _write_split(reporter: pytest.TerminalReporter, scores: Mapping[str, Any]) -> None:
    counts = scores["counts"]
    reporter.section(f"scores on {scores['split_name']}")
    reporter.line(
        f"{scores['num_entries']} references ({scores['num_hallucinated']} hallucinated, {scores['num_valid']} valid): "
        f"TP {counts['tp']}, FP {counts['fp']}, TN {counts['tn']}, FN {counts['fn']}, undecided {counts['uncertain']}; "
        f"decided: {scores['committed_coverage']:.1%}"
    )
    reporter.line(f"{'undecided ones':<22}{''.join(f'{name:>11}' for name in _HEADLINE.values())}", bold=True)
    for reading, meaning in _READINGS.items():
        values = (scores["readings"][reading][name] for name in _HEADLINE)
        reporter.line(f"{meaning:<22}{''.join(f'{_number(value):>11}' for value in values)}")
    reporter.line(", ".join(f"{label} {_number(scores[name])}" for name, label in _OTHER.items()))
    types = {name: block for name, block in scores["per_type_metrics"].items() if name != "valid"}
    if types:
        reporter.line("detected of the decided ones, by type:", bold=True)
        cells = [f"{name} {_number(block['detection_rate'])}" for name, block in sorted(types.items())]
        for first in range(0, len(cells), 3):
            reporter.line("  " + "".join(f"{cell:<36}" for cell in cells[first : first + 3]).rstrip())


def _write_wrong(reporter: pytest.TerminalReporter, result: RunResult) -> None:
    """The first references of which the verdict contradicts the label, the accused ones before those that were missed."""
    judged = [(reference, PREDICTED[reference.verdict["name"]]) for reference in result.references if reference.verdict]
    for label, heading in (
        ("VALID", "valid references that were accused:"),
        ("HALLUCINATED", "hallucinations taken for verified:"),
    ):
        wrong = [
            reference
            for reference, predicted in judged
            if reference.gold and reference.gold["label"] == label and predicted not in (label, "UNCERTAIN")
        ]
        if wrong:
            reporter.line(heading, bold=True)
        for reference in wrong[:_SHOWN]:
            failed = (data["code"] for data in reference.findings.values() if data["outcome"] == "failed")
            what = ", ".join(failed) or (reference.gold or {}).get("hallucination_type") or ""
            reporter.line(f"  {reference.path}:{reference.line} {safe_line(reference.key)}: {safe_line(what)}")
        if len(wrong) > _SHOWN:
            reporter.line(f"  and {len(wrong) - _SHOWN} more")


def _write_models(reporter: pytest.TerminalReporter, arena: Mapping[str, Any]) -> None:
    """How well each model cites, the best first."""
    reporter.section("models")
    width = max(20, *(len(safe_line(scores["model"])) + 2 for scores in arena["rankings"]))
    names = ("verified", "hallucin.", "title", "author", "year", "doi", "venue", "years kept", "delivered")
    reporter.line(f"{'model':<{width}}{'references':>12}{''.join(f'{name:>11}' for name in names)}", bold=True)
    for scores in arena["rankings"]:
        values = [
            scores["verification_rate"],
            scores["hallucination_rate"],
            *(scores["fields"][name]["accuracy"] if _decided(scores["fields"][name]) else None for name in _FIELDS),
            scores["year_compliance_rate"] if scores["year_constrained_refs"] else None,
            scores["coverage"] if scores["requested"] else None,
        ]
        cells = "".join(f"{'-' if value is None else f'{value:.1%}':>11}" for value in values)
        reporter.line(f"{safe_line(scores['model']):<{width}}{scores['total_refs']:>12}{cells}")
        odd = [f"{name}: {scores[field]}" for field, name in _ODD.items() if scores[field]]
        if odd:
            reporter.line("  " + ", ".join(odd))


def _decided(field: Mapping[str, Any]) -> int:
    return int(field["right"] + field["wrong"])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
