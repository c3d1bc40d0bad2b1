"""Ranking tools with incomplete predictions: the mean score, and a Plackett-Luce model of pairwise wins.

Sources: HALLMARK, arXiv:2607.18360 (score of an answer, tie rule, bootstrap); Luce 1959 and Plackett 1975; Maystre and
Grossglauser, "Fast and Accurate Inference of Plackett-Luce Models", NeurIPS 2015 (I-LSR, as choix implements it).
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics import Pairs, grouped
from pytest_citecheck.benchmark.resampling import RESAMPLED_METRICS as METRICS
from pytest_citecheck.benchmark.resampling import ToolOutcomes, percentile_interval, resampled
from pytest_citecheck.benchmark.strata import type_row

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
    first, second = ToolOutcomes(a), ToolOutcomes(b)
    values = [
        (first.replicates(draws, (metric,))[metric], second.replicates(draws, (metric,))[metric])
        for draws in resampled(a.entries, replicates, seed)
    ]
    of_first, of_second = (np.concatenate(parts) for parts in zip(*values, strict=True))
    # A replicate that draws each entry once gives the metric of the split itself.
    once = np.arange(len(a))[None, :]
    a_value, b_value = (float(tool.replicates(once, (metric,))[metric][0]) for tool in (first, second))
    difference = of_first - of_second
    interval = percentile_interval(difference)
    if interval is None or math.isnan(a_value) or math.isnan(b_value):
        raise ValueError(f"{metric} is undefined for {names[0]} or {names[1]}")
    difference = difference[~np.isnan(difference)]
    greater, smaller = float(np.mean(difference <= 0)), float(np.mean(difference >= 0))
    p = min(1.0, 2 * min(greater, smaller))
    return PairedTest(
        a=names[0],
        b=names[1],
        difference=a_value - b_value,
        interval=interval,
        p_greater=greater,
        p=p,
        adjusted=p,
        effect=effect_size(a_value, b_value),
    )


def effect_size(a: float, b: float) -> float:
    """Cohen's h, 2 (asin √a - asin √b), of two shares; the difference a - b if one of them is outside [0, 1]."""
    if not (0 <= a <= 1 and 0 <= b <= 1):
        return a - b
    return 2 * (math.asin(math.sqrt(a)) - math.asin(math.sqrt(b)))


def corrected(p: Sequence[float], correction: Correction = "holm") -> list[float]:
    """The p-values, corrected for their number.

    ``bonferroni`` and Holm's step-down ``holm``, which is never less powerful, bound the probability of any false discovery.
    Benjamini and Hochberg's step-up ``bh`` bounds the expected share of false discoveries.
    """
    values, count = np.array(p, dtype=np.float64), len(p)
    order = np.argsort(values, kind="stable")
    rank = np.argsort(order)
    if correction == "bonferroni":
        scaled = values * count
    elif correction == "holm":
        scaled = np.maximum.accumulate(values[order] * np.arange(count, 0, -1))[rank]
    else:
        scaled = np.minimum.accumulate((values[order] * count / np.arange(1, count + 1))[::-1])[::-1][rank]
    return [min(1.0, float(value)) for value in scaled]


def compare_all(
    tools: Mapping[str, Pairs], metric: str, *, replicates: int, seed: int = 42, correction: Correction = "holm"
) -> list[PairedTest]:
    """Test each pair of tools, in the order of their sorted names, and correct the p-values together.

    The pair of the i-th and j-th name (from 0) uses the seed seed + 1000 i + j.
    """
    names = sorted(tools)
    tests = [
        paired_test(tools[a], tools[b], metric, names=(a, b), replicates=replicates, seed=seed + 1000 * i + j)
        for (i, a), (j, b) in combinations(enumerate(names), 2)
    ]
    adjusted = corrected([test.p for test in tests], correction)
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
    """Return True if the means of two groups differ by less than the margin: two one-sided permutation tests (TOST).

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
    return Equivalence(observed, p, p < _COMPARISON_ALPHA)


_COMPARISON_ALPHA = 0.05
_POWER = 0.8
_QUANTILES = abs(NormalDist().inv_cdf(_COMPARISON_ALPHA / 2)) + abs(NormalDist().inv_cdf(_POWER))


def minimum_detectable_effect(count: int) -> float:
    """The smallest difference of two shares near one half that two samples of ``count`` entries (at least 1) detect.

    It is (z_α/2 + z_power) √(2p(1-p)/n), with the two-sided α 0.05, the power 0.8 and p = 1/2.
    """
    return _QUANTILES * math.sqrt(0.5 / count)


def sample_size(effect: float) -> int:
    """The number of entries needed to detect a difference of two shares; the inverse of `minimum_detectable_effect`."""
    return math.ceil((_QUANTILES / effect) ** 2 * 0.5)


# Stability of a ranking under resampling, by hallucination type. Source: HALLMARK, arXiv:2607.18360.
_STABLE = 0.95
_INTERVAL = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class TypeStability:
    """The ranking of tools by detection rate on one hallucination type.

    order: best tool first, ties by name. agreement: the share of resamples in which all tools keep their ranks. stable: whether
    that share is at least 95 %. ranks: the 95 % interval of each tool's rank; tied tools share their mean rank.
    distinguishable: the pairs of tools whose intervals do not overlap.
    """

    order: tuple[str, ...]
    agreement: float
    stable: bool
    ranks: Mapping[str, tuple[float, float]]
    distinguishable: tuple[tuple[str, str], ...]


def ranking_stability(tools: Mapping[str, Pairs], resamples: int = 500, seed: int = 42) -> dict[str, TypeStability]:
    """The stability by hallucination type, from resamples of its entries with replacement.

    Each type uses a new generator of the standard library with this seed. All tools must be paired with the same entries.
    UNCERTAIN answers do not count in a tool's detection rate.
    """
    names = sorted(tools)
    if not names:
        return {}
    entries = tools[names[0]].entries
    hallucinated = (place for place, entry in enumerate(entries) if entry.label == "HALLUCINATED")
    members = grouped(hallucinated, lambda place: type_row(entries[place]))
    labels = [[answer.label if answer else "VALID" for answer in tools[name].answers] for name in names]
    found, decided = np.array(labels) == "HALLUCINATED", np.array(labels) != "UNCERTAIN"
    return {
        name: _stability(names, found[:, places], decided[:, places], resamples, random.Random(seed))  # noqa: S311
        for name, places in sorted(members.items())
    }


def _stability(
    names: Sequence[str], found: NDArray[np.bool_], decided: NDArray[np.bool_], resamples: int, generator: random.Random
) -> TypeStability:
    size = found.shape[1]
    ranks = _ranks(found, decided)
    drawn = [generator.choices(range(size), k=size) for _ in range(resamples)]
    resampled = np.array([_ranks(found[:, places], decided[:, places]) for places in drawn])
    agreement = float((resampled == ranks).all(axis=1).mean())
    low, high = np.percentile(resampled, _INTERVAL, axis=0)
    intervals = {name: (float(low[place]), float(high[place])) for place, name in enumerate(names)}
    return TypeStability(
        order=tuple(names[place] for place in np.argsort(ranks, kind="stable")),
        agreement=agreement,
        stable=agreement >= _STABLE,
        ranks=intervals,
        distinguishable=tuple(
            (a, b)
            for a, b in combinations(names, 2)
            if intervals[a][1] < intervals[b][0] or intervals[b][1] < intervals[a][0]
        ),
    )


def _ranks(found: NDArray[np.bool_], decided: NDArray[np.bool_]) -> NDArray[np.float64]:
    return mid_ranks(found.sum(axis=1) / np.maximum(decided.sum(axis=1), 1))


def mid_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of values: rank 1 has the highest value; equal values share the mean of their ranks."""
    better = (values[:, None] < values[None, :]).sum(axis=1)
    equal = (values[:, None] == values[None, :]).sum(axis=1)
    ranks: NDArray[np.float64] = better + (equal + 1) / 2
    return ranks


Floats = NDArray[np.float64]

_TOLERANCE = 1e-9
_ALPHA = 0.01  # regularisation of I-LSR


@dataclass(frozen=True, slots=True)
class Scores:
    """values[entry, tool]: the confidence of a correct answer, 1 - confidence of a wrong one, NaN if UNCERTAIN or missing."""

    tools: tuple[str, ...]
    keys: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class PlackettLuce:
    """The fitted model, by tool.

    strength: sums to 1; a beats b with probability strength[a] / (strength[a] + strength[b]). ranks: the 95 % interval of
    the rank over bootstrap replicates. fitted: False if the model has no estimate; strength then contains the mean scores.
    """

    strength: Mapping[str, float]
    ranks: Mapping[str, tuple[float, float]]
    fitted: bool


def scores(tools: Mapping[str, Pairs]) -> Scores:
    """Score every answer. All tools must be paired with the same entries. Raises ValueError without tools."""
    if not tools:
        raise ValueError("no tool to rank")
    keys = tuple(entry.key for entry in next(iter(tools.values())).entries)
    values = np.full((len(keys), len(tools)), np.nan)
    for column, pairs in enumerate(tools.values()):
        for row, (entry, answer) in enumerate(pairs):
            if answer is not None and answer.label != "UNCERTAIN":
                right = answer.label == entry.label
                values[row, column] = answer.confidence if right else 1 - answer.confidence
    return Scores(tuple(tools), keys, values)


def mean_scores(table: Scores) -> dict[str, float | None]:
    """The mean score of each tool over its answers; None without answers."""
    return {
        tool: None if np.isnan(column).all() else float(np.nanmean(column))
        for tool, column in zip(table.tools, table.values.T, strict=True)
    }


def wins(table: Scores) -> Floats:
    """wins[entry, a, b] is 1 if a beats b on an entry that both answered.

    Scores that differ by at most 1e-9 are tied. For a tie, the parity of the first byte of SHA-256("key:A:B") decides, with A
    and B in the order of the table: A wins if it is even. So neither the name nor the order of the entries has an advantage.
    """
    entries, tools = table.values.shape
    beaten = np.zeros((entries, tools, tools))
    for a in range(tools):
        for b in range(a + 1, tools):
            difference = table.values[:, a] - table.values[:, b]
            first = difference > _TOLERANCE
            for row in np.flatnonzero(np.abs(difference) <= _TOLERANCE):
                tie = f"{table.keys[row]}:{table.tools[a]}:{table.tools[b]}"
                first[row] = hashlib.sha256(tie.encode()).digest()[0] % 2 == 0
            both = ~np.isnan(difference)
            beaten[:, a, b] = both & first
            beaten[:, b, a] = both & ~first
    return beaten


def plackett_luce(table: Scores, replicates: int = 1000, seed: int = 42) -> PlackettLuce:
    """Fit the model to all pairwise wins, and to bootstrap replicates of the entries.

    If I-LSR does not converge, for example because two tools share no entry, the mean scores are used instead.
    """
    beaten = wins(table)
    fit = _fit(beaten.sum(axis=0))
    generator = np.random.default_rng(seed)
    entries = len(table.keys)
    ranks = []
    for _ in range(replicates):
        drawn = generator.integers(0, entries, size=entries)
        times = np.bincount(drawn, minlength=entries)
        refit = _fit(np.tensordot(times, beaten, axes=1))
        if refit is None:
            refit = _normalised_means(table.values[drawn])
        ranks.append(mid_ranks(refit))
    strength = _normalised_means(table.values) if fit is None else fit
    intervals = np.percentile(np.array(ranks), _INTERVAL, axis=0).T if ranks else np.tile(mid_ranks(strength), (2, 1)).T
    return PlackettLuce(
        strength=dict(zip(table.tools, map(float, strength), strict=True)),
        ranks={tool: (float(low), float(high)) for tool, (low, high) in zip(table.tools, intervals, strict=True)},
        fitted=fit is not None,
    )


def _fit(comparisons: Floats) -> Floats | None:
    if len(comparisons) == 1:
        return np.ones(1)
    if not comparisons.any():
        return None
    import choix  # noqa: PLC0415 - importing it takes a second, because it imports scipy

    try:
        strength = np.exp(choix.ilsr_pairwise_dense(comparisons, alpha=_ALPHA))
    except (RuntimeError, ValueError, np.linalg.LinAlgError):
        return None
    normalised: Floats = strength / strength.sum()
    return normalised if np.isfinite(normalised).all() else None


def _normalised_means(values: Floats) -> Floats:
    answered = ~np.isnan(values)
    means = np.where(answered, values, 0).sum(axis=0) / np.maximum(answered.sum(axis=0), 1)
    total = means.sum()
    normalised: Floats = means / total if total else np.full(len(means), 1 / len(means))
    return normalised


def union_recall(tools: Mapping[str, Pairs], costs: Mapping[str, float] | None = None) -> dict[int, float]:
    """For each k, the share of hallucinated entries that at least one of the first k tools calls HALLUCINATED (detect@k).

    Tools are ordered by ascending cost if costs are given, otherwise as passed. UNCERTAIN does not count. All tools must be
    paired with the same entries. Empty without hallucinated entries. Raises KeyError for a tool without a cost.
    """
    order: Sequence[str] = list(tools) if costs is None else sorted(tools, key=lambda name: costs[name])
    hallucinated = {entry.key for pairs in tools.values() for entry in pairs.entries if entry.label == "HALLUCINATED"}
    if not hallucinated:
        return {}
    found: set[str] = set()
    recall = {}
    for number, name in enumerate(order, 1):
        found |= {
            entry.key for entry, answer in tools[name].answered() if answer.label == "HALLUCINATED"
        } & hallucinated
        recall[number] = len(found) / len(hallucinated)
    return recall
