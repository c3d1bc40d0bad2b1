"""Ranking tools with incomplete predictions: the mean score, and a Plackett-Luce model of pairwise wins.

Sources: HALLMARK, arXiv:2607.18360 (score of an answer, tie rule, bootstrap); Luce 1959 and Plackett 1975; Maystre and
Grossglauser, "Fast and Accurate Inference of Plackett-Luce Models", NeurIPS 2015 (I-LSR, as choix implements it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.ranking.stability import mid_ranks

__all__ = ["PlackettLuce", "Scores", "mean_scores", "plackett_luce", "scores", "wins"]

Floats = NDArray[np.float64]

_TOLERANCE = 1e-9
_ALPHA = 0.01  # regularisation of I-LSR
_INTERVAL = (2.5, 97.5)


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
                first[row] = _tie_goes_to_first(table.keys[row], table.tools[a], table.tools[b])
            both = ~np.isnan(difference)
            beaten[:, a, b] = both & first
            beaten[:, b, a] = both & ~first
    return beaten


def _tie_goes_to_first(key: str, a: str, b: str) -> bool:
    return hashlib.sha256(f"{key}:{a}:{b}".encode()).digest()[0] % 2 == 0


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
