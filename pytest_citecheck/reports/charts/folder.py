"""All charts for which a report has data, as files in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pytest_citecheck.reports.charts.canvas import ChartFormat, canvas, is_font_missing, new_figure, save
from pytest_citecheck.reports.charts.scores import (
    BarStyle,
    bars_figure,
    cost_figure,
    curves_figure,
    heat_figure,
    reliability_figure,
)
from pytest_citecheck.reports.charts.verdicts import outcome_figure
from pytest_citecheck.reports.groups import GroupTable, Rate, group_tables
from pytest_citecheck.reports.model_rows import scope_text
from pytest_citecheck.reports.models import (
    ARENA_FIELDS,
    FIELDS,
    arena_models,
    arena_rates,
    discipline_rates,
    field_rates,
    with_coverage,
)
from pytest_citecheck.reports.scores import number, points_of, ranked_tools
from pytest_citecheck.reports.wording import TEXTS

__all__ = ["DrawnCharts", "draw_charts"]

_T = TEXTS["en"]
_FIELD_NAMES = [_T[f"{field}_accuracy"] for field in FIELDS]

Data = Mapping[str, Any]
Chart = tuple[str, Callable[[], Any]]

_ARENA_TITLE = "Accuracy by field as in the Reference Hallucination Arena: share of all checked references"


@dataclass(frozen=True, slots=True)
class DrawnCharts:
    """The files written, and notes about them for the user."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def draw_charts(folder: Path, result: Data, file_format: ChartFormat = "png") -> DrawnCharts:
    """Draw each chart for which there is data: outcomes, fields, disciplines, sub-tests, types, reliability, curves, cost.

    result: a JSON report as data, optionally with ``metrics``, ``tools`` and ``arena`` (docs/reports.md). Raises OSError, and
    ModuleNotFoundError, which names the extra, if matplotlib is missing.
    """
    new_figure(1, 1)  # raises before anything is written if matplotlib is missing
    tools = {str(scores.get("tool_name") or "pytest-citecheck"): scores for scores in ranked_tools(result)}
    models = arena_models(result)
    paths = []
    with canvas():
        for name, draw in [
            *_run_charts(result),
            *_arena_charts(models, BarStyle(note=scope_text(result.get("arena") or {}, _T))),
            *_tool_charts(tools),
        ]:
            path = folder / f"{name}.{file_format}"
            save(draw(), path)
            paths.append(path)
        disciplines = (name for scores in models.values() for name in scores.get("by_discipline") or {})
        missing = is_font_missing([*tools, *models, *disciplines])
    note = "no font with Chinese, Japanese or Korean characters found: install one, such as Noto Sans CJK"
    return DrawnCharts(tuple(paths), (note,) if missing else ())


def _run_charts(result: Data) -> Iterator[Chart]:
    checks = (result.get("summary") or {}).get("checks")
    if checks:
        yield "outcomes", lambda: outcome_figure(checks)


def _arena_charts(models: Mapping[str, Data], style: BarStyle) -> Iterator[Chart]:
    if not models:
        return
    decided = {name: field_rates(scores) for name, scores in models.items()}
    if any(decided.values()):
        fields = {
            with_coverage(name, models[name], _T): [rates.get(field, Rate()) for field in FIELDS]
            for name, rates in decided.items()
        }
        yield "fields", lambda: bars_figure(_T["per_field"], _FIELD_NAMES, fields, style)
    arena = {with_coverage(name, scores, _T): arena_rates(scores, ARENA_FIELDS) for name, scores in models.items()}
    if any(rate.value is not None for rates in arena.values() for rate in rates):
        yield "arena", lambda: bars_figure(_ARENA_TITLE, [*_FIELD_NAMES, _T["overall"]], arena, style)
    disciplines = sorted({name for scores in models.values() for name in scores.get("by_discipline") or {}})
    if disciplines:
        series = {
            with_coverage(name, scores, _T): _verified_rates(scores, disciplines) for name, scores in models.items()
        }
        yield "disciplines", lambda: bars_figure(_T["per_discipline"], disciplines, series, style)


def _verified_rates(scores: Data, disciplines: Sequence[str]) -> list[Rate]:
    parts = scores.get("by_discipline") or {}
    return [discipline_rates(parts[name])["verification_rate"] if name in parts else Rate() for name in disciplines]


def _group_charts(tools: Mapping[str, Data]) -> Iterator[Chart]:
    tables = {table.title: table for table in group_tables(list(tools.items()))}
    if "subtests" in tables:
        subtests = tables["subtests"]
        names = [name.replace("_", " ") for name in subtests.rows]
        yield "subtests", lambda: bars_figure(_T["subtests"], names, _series(subtests))
    if "per_type" in tables:
        types = tables["per_type"]
        yield "types", lambda: heat_figure(_T["per_type"], [tool for tool, _ in types.columns], types.rows)


def _series(table: GroupTable) -> dict[str, list[Rate]]:
    """One series of bars per column of the table."""
    return {
        f"{tool}, {_T[kind]}": [rates[place] for rates in table.rows.values()]
        for place, (tool, kind) in enumerate(table.columns)
    }


def _tool_charts(tools: Mapping[str, Data]) -> Iterator[Chart]:
    yield from _group_charts(tools)
    bins = {
        name: scores["reliability"]
        for name, scores in tools.items()
        if any(part.get("count") for part in scores.get("reliability") or ())
    }
    if bins:
        yield "reliability", lambda: reliability_figure(bins)
    risk = _points(tools, "risk_coverage", ("coverage", "risk"))
    if risk:
        yield "risk_coverage", lambda: curves_figure([("Risk and coverage", "coverage", "risk", risk)])
    roc, precision_recall = _points(tools, "roc"), _points(tools, "pr")
    panels = [
        ("ROC", "false positive rate", "true positive rate", roc),
        ("Precision and recall", "recall", "precision", precision_recall),
    ]
    if any(curves for *_, curves in panels):
        yield "roc_pr", lambda: curves_figure([panel for panel in panels if panel[3]])
    yield from _cost_chart(tools)


def _points(
    tools: Mapping[str, Data], key: str, names: tuple[str, str] | None = None
) -> dict[str, list[tuple[float, float]]]:
    points = {name: points_of(scores.get(key), names) for name, scores in tools.items()}
    return {name: given for name, given in points.items() if given}


def _cost_chart(tools: Mapping[str, Data]) -> Iterator[Chart]:
    """F1 against the first cost that at least two tools state: money, time, calls.

    Zero seconds or calls mean that a tool does not state them; zero dollars can be the price.
    """
    for key, x_name in (
        ("cost_usd", "cost, US dollars"),
        ("total_seconds", "time, seconds"),
        ("mean_api_calls", "calls to services per entry"),
    ):
        points = {}
        for name, scores in tools.items():
            x = number((scores.get("cost") or scores).get(key))
            y = number(scores.get("f1_hallucination"))
            if x is not None and y is not None and (x > 0 or key == "cost_usd"):
                points[name] = (x, y)
        if len(points) > 1:
            yield "cost", partial(cost_figure, x_name, "F1", points)
            return
