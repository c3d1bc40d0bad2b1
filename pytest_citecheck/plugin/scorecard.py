"""The scores of the checks on labelled references, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.plugin.scoring import Scores

__all__ = ["write_scores"]

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


def write_scores(reporter: pytest.TerminalReporter, scores: Scores) -> None:
    """The headline scores in the three readings of UNCERTAIN, the rates per type, and the thresholds."""
    if scores.problem:
        reporter.line(f"citecheck: no scores: {scores.problem}", yellow=True)
    if reporter.config.get_verbosity() >= 0:
        for document in scores.splits:
            _write_split(reporter, document)
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


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
