"""The area under the ROC curve with its error, and the difference of two areas over the same rows.

Source: DeLong, DeLong and Clarke-Pearson, "Comparing the Areas under Two or More Correlated Receiver Operating Characteristic
Curves", Biometrics 44, 1988.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from pytest_citecheck.benchmark.metrics.separation.labelled import Floats, Labelled

__all__ = ["Area", "Difference", "area", "components", "paired", "value_of"]

ONE_CLASS = "the rows are of one class only"
TIED = "all scores are equal"
SEPARATED = "the classes are separated, so the error cannot be estimated"
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Area:
    """value: None with rows of one class only. se: standard error; None with the reason in ``note``."""

    value: float | None
    se: float | None
    note: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The normal interval of 95 %, clipped to [0, 1]."""
        if self.value is None or self.se is None:
            return None
        return max(0.0, self.value - _Z * self.se), min(1.0, self.value + _Z * self.se)

    @property
    def logit_interval(self) -> tuple[float, float] | None:
        """The interval of 95 % on the logit scale, which stays inside (0, 1) near its ends."""
        if self.value is None or self.se is None or not 0 < self.value < 1:
            return None
        centre = math.log(self.value / (1 - self.value))
        half = _Z * self.se / (self.value * (1 - self.value))
        return 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre))


@dataclass(frozen=True, slots=True)
class Difference:
    """value: first minus second area. z, p: of the two-sided test; None with the reason in ``note``."""

    value: float | None
    se: float | None
    z: float | None
    p: float | None
    note: str = ""


def _placements(of: Floats, among: Floats) -> Floats:
    """For each value the share of the others that it exceeds, ties counted half."""
    ordered = np.sort(among)
    below = np.searchsorted(ordered, of, side="left")
    not_above = np.searchsorted(ordered, of, side="right")
    return np.asarray((below + not_above) / (2 * len(among)), dtype=np.float64)


def components(rows: Labelled) -> tuple[Floats, Floats]:
    """V10 of each positive and V01 of each negative row. Both classes must be there."""
    return _placements(rows.positives, rows.negatives), 1 - _placements(rows.negatives, rows.positives)


def value_of(rows: Labelled) -> float | None:
    """The area: P(positive > negative) + P(equal) / 2. None with rows of one class only."""
    if not len(rows.positives) or not len(rows.negatives):
        return None
    return float(components(rows)[0].mean())


def _se(v10: Floats, v01: Floats) -> float | None:
    if len(v10) < 2 or len(v01) < 2:
        return None
    return math.sqrt(float(v10.var(ddof=1)) / len(v10) + float(v01.var(ddof=1)) / len(v01))


def area(rows: Labelled) -> Area:
    """The area under the ROC curve with DeLong's standard error."""
    value = value_of(rows)
    if value is None:
        return Area(None, None, ONE_CLASS)
    if rows.scores.min() == rows.scores.max():
        return Area(0.5, None, TIED)
    se = _se(*components(rows))
    if se is None:
        return Area(value, None, "a class has one row only")
    return Area(value, se) if se > 0 else Area(value, None, SEPARATED)


def paired(one: Labelled, other: Labelled) -> Difference:
    """DeLong's test for two scores of the same rows. Raises ValueError if their labels differ."""
    if not np.array_equal(one.positive, other.positive):
        raise ValueError("the scores are not of the same rows")
    first, second = value_of(one), value_of(other)
    if first is None or second is None:
        return Difference(None, None, None, None, ONE_CLASS)
    (a10, a01), (b10, b01) = components(one), components(other)
    se = _se(a10 - b10, a01 - b01)
    difference = first - second
    if not se:
        return Difference(difference, None, None, None, "the error of the difference cannot be estimated")
    z = difference / se
    return Difference(difference, se, z, 2 * NormalDist().cdf(-abs(z)))
