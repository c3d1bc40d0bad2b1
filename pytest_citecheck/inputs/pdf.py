"""Reader for PDFs: the items of their reference sections as reference strings, each with its page.

PDFium extracts the pages (pypdfium2, from the extra ``documents``). It runs in a separate process that a broken or hostile file
can crash safely (`inputs.pdf_extract`). If GROBID is available, its TEI is read instead.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from pytest_citecheck.inputs.base import Bibliography
from pytest_citecheck.inputs.budget import allow, lazy_pattern
from pytest_citecheck.inputs.documents import Surroundings, UnreadableDocumentError, WholeDocumentReader
from pytest_citecheck.inputs.plain.item_kinds import LEAD, Item, Line, parts_of_note
from pytest_citecheck.inputs.plain.list_items import items_of, sections_of
from pytest_citecheck.inputs.plain.references import read_items
from pytest_citecheck.inputs.plain.segments import joined, words_of
from pytest_citecheck.inputs.tei import references_of_tei
from pytest_citecheck.model import Defect

# Cork encoding (T1, 1990): its characters at Unicode's control codes, then those that replace Latin-1.
_QUOTES = "‹›“”„«»–—\u200b‰ıȷ"
_CORK = {
    **{0x0E + number: sign for number, sign in enumerate(_QUOTES)},
    **dict(zip(range(0x1B, 0x20), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    **{0x80 + number: sign for number, sign in enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§")},
}
_CORK[0x17] = ""  # a zero-width mark between letters
_INSTEAD_OF_LATIN = {
    **{0xA0 + number: sign for number, sign in enumerate("ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£")},
    0xAD: "\u00ad",  # PDFium's mark for a hyphen at a line end, not a character of the font
    0xDF: "SS",
    0xFF: "ß",
}
_GIVEN_AWAY = lazy_pattern("[\x0e-\x1f\x80-\x9f]")
_CONTROLS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "¨": "\u0308", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307",
    "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c",
}  # fmt: skip
_ACCENTED = lazy_pattern(rf"([{''.join(_ACCENTS)}]) ?([^\W\d_])")
_DOTLESS = lazy_pattern("([ıȷ])([\u0300-\u030c])")
_AFTER = lazy_pattern(r"([^\W\d_]) ?([¸˛])")
_HOOKS = {"¸": "\u0327", "˛": "\u0328"}


def in_unicode(lines: Iterable[str]) -> Callable[[str], str]:
    """Return a converter for lines of this document. All lines determine the font encodings, because one program wrote them."""
    table = dict(_LIGATURES)
    if any(_GIVEN_AWAY.search(line) for line in lines):
        table |= {**_CORK, **_INSTEAD_OF_LATIN}

    def readable(text: str) -> str:
        text = text.translate(table)
        text = _ACCENTED.sub(lambda match: match[2] + _ACCENTS[match[1]], text)
        text = _DOTLESS.sub(lambda match: {"ı": "i", "ȷ": "j"}[match[1]] + match[2], text)
        text = _AFTER.sub(lambda match: match[1] + _HOOKS[match[2]], text)
        return _CONTROLS.sub("", unicodedata.normalize("NFC", text))

    return readable


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
"""Maximum difference, in points, between the aligned edges of a column of numbers."""
_FEWEST, _FEWEST_SPARSE = 4, 3
"""Minimum count of margin numbers on one page, and the minimum if only every fifth line is numbered."""
_IN_STEP = 0.8
"""Minimum share of neighbours that differ by the step, and of lines that have a number."""
_EDGE_ROWS = 3
"""Number of rows at the top and bottom of a page, in file order, that may be heads or page numbers."""


def body_lines(pages: Sequence[Sequence[Row]]) -> list[Line]:
    """Return the lines of all pages in file order, in Unicode, without margins, heads and stamps."""
    numbered = _without_line_numbers(pages)
    readable = in_unicode(row[0] for page in numbered for row in page)
    lines = []
    for number, page in enumerate(_without_heads([_rejoined(page) for page in numbered]), start=1):
        lines += [
            Line(readable(text), number, left, right, bottom, height) for text, left, right, bottom, height in page
        ]
    return lines


def _without_line_numbers(pages: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Remove margin numbers. Numbers beside every line count as list markers unless most pages have them."""
    margins = [list(_margins(page)) for page in pages]
    filled = sum(len(page) > 2 * _FEWEST for page in pages)
    with_margin = sum(bool(found) for found in margins)
    if with_margin < max(min(2, filled), 0.4 * filled):
        return [list(page) for page in pages]
    edges = [edge for found in margins for edge in found]
    return [
        [row for row in page if not _is_in_margin(row, found or edges)]
        for page, found in zip(pages, margins, strict=True)
    ]


def _is_in_margin(row: Row, edges: Iterable[tuple[int, float]]) -> bool:
    return bool(_NUMBER.fullmatch(row[0])) and any(abs(_edge(row, side) - place) <= _SAME_EDGE for side, place in edges)


def _edge(row: Row, side: int) -> float:
    return row[1] if side == 1 else row[2]


def _margins(page: Sequence[Row]) -> Iterator[tuple[int, float]]:
    """Yield the columns of line numbers on a page: the aligned edge (1 left, 2 right) and its position."""
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
    return _covers_lines(column, lines)


def _covers_lines(column: Sequence[tuple[int, Row]], lines: Sequence[Row]) -> bool:
    """Return True if most lines beside the numbers have one; list markers are only beside the first lines of items."""
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


def _rejoined(page: Sequence[Row]) -> list[Row]:
    """Return the rows with markers rejoined to their lines: numbers that the extraction split off but that are not line
    numbers."""
    rows: list[Row] = []
    for row in page:
        if rows and _one_line(rows[-1], row):
            text, left, _, bottom, height = rows.pop()
            rows.append((f"{text.rstrip()} {row[0]}", left, row[2], min(bottom, row[3]), max(height, row[4])))
        else:
            rows.append(row)
    return rows


def _one_line(one: Row, other: Row) -> bool:
    if not (_NUMBER.fullmatch(one[0]) or _NUMBER.fullmatch(other[0])):
        return False
    near = -2 <= other[1] - one[2] <= 60
    return near and (_beside(one, other) or _beside(other, one))


def _without_heads(pages: Sequence[Sequence[Row]]) -> Iterator[list[Row]]:
    repeated = Counter(_head(row) for page in pages for row in {_head(row): row for row in _edges(page)}.values())
    many = max(3, len(pages) // 5)
    for page in pages:
        numbers = (row for row in _edges(page) if _PAGE_NUMBER.fullmatch(row[0]) and _outermost(row, page))
        heads = {id(row) for row in _edges(page) if repeated[_head(row)] >= many or _STAMP.fullmatch(row[0])}
        heads.update(map(id, numbers))
        yield [row for row in page if id(row) not in heads]


def _outermost(row: Row, page: Sequence[Row]) -> bool:
    """Return True if a number is above or below every line of the page, like a page number and unlike the end of an item."""
    others = [other for other in page if other is not row and not _PAGE_NUMBER.fullmatch(other[0])]
    below, above = sum(other[3] < row[3] - 1 for other in others), sum(other[3] > row[3] + 1 for other in others)
    return min(below, above) <= 1


def _edges(page: Sequence[Row]) -> list[Row]:
    """Return the first and last rows in file order, and the rows at the top and bottom of the page."""
    by_height = sorted(page, key=lambda row: -row[3])
    chosen = {id(row): row for row in (*page[:_EDGE_ROWS], *page[-_EDGE_ROWS:], *by_height[:2], *by_height[-2:])}
    return list(chosen.values())


def _head(row: Row) -> tuple[str, int]:
    return _DIGITS.sub("0", row[0]).strip(), round(row[3] / 4)


_NOTE = lazy_pattern(r"(?<!\s)\s*+(\d{1,3})[.)]?\s*+(?=\S)")
_SMALL = 0.93
"""Line height of footnotes relative to the height of most lines."""
_FEWEST_NOTES = 4
_CITED = lazy_pattern(r"(?<=\S)\s?\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_RANGE = lazy_pattern(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")
_LONGEST_RANGE = 50
_MOSTLY_CITED = 0.7


def reference_items(pages: Sequence[Sequence[Row]]) -> list[Item]:
    """Return the items of all reference sections in order, or else of the footnotes; empty if there are none."""
    lines = body_lines(pages)
    sections = sections_of(lines)
    known = words_of(line.text for line in lines)
    items = [item for section in sections for item in items_of(section, known)]
    if any(item.kind == "reference" for item in items):
        return items
    notes = list(_footnotes(lines, known))
    return notes if sum(item.kind == "reference" for item in notes) >= _FEWEST_NOTES else items


def highest_citation(pages: Sequence[Sequence[Row]]) -> int:
    """Return the highest number cited in brackets if most lower numbers are cited too, else 0."""
    cited: set[int] = set()
    for text in (row[0] for page in pages for row in page):
        for match in _CITED.finditer(text):
            for first, last in _RANGE.findall(match[1]):
                numbers = range(int(first), int(last or first) + 1)
                cited.update(numbers if len(numbers) <= _LONGEST_RANGE else ())
    known = enumerate(sorted(cited), start=1)
    return max((number for count, number in known if count >= _MOSTLY_CITED * number), default=0)


def _footnotes(lines: Sequence[Line], known: Counter[str]) -> Iterator[Item]:
    """Yield works cited in notes at page ends: lines in small type, from one note number to the next, split at semicolons."""
    usual = median(line.height for line in lines) if lines else 0.0
    small = [line for line in lines if line.height < _SMALL * usual]
    starts = []
    wanted = 1
    for place, line in enumerate(small):
        match = _NOTE.match(line.text)
        if match is not None and wanted <= int(match[1]) <= wanted + 3:
            starts.append(place)
            wanted = int(match[1]) + 1
        elif LEAD.match(line.text) and (not place or small[place - 1].page != line.page):
            starts.append(place)
    for start, end in pairwise([*starts, len(small)]):
        note = small[start:end]
        note = note[: next((at for at in range(1, len(note)) if note[at].page > note[at - 1].page + 1), len(note))]
        text = _NOTE.sub("", joined([line.text for line in note], known), count=1)
        for cited, kind in parts_of_note(text):
            yield Item(cited, tuple(note), kind=kind or "outside")


_EXTRACT = Path(__file__).with_name("pdf_extract.py")
_SECONDS = 180  # wall-clock time, on a busy machine
_LARGEST = 500_000_000  # bytes of extracted lines
_ADVICE = "read it with --citecheck-grobid=URL, or save the references as text or .bib"


class PdfReader(WholeDocumentReader):
    """Reader for ``.pdf`` files; see `read_document`."""

    suffixes = frozenset((".pdf",))
    format = "a PDF"

    def reads(self, head: bytes) -> bool:
        """Detect the signature, which other bytes may precede."""
        return b"%PDF-" in head[:1024]

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references of the reference sections. Raise UnreadableDocumentError."""
        if around.tei is not None:
            references = references_of_tei(path, around.tei(data))
            if references:
                return Bibliography(path, tuple(references))
            raise UnreadableDocumentError(f"{path}: GROBID found no reference")
        pages = pages_of(path, data)
        items = reference_items(pages)
        references, notes = read_items(path, items, "page")
        if not any(one.fields for one in references):
            empty = not any(line[0].strip() for page in pages for line in page)
            why = "contains no text (scanned pages?)" if empty else "has no recognizable reference section"
            raise UnreadableDocumentError(f"{path} {why}; {_ADVICE}")
        first = min(one.location.line for one in references)
        numbers = [int(item.label) for item in items if item.label.isdecimal()]
        if numbers and (cited := highest_citation(pages)) > max(numbers):
            message = f"the text of {path} cites up to [{cited}], but the list ends at {max(numbers)}"
            notes.append(Defect("list-short", message, first, note=True))
        return Bibliography(path, tuple(references), (_read_from(path, first, len(references)), *notes))


PDF = PdfReader()


def _read_from(path: str, page: int, count: int) -> Defect:
    noun = "reference" if count == 1 else "references"
    return Defect("pdf-read", f"{count} {noun} read from page {page} on: {path}", page, note=True)


def pages_of(path: str, data: bytes) -> list[list[Row]]:
    """Return the rows of each page, extracted in a separate process. Raise UnreadableDocumentError."""
    if importlib.util.find_spec("pypdfium2") is None:
        raise UnreadableDocumentError(f"{path}: PDFs need pypdfium2: pip install '.[documents]' in a checkout")
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, a file of this package
            [sys.executable, str(_EXTRACT)], input=data, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocumentError(f"{path} was not read within {_SECONDS} s; {_ADVICE}") from error
    if done.returncode or len(done.stdout) > _LARGEST:
        crashed = "cannot be read: the PDF reader crashed"
        why = crashed if done.stderr else "takes too long or too much memory to read"
        raise UnreadableDocumentError(f"{path} {why}; {_ADVICE}")
    allow(len(done.stdout))
    said: dict[str, Any] = json.loads(done.stdout)
    if "problem" in said:
        raise UnreadableDocumentError(f"{path} {said['problem']}")
    return [[(row[0], *row[1:]) for row in page] for page in said["pages"]]
