"""EndNote's XML export.

Documentation: EndNote's ``RSXML.dtd`` ("EndNote XML", Clarivate): ``record`` with ``contributors``, ``titles``, ``dates``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.xml import local_name, parse_xml
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.exchange.fields import exchanged, joined_names, key_of
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

__all__ = ["ENDNOTE", "EndnoteReader"]

_TYPES = {
    "journal article": "article", "electronic article": "article", "magazine article": "article", "newspaper article": "article",
    "conference paper": "inproceedings", "conference proceedings": "inproceedings", "book": "book", "edited book": "book",
    "book section": "incollection", "thesis": "phdthesis", "report": "techreport", "dataset": "dataset",
    "computer program": "software", "web page": "online", "unpublished work": "unpublished", "patent": "patent",
}  # fmt: skip
_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_RECORD = lazy_pattern(r"<record\b")


class EndnoteReader:
    """Reads ``.xml`` files of EndNote; see `read_document`."""

    suffixes = frozenset((".xml",))
    format = "EndNote XML"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By its root element and a record."""
        return b"<record" in head and b"<contributors" in head

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file."""
        return self.read_document(path, data, None)

    def read_document(self, path: str, data: bytes, around: Surroundings | None) -> Bibliography:  # noqa: ARG002
        """One reference a record, on the line that it begins on. Raises UnreadableDocumentError."""
        try:
            root = parse_xml(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{path}: {error}") from error
        text = decode_bytes(data)[0]
        places = (
            [text.count("\n", 0, match.start()) + 1 for match in _RECORD.finditer(text)]
            if len(text) < 20_000_000
            else []
        )
        records = [one for one in root.iter() if local_name(one) == "record"]
        if not records:
            raise UnreadableDocumentError(f"{path} holds no record of EndNote")
        references = []
        for number, record in enumerate(records, start=1):
            line = places[number - 1] if number <= len(places) else 1
            references.append(_reference(record, Location(path, line, line), number))
        return Bibliography(path, tuple(references))


ENDNOTE = EndnoteReader()


def _reference(record: Element, place: Location, number: int) -> Reference:
    kind_element = _at(record, "ref-type")
    kind = _TYPES.get((kind_element.get("name", "") if kind_element is not None else "").lower(), "misc")
    container = _said(record, "titles", "secondary-title") or _said(record, "periodical", "full-title")
    year = _YEAR.search(_said(record, "dates", "year"))
    stated = {
        "title": _said(record, "titles", "title"),
        "journal" if kind in ("article", "misc", "online") else "booktitle": container,
        "year": year[0] if year else "",
        "volume": _said(record, "volume"),
        "number": _said(record, "number"),
        "pages": _said(record, "pages"),
        {"phdthesis": "school", "techreport": "institution"}.get(kind, "publisher"): _said(record, "publisher"),
        "doi": _said(record, "electronic-resource-num"),
        "url": _said(record, "urls", "related-urls", "url"),
        "isbn" if kind in ("book", "incollection", "inproceedings") else "issn": _said(record, "isbn").split(" ", 1)[0],
    }
    names = {
        "author": joined_names(_people(record, "authors")),
        "editor": joined_names(_people(record, "secondary-authors") if kind in ("book", "incollection") else ()),
    }
    key = _said(record, "label") or _said(record, "rec-number")
    text = " ".join(part for part in ("".join(record.itertext())).split() if part)
    return exchanged(key_of(key, number), kind, stated, place, text[:5000], names=names)


def _at(element: Element, name: str) -> Element | None:
    return next((child for child in element if local_name(child) == name), None)


def _said(record: Element, *names: str) -> str:
    element: Element | None = record
    for name in names:
        element = _at(element, name) if element is not None else None
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _people(record: Element, role: str) -> Iterator[tuple[str, str, str]]:
    contributors = _at(record, "contributors")
    group = _at(contributors, role) if contributors is not None else None
    for author in group if group is not None else ():
        family, given, suffix = (part.strip() for part in (*"".join(author.itertext()).split(",", 2), "", "")[:3])
        yield family, given, suffix
