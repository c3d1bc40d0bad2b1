"""Methods of self-check compared over the same labelled rows: areas, paired tests, thresholds, as one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark.metrics.separation.area import area, paired
from pytest_citecheck.benchmark.metrics.separation.bootstrap import bootstrap
from pytest_citecheck.benchmark.metrics.separation.kept import (
    fdr_at,
    fdr_band,
    fdr_curve,
    flagged,
    interpolated_view,
    kept_above,
    reachable,
    threshold_for,
    threshold_view,
    youden,
)

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics.separation.labelled import Labelled
    from pytest_citecheck.benchmark.selfcheck.labelled_file import LabelledScores

__all__ = ["FRACTIONS", "compared", "roc_points"]

FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Fractions kept of the published curve that the table shows."""


def roc_points(rows: Labelled) -> list[tuple[float, float]]:
    """(share of hallucinated kept, share of grounded kept) from (0, 0) to (1, 1); empty with one class only."""
    positives, negatives = len(rows.positives), len(rows.negatives)
    if not positives or not negatives:
        return []
    points, right, wrong = [(0.0, 0.0)], 0, 0
    for _, count, negative in rows.levels():
        right, wrong = right + count - negative, wrong + negative
        points.append((wrong / negatives, right / positives))
    return points


def compared(
    labelled: LabelledScores, *, target: float, threshold: float, replicates: int = 0, seed: int = 42
) -> dict[str, Any]:
    """The document. target: of the FDR. threshold: the fixed one at which methods are compared too."""
    rows = {name: labelled.of(name) for name in labelled.scores}
    hallucinated = len(labelled.grounded) - sum(labelled.grounded)
    return {
        "rows": len(labelled.grounded),
        "hallucinated": hallucinated,
        "hallucination_rate": hallucinated / len(labelled.grounded),
        "left_out": labelled.left_out,
        "target_fdr": target,
        "threshold": threshold,
        "methods": {
            name: _method(one, target, threshold, replicates, seed, grouped=labelled.groups is not None)
            for name, one in rows.items()
        },
        "paired": [{"a": a, "b": b, **asdict(paired(rows[a], rows[b]))} for a, b in combinations(rows, 2)],
    }


def _method(
    rows: Labelled, target: float, threshold: float, replicates: int, seed: int, *, grouped: bool
) -> Mapping[str, Any]:
    found = area(rows)
    chosen = threshold_for(rows, target)
    sure = threshold_for(rows, target, surely=True)
    best = youden(rows)
    plain = bootstrap(rows, replicates, seed) if replicates else None
    clustered = bootstrap(rows, replicates, seed, by_group=True) if replicates and grouped else None
    return {
        "auc": found.value,
        "se": found.se,
        "interval": found.interval,
        "logit_interval": found.logit_interval,
        "note": found.note,
        "mean": float(rows.scores.mean()),
        "bootstrap": None if plain is None else asdict(plain),
        "bootstrap_by_group": None if clustered is None else asdict(clustered),
        "fdr": {str(fraction): fdr_at(rows, fraction) for fraction in FRACTIONS},
        "fdr_band": fdr_band(rows, FRACTIONS, replicates, seed, by_group=grouped) if replicates else None,
        "reachable": reachable(rows),
        "fdr_curve": fdr_curve(rows),
        "thresholds": threshold_view(rows),
        "fdr_published_view": interpolated_view(rows),
        "roc": roc_points(rows),
        "kept": asdict(kept_above(rows, threshold)),
        "flagged": asdict(flagged(rows, threshold)),
        "for_target": None if chosen is None else asdict(chosen),
        "for_target_surely": None if sure is None else asdict(sure),
        "youden": None if best is None else {"threshold": best[0], "difference": best[1]},
    }
