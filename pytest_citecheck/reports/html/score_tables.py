"""The scores in the HTML report: tiles, curves and tables of the run, of other tools and of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.groups import GroupTable, Rate, counted, group_tables
from pytest_citecheck.reports.html.charts import bars, curve, reliability
from pytest_citecheck.reports.html.markup import name_text, table, text
from pytest_citecheck.reports.model_rows import ModelTable, comparison_table, coverage_table, scope_text, usage_table
from pytest_citecheck.reports.models import (
    FIELDS,
    MODEL_RATES,
    arena_models,
    discipline_rates,
    field_rates,
    model_rates,
    unranked,
)
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.reports.scores import (
    ARENA_SCORES,
    READING_SCORES,
    SCORES,
    best_rows,
    defined,
    number,
    points_of,
    ranked_tools,
    readings_of,
    score_text,
    share,
    share_with_interval,
)
from pytest_citecheck.reports.wording import TEXTS

__all__ = ["score_sections"]

_T = TEXTS["en"]
_TILES = (
    *("detection_rate", "false_positive_rate", "precision", "f1_hallucination", "tier_weighted_f1", "ece_tie_safe"),
    "committed_coverage",
)

Scores = Mapping[str, Any]
Named = Sequence[tuple[str, Scores]]


def score_sections(result: Scores) -> str:
    """Charts and tables of scores against labels and of models; empty if there are none. result: a JSON report."""
    tools = [(str(tool.get("tool_name") or "this run"), tool) for tool in ranked_tools(result)]
    metrics = defined(result.get("metrics") or {})
    content = _score_tiles(metrics) + _curves(metrics) + _tools(tools) + _confusion(metrics)
    content += _models(list(arena_models(result).items()), result.get("arena") or {})
    return (
        f'<section class="scores" aria-labelledby="scores-head"><h2 id="scores-head">Scores</h2>{content}</section>'
        if content
        else ""
    )


def _score_tiles(metrics: Scores) -> str:
    items = "".join(
        f'<li><span class="tile"><b>{_written(metrics, name)}</b> {_T[name]}</span></li>'
        for name in _TILES
        if number(metrics.get(name)) is not None
    )
    return f'<ul class="tiles">{items}</ul>' if items else ""


def _written(scores: Scores, name: str) -> str:
    return _in_two_lines(score_text(scores, name))


def _in_two_lines(written: str) -> str:
    """A score with its interval on a separate line."""
    value, bracket, interval = written.partition(" [")
    return f"{value}<small>[{interval}</small>" if bracket else value


def _rate(rate: Rate) -> str:
    """A rate with its interval and its counts on separate lines."""
    value = share(rate.value) if rate.value is None else _in_two_lines(share_with_interval(rate.value, rate.interval))
    counts = counted(rate, _T)
    return f"{value}<small>{text(counts)}</small>" if counts else value


def _curves(metrics: Scores) -> str:
    parts = []
    bins = [part for part in metrics.get("reliability") or () if isinstance(part, Mapping) and part.get("count")]
    if bins:
        parts.append(reliability("Reliability", ("confidence", "accuracy"), bins))
    risk = points_of(metrics.get("risk_coverage"), ("coverage", "risk"))
    if risk:
        parts.append(curve("Risk and coverage", ("coverage", "risk"), risk))
    for key, name, axes, diagonal in (
        ("roc", "ROC", ("false positive rate", "true positive rate"), True),
        ("pr", "Precision and recall", ("recall", "precision"), False),
    ):
        points = points_of(metrics.get(key))
        if points:
            parts.append(curve(name, axes, points, diagonal=diagonal))
    for group in group_tables([("", metrics)]):
        if group.title == "per_type":
            rows = [(safe_line(name).replace("_", " "), rate.value) for name, (rate,) in group.rows.items()]
            parts.append(bars(_T["per_type"], rows))
    return f'<div class="charts">{"".join(parts)}</div>' if parts else ""


def _tools(tools: Named) -> str:
    if not tools:
        return ""
    caption = _T["ranking"] if len(tools) > 1 else _T["scores"]
    groups = "".join(_group_table(group, alone=len(tools) == 1) for group in group_tables(tools))
    return f'{_scores_table(caption, _T["tool"], SCORES, tools)}{_readings(tools)}<div class="charts">{groups}</div>'


def _scores_table(caption: str, first: str, names: Sequence[str], tools: Named) -> str:
    """One row per tool; the best value of a column is marked. Empty columns are omitted."""
    shown = [name for name in names if any(number(scores.get(name)) is not None for _, scores in tools)]
    tops = {name: best_rows([scores for _, scores in tools], name) for name in shown}
    rows = []
    for place, (tool, scores) in enumerate(tools):
        cells = [text(tool)]
        for name in shown:
            written = _written(scores, name)
            cells.append(f"<strong>{written}</strong>" if place in tops[name] else written)
        rows.append(cells)
    return table(caption, [first, *(_T[name] for name in shown)], rows)


def _readings(tools: Named) -> str:
    """The scores with undecided references excluded, counted as valid, and counted as hallucinated."""
    rows = [
        [text(name), _T[reading], *(_written(scores, score) for score in READING_SCORES)]
        for name, tool in tools
        for reading, scores in readings_of(tool)
    ]
    head = [_T["tool"], _T["undecided_ones"], *(_T[score] for score in READING_SCORES)]
    return table(_T["readings"], head, rows) if rows else ""


def _group_table(group: GroupTable, *, alone: bool) -> str:
    """One row per group and one column per rate of a tool, as a heat map in steps of a tenth."""
    rows = []
    for name, rates in group.rows.items():
        cells = [text(f"tier {name}" if name.isdigit() else name.replace("_", " "))]
        for rate in rates:
            step = "" if rate.value is None else f' class="heat-{int(min(max(rate.value, 0.0), 1.0) * 10)}"'
            cells.append(f"<td{step}>{_rate(rate)}</td>")
        rows.append(cells)
    head = [""]
    for tool, kind in group.columns:
        shown = _T[kind] if kind else ""
        head.append(shown if alone and shown else ", ".join(filter(None, (name_text(tool), shown))))
    note = f" ({_T['null_note']})" if any(kind for _, kind in group.columns) else ""
    return table(_T[group.title] + note, head, rows)


def _confusion(metrics: Scores) -> str:
    """The predicted hallucination types by labelled type, without empty rows and columns; empty if no type is predicted."""
    confusion = metrics.get("type_confusion") or {}
    rows, columns, counts = (confusion.get(key) or [] for key in ("rows", "columns", "counts"))
    filled = [place for place in range(len(columns)) if any(place < len(line) and line[place] for line in counts)]
    if all(columns[place] in _NO_TYPE for place in filled):
        return ""
    lines = [
        [name_text(name), *(text(line[place]) if line[place] else '<td class="quiet">0</td>' for place in filled)]
        for name, line in zip(rows, counts, strict=False)
        if any(line)
    ]
    head = ["", *(name_text(columns[place]) for place in filled)]
    return table("Labelled type (row) and predicted type (column)", head, lines)


_NO_TYPE = frozenset({"VALID", "UNCERTAIN", "HALLUCINATED_unknown"})


def _models(models: Named, arena: Scores) -> str:
    """Rates over checked references, what was delivered, accuracy of fields where decided, the Arena's scores and rankings,
    disciplines, comparisons, what the answers took.
    """
    if not models:
        return ""
    left = unranked(arena)
    note = _T["unranked"].format(models=", ".join(left), least=share(arena.get("least_coverage"))) if left else ""
    content = (
        _model_table(models)
        + "".join(f"<p>{text(line)}</p>" for line in (scope_text(arena, _T), note) if line)
        + _rows("delivery", coverage_table(models, _T))
        + _field_table(models)
    )
    content += _scores_table(_T["arena_scores"], _T["model"], ARENA_SCORES, models)
    for profile in ("strict", "lenient"):
        ranked = list(arena_models({"arena": arena.get(profile)}).items())
        if ranked:
            content += _scores_table(_T[f"{profile}_ranking"], _T["model"], ARENA_SCORES, ranked)
    content += _discipline_table(models)
    return content + _rows("comparisons", comparison_table(arena, _T)) + _rows("usage", usage_table(models, _T))


def _rows(title: str, content: ModelTable) -> str:
    head, rows = content
    return table(_T[title], head, [list(map(text, row)) for row in rows]) if rows else ""


def _model_table(models: Named) -> str:
    rates = [(name, scores, model_rates(scores)) for name, scores in models]
    shown = [
        one
        for one in MODEL_RATES
        if any(of[one].value is not None or of[one].decided is not None for _, _, of in rates)
    ]
    rows = [
        [
            text(scores.get("rank") or "–"),
            text(name),
            text(scores.get("total_refs", "–")),
            text(scores.get("errors", "–")),
            *(_rate(of[one]) for one in shown),
        ]
        for name, scores, of in rates
    ]
    return table(
        _T["arena_ranking"], [_T[name] for name in ("rank", "model", "total_refs", "not_checked", *shown)], rows
    )


def _field_table(models: Named) -> str:
    rates = [(name, field_rates(scores)) for name, scores in models]
    if not any(of for _, of in rates):
        return ""
    rows = [[text(name), *(_rate(of.get(field, Rate())) for field in FIELDS)] for name, of in rates]
    return table(_T["per_field"], [_T["model"], *(_T[f"{field}_accuracy"] for field in FIELDS)], rows)


def _discipline_table(models: Named) -> str:
    by_model = [
        {
            name: discipline_rates(part)["verification_rate"]
            for name, part in (scores.get("by_discipline") or {}).items()
        }
        for _, scores in models
    ]
    disciplines = sorted({name for rates in by_model for name in rates})
    if not disciplines:
        return ""
    rows = {name: tuple(rates.get(name, Rate()) for rates in by_model) for name in disciplines}
    columns = tuple((name, "") for name, _ in models)
    return _group_table(GroupTable("per_discipline", "type", columns, rows), alone=False)
