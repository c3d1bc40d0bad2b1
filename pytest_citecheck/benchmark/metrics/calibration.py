"""Do stated confidences agree with how often the tool is right? Over committed predictions (VALID or HALLUCINATED).

Sources: Guo et al., "On Calibration of Modern Neural Networks", ICML 2017 (expected calibration error, reliability bins);
Brier, "Verification of forecasts expressed in terms of probability", 1950; HALLMARK, arXiv:2607.18360 (equal counts a bin).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from pytest_citecheck.benchmark.metrics.pairs import Pairs

__all__ = [
    "BINS",
    "Bin",
    "bin_edges",
    "brier",
    "ece_file_order",
    "ece_fixed_width",
    "ece_tie_safe",
    "is_calibratable",
    "outcomes",
    "reliability",
]

BINS = 10
_TOO_FEW = 2  # distinct confidences: a tool that states no more of them states no probability


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions with a confidence of low ≤ c < high (the last bin: ≤ high). Means are None where count is 0."""

    low: float
    high: float
    count: int
    confidence: float | None
    accuracy: float | None


Outcome = tuple[float, bool]
"""The confidence, and whether the label is right."""


def outcomes(pairs: Pairs) -> list[Outcome]:
    """Of all committed predictions in the order of the entries."""
    return [(answer.confidence, answer.label == entry.label) for entry, answer in pairs.committed()]


def is_calibratable(pairs: Pairs) -> bool:
    """Whether the tool's committed predictions, those about keys outside the split too, have three distinct confidences."""
    return len({answer.confidence for answer in pairs.predictions if answer.label != "UNCERTAIN"}) > _TOO_FEW


def bin_edges(count: int) -> list[int]:
    """The 11 positions between 10 consecutive bins of ``count`` predictions; the first count mod 10 have one more."""
    size, more = divmod(count, BINS)
    return [number * size + min(number, more) for number in range(BINS + 1)]


def _gap(members: Iterable[Outcome]) -> float:
    """Bin size times |accuracy - mean confidence|, which is |right answers - sum of confidences|."""
    return abs(math.fsum(right - confidence for confidence, right in members))


def ece_file_order(pairs: Pairs) -> float | None:
    """ECE as HALLMARK computes it: bins of equal counts after a stable sort by confidence.

    Where confidences are tied, it depends on the order of the entries. None where `is_calibratable` is false, and
    without committed predictions.
    """
    rows = sorted(outcomes(pairs), key=lambda outcome: outcome[0])
    if not rows or not is_calibratable(pairs):
        return None
    edges = bin_edges(len(rows))
    return math.fsum(_gap(rows[low:high]) for low, high in pairwise(edges)) / len(rows)


def ece_tie_safe(pairs: Pairs) -> float | None:
    """ECE in the same bins, but predictions of one confidence stay together: all go to the bin of their middle one.

    It does not depend on the order of entries. None with at most two distinct confidences among what is scored.
    """
    rows = sorted(outcomes(pairs))
    if len({confidence for confidence, _ in rows}) <= _TOO_FEW:
        return None
    edges = bin_edges(len(rows))
    bins: dict[int, list[Outcome]] = {}
    start = 0
    for _, tied in groupby(rows, key=lambda outcome: outcome[0]):
        group = list(tied)
        middle = start + (len(group) - 1) // 2
        place = sum(edge <= middle for edge in edges[1:])
        bins.setdefault(place, []).extend(group)
        start += len(group)
    return math.fsum(_gap(members) for members in bins.values()) / len(rows)


def reliability(pairs: Pairs) -> list[Bin]:
    """Ten bins of equal width; a confidence c is in bin min(floor(10c), 9)."""
    members: list[list[Outcome]] = [[] for _ in range(BINS)]
    for confidence, right in outcomes(pairs):
        members[min(math.floor(BINS * confidence), BINS - 1)].append((confidence, right))
    return [_bin(number, rows) for number, rows in enumerate(members)]


def _bin(number: int, rows: Sequence[Outcome]) -> Bin:
    low, high, count = number / BINS, (number + 1) / BINS, len(rows)
    if not rows:
        return Bin(low, high, 0, None, None)
    confidence = math.fsum(confidence for confidence, _ in rows) / count
    return Bin(low, high, count, confidence, sum(right for _, right in rows) / count)


def ece_fixed_width(pairs: Pairs) -> float | None:
    """ECE over the bins of `reliability`. None where `is_calibratable` is false, and without committed predictions."""
    bins = reliability(pairs)
    total = sum(one.count for one in bins)
    if not total or not is_calibratable(pairs):
        return None
    gaps = (
        one.count * abs(one.accuracy - one.confidence)
        for one in bins
        if one.accuracy is not None and one.confidence is not None
    )
    return math.fsum(gaps) / total


def brier(pairs: Pairs) -> float | None:
    """The mean of (confidence - right)², right being 1 or 0. None without committed predictions."""
    rows = outcomes(pairs)
    return math.fsum((confidence - right) ** 2 for confidence, right in rows) / len(rows) if rows else None
