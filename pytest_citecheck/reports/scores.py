"""Which scores the reports show, in which order, and how a number is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "ARENA_SCORES",
    "LOWER_IS_BETTER",
    "SCORES",
    "arena_models",
    "best",
    "group_columns",
    "number",
    "points_of",
    "ranked_tools",
    "score_text",
    "share",
    "verdict_is_right",
]

Scores = Mapping[str, Any]
"""The scores of one tool or model under the names of docs/reports.md; any may be missing or None."""

SCORES = (
    "detection_rate",
    "false_positive_rate",
    "precision",
    "f1_hallucination",
    "tier_weighted_f1",
    "macro_f1",
    "mcc",
    "ece",
    "ece_tie_safe",
    "brier",
    "auroc",
    "auprc",
    "coverage",
    "committed_coverage",
)
"""The scores of HALLMARK (arXiv:2607.18360) in the order of its tables."""

ARENA_SCORES = (
    "overall_accuracy",
    "title_accuracy",
    "author_accuracy",
    "year_accuracy",
    "doi_accuracy",
    "venue_accuracy",
    "completeness",
    "year_compliance_rate",
    "avg_confidence",
    "hallucination_rate",
)
"""The scores of a model in the Reference Hallucination Arena (agentscope-ai/OpenJudge)."""

LOWER_IS_BETTER = frozenset({"false_positive_rate", "ece", "ece_tie_safe", "brier", "hallucination_rate"})

_SHARES = {
    *("detection_rate", "false_positive_rate", "precision", "coverage", "committed_coverage", "verification_rate"),
    *ARENA_SCORES,
}
# Intervals with a name of their own in HALLMARK's and the Arena's files.
_INTERVALS = {
    "false_positive_rate": "fpr_ci",
    "overall_accuracy": "verification_interval",
    "verification_rate": "verification_interval",
    "hallucination_rate": "hallucination_interval",
}
_NONE = "–"


def number(value: object) -> float | None:
    """The value as a finite number; None for whatever else a file may hold in its place."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < float("inf") else None


def share(value: object) -> str:
    """A share from 0 to 1 in per cent with one digit, or a dash."""
    given = number(value)
    return _NONE if given is None else f"{100 * given:.1f} %"


def score_text(scores: Scores, name: str) -> str:
    """A score as it stands in a table: a share in per cent, others with three digits, with its interval if there is one."""
    given = number(scores.get(name))
    if given is None:
        return _NONE
    write = share if name in _SHARES else "{:.3f}".format
    interval = scores.get(_INTERVALS.get(name, f"{name}_ci"))
    if not isinstance(interval, Sequence) or len(interval) != 2 or None in map(number, interval):
        return write(given)
    return f"{write(given)} [{write(interval[0])}, {write(interval[1])}]"


def best(values: Sequence[float | None], *, lower: bool = False) -> float | None:
    """The best of several values; None if no two differ."""
    given = {value for value in values if value is not None}
    if len(given) < 2:
        return None
    return min(given) if lower else max(given)


def ranked_tools(result: Scores) -> list[Scores]:
    """The scores of the run and of other tools, best first: tier-weighted F1, then F1, then detection rate, then name."""
    tools = [scores for scores in (result.get("metrics"), *(result.get("tools") or ())) if isinstance(scores, Mapping)]
    keys = ("tier_weighted_f1", "f1_hallucination", "detection_rate")

    def key(scores: Scores) -> tuple[list[float], str]:
        given = (number(scores.get(name)) for name in keys)
        return [float("inf") if value is None else -value for value in given], str(scores.get("tool_name"))

    return sorted(tools, key=key)


def arena_models(result: Scores) -> dict[str, Scores]:
    """The scores by model in the order of ``arena.rankings`` (metrics/arena.py).

    Without a reference to a query that limits the years there is no rate of compliance with them.
    """
    rankings = (result.get("arena") or {}).get("rankings") or ()
    return {
        str(scores.get("model")): {**scores}
        if scores.get("year_constrained_refs")
        else {**scores, "year_compliance_rate": None}
        for scores in rankings
    }


def group_columns(tools: Sequence[Scores], table: str, score: str) -> dict[str, list[float | None]]:
    """One score by group (tier, type, origin, sub-test) for several tools: group → values in the order of the tools.

    Groups without hallucinated entries say nothing of a detection rate and are left out; what was never decided (``count``
    is 0) has no value.
    """
    groups: dict[str, list[float | None]] = {}
    for place, scores in enumerate(tools):
        for group, values in (scores.get(table) or {}).items():
            if isinstance(values, Mapping) and not _only_valid(group, values):
                known = number(values.get(score)) if values.get("count") != 0 else None
                groups.setdefault(group, [None] * len(tools))[place] = known
    return {group: groups[group] for group in sorted(groups)}


def _only_valid(group: str, values: Scores) -> bool:
    return group == "valid" or values.get("num_hallucinated") == 0


def points_of(value: object, keys: tuple[str, str] | None = None) -> list[tuple[float, float]]:
    """Pairs of numbers from a list of pairs, or of objects with these two keys; what is none is left out."""
    points = []
    for item in value if isinstance(value, Sequence) and not isinstance(value, str) else ():
        if keys is not None and isinstance(item, Mapping):
            pair: Sequence[Any] = [item.get(key) for key in keys]
        else:
            pair = item if isinstance(item, Sequence) and not isinstance(item, str) else ()
        if len(pair) == 2:
            x, y = number(pair[0]), number(pair[1])
            if x is not None and y is not None:
                points.append((x, y))
    return points


def verdict_is_right(reference: Scores) -> bool | None:
    """Whether the verdict agrees with the label of the reference; None where either is lacking or nothing was decided."""
    label = (reference.get("gold") or {}).get("label")
    name = (reference.get("verdict") or {}).get("name")
    if label not in ("VALID", "HALLUCINATED") or name in (None, "unverified"):
        return None
    return bool((name == "verified") == (label == "VALID"))
