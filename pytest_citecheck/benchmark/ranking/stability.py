"""Stability of a ranking under resampling, by hallucination type. Source: HALLMARK, arXiv:2607.18360."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.metrics.type_confusion import type_row

__all__ = ["TypeStability", "mid_ranks", "ranking_stability"]

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
    members: dict[str, list[int]] = {}
    for place, entry in enumerate(tools[names[0]].entries):
        if entry.label == "HALLUCINATED":
            members.setdefault(type_row(entry), []).append(place)
    found, decided = (np.array([column(tools[name]) for name in names]) for column in (_found, _decided))
    return {
        name: _stability(names, found[:, places], decided[:, places], resamples, random.Random(seed))  # noqa: S311
        for name, places in sorted(members.items())
    }


def _found(pairs: Pairs) -> list[bool]:
    return [answer is not None and answer.label == "HALLUCINATED" for answer in pairs.answers]


def _decided(pairs: Pairs) -> list[bool]:
    return [answer is None or answer.label != "UNCERTAIN" for answer in pairs.answers]


def _stability(
    names: Sequence[str],
    found: NDArray[np.bool_],
    decided: NDArray[np.bool_],
    resamples: int,
    generator: random.Random,
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
