"""The lines of a PDF without what is printed around them: line numbers in a margin, running heads, page numbers, stamps."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pytest_citecheck.readers.pdf.signs import in_unicode
from pytest_citecheck.readers.plain.list_items import Line
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Row", "body_lines"]

Row = tuple[str, float, float, float, float]
"""Text, left, right, bottom and height of a line, in points."""

_NUMBER = lazy_pattern(r"\s*(\d{1,4})\s*")
_PAGE_NUMBER = lazy_pattern(r"\s*+(?:page\s*+)?(?:[-–]\s*+)?\d{1,5}\s*+(?:[-–]\s*+)?(?:of \d++)?\s*+", re.IGNORECASE)
_DIGITS = lazy_pattern(r"\d+")
_STAMP = lazy_pattern(
    r"\s*+(?:powered by tcpdf.*|downloaded (?:from|by|on)\b.*|www\.ssoar\.info|this (?:content|article) downloaded\b.*"
    r"|\(?c\)? \d{4} .{0,40}all rights reserved.*|electronic copy available at\b.*"
    r"|.*provided by .{1,60} (?:repository|core)\b.*)",
    re.IGNORECASE,
)
"""Lines that archives and programs print on pages."""
_SAME_EDGE = 3.0
"""Points by which the edges of numbers below each other differ at most."""
_FEWEST, _FEWEST_SPARSE = 4, 3
"""Numbers of a margin on one page; of one that numbers every fifth line."""
_IN_STEP = 0.8
"""Share of neighbours that differ by the step, and of lines that have a number."""
_EDGE_ROWS = 3
"""Rows at the top and the bottom of a page, in the order of the file, in which heads and page numbers stand."""


def body_lines(pages: Sequence[Sequence[Row]]) -> list[Line]:
    """The lines of all pages in the order of the file, in Unicode, without what is printed around them."""
    numbered = _without_line_numbers(pages)
    readable = in_unicode(row[0] for page in numbered for row in page)
    lines = []
    for number, page in enumerate(_without_heads([list(_rejoined(page)) for page in numbered]), start=1):
        lines += [
            Line(readable(text), number, left, right, bottom, height) for text, left, right, bottom, height in page
        ]
    return lines


def _without_line_numbers(pages: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The pages without numbers in a margin. Numbers beside every line are markers of a list unless most pages have them."""
    margins = [list(_margins(page)) for page in pages]
    filled = sum(len(page) > 2 * _FEWEST for page in pages)
    with_margin = sum(bool(found) for found in margins)
    if with_margin < max(min(2, filled), 0.4 * filled):
        return [list(page) for page in pages]
    edges = [edge for found in margins for edge in found]
    return [
        [
            row
            for row in page
            if not (
                _NUMBER.fullmatch(row[0])
                and any(abs(_edge(row, side) - place) <= _SAME_EDGE for side, place in (found or edges))
            )
        ]
        for page, found in zip(pages, margins, strict=True)
    ]


def _edge(row: Row, side: int) -> float:
    return row[1] if side == 1 else row[2]


def _margins(page: Sequence[Row]) -> Iterator[tuple[int, float]]:
    """The columns of line numbers on a page: which edge (1 left, 2 right) is aligned, and where."""
    numbers = [(int(match[1]), row) for row in page if (match := _NUMBER.fullmatch(row[0]))]
    if len(numbers) < _FEWEST_SPARSE:
        return
    lines = [row for row in page if not _NUMBER.fullmatch(row[0])]
    for side in (2, 1):
        columns: dict[int, list[tuple[int, Row]]] = defaultdict(list)
        for value, row in numbers:
            columns[round(_edge(row, side) / _SAME_EDGE)].append((value, row))
        for place in sorted(columns):
            column = sorted([*columns[place], *columns.get(place + 1, ())], key=lambda one: -one[1][3])
            if _counts_lines(column, lines):
                yield side, median(_edge(row, side) for _, row in column)


def _counts_lines(column: Sequence[tuple[int, Row]], lines: Sequence[Row]) -> bool:
    if len(column) < _FEWEST_SPARSE:
        return False
    steps = Counter(below - above for (above, _), (below, _) in pairwise(column))
    step, times = steps.most_common(1)[0]
    if step not in (1, 2, 5, 10) or times < _IN_STEP * (len(column) - 1):
        return False
    gaps = [above[3] - below[3] for (_, above), (_, below) in pairwise(column)]
    usual = median(gaps)
    evenly = sum(abs(gap - usual) < 0.15 * usual for gap in gaps) >= _IN_STEP * len(gaps)
    if step > 1:
        return usual > 2 * median(row[4] for _, row in column)
    if len(column) < _FEWEST:
        return False
    if evenly and len(column) > 5 * _FEWEST:
        return True
    # Markers of a list stand beside the first lines of its items only.
    left, right = min(row[1] for _, row in column), max(row[2] for _, row in column)
    top, bottom = column[0][1][3], column[-1][1][3]
    beside = [row for row in lines if bottom - 4 <= row[3] <= top + 4 and (row[1] > right - 2 or row[2] < left + 2)]
    if not beside:
        return False
    nearest = min(min(abs(row[1] - right), abs(left - row[2])) for row in beside)
    near = [row for row in beside if min(abs(row[1] - right), abs(left - row[2])) <= nearest + 60]
    with_number = sum(any(_beside(number, row) for _, number in column) for row in near)
    return with_number >= _IN_STEP * len(near)


def _beside(number: Row, row: Row) -> bool:
    middle = number[3] + number[4] / 2
    return row[3] - 3 <= middle <= row[3] + max(row[4], 6) + 3


def _rejoined(page: Sequence[Row]) -> Iterator[Row]:
    """The rows with markers in front of their lines: what the extraction set apart, and is no line number."""
    held: Row | None = None
    for row in page:
        if held is not None:
            if _one_line(held, row):
                held = (f"{held[0].rstrip()} {row[0]}", held[1], row[2], min(held[3], row[3]), max(held[4], row[4]))
                continue
            yield held
        held = row
    if held is not None:
        yield held


def _one_line(one: Row, other: Row) -> bool:
    if not (_NUMBER.fullmatch(one[0]) or _NUMBER.fullmatch(other[0])):
        return False
    near = -2 <= other[1] - one[2] <= 60
    return near and (_beside(one, other) or _beside(other, one))


def _without_heads(pages: Sequence[Sequence[Row]]) -> Iterator[list[Row]]:
    repeated = Counter(_head(row) for page in pages for row in {_head(row): row for row in _edges(page)}.values())
    many = max(3, len(pages) // 5)
    for page in pages:
        edges = {id(row) for row in _edges(page)}
        yield [
            row
            for row in page
            if not (
                id(row) in edges
                and (
                    repeated[_head(row)] >= many
                    or _STAMP.fullmatch(row[0])
                    or (_PAGE_NUMBER.fullmatch(row[0]) and _outermost(row, page))
                )
            )
        ]


def _outermost(row: Row, page: Sequence[Row]) -> bool:
    """Whether a number stands above or below every line of the page, as page numbers do and the ends of items do not."""
    others = [other for other in page if other is not row and not _PAGE_NUMBER.fullmatch(other[0])]
    inside = [other for other in others if other[3] < row[3] - 1] and [
        other for other in others if other[3] > row[3] + 1
    ]
    return (
        not inside
        or len([other for other in others if other[3] < row[3] - 1]) <= 1
        or len([other for other in others if other[3] > row[3] + 1]) <= 1
    )


def _edges(page: Sequence[Row]) -> list[Row]:
    """The first and last rows in the order of the file, and those at the top and the bottom of the page."""
    by_height = sorted(page, key=lambda row: -row[3])
    chosen = {id(row): row for row in (*page[:_EDGE_ROWS], *page[-_EDGE_ROWS:], *by_height[:2], *by_height[-2:])}
    return list(chosen.values())


def _head(row: Row) -> tuple[str, int]:
    return _DIGITS.sub("0", row[0]).strip(), round(row[3] / 4)
