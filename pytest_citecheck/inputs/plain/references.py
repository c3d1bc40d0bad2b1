"""The ledger of a reference list: each line below its heading is in an item, in a note or in a failing item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from pytest_citecheck.inputs.base import with_unique_keys
from pytest_citecheck.inputs.budget import at_line, lazy_pattern
from pytest_citecheck.inputs.citations import is_references_heading
from pytest_citecheck.inputs.dates import A_YEAR, YEAR
from pytest_citecheck.inputs.plain.item_kinds import Item, Line, begins_with_persons, judged, kind_alone
from pytest_citecheck.inputs.plain.list_items import items_of, sections_of
from pytest_citecheck.inputs.plain.readings import read_reference_strings
from pytest_citecheck.inputs.plain.segments import words_of
from pytest_citecheck.model import Defect, Location, Reference

UNREAD = "unread-item"
_SHOWN = 60
"""Number of characters quoted in a note."""
_MARK = lazy_pattern(r"\A\s*+(?:\[[^\[\]]{1,20}\]|\(?\d{1,4}[.)]|[•▪‣◦·*+–—-])\s*+")
_BOUNDARY = lazy_pattern(r"(?<=[.\])”\"\d/>])\s+(?=[\[(]?\d{1,3}[\].)]\s|[^\W\d_a-z])")
_NUMBERED = lazy_pattern(r"[\[(]?(\d{1,3})[\].)]\s")
_LONG_LINE, _SHORT_REFERENCE = 300, 40
"""Characters of a line that may contain several references, and of the shortest of them."""
_LONE_NUMBER = lazy_pattern(r"\s*+\[?(\d{1,4})[\].)]?\s*+")
_FEWEST_LONE = 3
_SAME_PEOPLE = lazy_pattern(rf"\s*+(?:[-–—―_⸺⸻]{{2,}}+|[—―⸺⸻])\s*+(?:([.,:])\s*+(?=\S)|(?=[\"“‘«*_]|\(?{YEAR}))")
"""A dash in place of the people. Without a mark after it, a title or a year follows: before a name it is a bullet."""
_DECORATION = lazy_pattern(r"[\W_]*")
_PAGE_NUMBER = lazy_pattern(r"\s*+(?:page\s*+)?[-–]?\s*+\d{1,5}\s*+[-–]?\s*+(?:of \d++)?\s*+", re.IGNORECASE)
_EDGE_LINES = 3
_MARKDOWN_HEADING = lazy_pattern(r"\s*#{1,6}\s")
_GAPS_SHOWN = 10


def read_list(
    path: str, lines: Sequence[str], *, whole: bool, unit: str = "line"
) -> tuple[list[Reference], list[Defect]]:
    """Return the references in the reference sections of a text, and notes on all other lines of these sections.

    whole: treat a text without a heading as one list. unit: of locations; paragraphs are separated by gaps.
    """
    placed = list(_placed(_with_lone_numbers(lines), apart=unit == "paragraph"))
    sections = [_up_to_heading(section) for section in sections_of(placed, headed=whole)]
    if not sections and whole:
        sections = [placed]
    known = words_of(line.text for line in placed)
    return read_items(path, [item for section in sections for item in items_of(section, known)], unit)


def read_paragraphs(
    path: str, paragraphs: Sequence[tuple[str, int]], *, notes: bool = False
) -> tuple[list[Reference], list[Defect]]:
    """Return the references among pre-split items, each with its first line. notes: they are footnotes."""
    items = [
        Item(text, (Line(text, 1, 0.0, 0.0, -12.0 * number, 10.0, number),))
        for paragraph, number in paragraphs
        for text in split_at_breaks(paragraph)
        if text
    ]
    return read_items(path, judged(items, notes=notes), "line")


def read_items(path: str, items: Sequence[Item], unit: str) -> tuple[list[Reference], list[Defect]]:
    """Return the references of these items, failing ones for unreadable items, and notes on outside or missing items."""
    found: list[Reference] = []
    listed = (one for one in items if one.kind in ("reference", "unread"))
    for number, (_, works) in enumerate(groupby(listed, key=lambda one: id(one.lines)), start=1):  # of one note
        part = 0
        for item in works:
            place = Location(path, *_place(item.lines), unit)
            at_line(place.line)
            text = _with_people_before(item.text, found)
            read = read_reference_strings([(text, place)]) if item.kind == "reference" else []
            if not any(_says_something(one) for one in read):
                found.append(_unread(item, place, number))
                continue
            for part, one in enumerate(read, start=part):  # noqa: B020 - the next work goes on counting
                key = f"ref_{item.label or number}"
                found.append(replace(one, key=key if not part else f"{key}+{part}"))
            part += 1
    return with_unique_keys(found), [*_outside(path, items, unit), *_gaps(items)]


def _with_people_before(text: str, before: Sequence[Reference]) -> str:
    """Replace a leading dash with the authors of the previous reference, as Chicago and MLA lists mean it."""
    dash = _SAME_PEOPLE.match(text)
    people = before[-1].fields.get("author", "") if dash is not None and before else ""
    if dash is None or not people:
        return text
    names = people.split(" and ")
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, and {names[-1]}"
    mark = "" if joined.endswith(".") and dash[1] != "," else dash[1] or "."
    return f"{joined}{mark} {text[dash.end() :]}"


def _says_something(reference: Reference) -> bool:
    return bool(reference.fields.keys() - {"year", "note", "pages", "volume", "number"})


def _place(lines: Sequence[Line]) -> tuple[int, int]:
    first, last = lines[0], lines[-1]
    return (first.number, last.number) if first.number else (first.page, last.page)


def _unread(item: Item, place: Location, number: int) -> Reference:
    why = f"this list item is not recognized as a reference: “{_short(item.text)}”"
    defect = Defect(UNREAD, why, place.line, fatal=True)
    return Reference(f"unread_{item.label or number}", "", {}, place, text=item.text, defects=(defect,))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def _outside(path: str, items: Sequence[Item], unit: str) -> Iterator[Defect]:
    """Yield a note for each run of lines before or after a list."""
    run: list[Line] = []
    for item in (*items, None):
        if item is not None and item.kind == "outside":
            run += item.lines
        elif run:
            line = _place(run)[0]
            where = f"page {line}" if unit == "page" else f"{unit} {line}"
            lines = "1 line" if len(run) == 1 else f"{len(run)} lines"
            said = f"{lines} from {where} on not recognized as references: “{_short(run[0].text)}” in {path}"
            yield Defect("outside-list", said, line, note=True)
            run = []


def _gaps(items: Sequence[Item]) -> Iterator[Defect]:
    """Yield notes on numbers missing between the first and the last of a list."""
    numbers = [(int(item.label), item) for item in items if item.label.isdecimal()]
    missing: list[int] = []
    for (above, _), (below, _) in pairwise(numbers):
        if below > above + 1:
            missing += range(above + 1, min(below, above + 1000))
    if missing:
        shown = ", ".join(map(str, missing[:_GAPS_SHOWN])) + (", …" if len(missing) > _GAPS_SHOWN else "")
        noun = "number is" if len(missing) == 1 else "numbers are"
        message = f"{len(missing)} {noun} missing in the numbered list: {shown}"
        yield Defect("numbering-gap", message, _place(numbers[0][1].lines)[0], note=True)


def _placed(lines: Sequence[str], *, apart: bool) -> Iterator[Line]:
    """Yield the lines with simulated page coordinates: indentation, and a gap for empty lines."""
    heads = _heads(lines)
    bottom = 0.0
    for number, text in enumerate(lines, start=1):
        bottom -= 24.0 if apart else 12.0
        bare = text.replace("\f", " ").strip()
        if _DECORATION.fullmatch(bare) or number in heads:
            continue
        expanded = text.replace("\f", "").expandtabs(4)
        left = 5.0 * (len(expanded) - len(expanded.lstrip()))
        for place, part in enumerate(split_at_breaks(bare)):
            bottom -= 24.0 if place else 0.0
            yield Line(part, 1, left, left + 5.0 * len(part), bottom, 10.0, number)


def _with_lone_numbers(lines: Sequence[str]) -> list[str]:
    """Return the lines, with numbers on lines of their own moved before the next line: ``1.`` above the reference.

    The first number must start the list; otherwise they are page numbers.
    """
    result = list(lines)
    wanted = 1
    before = ""
    for place, line in enumerate(lines):
        match = _LONE_NUMBER.fullmatch(line)
        following = next((at for at in range(place + 1, min(place + 3, len(lines))) if lines[at].strip()), None)
        starts = wanted > 1 or not before or is_references_heading(before)
        if match and int(match[1]) == wanted and starts and following is not None:
            result[following] = f"{line.strip()} {lines[following].strip()}"
            result[place] = ""
            wanted += 1
        before = line if line.strip() else before
    return result if wanted > _FEWEST_LONE else list(lines)


def split_at_breaks(paragraph: str) -> list[str]:
    """Return the lines of a paragraph if most of them are references; else the paragraph as one line, or its references
    if it contains several."""
    lines = [line for one in paragraph.split("\n") if (line := " ".join(one.split()))]
    alone = sum(kind_alone(_MARK.sub("", line, count=1)) == "reference" for line in lines)
    return lines if 2 * alone > len(lines) > 1 else _references_in_line(" ".join(lines))


def _references_in_line(text: str) -> list[str]:
    """Split a long line before the next number of a list, or before persons and a year that follow a dated reference."""
    first = _NUMBERED.match(text)
    wanted = int(first[1]) + 1 if first else 0
    start, parts, date = 0, [], A_YEAR.search(text)
    for match in _BOUNDARY.finditer(text) if len(text) >= _LONG_LINE else ():
        if match.start() - start < _SHORT_REFERENCE:
            continue
        if first:
            number = _NUMBERED.match(text, match.end())
            begins = number is not None and int(number[1]) == wanted
        else:
            dated = date is not None and date.end() <= match.start()
            begins = dated and begins_with_persons(text[match.end() : match.end() + _LONG_LINE])
        if begins:
            parts.append(text[start : match.start()])
            start, wanted, date = match.end(), wanted + 1, A_YEAR.search(text, match.end())
    return [*parts, text[start:]]


def _heads(lines: Sequence[str]) -> set[int]:
    """Return the numbers of lines that are page numbers or running heads, if form feeds separate the pages of the text."""
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
    """Return the section up to the next Markdown heading."""
    end = next(
        (place for place, line in enumerate(section) if place and _MARKDOWN_HEADING.match(line.text)), len(section)
    )
    return list(section[:end])
