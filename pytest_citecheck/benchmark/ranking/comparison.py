"""Comparison of tools: paired tests, corrections for multiple tests, effect sizes, equivalence, power.

Sources: HALLMARK, arXiv:2607.18360 (paired stratified bootstrap, seeds, equivalence); Holm 1979; Benjamini and Hochberg 1995;
Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988 (h, minimum detectable effect); Schuirmann 1987 (TOST).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.metrics.resampling import METRICS, Resampler, ToolOutcomes

__all__ = [
    "CORRECTIONS",
    "Correction",
    "Equivalence",
    "PairedTest",
    "benjamini_hochberg",
    "bonferroni",
    "compare_all",
    "effect_size",
    "equivalence",
    "holm",
    "minimum_detectable_effect",
    "paired_test",
    "sample_size",
]

Correction = Literal["holm", "bonferroni", "bh"]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two tools on the same replicates of a split.

    difference: a - b on the split itself. interval: of a - b over the replicates, 95 %. p_greater: the share of replicates with
    a - b ≤ 0, small if a has the higher value. p: two-sided. adjusted: p after the correction. effect: `effect_size` on
    the split.
    """

    a: str
    b: str
    difference: float
    interval: tuple[float, float]
    p_greater: float
    p: float
    adjusted: float
    effect: float


def paired_test(
    a: Pairs, b: Pairs, metric: str, *, names: tuple[str, str] = ("a", "b"), replicates: int, seed: int
) -> PairedTest:
    """Compare two tools by a metric of `METRICS`, on the same replicates.

    The two-sided p is twice the smaller share of differences ≤ 0 and ≥ 0, at most 1. The shares are not centred on the null
    hypothesis, which makes the test conservative. Raises ValueError for another metric, for tools that are paired with
    different entries, and if the metric is undefined for one of them.
    """
    if metric not in METRICS:
        raise ValueError(f"cannot compare {metric!r}; choose from {', '.join(METRICS)}")
    if a.entries != b.entries:
        raise ValueError("the two tools must be paired with the same entries")
    first, second = ToolOutcomes.of(a), ToolOutcomes.of(b)
    values = [
        (first.replicates(draws, (metric,))[metric], second.replicates(draws, (metric,))[metric])
        for draws in Resampler(a.entries, seed).draws(replicates)
    ]
    ours, theirs = (np.concatenate(parts) for parts in zip(*values, strict=True))
    defined = ~(np.isnan(ours) | np.isnan(theirs))
    a_value, b_value = (_observed(tool, len(a), metric) for tool in (first, second))
    if not defined.any() or math.isnan(a_value) or math.isnan(b_value):
        raise ValueError(f"{metric} is undefined for {names[0]} or {names[1]}")
    difference = (ours - theirs)[defined]
    greater, smaller = float(np.mean(difference <= 0)), float(np.mean(difference >= 0))
    p = min(1.0, 2 * min(greater, smaller))
    low, high = np.percentile(difference, (2.5, 97.5))
    return PairedTest(
        a=names[0],
        b=names[1],
        difference=a_value - b_value,
        interval=(float(low), float(high)),
        p_greater=greater,
        p=p,
        adjusted=p,
        effect=effect_size(a_value, b_value),
    )


def _observed(tool: ToolOutcomes, entries: int, metric: str) -> float:
    """The metric on the split itself: a replicate that draws each entry once; NaN if undefined."""
    return float(tool.replicates(np.arange(entries)[None, :], (metric,))[metric][0])


def effect_size(a: float, b: float) -> float:
    """Cohen's h, 2 (asin √a - asin √b), of two shares; the difference a - b if one of them is outside [0, 1]."""
    if not (0 <= a <= 1 and 0 <= b <= 1):
        return a - b
    return 2 * (math.asin(math.sqrt(a)) - math.asin(math.sqrt(b)))


def bonferroni(p: Sequence[float]) -> list[float]:
    """Each p times their number, at most 1. Bounds the probability of any false discovery."""
    return [min(1.0, value * len(p)) for value in p]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction: the same bound as `bonferroni`, never less powerful."""
    adjusted = [0.0] * len(p)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = highest
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up correction. Bounds the expected share of false discoveries."""
    adjusted = [0.0] * len(p)
    lowest = 1.0
    ascending = sorted(range(len(p)), key=lambda place: p[place])
    for rank in range(len(p), 0, -1):
        place = ascending[rank - 1]
        lowest = min(lowest, p[place] * len(p) / rank)
        adjusted[place] = lowest
    return adjusted


CORRECTIONS: Mapping[Correction, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
}


def compare_all(
    tools: Mapping[str, Pairs], metric: str, *, replicates: int, seed: int = 42, correction: Correction = "holm"
) -> list[PairedTest]:
    """Test each pair of tools, in the order of their sorted names, and correct the p-values together.

    The pair of the i-th and j-th name (from 0) uses the seed seed + 1000 i + j.
    """
    names = sorted(tools)
    tests = [
        paired_test(tools[a], tools[b], metric, names=(a, b), replicates=replicates, seed=seed + 1000 * i + j)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    adjusted = CORRECTIONS[correction]([test.p for test in tests])
    return [replace(test, adjusted=value) for test, value in zip(tests, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """difference: of the means. p: the larger of the two one-sided p-values. equivalent: whether p < .05."""

    difference: float
    p: float
    equivalent: bool


def equivalence(
    a: Sequence[float], b: Sequence[float], *, margin: float = 0.02, permutations: int = 10_000, seed: int = 42
) -> Equivalence:
    """Whether the means of two groups differ by less than the margin: two one-sided permutation tests (TOST).

    The tests permute the group membership. Each p-value is the share of permutations whose difference, shifted by the margin to
    the border of the null hypothesis, is at least as extreme as the observed one. Raises ValueError for an empty group.
    """
    if not a or not b:
        raise ValueError("cannot compare an empty group")
    pooled = np.array([*a, *b], dtype=np.float64)
    observed = float(np.mean(pooled[: len(a)]) - np.mean(pooled[len(a) :]))
    generator = np.random.default_rng(seed)
    total = pooled.sum()
    differences = np.empty(permutations)
    for number in range(permutations):
        part = generator.permutation(pooled)[: len(a)].sum()
        differences[number] = part / len(a) - (total - part) / len(b)
    # The order of a sum changes its last bits; differences that are equal in exact arithmetic must count as equal.
    slack = 1e-12
    above_lower = float(np.mean(differences - margin >= observed - slack))
    below_upper = float(np.mean(differences + margin <= observed + slack))
    p = max(above_lower, below_upper)
    return Equivalence(observed, p, p < _ALPHA)


_ALPHA = 0.05
_POWER = 0.8


def _quantiles(alpha: float, power: float) -> float:
    normal = NormalDist()
    return abs(normal.inv_cdf(alpha / 2)) + abs(normal.inv_cdf(power))


def minimum_detectable_effect(count: int, share: float = 0.5, alpha: float = _ALPHA, power: float = _POWER) -> float:
    """The smallest difference of two shares that two samples of ``count`` entries detect with this power.

    It is (z_α/2 + z_power) √(2p(1-p)/n). Raises ValueError for a count below 1.
    """
    if count < 1:
        raise ValueError("count must be at least 1")
    return _quantiles(alpha, power) * math.sqrt(2 * share * (1 - share) / count)


def sample_size(effect: float, share: float = 0.5, alpha: float = _ALPHA, power: float = _POWER) -> int:
    """The number of entries needed to detect a difference of two shares; the inverse of `minimum_detectable_effect`."""
    return math.ceil((_quantiles(alpha, power) / effect) ** 2 * 2 * share * (1 - share))
