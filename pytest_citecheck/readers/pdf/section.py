"""The items of the reference section of a PDF, from the lines of its pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pytest_citecheck.readers.documents.headings import ends_references, is_references_heading
from pytest_citecheck.readers.pdf.joining import joined, words_of
from pytest_citecheck.readers.pdf.signs import in_unicode

__all__ = ["Item", "Line", "reference_items"]

_MARKERS = (
    re.compile(r"\s*\[\s*(\d{1,4})\s*\]\s*"),
    re.compile(r"\s*(\d{1,4})\.\s+(?=\D)"),
    re.compile(r"\s*\((\d{1,4})\)\s*"),
    re.compile(r"\s*(\d{1,4})\)\s+"),
    re.compile(r"\s*(\d{1,3})\s+(?=[^\W\d_])"),
)
_LABEL = re.compile(r"\s*\[([^\W\d_][^\[\]\s]{1,12}\d\d[a-z]?)\]\s*")
_LONG_LABEL = re.compile(r"\A\s*\[[^\W\d_][^\[\]]{1,80}?\d\d[a-z]?\]\s*")  # [Abelson et al., 1996]
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_PAGE_NUMBER = re.compile(r"\s*+(?:page\s*+)?(?:[-–]\s*+)?\d{1,5}\s*+(?:[-–]\s*+)?(?:of \d++)?\s*+", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_FEWEST_NUMBERED = 3
_SAME_EDGE = 3.0  # points
_INDENTED = 4.0  # points that the further lines of an item stand to the right, at least
_HEADING = re.compile(r"\s*+(?:(?:[A-Z]|\d{1,2})?[.)]?\s*+)?[A-Z][^,;]*[^,;.\u00ad-]")
_LONGEST_HEADING = 50
_MOST_COLUMNS = 1000
_MOST_LINES = 80  # of an item: twice what a list of 100 authors takes
_LONGEST = 3000  # characters of an item
_MOST_ITEMS = 5000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, which counts from 1, with its place in points."""

    text: str
    page: int
    left: float
    right: float
    bottom: float
    height: float


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the list: its text in one piece, its page, and its number or label as printed; empty if it has none."""

    text: str
    page: int
    label: str = ""


def reference_items(pages: Sequence[Sequence[tuple[str, float, float, float, float]]]) -> list[Item]:
    """The items of all reference sections, in their order; empty if there is no section."""
    lines = list(_body(pages))
    items: list[Item] = []
    known: Counter[str] | None = None
    for section in _sections(lines):
        if known is None:
            known = words_of(line.text for line in lines)
        items += _items(section, known)
    return items[:_MOST_ITEMS]


def _body(pages: Sequence[Sequence[tuple[str, float, float, float, float]]]) -> Iterator[Line]:
    """The lines without page numbers and running heads."""
    repeated = Counter(
        (_DIGITS.sub("0", text).strip(), round(bottom / 4))
        for page in pages
        for text, _, _, bottom, _ in [*page[:3], *page[-3:]]
    )
    many = max(3, len(pages) // 5)
    readable = in_unicode(line[0] for page in pages for line in page)
    for number, page in enumerate(pages, start=1):
        for place, (text, left, right, bottom, height) in enumerate(page):
            edge = place < 3 or place >= len(page) - 3
            if edge and repeated[_DIGITS.sub("0", text).strip(), round(bottom / 4)] >= many:
                continue
            if edge and _PAGE_NUMBER.fullmatch(text):
                continue
            yield Line(readable(text), number, left, right, bottom, height)


def _sections(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of each reference section: from its heading to the next heading."""
    starts = [number for number, line in enumerate(lines) if is_references_heading(line.text)]
    for place, start in enumerate(starts):
        stop = starts[place + 1] if place + 1 < len(starts) else len(lines)
        section = list(lines[start + 1 : stop])
        # A table of contents names the heading too, and a sentence may end in it.
        if len(_YEAR.findall(" ".join(line.text for line in section[:40]))) >= min(3, len(section) // 6 + 1):
            yield section


def _items(section: Sequence[Line], known: Counter[str]) -> list[Item]:
    section = _until_next_heading(section)
    for starts in (_numbered(section), _labelled(section), _indented(section) or _spaced(section)):
        if starts:
            return _cut(section, starts, known)
    return []


def _until_next_heading(section: Sequence[Line]) -> Sequence[Line]:
    usual = median(line.height for line in section) if section else 0
    for place, line in enumerate(section):
        if not place or not _may_head(line, section[place - 1]):
            continue
        if ends_references(line.text):
            return section[:place]
        if line.height > 1.15 * usual and line.height - usual > 1.5 and _HEADING.fullmatch(line.text):
            return section[:place]
    return section


def _may_head(line: Line, before: Line) -> bool:
    """Whether a heading may stand here: a short line without a year, after one that ends an item."""
    text = line.text.strip()
    ended = before.text.rstrip().endswith((".", "]", ")", "/")) or before.text.rstrip()[-1:].isdigit()
    return ended and len(text) < _LONGEST_HEADING and text[:1].isupper() | text[:1].isdigit() and not _YEAR.search(text)


def _numbered(section: Sequence[Line]) -> list[tuple[int, str]]:
    """Where items begin that are numbered from 1 on; empty if they are not."""
    best: list[tuple[int, str]] = []
    for marker in _MARKERS:
        found: list[tuple[int, str]] = []
        wanted = 1
        for place, line in enumerate(section):
            match = marker.match(line.text)
            if match is None:
                continue
            number = int(match[1])
            # A number that was not extracted costs one item, not the rest.
            if number == wanted or (found and wanted < number <= wanted + 2) or (not found and place == 0):
                found.append((place, match[1]))
                wanted = number + 1
        if len(found) > len(best):
            best = found
    enough = len(best) >= _FEWEST_NUMBERED or (best and best[0][0] == 0 and len(section) < 4 * len(best) + 8)
    return best if enough and best[0][0] < max(4, len(section) // 4) else []


def _labelled(section: Sequence[Line]) -> list[tuple[int, str]]:
    """Where items begin that have a label: [VSP+17]."""
    found = [(place, match[1]) for place, line in enumerate(section) if (match := _LABEL.match(line.text))]
    return found if len(found) >= _FEWEST_NUMBERED else []


def _indented(section: Sequence[Line]) -> list[tuple[int, str]]:
    """Where items begin whose further lines stand to the right; columns have edges of their own."""
    starts: list[tuple[int, str]] = []
    edges = _edges(section)
    hanging = 0
    for place, line in enumerate(section):
        offset = line.left - edges[place]
        if offset <= _SAME_EDGE:
            starts.append((place, ""))
        elif offset >= _INDENTED:
            hanging += 1
    if not starts or hanging < 0.25 * len(section):
        return []
    return starts


def _edges(section: Sequence[Line]) -> list[float]:
    """For each line the left edge of its column on its page."""
    columns: list[list[int]] = []
    for place, line in enumerate(section):
        before = section[place - 1] if place else None
        fresh = before is None or line.page != before.page or line.bottom > before.bottom + 3 * max(line.height, 1)
        if fresh or not columns:
            columns.append([])
        columns[-1].append(place)
    # A file whose lines jump about has no columns.
    usual = [0.0] * len(columns) if len(columns) > _MOST_COLUMNS else _usual_edges(section, columns)
    return [edge for column, edge in zip(columns, usual, strict=True) for _ in column]


def _usual_edges(section: Sequence[Line], columns: Sequence[Sequence[int]]) -> list[float]:
    """The left edge of each column. A column that holds only further lines has that of the others at its side of the page."""
    edges = [min(section[place].left for place in column) for column in columns]
    result = []
    for column, edge in zip(columns, edges, strict=True):
        near = [other for other in edges if 0 < edge - other < 40]
        # Of mirrored margins one page may be some points beside the other; of a short column nothing can be told.
        result.append(min(near) if near and len(column) < 4 else edge)
    return result


def _spaced(section: Sequence[Line]) -> list[tuple[int, str]]:
    """Where items begin that a wider gap sets apart, or after a short line that ends a sentence."""
    if not section:
        return []
    gaps = [a.bottom - b.bottom for a, b in pairwise(section) if a.page == b.page and a.bottom > b.bottom]
    usual = median(gaps) if gaps else 0.0
    wide = [gap for gap in gaps if gap > 1.25 * usual]
    rights = Counter(round(line.right) for line in section)
    edge = max((right for right, count in rights.items() if count > 1), default=0)
    starts = [(0, "")]
    for place in range(1, len(section)):
        before, line = section[place - 1], section[place]
        gap = before.bottom - line.bottom
        if before.page == line.page and gap > 0 and wide:
            if gap > 1.25 * usual:
                starts.append((place, ""))
            continue
        ended = before.text.rstrip().endswith((".", "]", ")")) and (before.right < edge - 30 or not wide)
        if ended and line.text[:1].isupper():
            starts.append((place, ""))
    return starts


def _cut(section: Sequence[Line], starts: Sequence[tuple[int, str]], known: Counter[str]) -> list[Item]:
    items = []
    ends = [place for place, _ in starts[1:]] + [len(section)]
    heights = [line.height for line in section]
    usual_length = median(end - start for (start, _), end in zip(starts, ends, strict=True))
    for (start, label), end in zip(starts, ends, strict=True):
        lines = section[start:end]
        if end == len(section):
            lines = _last(lines, usual_length, median(heights))
        text = joined([line.text for line in lines[:_MOST_LINES]], known)
        text = _LONG_LABEL.sub("", _without_marker(text) if label else text)
        if text and len(text) <= _LONGEST and re.search(r"[^\W\d_]{2}", text):
            items.append(Item(text, section[start].page, label))
    return items


def _without_marker(text: str) -> str:
    for marker in (*_MARKERS, _LABEL):
        if (match := marker.match(text)) is not None:
            return text[match.end() :]
    return text


def _last(lines: Sequence[Line], usual: float, height: float) -> Sequence[Line]:
    """The lines of the last item: what follows the list without a heading that is known stands apart from it."""
    for place in range(1, len(lines)):
        before, line = lines[place - 1], lines[place]
        ended = before.text.rstrip().endswith((".", "]", ")"))
        gap = before.bottom - line.bottom
        apart = line.page != before.page or gap > 1.6 * height or gap < 0
        if ended and (apart or place > 3 * usual + 2):
            return lines[:place]
    return lines[: int(4 * usual + 8)]
