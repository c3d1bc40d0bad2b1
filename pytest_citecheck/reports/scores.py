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
    "completeness",
    "year_compliance_rate",
    "avg_confidence",
    "hallucination_rate",
)
"""The scores of a model in the Reference Hallucination Arena (agentscope-ai/OpenJudge)."""

LOWER_IS_BETTER = frozenset({"false_positive_rate", "ece", "ece_tie_safe", "brier", "hallucination_rate"})

_SHARES = frozenset(
    {"detection_rate", "false_positive_rate", "precision", "coverage", "committed_coverage"}
) | frozenset(ARENA_SCORES)
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
    # The interval of the false positive rate has a name of its own in HALLMARK's files.
    interval = scores.get(f"{name}_ci") or (scores.get("fpr_ci") if name == "false_positive_rate" else None)
    if not isinstance(interval, Sequence) or len(interval) != 2 or None in map(number, interval):
        return write(given)
    return f"{write(given)} [{write(interval[0])}, {write(interval[1])}]"


def best(values: Sequence[float | None], *, lower: bool = False) -> float | None:
    """The best of several values; None if there are not two to compare."""
    given = [value for value in values if value is not None]
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
    """The scores by model, best first, ranked as the Arena ranks: verified, year compliance, confidence, completeness."""
    arena = result.get("arena")
    models = arena.get("models") if isinstance(arena, Mapping) else None
    if not isinstance(models, Mapping):
        return {}
    keys = ("overall_accuracy", "year_compliance_rate", "avg_confidence", "completeness")
    found = [(str(name), scores) for name, scores in models.items() if isinstance(scores, Mapping)]
    return dict(sorted(found, key=lambda item: [-(number(item[1].get(name)) or 0.0) for name in keys]))


def group_columns(tools: Sequence[Scores], table: str, score: str) -> dict[str, list[float | None]]:
    """One score by group (tier, type, origin, sub-test) for several tools: group → values in the order of the tools.

    Groups without hallucinated entries say nothing of a detection rate and are left out.
    """
    groups: dict[str, list[float | None]] = {}
    for place, scores in enumerate(tools):
        for group, values in (scores.get(table) or {}).items():
            if isinstance(values, Mapping) and not _only_valid(group, values):
                groups.setdefault(group, [None] * len(tools))[place] = number(values.get(score))
    return {group: groups[group] for group in sorted(groups)}


def _only_valid(group: str, values: Scores) -> bool:
    return group == "valid" or values.get("num_hallucinated") == 0


def verdict_is_right(reference: Scores) -> bool | None:
    """Whether the verdict agrees with the label of the reference; None where either is lacking or nothing was decided."""
    label = (reference.get("gold") or {}).get("label")
    name = (reference.get("verdict") or {}).get("name")
    if label not in ("VALID", "HALLUCINATED") or name in (None, "unverified"):
        return None
    return bool((name == "verified") == (label == "VALID"))
