"""Replicates of a split: entries drawn anew within each type of hallucination, and metrics of all replicates at once.

Source: HALLMARK, arXiv:2607.18360. Strata come in the order of their first entries in the file; a replicate draws
from each of them as many entries as it has, ``Generator.choice(n, n)``, one stratum after the other. Here the draws of many
replicates are made by one call that consumes the generator in the same order, so the numbers are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pytest_citecheck.benchmark.calibration import BINS, ece_file_order
from pytest_citecheck.benchmark.metric_table import METRICS
from pytest_citecheck.benchmark.metrics import TIER_WEIGHTS, Pairs, grouped, tier_of
from pytest_citecheck.benchmark.strata import type_row
from pytest_citecheck.inputs import LabelledEntry

RESAMPLED_METRICS = tuple(row.name for row in METRICS if row.interval)
"""The metrics that can be computed for all replicates at once."""

Floats = NDArray[np.float64]
Draws = NDArray[np.int64]
"""Positions of entries in the split, one row a replicate."""

_AT_ONCE = 2_000_000  # positions in memory


def resampled(entries: Sequence[LabelledEntry], replicates: int, seed: int) -> Iterator[Draws]:
    """Yield blocks of replicates of a split, ``replicates`` rows in all."""
    strata = grouped(range(len(entries)), lambda position: type_row(entries[position]))
    positions = np.array([place for members in strata.values() for place in members], dtype=np.int64)
    sizes = np.array([len(members) for members in strata.values()], dtype=np.int64)
    starts, sizes = np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes)
    generator = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // max(1, len(positions)))
    for start in range(0, replicates, rows):
        shape = (min(rows, replicates - start), len(positions))
        yield positions[generator.integers(0, np.broadcast_to(sizes, shape)) + starts]


class ToolOutcomes:
    """Results of a tool for each entry of a split, in file order, as columns. A missing prediction is VALID at .5.

    features: TP, FP, TN, FN, weighted TP, weighted FN, TP and FN of tier 3; one row an entry.
    rank: of the confidence among the distinct ones; those of uncertain predictions rank last.
    """

    def __init__(self, pairs: Pairs) -> None:
        said = np.array([answer.label if answer is not None else "VALID" for answer in pairs.answers], dtype=np.str_)
        gold = np.array([entry.label for entry in pairs.entries], dtype=np.str_)
        tier = np.array([tier_of(entry) for entry in pairs.entries], dtype=np.int64)
        weight = np.array([TIER_WEIGHTS.get(tier_of(entry), 1) for entry in pairs.entries], dtype=np.float64)
        flagged, passed, wrong = said == "HALLUCINATED", said == "VALID", gold == "HALLUCINATED"
        tp, fn = flagged & wrong, passed & wrong
        matrix, weighted = (tp, flagged & ~wrong, passed & ~wrong, fn), (weight * tp, weight * fn)
        cells = (*matrix, *weighted, tp & (tier == 3), fn & (tier == 3))
        stated = [0.5 if answer is None else answer.confidence for answer in pairs.answers]
        self.features = np.stack(cells, axis=1).astype(np.float64)
        self.confidence, self.right = np.array(stated, dtype=np.float64), (said == gold).astype(np.float64)
        self.uncertain, self.calibratable = said == "UNCERTAIN", ece_file_order(pairs) is not None
        levels, places = np.unique(self.confidence, return_inverse=True)
        places[self.uncertain] = len(levels)
        self.rank = places.astype(np.min_scalar_type(len(levels)))

    def replicates(self, draws: Draws, metrics: Collection[str]) -> dict[str, Floats]:
        """Each of ``metrics`` (of `METRICS`) for each row of draws.

        NaN means undefined: an FPR without FP and TN, an ECE that is undefined for the tool.
        """
        tp, fp, tn, fn, wtp, wfn, tp3, fn3 = (_multiplicities(draws, len(self.rank)) @ self.features).T
        recall = _ratio(tp, tp + fn)
        values: dict[str, Floats] = {
            "detection_rate": recall,
            "false_positive_rate": np.where(fp + tn > 0, _ratio(fp, fp + tn), np.nan),
            "f1_hallucination": _harmonic(_ratio(tp, tp + fp), recall),
            "tier_weighted_f1": _harmonic(_ratio(wtp, wtp + fp), _ratio(wtp, wtp + wfn)),
            "mcc": _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
            "tier3_f1": _harmonic(_ratio(tp3, tp3 + fp), _ratio(tp3, tp3 + fn3)),
        }
        if "ece" in metrics:
            values["ece"] = self._ece(draws) if self.calibratable else np.full(len(draws), np.nan)
        return {name: values[name] for name in metrics}

    def _ece(self, draws: Draws) -> Floats:
        """As `ece_file_order` for each row, uncertain predictions left out."""
        # A stable sort of small integers is a radix sort, far quicker than one of the confidences themselves.
        order = np.argsort(self.rank[draws], axis=1, kind="stable")
        ordered = np.take_along_axis(draws, order, axis=1)
        sums = np.zeros((len(draws), draws.shape[1] + 1))
        np.cumsum((self.right - self.confidence)[ordered], axis=1, out=sums[:, 1:])
        count = draws.shape[1] - self.uncertain[draws].sum(axis=1)
        size, more = np.divmod(count, BINS)
        number = np.arange(BINS + 1)
        edges = number * size[:, None] + np.minimum(number, more[:, None])
        gaps = np.abs(np.diff(np.take_along_axis(sums, edges, axis=1), axis=1)).sum(axis=1)
        return np.where(count > 0, gaps / np.maximum(count, 1), np.nan)


def _multiplicities(draws: Draws, entries: int) -> Floats:
    """How often each entry occurs in each row."""
    rows = np.arange(len(draws))[:, None] * entries
    counts = np.bincount((draws + rows).ravel(), minlength=len(draws) * entries)
    return counts.reshape(len(draws), entries).astype(np.float64)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def _harmonic(a: Floats, b: Floats) -> Floats:
    return _ratio(2 * a * b, a + b)


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

    None where the metric is undefined in every replicate. Source: HALLMARK, arXiv:2607.18360, as `resampled` states.
    """
    outcomes = ToolOutcomes(pairs)
    values: dict[str, list[NDArray[np.float64]]] = {name: [] for name in RESAMPLED_METRICS}
    for draws in resampled(pairs.entries, replicates, seed):
        for name, part in outcomes.replicates(draws, RESAMPLED_METRICS).items():
            values[name].append(part)
    return {name: percentile_interval(np.concatenate(parts)) if parts else None for name, parts in values.items()}
