"""The base of all charts: loading matplotlib, fonts, colours, reproducible files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any, Literal

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.reports.values import Rate, best, number
from pytest_citecheck.reports.wording import TEXTS

ChartFormat = Literal["png", "svg", "pdf"]
FORMATS: tuple[ChartFormat, ...] = ("png", "svg", "pdf")

# Colours that are also distinct for colour-blind readers (Okabe and Ito, "Color Universal Design", 2008).
_OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
# Chinese, Japanese and Korean fonts of common systems.
_CJK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "SimHei",
    "Arial Unicode MS",
)
_CJK = lazy_pattern("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def load_matplotlib() -> None:
    """Import matplotlib without reading a ``matplotlibrc`` in the working folder.

    matplotlib evaluates parts of that file and can start LaTeX
    (https://matplotlib.org/stable/users/explain/customizing.html). The user's own file still applies. Raises
    ModuleNotFoundError, which names the extra, if it is missing.
    """
    with chdir(Path(__file__).parent):
        try:
            import matplotlib.figure  # noqa: F401, PLC0415
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("charts need matplotlib: pip install '.[charts]' in a checkout") from error


def new_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure of this size in inches."""
    load_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=(width, height), layout="constrained")


def shown(text: object) -> str:
    """A text from outside for matplotlib: one line, without control characters, with dollar signs escaped."""
    return safe_line(str(text)).replace("$", r"\$")


def colours(count: int) -> list[Any]:
    """This many distinct colours: up to eight of Okabe and Ito's, more from a colour map."""
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    from matplotlib import colormaps  # noqa: PLC0415

    return [tuple(colormaps["turbo"](place / (count - 1))) for place in range(count)]


def _cjk_font() -> str | None:
    load_matplotlib()
    from matplotlib import font_manager  # noqa: PLC0415

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CJK_FONTS if name in installed), None)


def is_font_missing(texts: Iterable[str]) -> bool:
    """Return True if these texts contain East Asian characters and no known font for them is installed."""
    return any(_CJK.search(text) for text in texts) and _cjk_font() is None


@contextmanager
def canvas() -> Iterator[None]:
    """The matplotlib settings for drawing and saving: fonts for East Asian characters, no random ids."""
    load_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415

    families = ["DejaVu Sans", *filter(None, [_cjk_font()])]
    with rc_context({"svg.hashsalt": "pytest-citecheck", "font.family": families}), warnings.catch_warnings():
        # is_font_missing reports it once; matplotlib would warn for every character.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from")
        yield


def save(figure: Any, path: Path, dpi: int = 150) -> None:
    """Write the figure without a date, so that the same scores give the same file. The suffix selects the format.

    Raises ValueError for an unknown format.
    """
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with atomic_write(path) as file:
        figure.savefig(file, dpi=dpi, metadata=undated, format=path.suffix[1:] or None)


Scores = Mapping[str, Any]
Point = tuple[float, float]
Panel = tuple[str, str, str, Mapping[str, tuple[Sequence[Point], str]]]
"""Title, name of x, name of y, and by tool the points in the unit square and the value of the curve."""

_UPRIGHT = 3  # with more series than this, the texts on the bars are rotated
_WIDE = 20  # a larger ratio of costs needs a logarithmic axis


@dataclass(frozen=True, slots=True)
class BarStyle:
    """Style of bars. note: a line below the bars."""

    horizontal: bool = False
    highlight_best: bool = True
    show_values: bool = True
    note: str = ""


_PLAIN = BarStyle()


def bars_figure(
    title: str, groups: Sequence[str], series: Mapping[str, Sequence[Rate]], style: BarStyle = _PLAIN
) -> Any:
    """Rates as grouped bars, one series per model, with their values and the number of decided references.

    The best bar of a group has an edge and a bold value; a dash means no decided references. The hatched part of a bar
    is the share of unchecked references: the rate is somewhere in it. No bar of such a group is the best.
    """
    long = max(7.0, 0.42 * len(groups) * len(series) + 2)
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
            draw(at, low, 0.86 * width, color=colour, edgecolor="black" if is_best else "none", linewidth=1.2)
            if high > low:
                start = {"left" if style.horizontal else "bottom": low}
                draw(at, high - low, 0.86 * width, color="none", edgecolor=colour, hatch="////", linewidth=0.6, **start)
            if style.show_values:
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
    axes.spines[["top", "right"]].set_visible(False)
    return _captioned(figure, title, list(series), style.note)


def _captioned(figure: Any, title: str, names: Sequence[str] = (), note: str = "") -> Any:
    """The figure with a title that fits its width and, below it, a note and the legend of these names."""
    width = figure.get_figwidth()
    head, text = fill(shown(title), int(9.5 * width)), fill(shown(note), int(15 * width), break_on_hyphens=False)
    fitting = int(13 * width / (max(map(len, names), default=0) + 6))  # 13 letters an inch, and the coloured box
    ncols = max(min(len(names), 4, fitting), 1)
    lines = 0.3 * head.count("\n") + 0.14 * text.count("\n") + 0.19 * (len(names) // ncols)
    figure.set_figheight(figure.get_figheight() + lines)  # so that the panels keep their size
    figure.suptitle(head, x=0.01, ha="left")
    if names:
        # The note is the title of the legend, so that neither is drawn over the other.
        figure.legend(loc="outside lower center", ncols=ncols, frameon=False, fontsize=8, title=text, title_fontsize=7)
    elif text:
        figure.supxlabel(text, fontsize=7)
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
    if rate.unasked:
        return "doi.org not asked" if is_turned else "doi.org\nnot\nasked"
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
    for (name, bins), axes in zip(tools.items(), panels, strict=False):  # in this order, or a panel would be lost
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
    return _captioned(
        figure, "Reliability", note="Numbers: predictions with this confidence. Dashed: as accurate as confident."
    )


def curves_figure(panels: Sequence[Panel], note: str = "") -> Any:
    """Curves of several tools, each panel with a legend that shows the value of each curve."""
    names = list(dict.fromkeys(name for *_, curves in panels for name in curves))
    colour = dict(zip(names, colours(len(names)), strict=True))
    figure = new_figure(4.6 * len(panels), 4.6 + 0.2 * len(names))
    for axes, (title, x_name, y_name, curves) in zip(
        figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True
    ):
        for name, (points, value) in curves.items():
            axes.plot(
                *zip(*points, strict=True), color=colour[name], label=shown(f"{name}: {value}" if value else name)
            )
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel=x_name, ylabel=y_name)
        axes.set_title(title if len(panels) > 1 else "", loc="left", fontsize=9)
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.14), borderaxespad=0, frameon=False, fontsize=8)
    return _captioned(figure, " · ".join(title for title, *_ in panels), note=note)


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
    counts = " In brackets: decided references." if has_counts else ""
    return _captioned(figure, f"{title}, %", note=f"Bold: best of the row.{counts}")


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
    names = [f"{name}: 00,000, 0.000" for name in points]
    return _captioned(
        figure, f"{y_name} and {x_name}", names, f"Numbers: {x_name}; {y_name}. Largest point: best {y_name}."
    )


# Colours that are also distinct for colour-blind readers (Okabe and Ito, "Color Universal Design", 2008).
_COLOURS = {"passed": "#009E73", "failed": "#D55E00", "unverifiable": "#BBBBBB"}


def draw_outcomes(path: Path, checks: Mapping[str, Mapping[str, int]]) -> None:
    """Draw passed, failed and unverifiable per check (``summary.checks``). The suffix of the path selects the format.

    Raises ModuleNotFoundError, which names the extra, if matplotlib is missing; ValueError for an unknown format.
    """
    figure = outcome_figure(checks)
    with canvas():
        save(figure, path)


def outcome_figure(counts: Mapping[str, Mapping[str, int]]) -> Any:
    """A stacked bar for each check. counts: check → outcome → references, as in ``summary.checks``.

    Raises ModuleNotFoundError, which names the extra, if matplotlib is missing.
    """
    figure = new_figure(7, 3.2)
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    axes = figure.add_subplot()
    checks = [*CHECKS, *(check for check in counts if check not in (*CHECKS, "syntax"))]
    left = [0] * len(checks)
    for outcome, colour in _COLOURS.items():
        heights = [counts.get(check, {}).get(outcome, 0) for check in checks]
        bars = axes.barh(checks, heights, left=left, color=colour, label=outcome)
        axes.bar_label(bars, [str(count) if count else "" for count in heights], label_type="center", fontsize=8)
        left = [before + count for before, count in zip(left, heights, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("references")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    return _captioned(figure, TEXTS["en"]["accuracy_by_check"], list(_COLOURS))
