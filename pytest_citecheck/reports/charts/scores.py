"""Charts of scores: bars by field and discipline, calibration, curves, hallucination types, cost against accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from pytest_citecheck.reports.charts.canvas import colours, new_figure, shown
from pytest_citecheck.reports.groups import Rate
from pytest_citecheck.reports.scores import best, number

__all__ = ["BarStyle", "bars_figure", "cost_figure", "curves_figure", "heat_figure", "reliability_figure"]

Scores = Mapping[str, Any]
Point = tuple[float, float]

_UPRIGHT = 3  # with more series than this, the texts on the bars are rotated
_WIDE = 20  # a larger ratio of costs needs a logarithmic axis


@dataclass(frozen=True, slots=True)
class BarStyle:
    """How bars are drawn. values: groups whose bars have their value on them; None: all. note: a line below the bars."""

    horizontal: bool = False
    highlight_best: bool = True
    values: frozenset[str] | None = None
    note: str = ""


_PLAIN = BarStyle()


def bars_figure(
    title: str, groups: Sequence[str], series: Mapping[str, Sequence[Rate]], style: BarStyle = _PLAIN
) -> Any:
    """Rates as grouped bars, one series per model, with their values and the number of decided references.

    The best bar of a group has an edge and a bold value; a dash means that nothing was decided. The hatched part of a bar is the
    share of unchecked references: the rate is somewhere in it. No bar of such a group is the best.
    """
    long = max(7.0, 0.34 * len(groups) * len(series) + 2)
    figure = new_figure(7.0, max(4.2, 0.6 * long)) if style.horizontal else new_figure(long, 4.2)
    axes = figure.add_subplot()
    width = 0.84 / len(series)
    tops = [_top([rates[place] for rates in series.values()]) for place in range(len(groups))]
    for row, ((name, rates), colour) in enumerate(zip(series.items(), colours(len(series)), strict=True)):
        for place, rate in enumerate(rates):
            is_best = style.highlight_best and rate.value is not None and rate.value == tops[place]
            at = place + (row - (len(series) - 1) / 2) * width
            low, high = (100 * end for end in rate.bounds or (rate.value or 0.0, rate.value or 0.0))
            draw = axes.barh if style.horizontal else axes.bar
            draw(at, low, 0.94 * width, color=colour, edgecolor="black" if is_best else "none", linewidth=1.4)
            if high > low:
                start = {"left" if style.horizontal else "bottom": low}
                draw(at, high - low, 0.94 * width, color="none", edgecolor=colour, hatch="////", linewidth=0.6, **start)
            if style.values is None or groups[place] in style.values:
                _write_value(axes, rate, (at, high), style, is_best=is_best, is_turned=len(series) > _UPRIGHT)
        axes.bar([0], [0], 0, color=colour, label=shown(name))  # a legend entry, also for a model without values
    names = [_wrapped(shown(group)) for group in groups]
    if style.horizontal:
        axes.set_yticks(range(len(groups)), names, fontsize=9)
        axes.set_ylim(len(groups) - 0.4, -0.6)  # the first group on top
        axes.set_xlim(0, 120)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel("%")
    else:
        axes.set_xticks(range(len(groups)), names, fontsize=9)
        axes.set_xlim(-0.6, len(groups) - 0.4)  # fixed, because the first and last group may have no values
        axes.set_ylim(0, 120)
        axes.set_yticks(range(0, 101, 20))
        axes.set_ylabel("%")
    axes.set_title(title, loc="left")
    if style.note:
        figure.supxlabel(fill(shown(style.note), 110), fontsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=min(len(series), 4), frameon=False, fontsize=8)
    return figure


def _top(rates: Sequence[Rate]) -> float | None:
    return None if any(rate.bounds for rate in rates) else best([rate.value for rate in rates])


def _wrapped(name: str) -> str:
    """The name in short lines; a word is broken where it is longer than “interdisciplinary”."""
    longest = max(map(len, name.split()), default=0)
    return fill(name, min(max(longest, 14), 17))


def _write_value(
    axes: Any, rate: Rate, place: tuple[float, float], style: BarStyle, *, is_best: bool, is_turned: bool
) -> None:
    """The value at the end of its bar."""
    turned = is_turned and not style.horizontal
    axes.annotate(
        _bar_text(rate, is_turned=is_turned or style.horizontal),
        place[::-1] if style.horizontal else place,
        xytext=(2, 0) if style.horizontal else (0, 2),
        textcoords="offset points",
        ha="left" if style.horizontal else "center",
        va="center" if style.horizontal else "bottom",
        fontsize=7,
        rotation=90 if turned else 0,
        fontweight="bold" if is_best else "normal",
    )


def _bar_text(rate: Rate, *, is_turned: bool) -> str:
    """The value and, below or after it, the number of decided references."""
    if rate.bounds:
        low, high = (100 * end for end in rate.bounds)
        value = f"{low:.0f}–{high:.0f}"
    else:
        value = "–" if rate.value is None else f"{100 * rate.value:.1f}"
    return value if not rate.decided else f"{value} ({rate.decided})" if is_turned else f"{value}\n({rate.decided})"


def reliability_figure(tools: Mapping[str, Sequence[Scores]]) -> Any:
    """Reliability diagrams (Niculescu-Mizil and Caruana, 2005), one panel per tool: accuracy by confidence bin."""
    columns = min(len(tools), 3)
    rows = -(-len(tools) // columns)
    figure = new_figure(3.4 * columns, 3.4 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).flat
    for axes, (name, bins) in zip(panels, tools.items(), strict=False):
        axes.plot([0, 1], [0, 1], color="#888888", linestyle="--", linewidth=1)
        for part in bins:
            low, high, accuracy = (number(part.get(key)) for key in ("low", "high", "accuracy"))
            count = number(part.get("count"))
            if low is None or high is None or accuracy is None or not count:
                continue
            axes.bar(low, accuracy, high - low, align="edge", color="#0072B2", edgecolor="white")
            axes.annotate(f"{count:.0f}", ((low + high) / 2, accuracy), ha="center", va="bottom", fontsize=6)
        axes.set(xlim=(0, 1), ylim=(0, 1.08), xlabel="confidence", ylabel="accuracy")
        axes.set_title(shown(name), fontsize=9)
    for axes in list(panels):
        axes.set_visible(False)
    return figure


def curves_figure(panels: Sequence[tuple[str, str, str, Mapping[str, Sequence[Point]]]]) -> Any:
    """Curves of several tools. A panel: title, name of x, name of y, tool → points in the unit square."""
    names = list(dict.fromkeys(name for _, _, _, curves in panels for name in curves))
    colour = dict(zip(names, colours(len(names)), strict=True))
    figure = new_figure(4.6 * len(panels), 4.6)
    handles = {}
    for axes, (title, x_name, y_name, curves) in zip(
        figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True
    ):
        for name, points in curves.items():
            (handles[name],) = axes.plot(*zip(*points, strict=True), color=colour[name], label=shown(name))
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel=x_name, ylabel=y_name)
        axes.set_title(title, loc="left")
    figure.legend(
        handles.values(),
        map(shown, handles),
        loc="outside lower center",
        ncols=min(len(names), 3),
        frameon=False,
        fontsize=8,
    )
    return figure


def heat_figure(title: str, tools: Sequence[str], groups: Mapping[str, Sequence[Rate]]) -> Any:
    """Rates by group (rows) and tool (columns) as a heat map; the best value of a row is bold.

    A cell contains the value and the number of decided references, or a dash.
    """
    figure = new_figure(1.1 * len(tools) + 3.2, 0.36 * len(groups) + 1.8)
    axes = figure.add_subplot()
    values = [[float("nan") if rate.value is None else rate.value for rate in row] for row in groups.values()]
    axes.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(groups.values()):
        top = best([rate.value for rate in row])
        for x, rate in enumerate(row):
            value = rate.value
            text = "–" if value is None else f"{100 * value:.0f}"
            text += f" ({rate.decided})" if rate.decided else ""
            dark = value is not None and value > 0.6
            weight = "bold" if value is not None and value == top else "normal"
            axes.text(
                x, y, text, ha="center", va="center", fontsize=8, color="white" if dark else "black", fontweight=weight
            )
    axes.set_xticks(range(len(tools)), [shown(tool) for tool in tools], rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(len(groups)), [shown(group.replace("_", " ")) for group in groups], fontsize=8)
    has_counts = any(rate.decided for row in groups.values() for rate in row)
    axes.set_title(f"{title}, %{' (decided)' if has_counts else ''}", loc="left")
    return figure


def _plain_number(value: float, _position: int = 0) -> str:
    """A number without an exponent, for ticks and the legend."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def cost_figure(x_name: str, y_name: str, points: Mapping[str, Point]) -> Any:
    """The cost of tools (x) against their score (y, 0 to 1); the best tool is drawn larger."""
    figure = new_figure(7, 4.6)
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415

    axes = figure.add_subplot()
    top = best([y for _, y in points.values()])
    for (name, (x, y)), colour in zip(points.items(), colours(len(points)), strict=True):
        size = 110 if y == top else 45
        axes.scatter(
            [x],
            [y],
            s=size,
            color=colour,
            edgecolor="black",
            zorder=3,
            label=f"{shown(name)}: {_plain_number(x)}, {y:.3f}",
        )
    axes.set(ylim=(0, 1.05), xlabel=x_name, ylabel=y_name)
    costs = [x for x, _ in points.values()]
    if min(costs) > 0 and max(costs) > _WIDE * min(costs):
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(_plain_number))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.1)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure
