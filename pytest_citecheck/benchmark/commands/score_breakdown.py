"""One part of the scores as a table: ``citecheck score predictions --by``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.benchmark.strata import STRATA
from pytest_citecheck.cli import table_of

PARTS: Mapping[str, str] = {
    **{name: field for name, (field, _) in STRATA.items()},
    "subtask": "subtask_diagnostic",
    "timing": "cost",
}
"""Parts by their names on the command line, with the field of a score."""


def breakdown(scores: Sequence[Mapping[str, Any]], part: str, style: str) -> str:
    """One row per tool and group, with every number of the group; per value where the part has no groups."""
    several = len({score["evaluation_mode"] for score in scores}) > 1
    records = [
        {**score, part: name, **_numbers(block)} for score in scores for name, block in score[PARTS[part]].items()
    ]
    blocks = [block for score in scores for block in score[PARTS[part]].values()]
    columns = {"tool": "tool_name", **({"mode": "evaluation_mode"} if several else {}), part: part}
    return table_of(records, {**columns, **{name: name for name in _numbers(next(iter(blocks), {}))}}, style)


def _numbers(block: Any) -> dict[str, float | None]:
    if not isinstance(block, Mapping):
        return {"value": block}
    return {name: value for name, value in block.items() if value is None or isinstance(value, int | float)}
