"""How well raters agree beyond chance.

Sources: Cohen, "A Coefficient of Agreement for Nominal Scales", 1960; Fleiss, "Measuring Nominal Scale Agreement among Many
Raters", 1971.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

__all__ = ["Agreement", "cohen", "fleiss"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """observed: the share of agreeing pairs of ratings. kappa: None without rows, or if chance alone gives full agreement."""

    observed: float | None
    kappa: float | None


def _beyond(observed: float, expected: float) -> Agreement:
    if math.isclose(expected, 1.0, abs_tol=1e-12):
        return Agreement(observed, None)
    return Agreement(observed, (observed - expected) / (1 - expected))


def cohen(one: Sequence[Hashable], other: Sequence[Hashable]) -> Agreement:
    """The agreement of two raters. Raises ValueError if they rated different numbers of rows."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} ratings by one rater and {len(other)} by the other")
    if not one:
        return Agreement(None, None)
    first, second, rows = Counter(one), Counter(other), len(one)
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / rows
    return _beyond(observed, sum(first[label] * second[label] for label in first) / rows**2)


def fleiss(ratings: Sequence[Sequence[Hashable]]) -> Agreement:
    """The agreement of several raters. ratings: for each row those of all raters. Raises ValueError if their numbers differ."""
    if not ratings:
        return Agreement(None, None)
    raters = len(ratings[0])
    if raters < 2 or any(len(row) != raters for row in ratings):
        raise ValueError("every row needs the same number of ratings, at least two")
    totals: Counter[Hashable] = Counter()
    agreeing = 0
    for row in ratings:
        counts = Counter(row)
        totals += counts
        agreeing += sum(count * (count - 1) for count in counts.values())
    observed = agreeing / (len(ratings) * raters * (raters - 1))
    expected = math.fsum((count / (len(ratings) * raters)) ** 2 for count in totals.values())
    return _beyond(observed, expected)
