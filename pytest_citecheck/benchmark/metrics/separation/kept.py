"""What is kept if only rows with high scores are: the share of wrong ones among them, and thresholds for a wanted share.

Source: Agrawal et al., EACL 2024 (false discovery rate against the fraction preserved). Rows of one score are not told apart: at
the border each of them is kept with the same probability, and the share is the expected one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_citecheck.benchmark.metrics.confusion import wilson
from pytest_citecheck.benchmark.metrics.intervals import percentile_interval
from pytest_citecheck.benchmark.metrics.separation.bootstrap import draws
from pytest_citecheck.benchmark.metrics.separation.labelled import Labelled

__all__ = [
    "Flagged",
    "Kept",
    "Threshold",
    "fdr_at",
    "fdr_band",
    "fdr_curve",
    "flagged",
    "interpolated_view",
    "kept_above",
    "reachable",
    "threshold_for",
    "threshold_view",
    "youden",
]


_VIEWED = (-0.05, 0.99, 50)


@dataclass(frozen=True, slots=True)
class Kept:
    """rows: kept with a score above the threshold. fdr: the share of negative ones; None if nothing is kept."""

    rows: int
    fraction: float
    fdr: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Flagged:
    """The other side of a threshold: negative rows are to be flagged. None where it is undefined."""

    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """Rows with a score above ``value`` are kept."""

    value: float
    kept: Kept


def fdr_at(rows: Labelled, fraction: float) -> float | None:
    """The expected share of negative rows in this fraction with the highest scores; None if nothing is kept."""
    return _fdr(rows.levels(), fraction * len(rows))


def fdr_band(
    rows: Labelled, fractions: Sequence[float], replicates: int, seed: int = 42, *, by_group: bool = False
) -> list[tuple[float, float] | None]:
    """The interval of 95 % of `fdr_at` at each fraction, from the percentiles of a bootstrap; None where nothing is kept."""
    found: list[list[float]] = [[] for _ in fractions]
    for positions in draws(rows, replicates, seed, by_group=by_group):
        levels = Labelled(rows.scores[positions], rows.positive[positions]).levels()
        for values, fraction in zip(found, fractions, strict=True):
            value = _fdr(levels, fraction * len(positions))
            values.append(np.nan if value is None else value)
    return [percentile_interval(np.asarray(values)) for values in found]


def _fdr(levels: Sequence[tuple[float, int, int]], wanted: float) -> float | None:
    left = wanted
    if wanted <= 0:
        return None
    wrong = 0.0
    for _, count, negative in levels:
        taken = min(left, count)
        wrong += negative * taken / count
        left -= taken
        if left <= 0:
            break
    return wrong / (wanted - max(0.0, left))


def reachable(rows: Labelled) -> float | None:
    """The smallest fraction that can be kept without dividing rows of one score; None without rows."""
    levels = rows.levels()
    return levels[0][1] / len(rows) if levels else None


def fdr_curve(rows: Labelled) -> list[tuple[float, float]]:
    """(fraction kept, FDR) at each distinct score, from the smallest fraction that can be reached to 1."""
    points, kept, wrong = [], 0, 0
    for _, count, negative in rows.levels():
        kept, wrong = kept + count, wrong + negative
        points.append((kept / len(rows), wrong / kept))
    return points


def kept_above(rows: Labelled, threshold: float) -> Kept:
    """What is kept of rows with a score above the threshold, with Wilson's interval of the FDR."""
    above = rows.scores > threshold
    count = int(above.sum())
    wrong = int((above & ~rows.positive).sum())
    if not count:
        return Kept(0, 0.0, None, None)
    return Kept(count, count / len(rows), wrong / count, wilson(wrong, count))


def flagged(rows: Labelled, threshold: float, *, inclusive: bool = True) -> Flagged:
    """Precision and recall of flagging rows with a score of at most (or below) the threshold as negative."""
    below = rows.scores <= threshold if inclusive else rows.scores < threshold
    found, count, negatives = int((below & ~rows.positive).sum()), int(below.sum()), len(rows.negatives)
    return Flagged(found / count if count else None, found / negatives if negatives else None)


def threshold_for(rows: Labelled, fdr: float, *, surely: bool = False) -> Threshold | None:
    """The threshold that keeps most rows with at most this FDR; None if none does.

    surely: the upper end of the interval of the FDR must not exceed it either. The threshold is the highest score that is not
    kept, so it holds for these rows; scores of another model need labels of their own.
    """
    levels = rows.levels()
    below = [value for value, _, _ in levels[1:]] + [-1.0]
    best = None
    for threshold in below:
        kept = kept_above(rows, threshold)
        reached = kept.interval[1] if surely and kept.interval else kept.fdr
        if reached is not None and reached <= fdr:
            best = Threshold(threshold, kept)
    return best


def threshold_view(rows: Labelled) -> list[tuple[float, float, float | None]]:
    """(threshold, fraction kept, FDR) at the 50 equally spaced thresholds of the published figure; without rows: none."""
    if not len(rows):
        return []
    found = ((float(value), kept_above(rows, float(value))) for value in np.linspace(*_VIEWED))
    return [(value, kept.fraction, kept.fdr) for value, kept in found]


def interpolated_view(rows: Labelled) -> list[tuple[float, float]]:
    """(fraction kept, FDR) at 101 fractions, drawn through `threshold_view` as the published figure is.

    20 fractions from .01 below the smallest that can be reached; none below it.
    """
    least = reachable(rows)
    points = sorted({(fraction, fdr) for _, fraction, fdr in threshold_view(rows) if fdr is not None})
    if least is None or not points:
        return []
    kept, wrong = zip(*points, strict=True)
    coarse = np.linspace(max(0.0, least - 0.01), 1.0, 20)
    drawn = np.interp(coarse, kept, wrong)
    fractions = np.linspace(0.0, 1.0, 101)
    return [
        (float(fraction), float(value))
        for fraction, value in zip(fractions, np.interp(fractions, coarse, drawn), strict=True)
        if fraction >= least
    ]


def youden(rows: Labelled) -> tuple[float, float] | None:
    """The threshold with the largest true positive rate minus false positive rate of keeping, and that difference.

    None with rows of one class only. Source: Youden 1950.
    """
    positives, negatives = len(rows.positives), len(rows.negatives)
    if not positives or not negatives:
        return None
    levels = rows.levels()
    best = (levels[0][0], 0.0)  # nothing is kept
    right = wrong = 0
    for place, (_, count, negative) in enumerate(levels):
        right, wrong = right + count - negative, wrong + negative
        difference = right / positives - wrong / negatives
        if difference > best[1]:
            best = (levels[place + 1][0] if place + 1 < len(levels) else -1.0, difference)
    return best
