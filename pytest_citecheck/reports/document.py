"""A report as a document: sections of tables, notes and figures. `renderers` has a writer for each format.

A text is any value from outside; the writers escape it. Layouts need no conditions: `trimmed` removes what is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from pytest_citecheck.reports.values import NONE, Rate, counted, pair_of, share
from pytest_citecheck.reports.wording import Language, Words

Style = Literal["code", "strong", "small", "interval", "quiet", "mark", "deleted", "link", "break"]


class Span(NamedTuple):
    """A text with a style. ``small`` and ``interval`` are lines below a value; the terminal omits intervals.

    target: the part of a page that a link leads to.
    """

    text: str
    style: Style
    target: str = ""


Inline = str | Span | list["Inline"]
"""A text, a text with a style, or several after one another."""


class Cell(NamedTuple):
    """A cell of a heat map. value: a share from 0 to 1, which is its colour; None for a cell without one."""

    content: Inline
    value: float | None


Row = Sequence[Inline | Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """rows: a cell per column; the first is the name of the row. Columns with dashes alone are left out, and tables of them too.

    note: a line above the rows. brief: the terminal shows the table too.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Row]
    note: str = ""
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph."""

    content: Inline
    style: Literal["", "quiet", "strong", "warning"] = ""
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: Sequence[Inline]
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing (`svg`), for pages only."""

    svg: str
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks that stand side by side where there is room."""

    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks below a summary. If it is not open, a page hides them, and the other formats leave them out."""

    summary: Inline
    blocks: Sequence[Block]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a heading. name: the class of its element on a page. answer: the main result, on top of a page."""

    title: Inline
    blocks: Sequence[Block] = field(default_factory=list)
    name: str = ""
    answer: str = ""


Block = Section | Group | Fold | Table | Note | Items | Figure
Data = Mapping[str, Any]
Layout = Callable[[Data, Language], Iterable[Section]]
"""Writes a part of a report, from the JSON report as data."""


def trimmed(blocks: Iterable[Block], *, brief: bool = False) -> Iterator[Block]:
    """The blocks without empty ones, and without columns that have no value. brief: only those for the terminal."""
    for block in blocks:
        if isinstance(block, Section | Group | Fold):
            if inner := list(trimmed(block.blocks, brief=brief)):
                yield replace(block, blocks=inner)
        elif brief and not block.brief:
            continue
        elif isinstance(block, Table):
            if block.rows:
                kept = [place for place in range(len(block.head)) if not place or _has_value(block, place)]
                rows = [[row[place] for place in kept] for row in block.rows]
                if len(kept) == 1 < len(block.head):
                    continue
                yield replace(block, head=[block.head[place] for place in kept], rows=rows)
        elif block.svg if isinstance(block, Figure) else block.items if isinstance(block, Items) else block.content:
            yield block


def _has_value(table: Table, place: int) -> bool:
    return any(content_of(row[place]) != NONE for row in table.rows)


def content_of(cell: Inline | Cell) -> Inline:
    """The text of a cell."""
    return cell.content if isinstance(cell, Cell) else cell


def spans(content: Inline) -> Iterator[str | Span]:
    """The texts of a content, in order."""
    if isinstance(content, list):
        for part in content:
            yield from spans(part)
    elif content:
        yield content


def joined(parts: Iterable[Inline], between: Inline) -> Inline:
    """The parts with something between them, without empty ones."""
    found: list[Inline] = []
    for part in parts:
        if part:
            found += [between, part] if found else [part]
    return found


def with_interval(value: str, interval: object, write: Callable[[object], str]) -> Inline:
    """A value with its interval in brackets, if that is valid."""
    pair = pair_of(interval)
    return value if pair is None else [value, Span(f"[{write(pair[0])}, {write(pair[1])}]", "interval")]


def rate_cell(rate: Rate, words: Words) -> Cell:
    """The rate in per cent, with its interval and counts."""
    value = share(rate.value) if rate.value is None else with_interval(share(rate.value), rate.interval, share)
    counts = counted(rate, words)
    return Cell([value, Span(f"({counts})", "small")] if counts else value, rate.value)
