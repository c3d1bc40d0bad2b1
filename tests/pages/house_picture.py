"""The picture of docs/architecture.md, from the import rules: `python -m tests.pages`."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from graphlib import TopologicalSorter
from html import escape

from tests.test_architecture import ALLOWED, PACKAGE

_WIDTH, _BOX, _GAP, _LINE = 1180, 92, 10, 17
_LEFT, _CHARACTER = 16, 7.3
_NOTE = "Each room imports only from the rows below it (tests/test_architecture.py)."
_COLOURS = ("#eef3fb", "#e4f0ea", "#fdf3e1", "#f7e9ec", "#ece9f7", "#e7f2f5")
_STYLE = (
    "text{font-family:Helvetica,Arial,sans-serif;fill:#1d2733}"
    ".name{font-size:15px;font-weight:700}.purpose{font-size:12.5px}.size{font-size:11.5px;fill:#5c6b7a}"
)


def levels(rules: Mapping[str, set[str]]) -> list[list[str]]:
    """Arrange the rooms in rows: each room imports only from later rows and is as far down as possible.

    Raises CycleError if two rooms import each other.
    """
    order = TopologicalSorter(rules)
    order.prepare()
    rows: list[list[str]] = []
    while order.is_active():
        ready = order.get_ready()
        rows.append([room for room in rules if room in ready])
        order.done(*ready)
    return rows[::-1]


def _purpose(room: str) -> str:
    place = PACKAGE / room
    module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].replace("``", "").replace("`", "").split())


def _folders(room: str) -> list[str]:
    place = PACKAGE / room
    return sorted(f"{path.parent.name}/" for path in place.glob("*/__init__.py")) if place.is_dir() else []


def _name(room: str) -> str:
    return f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py"


def _box(room: str, left: float, top: int, width: float, colour: str) -> list[str]:
    characters = int((width - 20) / _CHARACTER)
    lines = textwrap.wrap(_purpose(room), characters, max_lines=2, placeholder=" …")
    folders = textwrap.shorten(" ".join(_folders(room)), characters, placeholder=" …").replace(" ", " · ")
    shown = [
        f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{_BOX}" rx="7" fill="{colour}" stroke="#9fb0c0"/>',
        f'<text class="name" x="{left + 10:.0f}" y="{top + 22}">{escape(_name(room))}</text>',
    ]
    for number, line in enumerate(lines):
        y = top + 42 + number * _LINE
        shown.append(f'<text class="purpose" x="{left + 10:.0f}" y="{y}">{escape(line)}</text>')
    shown.append(f'<text class="size" x="{left + 10:.0f}" y="{top + _BOX - 11}">{escape(folders)}</text>')
    return shown


def house_picture() -> str:
    """An SVG of the rooms in rows; the arrows of the imports all point down."""
    rows = levels(ALLOWED)
    height = len(rows) * (_BOX + _GAP) + _GAP + 22
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_NOTE}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, row in enumerate(rows):
        width = (_WIDTH - 2 * _LEFT - (len(row) - 1) * _GAP) / len(row)
        for place, room in enumerate(row):
            left = _LEFT + place * (width + _GAP)
            drawn += _box(room, left, _GAP + number * (_BOX + _GAP), width, _COLOURS[number % len(_COLOURS)])
    drawn += [f'<text class="size" x="{_LEFT}" y="{height - 10}">{_NOTE}</text>', "</svg>"]
    return "\n".join(drawn)
