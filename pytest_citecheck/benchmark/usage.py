"""Tokens, money and searches that the answers of a model took, and how many answers were cut off."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_citecheck.inputs import NO_USAGE, Usage

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.arena_scoring import ArenaReference


def usage_scores(references: Iterable[ArenaReference], verified: int, unchecked: int = 0) -> dict[str, Any]:
    """Sums over the answers of one model. verified, unchecked: its references.

    A sum is None if no answer states it; ``unpriced``: answers without a known cost. ``cost_per_verified``: None if the cost of
    an answer is not known or nothing was verified. ``cost_bounds``: the same if all unchecked references are right, and if none
    is; None for an end that has no value.
    """
    cells: dict[tuple[str, int], Usage] = {}
    for reference in references:
        if reference.usage is not None and reference.delivery != "not asked":
            cells.setdefault(reference.cell, reference.usage)
    answers = list(cells.values())
    priced = [usage.cost for usage in answers if usage.cost is not None]
    sent = sum(usage.calls > 0 for usage in answers)
    cost = math.fsum(priced) if priced else None
    whole = cost if len(priced) == sent else None
    return {
        "calls": sum(usage.calls for usage in answers),
        "prompt_tokens": _sum(usage.prompt_tokens for usage in answers),
        "completion_tokens": _sum(usage.completion_tokens for usage in answers),
        "searches": sum(usage.searches for usage in answers),
        "iterations": sum(usage.iterations for usage in answers),
        "fallbacks": sum(usage.fallback for usage in answers),
        "cut_off": sum(usage.finish == "length" for usage in answers),
        "cost": cost,
        "unpriced": sent - len(priced),
        "cost_per_verified": _per(whole, verified),
        "cost_bounds": (_per(whole, verified + unchecked), _per(whole, verified)),
    }


def usage_text(usage: Usage) -> str:
    """As one line of JSON, for properties of tests."""
    return json.dumps({name: value for name, value in asdict(usage).items() if value != getattr(NO_USAGE, name)})


def read_usage(text: str) -> Usage:
    """Text made by `usage_text`. Raises ValueError."""
    try:
        return Usage(**json.loads(text))
    except TypeError as error:
        raise ValueError(f"invalid usage of an answer: {error}") from error


def _per(cost: float | None, verified: int) -> float | None:
    return cost / verified if cost is not None and verified else None


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
