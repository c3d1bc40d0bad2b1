"""The scores of tools and models as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.reports.groups import GroupTable, Rate, group_tables, rate_text
from pytest_citecheck.reports.markdown.text import plain, table
from pytest_citecheck.reports.models import (
    FIELDS,
    MODEL_RATES,
    arena_models,
    discipline_rates,
    field_rates,
    model_rates,
    without_empty,
)
from pytest_citecheck.reports.scores import (
    ARENA_SCORES,
    LOWER_IS_BETTER,
    READING_SCORES,
    SCORES,
    best,
    number,
    ranked_tools,
    readings_of,
    score_text,
)

__all__ = ["model_lines", "tool_lines"]

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
    lines += _scores(words["tool"], SCORES, tools, words, ranked=not alone)
    lines += _readings(tools, words)
    for group in group_tables(tools):
        lines += _groups(group, words, alone=alone)
    return lines


def _scores(
    first: str, names: Sequence[str], tools: Sequence[tuple[str, Data]], words: Words, *, ranked: bool
) -> Lines:
    """One row per tool, best first, with the best value of each column in bold. Empty columns are omitted."""
    shown = [name for name in names if any(number(tool.get(name)) is not None for _, tool in tools)]
    tops = {name: best([number(tool.get(name)) for _, tool in tools], lower=name in LOWER_IS_BETTER) for name in shown}
    rows = []
    for rank, (tool_name, tool) in enumerate(tools, start=1):
        cells = [str(tool.get("rank", rank))] if ranked else []
        cells.append(tool_name)
        for name in shown:
            written = score_text(tool, name)
            is_best = tops[name] is not None and number(tool.get(name)) == tops[name]
            cells.append(f"**{written}**" if is_best else written)
        rows.append(cells)
    head = [words["rank"], first] if ranked else [first]
    return table([*head, *(words[name] for name in shown)], rows)


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


def model_lines(result: Data, words: Words) -> Lines:
    """Models: rates over checked references, accuracy of fields where decided, the Arena's scores, disciplines, sources."""
    models = [(plain(name), scores) for name, scores in arena_models(result).items()]
    if not models:
        return []
    return [
        *(f"## {words['arena_ranking']}", "", words["arena_note"], ""),
        *_rates(models, words),
        *_fields(models, words),
        *(f"### {words['arena_scores']}", ""),
        *_scores(words["model"], ARENA_SCORES, models, words, ranked=len(models) > 1),
        *_disciplines(models, words),
        *_verified_by_source(models, words),
    ]


def _rates(models: Sequence[tuple[str, Data]], words: Words) -> Lines:
    rates = [model_rates(scores) for _, scores in models]
    shown = [name for name in MODEL_RATES if any(_is_stated(of[name]) for of in rates)]
    rows = [
        [
            plain(scores.get("rank", rank)),
            name,
            plain(scores.get("total_refs", "–")),
            plain(scores.get("errors", "–")),
            *(rate_text(of[one], words) for one in shown),
        ]
        for rank, ((name, scores), of) in enumerate(zip(models, rates, strict=True), start=1)
    ]
    head = [words[name] for name in ("rank", "model", "total_refs", "not_checked", *shown)]
    return table(head, rows)


def _is_stated(rate: Rate) -> bool:
    return rate.value is not None or rate.decided is not None


def _fields(models: Sequence[tuple[str, Data]], words: Words) -> Lines:
    rates = [(name, field_rates(scores)) for name, scores in models]
    if not any(of for _, of in rates):
        return []
    rows = [[name, *(rate_text(of.get(field, Rate()), words) for field in FIELDS)] for name, of in rates]
    head = [words["model"], *(words[f"{field}_accuracy"] for field in FIELDS)]
    return [f"### {words['per_field']}", "", *table(head, rows)]


def _disciplines(models: Sequence[tuple[str, Data]], words: Words) -> Lines:
    lines: Lines = []
    disciplines = sorted({discipline for _, scores in models for discipline in scores.get("by_discipline") or {}})
    for discipline in disciplines:
        rows = []
        for name, scores in models:
            part = (scores.get("by_discipline") or {}).get(discipline)
            if part:
                counts = (plain(part.get(count, "–")) for count in ("total_refs", "errors"))
                rates = (rate_text(rate, words) for rate in discipline_rates(part).values())
                rows.append([name, *counts, *rates, score_text(without_empty(part), "avg_confidence")])
        head = [words[name] for name in ("model", "total_refs", "not_checked", *MODEL_RATES[:2], "avg_confidence")]
        lines += [f"### {words['discipline'].format(discipline=plain(discipline))}", "", *table(head, rows)]
    return lines


def _verified_by_source(models: Sequence[tuple[str, Data]], words: Words) -> Lines:
    sources = sorted({source for _, scores in models for source in scores.get("verified_by_source") or {}})
    if not sources:
        return []
    rows = [
        [name, *(plain((scores.get("verified_by_source") or {}).get(source, 0)) for source in sources)]
        for name, scores in models
    ]
    head = [words["model"], *(plain(source_name(source)) for source in sources)]
    return [f"### {words['verified_by_source']}", "", *table(head, rows)]
