"""Scores as HALLMARK's result files state them, for files that other programs read as such.

Source: HALLMARK, arXiv:2607.18360. A rate over nothing is 0 there, and null here; only the false positive rate of a split without
valid entries is null in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["as_published"]

_OVERALL = ("detection_rate", "precision", "f1_hallucination", "tier3_f1", "uncertain_precision")
_OF_GROUPS = ("detection_rate", "false_positive_rate", "f1", "precision")
_GROUPS = ("per_tier_metrics", "per_type_metrics", "per_generation_method", "per_source_combination")


def as_published(scores: Mapping[str, Any]) -> dict[str, Any]:
    """These scores (`score`) with 0 for each rate over nothing."""
    overall = (*_OVERALL, "false_positive_rate") if scores["num_valid"] else _OVERALL
    groups = {
        name: {group: _zeros(values, _OF_GROUPS) for group, values in scores[name].items()}
        for name in _GROUPS
        if name in scores
    }
    return {**_zeros(scores, overall), **groups}


def _zeros(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {**values, **{name: 0.0 for name in names if name in values and values[name] is None}}
