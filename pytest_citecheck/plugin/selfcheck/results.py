"""What came of self-checks, from the reports of their items, also from workers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

__all__ = ["NO_PROOF", "SCORE", "SelfcheckResults", "is_of_selfcheck", "score_properties"]

NO_PROOF = "self-check of a language model, not proof"
SCORE = "citecheck_selfcheck"
"""The property of a report that holds the score; others begin with it."""

_LONGEST_REASON = 300


def score_properties(
    value: float, threshold: float, models: Sequence[str], answers: Sequence[str | None]
) -> list[tuple[str, str]]:
    """The properties of an item that has a score."""
    return [
        (SCORE, f"{value:.6f}"),
        (f"{SCORE}_threshold", f"{threshold:.6f}"),
        (f"{SCORE}_models", json.dumps(list(models), ensure_ascii=False)),
        (f"{SCORE}_answers", json.dumps(list(answers), ensure_ascii=False)),
    ]


def is_of_selfcheck(nodeid: str) -> bool:
    """Whether an item is a self-check."""
    return nodeid.rpartition("[")[2].startswith("selfcheck")


class SelfcheckResults:
    """The results of a run as they come in. items: the methods, in order."""

    def __init__(self, items: Sequence[str]) -> None:
        self._items = tuple(items)
        self._scores: dict[str, dict[str, dict[str, Any]]] = {}
        self._models: dict[str, list[str]] = {}
        self.scored = self.low = self.skipped = self.errors = 0

    def add(self, report: pytest.TestReport) -> None:
        """Take up the report of an item."""
        if (
            not is_of_selfcheck(report.nodeid)
            or report.when == "teardown"
            or (report.when == "setup" and report.passed)
        ):
            return
        reference, _, rest = report.nodeid.rpartition("[")
        method = rest.rstrip("]").removeprefix("selfcheck-")
        stated = {name: str(value) for name, value in report.user_properties if name.startswith(SCORE)}
        has_score = SCORE in stated
        threshold = stated.get(f"{SCORE}_threshold")
        score = {
            "score": float(stated[SCORE]) if has_score else None,
            "threshold": None if threshold is None else float(threshold),
            "low": has_score and float(stated[SCORE]) <= float(threshold or 0.0),
            "answers": json.loads(stated.get(f"{SCORE}_answers", "[]")),
            "reason": "" if has_score else _reason(report),
        }
        self._scores.setdefault(reference, {})[method] = score
        if has_score:
            self._models[reference] = json.loads(stated[f"{SCORE}_models"])
        self.scored += has_score
        self.low += report.failed and report.when == "call"
        self.skipped += report.skipped
        self.errors += report.failed and report.when == "setup"

    def data(self) -> dict[str, Any] | None:
        """For reports; None if nothing was run. The order is that of ids, however items were distributed."""
        if not self._scores:
            return None
        return {
            "note": NO_PROOF,
            "methods": [item for item in self._items if any(item in one for one in self._scores.values())],
            "references": [
                {
                    "id": reference,
                    "models": self._models.get(reference, []),
                    "scores": {item: scores[item] for item in self._items if item in scores},
                }
                for reference, scores in sorted(self._scores.items())
            ],
        }


def _reason(report: pytest.TestReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    text = " ".join(str(said).split()).removeprefix("Skipped: ")
    return text.rpartition(f"{NO_PROOF}: ")[2][:_LONGEST_REASON]
