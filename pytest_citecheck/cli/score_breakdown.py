"""One part of the scores as a table: ``citecheck score predictions --by``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_citecheck.cli.running import number

if TYPE_CHECKING:
    pass

PARTS: Mapping[str, str] = {
    "tier": "per_tier_metrics",
    "type": "per_type_metrics",
    "kind": "per_kind_metrics",
    "generation-method": "per_generation_method",
    "source": "per_source_combination",
    "stage": "cascade_breakdown_stats",
    "subtest": "subtest_metrics",
    "type-accuracy": "type_accuracy",
    "subtask": "subtask_diagnostic",
    "timing": "cost",
}
"""Parts by their names on the command line, with the field of a score."""

Render = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


def breakdown(scores: Sequence[Mapping[str, Any]], part: str, render: Render) -> str:
    """One row per tool and group, with every number of the group; per value where the part has no groups."""
    several = len({score["evaluation_mode"] for score in scores}) > 1
    rows: list[list[str]] = []
    columns: list[str] = []
    for score in scores:
        tool = [score["tool_name"], *([score["evaluation_mode"]] if several else [])]
        for name, block in score[PARTS[part]].items():
            numbers = _numbers(block)
            columns = columns or list(numbers)
            rows.append([*tool, name, *(number(numbers.get(column)) for column in columns)])
    return render(["tool", *(["mode"] if several else []), part, *columns], rows)


def _numbers(block: Any) -> dict[str, float | None]:
    if not isinstance(block, Mapping):
        return {"value": block}
    return {name: value for name, value in block.items() if value is None or isinstance(value, int | float)}
