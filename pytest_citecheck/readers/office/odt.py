"""The reader of OpenDocument text: the items in Zotero's marks, LibreOffice's own bibliography entries, else the list at the end.

OASIS OpenDocument 1.2, part 1: reference marks (section 7.7), bibliography marks (section 7.3.9.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.xml import local_name
from pytest_citecheck.readers.exchange.fields import exchanged, key_of
from pytest_citecheck.readers.office.field_codes import CitedItems
from pytest_citecheck.readers.office.package import Package
from pytest_citecheck.readers.plain.ledger import read_list

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["ODT", "OdtReader"]

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_MARK = {
    "author": "author", "title": "title", "year": "year", "journal": "journal", "booktitle": "booktitle", "volume": "volume",
    "number": "number", "pages": "pages", "publisher": "publisher", "url": "url", "isbn": "isbn", "school": "school",
    "institution": "institution", "note": "note", "editor": "editor",
}  # fmt: skip
_PEOPLE = ("author", "editor")


class OdtReader:
    """Reads ``.odt`` files; see `read_document`."""

    suffixes = frozenset((".odt",))
    format = "an OpenDocument text"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By the signature of a ZIP archive."""
        return head[:2] == b"PK"

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a document."""
        return self.read_document(path, data, None)

    def read_document(self, path: str, data: bytes, around: Surroundings | None) -> Bibliography:  # noqa: ARG002
        """The references of a document, each with its paragraph. Raises UnreadableDocumentError."""
        body = Package(path, data).xml("content.xml")
        if body is None:
            raise UnreadableDocumentError(f"{path} is no OpenDocument text")
        paragraphs = [one for one in body.iter() if one.tag in (f"{_TEXT}p", f"{_TEXT}h")]
        cited = CitedItems(path)
        marks: dict[str, Reference] = {}
        for number, paragraph in enumerate(paragraphs, start=1):
            for element in paragraph.iter():
                name = local_name(element)
                if name in ("reference-mark-start", "reference-mark", "bookmark-start"):
                    cited.add(element.get(f"{_TEXT}name", ""), number)
                elif name == "bibliography-mark":
                    place = Location(path, number, number, "paragraph")
                    key = element.get(f"{_TEXT}identifier", "")
                    marks.setdefault(key, _mark(element, place, len(marks) + 1))
        lines = ["".join(one.itertext()) for one in paragraphs]
        references = cited.references or [*marks.values()]
        notes: list[Defect] = []
        if not references:
            references, notes = read_list(path, lines, whole=False, unit="paragraph")
        if not any(one.fields for one in references):
            raise UnreadableDocumentError(
                f"{path} has no citations of Zotero or LibreOffice, and no list of references"
            )
        return Bibliography(path, tuple(references), tuple(notes))


ODT = OdtReader()


def _mark(element: Element, place: Location, number: int) -> Reference:
    said = {ours: element.get(f"{_TEXT}{theirs}", "") for theirs, ours in _MARK.items()}
    kind = element.get(f"{_TEXT}bibliography-type", "misc").lower()
    names = {name: said.pop(name).replace(";", " and ") for name in _PEOPLE}
    key = key_of(element.get(f"{_TEXT}identifier", ""), number)
    return exchanged(
        key, "misc" if kind in ("www", "journal", "custom1") else kind, said, place, str(said), names=names
    )
