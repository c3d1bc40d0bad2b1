"""Whether models differ: the same queries were put to all of them, so their results are compared query by query.

What is compared is the share of the requested references of a query that are verified, the mean over its samples; an answer
without references, or a failed call, counts 0. The interval is that of a bootstrap over queries, the p-value that of a sign-flip
permutation test (Fisher, "The Design of Experiments", 1935), adjusted for the number of pairs (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_citecheck.benchmark.arena.scores import ArenaReference, status

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["compared_models", "query_scores"]

SEED = 20260212
_RESAMPLES = 2000
_EXACT = 12  # queries up to which all changes of signs are tried
_FEWEST = 2


def compared_models(references: Iterable[ArenaReference]) -> list[dict[str, Any]]:
    """One object for each pair of models with queries in common, in the order of the models.

    difference: of the means, first minus second, with its 95 % interval; p_value, and adjusted; better, worse, equal: counts of
    queries; kind: ``tool`` if the two are one model with the search tool and without it, else ``models``.
    """
    everything = [one for one in references if one.delivery != "not asked"]
    scores = query_scores(everything)
    served = {one.model: (one.served, one.tool) for one in everything if one.served}
    pairs = []
    for first, second in combinations(scores, 2):
        common = [query for query in scores[first] if query in scores[second]]
        if len(common) >= _FEWEST:
            gaps = np.array([scores[first][query] - scores[second][query] for query in common])
            pairs.append(
                {
                    "first": first,
                    "second": second,
                    "kind": _kind(served.get(first), served.get(second)),
                    **_tested(gaps),
                }
            )
    for pair, adjusted in zip(pairs, _holm([pair["p_value"] for pair in pairs]), strict=True):
        pair["p_adjusted"] = adjusted
    return pairs


def query_scores(references: Iterable[ArenaReference]) -> dict[str, dict[str, float]]:
    """For each model and query the share of requested references that are verified, the mean over samples."""
    cells: dict[str, dict[tuple[str, int], list[ArenaReference]]] = {}
    for one in references:
        cells.setdefault(one.model, {}).setdefault(one.cell, []).append(one)
    found: dict[str, dict[str, list[float]]] = {}
    for model, answers in cells.items():
        for (query, _), members in answers.items():
            counted = [one for one in members if one.delivery == "reference" and not one.duplicate]
            decided = [one for one in counted if status(one) != "ERROR"]
            if counted and not decided:
                continue  # nothing of it could be checked
            verified = sum(status(one) == "VERIFIED" for one in decided)
            open_ones = len(counted) - len(decided)
            wanted = max((members[0].requested or len(decided)) - open_ones, 0)
            share = min(1.0, verified / wanted) if wanted else float(bool(verified))
            found.setdefault(model, {}).setdefault(query, []).append(share)
    return {model: {query: sum(all_) / len(all_) for query, all_ in theirs.items()} for model, theirs in found.items()}


def _kind(first: tuple[str, bool] | None, second: tuple[str, bool] | None) -> str:
    if first is None or second is None or first[0] != second[0]:
        return "models"
    return "tool" if first[1] != second[1] else "models"


def _tested(gaps: NDArray[np.float64]) -> Mapping[str, Any]:
    generator = np.random.default_rng(SEED)
    draws = generator.integers(0, len(gaps), (_RESAMPLES, len(gaps)))
    low, high = np.percentile(gaps[draws].mean(axis=1), (2.5, 97.5))
    return {
        "queries": len(gaps),
        "difference": float(gaps.mean()),
        "interval": [float(low), float(high)],
        "better": int((gaps > 0).sum()),
        "worse": int((gaps < 0).sum()),
        "equal": int((gaps == 0).sum()),
        "p_value": _p_value(gaps, generator),
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


def _holm(values: Sequence[float]) -> list[float]:
    adjusted = [0.0] * len(values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, values[index] * (len(values) - place)))
        adjusted[index] = largest
    return adjusted
