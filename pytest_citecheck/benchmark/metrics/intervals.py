"""Intervals of uncertainty: percentiles of a bootstrap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.benchmark.metrics.resampling import METRICS, Resampler, ToolOutcomes

__all__ = ["bootstrap_intervals", "percentile_interval"]

_LEVEL = (2.5, 97.5)  # percentiles


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
