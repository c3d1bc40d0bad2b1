"""Reader for Jupyter notebooks: lists, citations and identifiers in Markdown cells; the place is the number of the cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_citecheck.inputs.base import Bibliography, decode_bytes, identifier_reference, with_unique_keys
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import Citations
from pytest_citecheck.inputs.documents import Surroundings, UnreadableDocumentError, WholeDocumentReader
from pytest_citecheck.inputs.plain.references import read_list
from pytest_citecheck.inputs.restructured_text import cited_keys, referring, with_cited
from pytest_citecheck.model import Location, Reference

_LONG_STRING = lazy_pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_LONG = 100_000
"""Bytes of a string, such as an image in an output, above which it is not read."""
_LARGEST = 30_000_000
_DATA_CITE = lazy_pattern(r"<cite\s+data-cite=[\"']([^\"'<>\n]{1,200})[\"']")


class NotebookReader(WholeDocumentReader):
    """Reader for ``.ipynb`` files."""

    suffixes = frozenset((".ipynb",))
    format = "a Jupyter notebook"

    def reads(self, head: bytes) -> bool:
        """Accept JSON objects."""
        return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references in the Markdown cells. Raise UnreadableDocumentError if there are none."""
        lines = _markdown(path, data)
        citations = Citations()
        for number, line in lines:
            for match in _DATA_CITE.finditer(line):
                citations.add(match[1].rpartition("/")[2], Location(path, number, number, "cell"))
        for key, place in cited_keys(lines, path).places.items():
            citations.add(key, replace(place, unit="cell"))
        own = prose_references(path, lines, "cell")
        return with_cited(path, citations, own, around, "contains no reference in its Markdown cells")


NOTEBOOK = NotebookReader()


def _markdown(path: str, data: bytes) -> list[tuple[int, str]]:
    """Return the lines of the Markdown cells, each with the number of its cell, from 1."""
    if len(data) > _LARGEST:
        data = _LONG_STRING.sub(lambda match: match[0] if len(match[0]) < _LONG else b'""', data)
        if len(data) > _LARGEST:
            raise UnreadableDocumentError(f"{path} has outputs of many megabytes; clear them")
    try:
        whole = json.loads(decode_bytes(data)[0])
    except (ValueError, RecursionError) as error:
        raise UnreadableDocumentError(f"{path} is not JSON: {error}") from error
    sheets = whole.get("worksheets") if isinstance(whole, dict) else None  # format 3
    holder = sheets[0] if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict) else whole
    cells = holder.get("cells") if isinstance(holder, dict) else None
    lines: list[tuple[int, str]] = []
    for number, cell in enumerate(cells if isinstance(cells, list) else (), start=1):
        if isinstance(cell, dict) and cell.get("cell_type") in ("markdown", "raw"):
            source = cell.get("source")
            text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
            lines += [(number, line) for line in text.split("\n")] + [(number, "")]
    return lines


_CODE = lazy_pattern(r"`[^`]*`")
_FENCED = lazy_pattern(r"\s*(?:```|~~~)")


def prose_references(path: str, lines: Sequence[tuple[int, str]], unit: str = "line") -> list[Reference]:
    """Return the references of a Markdown text: the items below the heading *References*, and identifiers elsewhere.

    An item without readable parts is no reference: it may be any link.
    """
    said = list(_outside_code(lines))
    listed, _ = read_list(path, [line for _, line in said], whole=False)
    found, taken, stated = [], set[int](), set[str]()
    for one in listed:
        taken.update(range(one.location.line, one.location.end_line + 1))
        if not one.readable or not one.fields:
            continue
        first, last = said[one.location.line - 1][0], said[one.location.end_line - 1][0]
        found.append(replace(one, location=Location(path, first, last, unit)))
        stated |= {value.lower() for value in one.fields.values()}
    for place, (number, line) in enumerate(said, start=1):
        for kind, identifier in referring(line) if place not in taken else ():
            if identifier.lower() not in stated:
                stated.add(identifier.lower())
                found.append(identifier_reference(kind, identifier, Location(path, number, number, unit)))
    return with_unique_keys(found)


def _outside_code(lines: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """Blank out the lines of fenced code."""
    fenced = False
    for number, line in lines:
        if _FENCED.match(line):
            fenced = not fenced
            yield number, ""
        else:
            yield number, "" if fenced else _CODE.sub("", line)
