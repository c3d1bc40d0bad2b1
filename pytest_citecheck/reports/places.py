"""The field of a BibTeX entry that a finding is about, as lines and columns of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_citecheck.model import Finding, Reference
from pytest_citecheck.reports.results import finding_json

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "doi": ("doi", "eprint", "arxivid", "url", "number", "isbn", "issn", "howpublished", "note"),
    "title": ("title",),
    "authors": ("author", "editor"),
    "venue": ("booktitle", "journal", "journaltitle", "series", "publisher", "school", "institution", "howpublished"),
    "completeness": ("year", "date"),
    "cross_db": ("year", "date", "author", "title"),
}
"""Fields that a check reads, by check, in the order in which one is chosen."""
_OF_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "year": ("year", "date"),
    "arxiv": ("eprint", "arxivid", "url", "doi"),
    "url": ("url", "howpublished", "note"),
    "title": ("title",),
    "authors": ("author", "editor"),
}
"""Fields that a finding is about, by the first word of its code."""


def placed_finding_json(finding: Finding, reference: Reference, check: str) -> dict[str, Any]:
    """Return a finding in the form of the JSON report, with the place of its field unless it passed."""
    data = finding_json(finding)
    place = field_place(reference, check, data) if finding.outcome != "passed" else None
    return data | ({"place": place} if place is not None else {})


def field_place(reference: Reference, check: str, finding: Mapping[str, Any]) -> list[int] | None:
    """First line, first column, last line, and the column after the value of the field; None if unknown.

    Lines and columns count from 1, columns in code points. finding: as in the JSON report. The field is one that the
    finding corrects, else one that contains the cited value, else the first one that the check reads.
    """
    if reference.location.unit == "line" and reference.location.column and not reference.text.startswith("@"):
        line, column = reference.location.line, reference.location.column
        return [line, column, line, column + 1]  # the start of a reference in running text
    if reference.location.unit != "line" or not reference.text.startswith("@"):
        return None
    extents = _extents(reference.text)
    code = str(finding.get("code") or "").partition("-")[0]
    read = (
        *_OF_CODES.get(code, ()),
        *(_FIELDS.get(check, ()) if code != "field" else ()),
    )  # a missing field has no place
    cited = str(finding.get("cited") or "")
    holding = [name for name in read if cited and cited in reference.fields.get(name, "")]
    name = next((name for name in (*(finding.get("fixes") or ()), *holding, *read) if name in extents), None)
    if name is None:
        return None
    first, last = (_line_and_column(reference.text, at) for at in extents[name])
    return [reference.location.line + first[0], first[1], reference.location.line + last[0], last[1]]


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    """The line, counted from 0, and the column, counted from 1."""
    begun = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at), at - begun + 1


@lru_cache(maxsize=8)
def _extents(text: str) -> Mapping[str, tuple[int, int]]:
    """Begin of the name and end of the value of each field of an entry; the first occurrence of a repeated field
    counts."""
    found: dict[str, tuple[int, int]] = {}
    for begin, end in _parts(text):
        name, equals, _ = text[begin:end].partition("=")
        if equals:
            found.setdefault(name.strip().lower(), (begin, end))
    return found


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Text between the commas of an entry, without surrounding blanks."""
    depth, quoted, begin = 0, False, 0
    for at, letter in enumerate(text):
        if letter in "{(" and (letter == "{" or depth == 0):
            depth += 1
            if depth == 1:
                begin = at + 1
        elif letter == '"' and depth == 1:
            quoted = not quoted
        elif depth == 1 and not quoted and letter in ",})":
            yield _stripped(text, begin, at)
            begin = at + 1
            depth -= letter != ","
        elif letter == "}":
            depth -= 1
        if begin and depth == 0:
            return


def _stripped(text: str, begin: int, end: int) -> tuple[int, int]:
    part = text[begin:end]
    return begin + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
