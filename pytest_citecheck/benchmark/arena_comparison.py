"""True if models differ: the same queries were put to all of them, so their results are compared query by query.

Compared is the share of the requested references of a query that are verified, the mean over its samples; an answer without
references, or a failed call, counts 0. The interval is that of a bootstrap over queries, the p-value that of a sign-flip
permutation test (Fisher, "The Design of Experiments", 1935), adjusted for the number of pairs (Holm 1979).

An unchecked reference may be real or invented. The share therefore has two ends, and a difference has four: each model at either
end. A model is better only if it is so at all four, and if enough references of both were checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean as mean
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_citecheck.benchmark.arena_scoring import (
    LEAST_COVERAGE,
    ArenaReference,
    Bounds,
    arena_scores,
    is_covered,
    status,
)
from pytest_citecheck.benchmark.metrics import grouped
from pytest_citecheck.benchmark.ranking import corrected

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20260212
_RESAMPLES = 2000
_EXACT = 12  # queries up to which all changes of signs are tried
_FEWEST = 2
_SIGNIFICANT = 0.05


def compared_models(references: Iterable[ArenaReference], least: float = LEAST_COVERAGE) -> list[dict[str, Any]]:
    """One object for each pair of models with queries in common, in the order of the models.

    difference: of the means, first minus second; None if unchecked references could change it. bounds: its least and largest
    value. interval: 95 %, from the lower end of the least to the upper end of the largest. p_value: the largest of the four, and
    adjusted. better, worse, equal, undecided: counts of queries. winner: the better model, None if neither is. kind: ``tool`` if
    the two are one model with the search tool and without it, else ``models``. least: the coverage that both must have.
    """
    everything = [reference for reference in references if reference.delivery != "not asked"]
    scores = query_scores(everything)
    served = {reference.model: (reference.served, reference.tool) for reference in everything if reference.served}
    pairs = []
    for first, second in combinations(scores, 2):
        common = [query for query in scores[first] if query in scores[second]]
        if len(common) >= _FEWEST:
            ends = (np.array([scores[model][query] for query in common]) for model in (first, second))
            kind = "tool" if _differ_in_search(served.get(first), served.get(second)) else "models"
            pairs.append({"first": first, "second": second, "kind": kind, **_tested(*ends)})
    covered = {row["model"] for row in arena_scores(everything)["rankings"] if is_covered(row, least)}
    for pair, adjusted in zip(pairs, corrected([pair["p_value"] for pair in pairs]), strict=True):
        pair["p_adjusted"] = adjusted
        pair["winner"] = _winner(pair) if covered.issuperset((pair["first"], pair["second"])) else None
    return pairs


def _winner(pair: Mapping[str, Any]) -> str | None:
    low, high = pair["bounds"]
    if pair["p_adjusted"] >= _SIGNIFICANT or low <= 0 <= high:
        return None
    return str(pair["first"] if low > 0 else pair["second"])


def query_scores(references: Iterable[ArenaReference]) -> dict[str, dict[str, Bounds]]:
    """For each model and query the share of requested references that are verified, the mean over samples.

    The lower end counts unchecked references as invented, the upper end as real. Without a requested number, the answer itself
    states how many there are, repetitions included.
    """
    found: dict[str, dict[str, list[Bounds]]] = {}
    for (model, (query, _)), members in grouped(
        references, lambda reference: (reference.model, reference.cell)
    ).items():
        found.setdefault(model, {}).setdefault(query, []).append(_share_of(members))
    return {
        model: {
            query: (mean(low for low, _ in ends), mean(high for _, high in ends)) for query, ends in answers.items()
        }
        for model, answers in found.items()
    }


def _share_of(members: Sequence[ArenaReference]) -> Bounds:
    if members[0].delivery == "unread":
        return 0.0, 1.0
    delivered = [reference for reference in members if reference.delivery == "reference"]
    statuses = [status(reference) for reference in delivered if not reference.duplicate]
    wanted = members[0].requested or len(delivered)
    verified, unchecked = statuses.count("VERIFIED"), statuses.count("ERROR")
    return (min(1.0, verified / wanted), min(1.0, (verified + unchecked) / wanted)) if wanted else (0.0, 0.0)


def _differ_in_search(first: tuple[str, bool] | None, second: tuple[str, bool] | None) -> bool:
    return first is not None and second is not None and first[0] == second[0] and first[1] != second[1]


def _tested(first: NDArray[np.float64], second: NDArray[np.float64]) -> Mapping[str, Any]:
    """first, second: a row for each query with both ends."""
    low, high = first[:, 0] - second[:, 1], first[:, 1] - second[:, 0]
    generator = np.random.default_rng(SEED)
    draws = generator.integers(0, len(low), (_RESAMPLES, len(low)))
    better, worse = int((low > 0).sum()), int((high < 0).sum())
    equal = int(((low == 0) & (high == 0)).sum())
    ends = np.unique([first[:, one] - second[:, other] for one, other in product((0, 1), repeat=2)], axis=0)
    return {
        "queries": len(low),
        "difference": float(low.mean()) if (low == high).all() else None,
        "bounds": [float(low.mean()), float(high.mean())],
        "interval": [
            float(np.percentile(low[draws].mean(axis=1), 2.5)),
            float(np.percentile(high[draws].mean(axis=1), 97.5)),
        ],
        "better": better,
        "worse": worse,
        "equal": equal,
        "undecided": len(low) - better - worse - equal,
        "p_value": max(_p_value(gaps, np.random.default_rng(SEED)) for gaps in ends),
    }


def _p_value(gaps: NDArray[np.float64], generator: np.random.Generator) -> float:
    """Of the two-sided test: how often a mean at least as far from 0 comes from signs that mean nothing."""
    moved = gaps[gaps != 0]
    if not len(moved):
        return 1.0
    seen = abs(moved.sum()) - 1e-12
    if len(moved) <= _EXACT:
        count = 1 << len(moved)
        signs = 1 - 2 * ((np.arange(count)[:, None] >> np.arange(len(moved))) & 1)
        return float((np.abs(signs @ moved) >= seen).mean())
    signs = generator.choice((-1.0, 1.0), (_RESAMPLES, len(moved)))
    return float(((np.abs(signs @ moved) >= seen).sum() + 1) / (_RESAMPLES + 1))
