"""Intervals of uncertainty: Wilson's for a share, percentiles of a bootstrap for anything else."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.metrics.resampling import METRICS, Resampler, ToolOutcomes

__all__ = ["bootstrap_intervals", "percentile_interval", "wilson"]

_LEVEL = (2.5, 97.5)  # percentiles


def wilson(successes: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927), clipped to [0, 1]; (0, 0) if the count is 0. z = 1.96 stands for 95 %."""
    if not count:
        return 0.0, 0.0
    share, square = successes / count, z * z
    centre = (share + square / (2 * count)) / (1 + square / count)
    half = z / (1 + square / count) * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def percentile_interval(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """The 2.5th and 97.5th percentile (linear interpolation) of what is not NaN; None if nothing is left."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, _LEVEL)
    return float(low), float(high)


def bootstrap_intervals(pairs: Pairs, replicates: int, seed: int = 42) -> dict[str, tuple[float, float] | None]:
    """The 95 % interval of each of `METRICS`, by a bootstrap that draws within each type of hallucination.

    None where the metric is undefined in every replicate. Source: HALLMARK, arXiv:2607.18360, as `Resampler` states.
    """
    resampler = Resampler(pairs.entries, seed)
    outcomes = ToolOutcomes.of(pairs)
    values: dict[str, list[NDArray[np.float64]]] = {name: [] for name in METRICS}
    for draws in resampler.draws(replicates):
        for name, part in outcomes.replicates(draws, METRICS).items():
            values[name].append(part)
    return {name: percentile_interval(np.concatenate(parts)) if parts else None for name, parts in values.items()}
