"""The items of a reference list in lines of text, each with its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.documents.headings import ends_references, is_references_heading
from pytest_citecheck.readers.plain.strings import read_reference_strings

__all__ = ["list_items", "reference_lines", "references_from"]

_MARKER = re.compile(r"(?P<indent>[ \t]*)(?:\[\^?\w{1,12}\]:?|\(\d{1,3}\)|\d{1,3}[.)](?=\s)|[-*+•](?=\s))\s*")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_IDENTIFIER = re.compile(r"\b10\.\d{4,9}/|arxiv|https?://", re.IGNORECASE)
_UNDERLINE = re.compile(r"\s*(?:[=-]{3,}|\*{3,}|_{3,})\s*")
_HEADING = re.compile(r"#{1,6}\s")
_LONGEST = 3000
_SHORTEST = 20
_MOST = 10_000


def reference_lines(lines: Sequence[str], *, whole: bool) -> list[tuple[int, str]]:
    """The lines (from 1) of the last reference section, up to the next heading. whole: all of them if there is no heading."""
    starts = [number for number, line in enumerate(lines) if is_references_heading(line)]
    if not starts:
        return list(enumerate(lines, start=1)) if whole else []
    found: list[tuple[int, str]] = []
    for number in range(starts[-1] + 1, len(lines)):
        line = lines[number]
        if found and (_HEADING.match(line) or ends_references(line)):
            break
        if not _UNDERLINE.fullmatch(line):
            found.append((number + 1, line))
    return found


def list_items(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """Each item with its first and last line: what a marker begins, else a paragraph, or a line if each names a year."""
    marked = [match for _, line in lines if (match := _MARKER.match(line))]
    if len(marked) >= 2:
        edge = min(len(match["indent"].expandtabs(4)) for match in marked)
        groups = _grouped(lines, edge)
    else:
        groups = _paragraphs(lines)
    for group in groups:
        text = " ".join(" ".join(line.split()) for _, line in group)
        if (match := _MARKER.match(text)) is not None:
            text = text[match.end() :]
        if _SHORTEST <= len(text) <= _LONGEST and (_YEAR.search(text) or _IDENTIFIER.search(text)):
            yield text, group[0][0], group[-1][0]


def _grouped(lines: Sequence[tuple[int, str]], edge: int) -> Iterator[list[tuple[int, str]]]:
    group: list[tuple[int, str]] = []
    blank = False
    for number, line in lines:
        match = _MARKER.match(line)
        begins = match is not None and len(match["indent"].expandtabs(4)) <= edge + 1
        apart = blank and not line[:1].isspace()
        if line.strip() and (begins or apart):
            if group:
                yield group
            group = [(number, line)] if begins else []
        elif line.strip() and group:
            group.append((number, line))
        blank = not line.strip()
    if group:
        yield group


def _paragraphs(lines: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    group: list[tuple[int, str]] = []
    for number, line in [*lines, (0, "")]:
        if line.strip():
            group.append((number, line))
        elif group:
            if len(group) > 1 and all(_YEAR.search(text) and len(text) > 2 * _SHORTEST for _, text in group):
                yield from ([one] for one in group)
            else:
                yield group
            group = []


def references_from(path: str, items: Iterator[tuple[str, int, int]], unit: str = "line") -> list[Reference]:
    """The references of these items, at their places."""
    found: list[Reference] = []
    for number, (text, first, last) in enumerate(items, start=1):
        if number > _MOST:
            break
        for part, one in enumerate(read_reference_strings([(text, Location(path, first, last, unit))])):
            found.append(replace(one, key=f"ref_{number}" if not part else f"ref_{number}+{part}"))
    return found
