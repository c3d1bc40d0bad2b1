"""The references of a list, and what became of its other lines: each is in an item, in a note, or in an item that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.plain.joining import words_of
from pytest_citecheck.readers.plain.list_items import Item, Line, items_of, judged, sections_of
from pytest_citecheck.readers.plain.strings import read_reference_strings
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["UNREAD", "read_items", "read_list", "read_paragraphs"]

UNREAD = "unread-item"
_SHOWN = 60
"""Characters of a text that a note quotes."""
_DECORATION = lazy_pattern(r"[\W_]*")
_PAGE_NUMBER = lazy_pattern(r"\s*+(?:page\s*+)?[-–]?\s*+\d{1,5}\s*+[-–]?\s*+(?:of \d++)?\s*+", re.IGNORECASE)
_EDGE_LINES = 3
_MARKDOWN_HEADING = lazy_pattern(r"\s*#{1,6}\s")
_GAPS_SHOWN = 10


def read_list(
    path: str, lines: Sequence[str], *, whole: bool, unit: str = "line"
) -> tuple[list[Reference], list[Defect]]:
    """The references of the reference sections among the lines of a text, and notes on all other lines of these.

    whole: without a heading, the whole text is a list. unit: of places; paragraphs stand apart from each other.
    """
    placed = list(_placed(lines, apart=unit == "paragraph"))
    sections = [_up_to_heading(section) for section in sections_of(placed, headed=whole)]
    if not sections and whole:
        sections = [placed]
    known = words_of(line.text for line in placed)
    return read_items(path, [item for section in sections for item in items_of(section, known)], unit)


def read_paragraphs(
    path: str, paragraphs: Sequence[tuple[str, int]], unit: str = "line"
) -> tuple[list[Reference], list[Defect]]:
    """The references among items that somebody has told apart, each with the line that it begins on."""
    items = [
        Item(text, (Line(text, 1, 0.0, 0.0, -12.0 * number, 10.0, number),))
        for text, number in paragraphs
        if text.strip()
    ]
    return read_items(path, judged(items), unit)


def read_items(path: str, items: Sequence[Item], unit: str) -> tuple[list[Reference], list[Defect]]:
    """The references of these items, failing ones for items that cannot be read, and notes on what is outside or missing."""
    found: list[Reference] = []
    for number, item in enumerate((one for one in items if one.kind != "outside"), start=1):
        place = Location(path, *_place(item.lines), unit)
        read = read_reference_strings([(item.text, place)]) if item.kind == "reference" else []
        if not any(_says_something(one) for one in read):
            found.append(_unread(item, place, number))
            continue
        for part, one in enumerate(read):
            key = f"ref_{item.label or number}"
            found.append(replace(one, key=key if not part else f"{key}+{part}"))
    return _unique(found), [*_outside(path, items, unit), *_gaps(items)]


def _says_something(reference: Reference) -> bool:
    return bool(reference.fields.keys() - {"year", "note", "pages", "volume", "number"})


def _place(lines: Sequence[Line]) -> tuple[int, int]:
    first, last = lines[0], lines[-1]
    return (first.number, last.number) if first.number else (first.page, last.page)


def _unread(item: Item, place: Location, number: int) -> Reference:
    why = f"this item of the list is not read as a reference: “{_short(item.text)}”"
    return Reference(
        f"unread_{item.label or number}",
        "",
        {},
        place,
        text=item.text,
        defects=(Defect(UNREAD, why, place.line, fatal=True),),
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def _unique(references: Iterable[Reference]) -> list[Reference]:
    """Two lists of one paper number from 1 each: the later ones are told apart."""
    seen: Counter[str] = Counter()
    result = []
    for one in references:
        seen[one.key] += 1
        result.append(one if seen[one.key] == 1 else replace(one, key=f"{one.key}.{seen[one.key]}"))
    return result


def _outside(path: str, items: Sequence[Item], unit: str) -> Iterator[Defect]:
    """A note for each run of lines that stand before or after a list."""
    run: list[Line] = []
    for item in (*items, None):
        if item is not None and item.kind == "outside":
            run += item.lines
        elif run:
            line = _place(run)[0]
            where = f"page {line}" if unit == "page" else f"{unit} {line}"
            lines = "1 line" if len(run) == 1 else f"{len(run)} lines"
            yield Defect(
                "outside-list",
                f"{lines} from {where} on not read as references: “{_short(run[0].text)}” in {path}",
                line,
                note=True,
            )
            run = []


def _gaps(items: Sequence[Item]) -> Iterator[Defect]:
    """Notes on numbers that are missing between the first and the last of a list."""
    numbers = [(int(item.label), item) for item in items if item.label.isdecimal()]
    missing: list[int] = []
    for (above, _), (below, _) in pairwise(numbers):
        if below > above + 1:
            missing += range(above + 1, min(below, above + 1000))
    if missing:
        shown = ", ".join(map(str, missing[:_GAPS_SHOWN])) + (", …" if len(missing) > _GAPS_SHOWN else "")
        noun = "number is" if len(missing) == 1 else "numbers are"
        yield Defect(
            "numbering-gap",
            f"{len(missing)} {noun} missing in the numbered list: {shown}",
            _place(numbers[0][1].lines)[0],
            note=True,
        )


def _placed(lines: Sequence[str], *, apart: bool) -> Iterator[Line]:
    """The lines with places as a page would have them: indentation, and a gap where lines are empty."""
    heads = _heads(lines)
    bottom = 0.0
    for number, text in enumerate(lines, start=1):
        bottom -= 24.0 if apart else 12.0
        bare = text.replace("\f", " ").strip()
        if _DECORATION.fullmatch(bare) or number in heads:
            continue
        expanded = text.replace("\f", "").expandtabs(4)
        left = 5.0 * (len(expanded) - len(expanded.lstrip()))
        yield Line(bare, 1, left, left + 5.0 * len(bare), bottom, 10.0, number)


def _heads(lines: Sequence[str]) -> set[int]:
    """The numbers of lines that are page numbers or running heads, where form feeds tell the pages of a text apart."""
    pages: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(lines, start=1):
        if "\f" in line:
            pages.append([])
        if line.strip():
            pages[-1].append((number, re.sub(r"\d+", "0", line).strip()))
    if len(pages) < 2:
        return set()
    edges = [list(dict.fromkeys([*page[:_EDGE_LINES], *page[-_EDGE_LINES:]])) for page in pages]
    repeated = Counter(text for page in edges for text in {text for _, text in page})
    many = max(3, len(pages) // 5)
    return {number for page in edges for number, text in page if repeated[text] >= many or _PAGE_NUMBER.fullmatch(text)}


def _up_to_heading(section: Sequence[Line]) -> list[Line]:
    """The section up to the next heading of Markdown."""
    end = next(
        (place for place, line in enumerate(section) if place and _MARKDOWN_HEADING.match(line.text)), len(section)
    )
    return list(section[:end])
