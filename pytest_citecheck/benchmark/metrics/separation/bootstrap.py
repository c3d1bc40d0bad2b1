"""Replicates of the rows, or of groups of rows, drawn with replacement: the error of an area without a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics.intervals import percentile_interval
from pytest_citecheck.benchmark.metrics.separation.area import value_of
from pytest_citecheck.benchmark.metrics.separation.labelled import Floats, Labelled

__all__ = ["Bootstrap", "bootstrap", "draws", "replicate_areas"]

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """mean, sd: of the replicates. percentile, normal: intervals of 95 %; the second is the value ± 1.96 sd.

    A band of such intervals is never narrowed by the number of replicates: more of them make it surer, not smaller.
    """

    mean: float
    sd: float
    percentile: tuple[float, float]
    normal: tuple[float, float]
    replicates: int


def draws(rows: Labelled, replicates: int, seed: int = 42, *, by_group: bool = False) -> Iterator[NDArray[np.int64]]:
    """The positions of the rows of each replicate. by_group: whole groups are drawn. Raises ValueError without groups.

    `RandomState` draws what the published code draws.
    """
    random = np.random.RandomState(seed)
    if not by_group:
        for _ in range(replicates):
            yield random.randint(0, len(rows), len(rows)).astype(np.int64)
        return
    if rows.groups is None:
        raise ValueError("the rows have no groups")
    order = np.argsort(rows.groups, kind="stable").astype(np.int64)
    members = np.split(order, np.flatnonzero(np.diff(rows.groups[order])) + 1)
    for _ in range(replicates):
        yield np.concatenate([members[group] for group in random.randint(0, len(members), len(members))])


def replicate_areas(rows: Labelled, replicates: int, seed: int = 42, *, by_group: bool = False) -> Floats:
    """The area of each replicate; NaN for one that has rows of one class only."""
    found = []
    for positions in draws(rows, replicates, seed, by_group=by_group):
        value = value_of(Labelled(rows.scores[positions], rows.positive[positions]))
        found.append(np.nan if value is None else value)
    return np.asarray(found, dtype=np.float64)


def bootstrap(rows: Labelled, replicates: int = 1000, seed: int = 42, *, by_group: bool = False) -> Bootstrap | None:
    """The error of the area; None where it is undefined. by_group: rows of one group are not independent."""
    point = value_of(rows)
    if point is None or replicates < 2:
        return None
    values = replicate_areas(rows, replicates, seed, by_group=by_group)
    interval = percentile_interval(values)
    defined = values[~np.isnan(values)]
    if interval is None or len(defined) < 2:
        return None
    sd = float(defined.std())
    return Bootstrap(float(defined.mean()), sd, interval, (point - _Z * sd, point + _Z * sd), len(defined))
