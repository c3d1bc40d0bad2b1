"""The confusion matrix of verdicts, and what is computed from its counts alone. HALLUCINATED is the positive class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = [
    "TIER_WEIGHTS",
    "Confusion",
    "TierCounts",
    "confusion",
    "harmonic",
    "ratio",
    "share_of",
    "tier_counts",
    "tier_of",
    "tier_weighted_f1",
    "wilson",
]

TIER_WEIGHTS: Mapping[int, float] = {1: 1, 2: 2, 3: 3}
"""How much a hallucination counts by its tier, in TW-F1 (HALLMARK, arXiv:2607.18360)."""
_UNKNOWN_TIER = 1  # of an entry that states none


def ratio(part: float, whole: float) -> float:
    """part / whole, and 0 if the whole is 0."""
    return part / whole if whole else 0.0


def share_of(part: float, whole: float) -> float | None:
    """part / whole, and None if the whole is 0: nothing was decided."""
    return part / whole if whole else None


def harmonic(a: float, b: float) -> float:
    """The harmonic mean, and 0 if both are 0."""
    return ratio(2 * a * b, a + b)


def wilson(successes: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927), clipped to [0, 1]; (0, 0) if the count is 0. z = 1.96 stands for 95 %."""
    if not count:
        return 0.0, 0.0
    share, square = successes / count, z * z
    centre = (share + square / (2 * count)) / (1 + square / count)
    half = z / (1 + square / count) * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of entries. uncertain: left out of the other four. missing: counted as VALID in tn and fn."""

    tp: int = 0
    fp: int = 0
    tn: int = 0
    fn: int = 0
    uncertain: int = 0
    missing: int = 0

    @property
    def decided(self) -> int:
        """How many are in the matrix."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def detection_rate(self) -> float:
        """TP / (TP + FN), also called recall."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def false_positive_rate(self) -> float:
        """FP / (FP + TN)."""
        return ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> float:
        """TP / (TP + FP)."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and detection rate."""
        return harmonic(self.precision, self.detection_rate)

    @property
    def macro_f1(self) -> float:
        """The mean of F1 and of the same for VALID as the positive class."""
        mirrored = Confusion(tp=self.tn, fp=self.fn, tn=self.tp, fn=self.fp)
        return (self.f1 + mirrored.f1) / 2

    @property
    def mcc(self) -> float:
        """Matthews' correlation coefficient; 0 if a row or column of the matrix is empty."""
        tp, fp, tn, fn = self.tp, self.fp, self.tn, self.fn
        return ratio(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def confusion(pairs: Iterable[tuple[LabelledEntry, Prediction | None]]) -> Confusion:
    """Count. A missing prediction is read as VALID, an UNCERTAIN one is in no cell of the matrix."""
    tp = fp = tn = fn = uncertain = missing = 0
    for entry, answer in pairs:
        missing += answer is None
        if answer is not None and answer.label == "UNCERTAIN":
            uncertain += 1
            continue
        flagged = answer is not None and answer.label == "HALLUCINATED"
        if entry.label == "HALLUCINATED":
            tp, fn = tp + flagged, fn + (not flagged)
        else:
            fp, tn = fp + flagged, tn + (not flagged)
    return Confusion(tp, fp, tn, fn, uncertain, missing)


TierCounts = Mapping[int, Confusion]
"""By tier, the hallucinated entries of that tier alone."""


def tier_of(entry: LabelledEntry) -> int:
    """The tier of a hallucinated entry; 1 if it states none."""
    return entry.tier or _UNKNOWN_TIER


def tier_counts(pairs: Iterable[tuple[LabelledEntry, Prediction | None]]) -> TierCounts:
    """Count the hallucinated entries apart by tier."""
    by_tier: dict[int, list[tuple[LabelledEntry, Prediction | None]]] = {}
    for entry, answer in pairs:
        if entry.label == "HALLUCINATED":
            by_tier.setdefault(tier_of(entry), []).append((entry, answer))
    return {tier: confusion(members) for tier, members in sorted(by_tier.items())}


def tier_weighted_f1(tiers: TierCounts, fp: int, weights: Mapping[int, float] = TIER_WEIGHTS) -> float:
    """F1 with TP and FN weighted by tier (1 for a tier without weight), each FP counting 1.

    So precision depends on the weights as well: wTP / (wTP + FP).
    """
    tp = math.fsum(weights.get(tier, 1) * counts.tp for tier, counts in tiers.items())
    fn = math.fsum(weights.get(tier, 1) * counts.fn for tier, counts in tiers.items())
    return harmonic(ratio(tp, tp + fp), ratio(tp, tp + fn))
