"""A leaderboard of tools, with letters for tools that do not differ significantly."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_citecheck.benchmark.gates import GATE_FIELDS
from pytest_citecheck.benchmark.metric_table import LOWER_IS_BETTER
from pytest_citecheck.benchmark.metrics import Pairs
from pytest_citecheck.benchmark.published import PublishedResult
from pytest_citecheck.benchmark.ranking import Correction, PairedTest, compare_all
from pytest_citecheck.benchmark.scoring import score_pairs

SORT_KEYS: Mapping[str, str] = {
    name: GATE_FIELDS[name] for name in ("f1", "coverage_adjusted_f1", "mcc", "tw_f1", "detection_rate", "fpr", "ece")
}
"""Sort keys of a leaderboard, and the score field of each."""
# Resampling does not change coverage, and replicates of ECE are computed in file order.
_TESTED = {"coverage_adjusted_f1": "f1_hallucination", "ece_tie_safe": "ece"}
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """One tool. letter: tools that share it do not differ significantly. score: as from `score_pairs`.

    published: whether the score is read from a file of results. Such a tool has no letter: its rows are not known.
    """

    rank: int
    tool: str
    letter: str
    score: Mapping[str, Any]
    published: bool = False


def leaderboard(
    tools: Mapping[str, Pairs],
    *,
    published: Sequence[PublishedResult] = (),
    sort: str = "f1",
    replicates: int,
    correction: Correction = "holm",
) -> tuple[list[Row], list[PairedTest]]:
    """Score and sort the tools, ties by name, and test all pairs, with corrected p-values.

    A tool whose metric is undefined comes last and is not compared.

    published: results to rank beside them; these are not tested. sort: a key of `SORT_KEYS`; raises KeyError otherwise. All
    tools must be paired with the same entries.
    """
    field = SORT_KEYS[sort]
    scored = [Row(0, name, "", score_pairs(pairs, tool_name=name)) for name, pairs in tools.items()]
    scored += [Row(0, result.name, "", result.score, published=True) for result in published]
    sign = 1 if field in LOWER_IS_BETTER else -1

    def place(row: Row) -> tuple[bool, float, str, bool]:
        value = row.score[field]
        return value is None, 0 if value is None else sign * value, row.tool, row.published

    order = sorted(scored, key=place)
    compared = {row.tool: tools[row.tool] for row in order if not row.published and row.score[field] is not None}
    tests = compare_all(compared, _TESTED.get(field, field), replicates=replicates, correction=correction)
    letter = letters(list(compared), tests)
    given = ("" if row.published else letter.get(row.tool, "") for row in order)
    return [
        replace(row, rank=rank, letter=own) for rank, (row, own) in enumerate(zip(order, given, strict=True), 1)
    ], tests


def letters(order: Sequence[str], tests: Sequence[PairedTest]) -> dict[str, str]:
    """A letter for each tool, assigned by rank: the first letter that no significantly different tool has.

    Two tools differ if the corrected p is below .05. Tools with the same letter do not differ; tools with different letters
    may differ or not. After z comes aa.
    """
    differ = {frozenset((test.a, test.b)) for test in tests if test.adjusted < _ALPHA}
    colour: dict[str, int] = {}
    for name in order:
        taken = {number for other, number in colour.items() if frozenset((name, other)) in differ}
        colour[name] = next(number for number in range(len(order)) if number not in taken)
    return {name: _letter(number) for name, number in colour.items()}


def _letter(number: int) -> str:
    text = ""
    while number >= 0:
        text = string.ascii_lowercase[number % 26] + text
        number = number // 26 - 1
    return text
