"""All charts that a report has data for, as files in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pytest_citecheck.reports.charts import outcome_figure
from pytest_citecheck.reports.charts_canvas import ChartFormat, canvas, lacking_font, new_figure, save
from pytest_citecheck.reports.charts_scores import (
    bars_figure,
    cost_figure,
    curves_figure,
    heat_figure,
    reliability_figure,
)
from pytest_citecheck.reports.scores import (
    arena_models,
    group_columns,
    number,
    points_of,
    ranked_tools,
)
from pytest_citecheck.reports.wording import TEXTS

__all__ = ["DrawnCharts", "draw_charts"]

_T = TEXTS["en"]
_FIELDS = ("title_accuracy", "author_accuracy", "year_accuracy", "doi_accuracy", "overall_accuracy")

Data = Mapping[str, Any]
Chart = tuple[str, Callable[[], Any]]


@dataclass(frozen=True, slots=True)
class DrawnCharts:
    """The files that were written, and what the reader should know of them."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def draw_charts(folder: Path, result: Data, file_format: ChartFormat = "png") -> DrawnCharts:
    """Draw what there is data for: outcomes, fields, disciplines, sub-tests, types, reliability, curves, cost.

    result: a JSON report as data, with ``metrics``, ``tools`` and ``arena`` as far as it has them (docs/reports.md).
    Raises ModuleNotFoundError, naming the extra, without matplotlib; OSError.
    """
    new_figure(1, 1)  # says what is missing before anything is drawn
    tools = {str(scores.get("tool_name") or "pytest-citecheck"): scores for scores in ranked_tools(result)}
    models = arena_models(result)
    paths = []
    with canvas():
        for name, draw in [*_run_charts(result), *_arena_charts(models), *_tool_charts(tools)]:
            path = folder / f"{name}.{file_format}"
            save(draw(), path)
            paths.append(path)
        disciplines = (name for scores in models.values() for name in scores.get("by_discipline") or {})
        lacking = lacking_font([*tools, *models, *disciplines])
    note = "no font with Chinese, Japanese or Korean characters was found: install one, such as Noto Sans CJK"
    return DrawnCharts(tuple(paths), (note,) if lacking else ())


def _run_charts(result: Data) -> Iterator[Chart]:
    checks = (result.get("summary") or {}).get("checks")
    if checks:
        yield "outcomes", lambda: outcome_figure(checks)


def _arena_charts(models: Mapping[str, Data]) -> Iterator[Chart]:
    if not models:
        return
    fields = {name: [number(scores.get(field)) for field in _FIELDS] for name, scores in models.items()}
    yield "fields", lambda: bars_figure("Accuracy by field", [_T[field] for field in _FIELDS], fields)
    disciplines = group_columns(list(models.values()), "by_discipline", "verification_rate")
    if disciplines:
        series = {name: [values[place] for values in disciplines.values()] for place, name in enumerate(models)}
        yield "disciplines", lambda: bars_figure(_T["per_discipline"], list(disciplines), series)


def _tool_charts(tools: Mapping[str, Data]) -> Iterator[Chart]:
    names = list(tools)
    subtests = group_columns(list(tools.values()), "subtest_metrics", "accuracy")
    if subtests:
        series = {name: [values[place] for values in subtests.values()] for place, name in enumerate(names)}
        yield "subtests", lambda: bars_figure(_T["subtests"], [name.replace("_", " ") for name in subtests], series)
    types = group_columns(list(tools.values()), "per_type_metrics", "detection_rate")
    if types:
        yield "types", lambda: heat_figure(_T["per_type"], names, types)
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
    """Against the first kind of cost that at least two tools state: money, time, calls."""
    for key, x_name in (
        ("cost_usd", "cost, US dollars"),
        ("total_seconds", "time, seconds"),
        ("mean_api_calls", "calls to services per entry"),
    ):
        points = {}
        for name, scores in tools.items():
            x = number((scores.get("cost") or scores).get(key))
            y = number(scores.get("f1_hallucination"))
            if x is not None and y is not None:
                points[name] = (x, y)
        if len(points) > 1:
            yield "cost", partial(cost_figure, x_name, "F1", points)
            return
