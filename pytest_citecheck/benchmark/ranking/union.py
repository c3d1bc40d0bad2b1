"""The recall of several tools together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["union_recall"]


def union_recall(tools: Mapping[str, Pairs], costs: Mapping[str, float] | None = None) -> dict[int, float]:
    """For each k, the share of hallucinated entries that at least one of the first k tools calls HALLUCINATED (detect@k).

    Tools are ordered by ascending cost if costs are given, otherwise as passed. UNCERTAIN does not count. All tools must be
    paired with the same entries. Empty without hallucinated entries. Raises KeyError for a tool without a cost.
    """
    order: Sequence[str] = list(tools) if costs is None else sorted(tools, key=lambda name: costs[name])
    hallucinated = {entry.key for pairs in tools.values() for entry in pairs.entries if _is_hallucinated(entry)}
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


def _is_hallucinated(entry: LabelledEntry) -> bool:
    return entry.label == "HALLUCINATED"
