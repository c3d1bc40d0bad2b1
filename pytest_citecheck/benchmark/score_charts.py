"""Charts of scores, for reports and for arenas (with file names and options of the Reference Hallucination Arena)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_citecheck.benchmark import score_values as values
from pytest_citecheck.benchmark.score_values import Scores
from pytest_citecheck.reports import (
    BarStyle,
    ChartFormat,
    Language,
    Panel,
    Rate,
    Words,
    bars_figure,
    canvas,
    cost_figure,
    curves_figure,
    heat_figure,
    is_font_missing,
    number,
    outcome_figure,
    reliability_figure,
    save,
)

Chart = tuple[str, Callable[[], Any]]
_ALL_FIELDS = (*values.FIELDS, "overall")
_ARENA_TITLE = "Accuracy by field as in the Reference Hallucination Arena: share of all checked references"
_T = values.texts("en")


def draw_arena(
    folder: Path,
    result: Scores,
    style: BarStyle = BarStyle(),  # noqa: B008 - frozen
    *,
    title: str | None = None,
    dpi: int = 300,
    file_format: ChartFormat = "png",
    language: Language = "en",
) -> tuple[Path, ...]:
    """Draw ``verification_chart`` (accuracy by field) and ``discipline_chart``; returns their paths.

    Without a font for Chinese, the words of the charts are English. Raises OSError, and ModuleNotFoundError, which names the
    extra, if matplotlib is missing.
    """
    words = values.texts(language)
    if is_font_missing(words.values()):
        words = _T
    fields = tuple(name for name in _ALL_FIELDS if name != "venue")
    charts = [
        ("verification_chart", partial(_arena_figure, title or words["arena_title"], fields, result, words, style)),
        ("discipline_chart", partial(_discipline_figure, result, words, style)),
    ]
    return tuple(_drawn(folder, charts if values.arena_models(result) else [], file_format, dpi))


def _drawn(folder: Path, charts: Iterable[Chart], file_format: ChartFormat, dpi: int = 150) -> Iterator[Path]:
    """Draw and save these charts, without those that have no data."""
    with canvas():
        for name, draw in charts:
            if figure := draw():
                path = folder / f"{name}.{file_format}"
                save(figure, path, dpi)
                yield path


def _noted(style: BarStyle, result: Scores, words: Words) -> BarStyle:
    """With a note below the bars of models: what the marks mean, and what the scores cover."""
    return replace(style, note=f"{words['bars_note']} {values.scope_text(result.get('arena') or {}, words)}".rstrip())


def _arena_figure(title: str, fields: Sequence[str], result: Scores, words: Words, style: BarStyle) -> Any:
    """The Arena's accuracy of each field; None without any."""
    names = [words["overall"] if name == "overall" else words[f"{name}_accuracy"] for name in fields]
    rates = {
        values.with_coverage(name, scores, words): values.arena_rates(scores, fields)
        for name, scores in values.arena_models(result).items()
    }
    known = any(rate.value is not None for of_model in rates.values() for rate in of_model)
    return bars_figure(title, names, rates, _noted(style, result, words)) if known else None


def _fields_figure(result: Scores, words: Words, style: BarStyle) -> Any:
    """The accuracy of each field where it is decided; None if no file states any."""
    models = values.arena_models(result)
    decided = {values.with_coverage(name, scores, words): values.field_rates(scores) for name, scores in models.items()}
    series = {name: [rates.get(field, Rate()) for field in values.FIELDS] for name, rates in decided.items()}
    names = [words[f"{field}_accuracy"] for field in values.FIELDS]
    return (
        bars_figure(words["per_field"], names, series, _noted(style, result, words)) if any(decided.values()) else None
    )


def _discipline_figure(result: Scores, words: Words, style: BarStyle) -> Any:
    """The verified share of each discipline, one series per model; None without disciplines."""
    parts = {
        values.with_coverage(name, scores, words): scores.get("by_discipline") or {}
        for name, scores in values.arena_models(result).items()
    }
    groups = sorted({group for part in parts.values() for group in part})
    series = {
        name: [values.discipline_rates(part.get(group) or {})["verification_rate"] for group in groups]
        for name, part in parts.items()
    }
    names = [words.get(f"group_{group}", group) for group in groups]
    return bars_figure(words["per_discipline"], names, series, _noted(style, result, words)) if groups else None


@dataclass(frozen=True, slots=True)
class DrawnCharts:
    """The files written, and notes about them for the user."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def draw_charts(folder: Path, result: Scores, file_format: ChartFormat = "png") -> DrawnCharts:
    """Draw each chart that has data: outcomes, fields, disciplines, sub-tests, types, reliability, curves, cost.

    result: a JSON report as data, optionally with ``metrics``, ``tools`` and ``arena`` (docs/reports.md). Raises
    OSError, and ModuleNotFoundError, which names the extra, if matplotlib is missing.
    """
    tools = {str(scores.get("tool_name") or "pytest-citecheck"): scores for scores in values.ranked_tools(result)}
    models, checks, style = values.arena_models(result), (result.get("summary") or {}).get("checks"), BarStyle()
    charts: list[Chart] = [
        ("outcomes", lambda: outcome_figure(checks) if checks else None),
        ("fields", partial(_fields_figure, result, _T, style)),
        ("arena", partial(_arena_figure, _ARENA_TITLE, _ALL_FIELDS, result, _T, style)),
        ("disciplines", partial(_discipline_figure, result, _T, style)),
    ]
    paths = tuple(_drawn(folder, [*charts, *_tool_charts(tools)], file_format))
    disciplines = (name for scores in models.values() for name in scores.get("by_discipline") or {})
    note = "no font with Chinese, Japanese or Korean characters found: install one, such as Noto Sans CJK"
    return DrawnCharts(paths, (note,) if is_font_missing([*tools, *models, *disciplines]) else ())


def _group_charts(tools: Mapping[str, Scores]) -> Iterator[Chart]:
    tables = {table.title: table for table in values.group_tables(list(tools.items()))}
    if "subtests" in tables:
        subtests = tables["subtests"]
        names = [name.replace("_", " ") for name in subtests.rows]
        columns = zip(*subtests.rows.values(), strict=True)
        series = {f"{tool}, {_T[kind]}": rates for (tool, kind), rates in zip(subtests.columns, columns, strict=True)}
        if any(rate.value is not None for rates in subtests.rows.values() for rate in rates):
            yield ("subtests", lambda: bars_figure(_T["subtests"], names, series, BarStyle(note=_T["bars_note"])))
    if "per_type" in tables:
        types = tables["per_type"]
        yield "types", lambda: heat_figure(_T["per_type"], [tool for tool, _ in types.columns], types.rows)


def _tool_charts(tools: Mapping[str, Scores]) -> Iterator[Chart]:
    yield from _group_charts(tools)
    bins = {
        name: scores["reliability"]
        for name, scores in tools.items()
        if any(part.get("count") for part in scores.get("reliability") or ())
    }
    if bins:
        yield "reliability", lambda: reliability_figure(bins)
    risk = {
        name: (points, f"risk {points[-1][1]:.3f} at coverage {points[-1][0]:.2f}")
        for name, points in _points(tools, "risk_coverage", ("coverage", "risk")).items()
    }
    if risk:
        note = "Risk: share of wrong predictions, if only the most confident ones are kept (coverage)."
        yield "risk_coverage", lambda: curves_figure([("Risk and coverage", "coverage", "risk", risk)], note)
    panels: list[Panel] = []
    for key, area, title, axes in (
        ("roc", "auroc", "ROC", ("false positive rate", "true positive rate")),
        ("pr", "auprc", "Precision and recall", ("recall", "precision")),
    ):
        curves = {
            name: (
                points,
                f"{area.upper()} {value:.3f}" if (value := number(tools[name].get(area))) is not None else "",
            )
            for name, points in _points(tools, key).items()
        }
        panels += [(title, *axes, curves)] if curves else []
    if panels:
        yield "roc_pr", lambda: curves_figure(panels)
    yield from _cost_chart(tools)


def _points(
    tools: Mapping[str, Scores], key: str, names: tuple[str, str] | None = None
) -> dict[str, list[tuple[float, float]]]:
    points = {name: values.points_of(scores.get(key), names) for name, scores in tools.items()}
    return {name: given for name, given in points.items() if given}


def _cost_chart(tools: Mapping[str, Scores]) -> Iterator[Chart]:
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
