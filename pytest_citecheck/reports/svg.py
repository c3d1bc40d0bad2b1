"""Charts of pages as inline SVG. Colours are classes of page.css, which follow the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pytest_citecheck.reports.values import number

_ROW = 26
_LABEL = 180
_WIDTH = 600
_SIDE = 240
_MARGIN = 44
_ROOM = 0.95  # above a higher bar there is no room for a number

Point = tuple[float, float]


def _svg(width: int, height: int, name: str, parts: Sequence[str], *, has_heading: bool = False) -> str:
    """The figure. has_heading: its name is the heading above it."""
    caption = "" if has_heading else f"<figcaption>{escape(name)}</figcaption>"
    return (
        f'<figure>{caption}<svg viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(name)}">{"".join(parts)}</svg></figure>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def stacked_bars(name: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Stacked counts by row: (label, {outcome: count}). An outcome is also the CSS class of its colour."""
    largest = max((sum(counts.values()) for _, counts in rows), default=0) or 1
    parts = []
    for place, (label, counts) in enumerate(rows):
        y, x = place * _ROW, float(_LABEL)
        parts.append(_text(_LABEL - 8, y + 17, label, "end"))
        for outcome, count in counts.items():
            width = count / largest * (_WIDTH - _LABEL)
            if count:
                parts.append(
                    f'<rect class="fill-{escape(outcome)}" x="{x:.1f}" y="{y + 3}" width="{width:.1f}" height="20">'
                    f"<title>{escape(f'{label}, {outcome}: {count}')}</title></rect>"
                )
            # A digit needs about 8 units; the table below the chart shows the numbers that do not fit.
            if width > 8 * len(str(count)) + 4:
                parts.append(_text(x + width / 2, y + 17, str(count), "middle", f' class="on-{escape(outcome)}"'))
            x += width
    y = len(rows) * _ROW
    for place, outcome in enumerate(dict.fromkeys(outcome for _, counts in rows for outcome in counts)):
        x = _LABEL + place * 120.0
        parts.append(f'<rect class="fill-{escape(outcome)}" x="{x:.1f}" y="{y + 6}" width="14" height="14"/>')
        parts.append(_text(x + 20, y + 17, outcome))
    return _svg(_WIDTH, y + _ROW, name, parts, has_heading=True)


def curve(name: str, axes: tuple[str, str], points: Sequence[Point], *, diagonal: bool = False) -> str:
    """A curve in the unit square. diagonal: also draw the line of chance."""
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    return _square(name, axes, f'<polyline class="line-main" points="{path}"/>', diagonal=diagonal)


def reliability(name: str, axes: tuple[str, str], bins: Sequence[Mapping[str, Any]]) -> str:
    """A reliability diagram (Niculescu-Mizil and Caruana, 2005): accuracy by confidence bin; the diagonal is ideal."""
    parts, small = list[str](), ' class="small"'
    for part in bins:
        low, high, accuracy = (number(part.get(key)) for key in ("low", "high", "accuracy"))
        count = number(part.get("count"))
        if low is None or high is None or accuracy is None or not count:
            continue
        top = _y(accuracy)
        parts.append(
            f'<rect class="fill-main" x="{_x(low) + 1:.1f}" y="{top:.1f}" '
            f'width="{max(_x(high) - _x(low) - 2, 1):.1f}" height="{_y(0) - top:.1f}">'
            f"<title>{escape(f'{low:.2f} to {high:.2f}: {accuracy:.3f} of {count:.0f}')}</title></rect>"
            + _text(
                (_x(low) + _x(high)) / 2, top - 2 if accuracy < _ROOM else top + 12, f"{count:.0f}", "middle", small
            )
        )
    return _square(name, axes, "".join(parts), diagonal=True)


def _x(value: float) -> float:
    return _MARGIN + min(max(value, 0.0), 1.0) * _SIDE


def _y(value: float) -> float:
    return 10 + (1 - min(max(value, 0.0), 1.0)) * _SIDE


def _square(name: str, axes: tuple[str, str], content: str, *, diagonal: bool) -> str:
    bottom = _y(0)
    parts = [f'<rect class="frame" x="{_MARGIN}" y="10" width="{_SIDE}" height="{_SIDE}"/>']
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(_x(tick), bottom + 15, f"{tick:g}", "middle"))
        parts.append(_text(_MARGIN - 6, _y(tick) + 4, f"{tick:g}", "end"))
    parts.append(content)
    if diagonal:
        parts.append(f'<line class="line-chance" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>')
    middle = _MARGIN + _SIDE / 2
    parts.append(_text(middle, bottom + 32, axes[0], "middle"))
    turned = f' transform="rotate(-90 12 {_y(0.5):.0f})"'
    parts.append(_text(12, _y(0.5), axes[1], "middle", turned))
    return _svg(_MARGIN + _SIDE + 12, int(bottom) + 40, name, parts)
