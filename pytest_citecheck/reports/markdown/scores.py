"""The scores of tools as Markdown, and tables of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.groups import GroupTable, group_tables, rate_text
from pytest_citecheck.reports.markdown.text import plain, table
from pytest_citecheck.reports.scores import (
    READING_SCORES,
    SCORES,
    best_rows,
    number,
    ranked_tools,
    readings_of,
    score_text,
)

__all__ = ["rank_text", "score_table", "tool_lines"]

Data = Mapping[str, Any]
Lines = list[str]
Words = Mapping[str, str]


def tool_lines(result: Data, words: Words) -> Lines:
    """The scores of the run and of other tools against labels, in total and by group. result: a JSON report as data."""
    tools = [(plain(tool.get("tool_name") or "pytest-citecheck"), tool) for tool in ranked_tools(result)]
    if not tools:
        return []
    alone = len(tools) == 1
    heading, note = (words["scores"], []) if alone else (words["ranking"], [words["ranking_note"], ""])
    lines = [f"## {heading}", "", *note]
    lines += score_table(words["tool"], SCORES, tools, words, ranked=not alone)
    lines += _readings(tools, words)
    for group in group_tables(tools):
        lines += _groups(group, words, alone=alone)
    return lines


def score_table(
    first: str, names: Sequence[str], tools: Sequence[tuple[str, Data]], words: Words, *, ranked: bool
) -> Lines:
    """One row per tool, best first, with the best value of each column in bold. Empty columns are omitted."""
    shown = [name for name in names if any(number(tool.get(name)) is not None for _, tool in tools)]
    tops = {name: best_rows([tool for _, tool in tools], name) for name in shown}
    rows = []
    for rank, (tool_name, tool) in enumerate(tools, start=1):
        cells = [rank_text(tool, rank)] if ranked else []
        cells.append(tool_name)
        for name in shown:
            written = score_text(tool, name)
            cells.append(f"**{written}**" if rank - 1 in tops[name] else written)
        rows.append(cells)
    head = [words["rank"], first] if ranked else [first]
    return table([*head, *(words[name] for name in shown)], rows)


def rank_text(tool: Data, position: int) -> str:
    """The rank that the scores state, else the position; a dash if there is none."""
    rank = tool.get("rank", position)
    return "–" if rank is None else plain(rank)


def _readings(tools: Sequence[tuple[str, Data]], words: Words) -> Lines:
    """The scores with undecided references excluded, counted as valid, and counted as hallucinated."""
    rows = [
        [name, words[reading], *(score_text(scores, score) for score in READING_SCORES)]
        for name, tool in tools
        for reading, scores in readings_of(tool)
    ]
    head = [words["tool"], words["undecided_ones"], *(words[score] for score in READING_SCORES)]
    return [f"### {words['readings']}", "", *table(head, rows)] if rows else []


def _groups(group: GroupTable, words: Words, *, alone: bool) -> Lines:
    rows = [
        [
            words["tier"].format(tier=name) if group.title == "per_tier" and name.isdigit() else plain(name),
            *(rate_text(rate, words) for rate in rates),
        ]
        for name, rates in group.rows.items()
    ]
    head = [words[group.first]]
    for tool, kind in group.columns:
        shown = words[kind] if kind else ""
        head.append(shown if alone and shown else f"{tool}, {shown}" if shown else tool)
    note = [words["null_note"], ""] if any(kind for _, kind in group.columns) else []
    return [f"### {words[group.title]}", "", *note, *table(head, rows)]
