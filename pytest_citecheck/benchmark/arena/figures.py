"""The figures of a model that thresholds may name (``--citecheck-fail-under=verification_rate>=.8``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FIGURES", "figures_of", "stated_score"]

_HIGHER = (
    *("verification_rate", "year_compliance_rate", "avg_confidence", "completeness", "verified_of_requested"),
    *("overall_accuracy", "overall_score", "delivered_of_requested", "years_kept"),
    *("title_accuracy", "author_accuracy", "year_accuracy", "doi_accuracy", "venue_accuracy"),
    *("strict_verification_rate", "lenient_verification_rate"),
)
_LOWER = (
    *("hallucination_rate", "errors", "failed_calls", "refusals", "duplicates", "not_asked", "cut_off", "fallbacks"),
    *("cost", "cost_per_verified", "prompt_tokens", "completion_tokens", "searches"),
)
FIGURES: Mapping[str, bool] = {**dict.fromkeys(_HIGHER, True), **dict.fromkeys(_LOWER, False)}
"""Name of a figure → whether higher is better."""

_COUNTS = frozenset({"errors", "failed_calls", "refusals", "duplicates", "not_asked"})


Figure = float | tuple[float | None, float | None] | None
"""A value; its bounds if unchecked references could change it; None if nothing was counted."""


def figures_of(arena: Mapping[str, Any]) -> list[tuple[str, dict[str, Figure]]]:
    """Each model of a document of scores with its `FIGURES`."""
    profiles = {
        name: {one["model"]: one for one in (arena.get(name) or {}).get("rankings", ())}
        for name in ("strict", "lenient")
    }
    found = []
    for scores in arena.get("rankings", ()):
        model = scores["model"]
        usage = scores.get("usage") or {}
        values: dict[str, Figure] = {name: stated_score(scores, name) for name in FIGURES if name in scores}
        values |= {name: scores[name] for name in _COUNTS if name in scores}
        values |= {name: usage[name] for name in FIGURES if name in usage}
        values["delivered_of_requested"] = stated_score(scores, "coverage")
        values["years_kept"] = scores["year_compliance"]["rate"]
        for profile, models in profiles.items():
            theirs = models.get(model)
            counted = theirs is not None and theirs["total_refs"] > theirs["errors"]
            rate = theirs["verification_rate"] if theirs and counted else None
            values[f"{profile}_verification_rate"] = _bounded(theirs or {}, "verification_rate", rate)
        found.append((model, {name: _bounded(scores, name, values.get(name)) for name in FIGURES}))
    return found


def _bounded(scores: Mapping[str, Any], name: str, value: Figure) -> Figure:
    """The bounds of a figure where they differ."""
    low, high = (scores.get("bounds") or {}).get(name) or (None, None)
    return value if low == high else (low, high)


def stated_score(scores: Mapping[str, Any], name: str) -> float | None:
    """A score of a model; None if nothing was counted for it."""
    base = {
        "coverage": scores["requested"],
        "verified_of_requested": scores["requested"],
        "completeness": scores["total_refs"],
        "avg_confidence": scores["verified"],
        "year_compliance_rate": scores["year_constrained_refs"],
    }
    value: float = scores[name]
    return value if base.get(name, scores["total_refs"] - scores["errors"]) else None
