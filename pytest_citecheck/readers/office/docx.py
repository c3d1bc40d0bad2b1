"""The reader of Word documents: the items in field codes of citation programs, else Word's own sources, else the list at the end.

ECMA-376 (Office Open XML), part 1: fields (section 17.16), structured document tags (17.5.2), bibliography (22.6).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.xml import local_name
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.exchange.fields import exchanged, joined_names, key_of
from pytest_citecheck.readers.office.field_codes import CitedItems
from pytest_citecheck.readers.office.package import Package
from pytest_citecheck.readers.plain.ledger import read_list

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["DOCX", "DocxReader"]

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_TYPES = {
    "JournalArticle": "article", "ArticleInAPeriodical": "article", "ConferenceProceedings": "inproceedings", "Book": "book",
    "BookSection": "incollection", "Report": "techreport", "InternetSite": "online", "DocumentFromInternetSite": "online",
    "Patent": "patent", "ElectronicSource": "misc",
}  # fmt: skip
_SOURCE = {
    "Title": "title", "Year": "year", "JournalName": "journal", "ConferenceName": "booktitle", "BookTitle": "booktitle",
    "Volume": "volume", "Issue": "number", "Pages": "pages", "Publisher": "publisher", "StandardNumber": "note", "URL": "url",
    "DOI": "doi", "Institution": "institution",
}  # fmt: skip


class DocxReader:
    """Reads ``.docx`` files; see `read_document`."""

    suffixes = frozenset((".docx", ".docm"))
    format = "a Word document"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By the signature of a ZIP archive, or that of an encrypted document."""
        return head[:2] == b"PK" or head[:4] == b"\xd0\xcf\x11\xe0"

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a document."""
        return self.read_document(path, data, None)

    def read_document(self, path: str, data: bytes, around: Surroundings | None) -> Bibliography:  # noqa: ARG002
        """The references of a document, each with its paragraph. Raises UnreadableDocumentError."""
        package = Package(path, data)
        body = package.xml(_PARTS[0])
        if body is None:
            raise UnreadableDocumentError(f"{path} is no Word document")
        cited = CitedItems(path)
        paragraphs = list(body.iter(f"{_WORD}p"))
        for number, paragraph in enumerate(paragraphs, start=1):
            for code in _codes(paragraph):
                cited.add(code, number)
        for tag in body.iter(f"{_WORD}tag"):
            cited.add(tag.get(f"{_WORD}val", ""), 1)
        for name in _PARTS[1:]:
            part = package.xml(name)
            for paragraph in part.iter(f"{_WORD}p") if part is not None else ():
                for code in _codes(paragraph):
                    cited.add(code, len(paragraphs))
        references = cited.references or [*_own_sources(path, package)]
        notes: list[Defect] = []
        if not references:
            references, notes = read_list(
                path, [_text(paragraph) for paragraph in paragraphs], whole=False, unit="paragraph"
            )
        if not any(one.fields for one in references):
            raise UnreadableDocumentError(
                f"{path} has no citations of Zotero, Mendeley or EndNote, and no list of references"
            )
        return Bibliography(path, tuple(references), tuple(notes))


DOCX = DocxReader()


def _codes(paragraph: Element) -> Iterator[str]:
    """The codes of the fields of a paragraph; a code may stand in several runs, a field inside another one's result."""
    open_codes: list[list[str]] = []
    for element in paragraph.iter():
        name = local_name(element)
        if name == "fldSimple":
            yield element.get(f"{_WORD}instr", "")
        elif name == "fldData":
            yield _field_data(element.text or "")
        elif name == "fldChar":
            kind = element.get(f"{_WORD}fldCharType")
            if kind == "begin":
                open_codes.append([])
            elif kind in ("separate", "end") and open_codes:
                if open_codes[-1]:
                    yield "".join(open_codes[-1]).strip()
                    open_codes[-1] = []
                if kind == "end":
                    open_codes.pop()
        elif name == "instrText":
            if open_codes:
                open_codes[-1].append(element.text or "")
            else:  # a code that began in the paragraph before
                yield (element.text or "").strip()


def _field_data(packed: str) -> str:
    """The data beside a field: EndNote keeps the records of ``EN.CITE.DATA`` there, in base64."""
    try:
        data = base64.b64decode("".join(packed.split()), validate=True)
    except ValueError:
        return ""
    text = decode_bytes(data)[0]
    return f"EN.CITE {text}" if "<EndNote>" in text else ""


def _text(paragraph: Element) -> str:
    parts = []
    for element in paragraph.iter():
        name = local_name(element)
        if name == "t":
            parts.append(element.text or "")
        elif name in ("tab", "br", "cr"):
            parts.append(" ")
        elif name == "noBreakHyphen":
            parts.append("-")
    return "".join(parts)


def _own_sources(path: str, package: Package) -> Iterator[Reference]:
    """The sources of Word's own bibliography (References > Manage Sources)."""
    number = 0
    for name in package.names("customXml/item"):
        root = package.xml(name) if name.endswith(".xml") and "Props" not in name else None
        if root is None or local_name(root) != "Sources":
            continue
        for source in root:
            number += 1
            stated = {
                ours: value
                for one in source
                if (ours := _SOURCE.get(local_name(one))) and (value := (one.text or "").strip())
            }
            kind = next(
                (_TYPES.get((one.text or "").strip(), "misc") for one in source if local_name(one) == "SourceType"),
                "misc",
            )
            tag = next(((one.text or "").strip() for one in source if local_name(one) == "Tag"), "")
            names = {
                "author": joined_names(_people(source, "Author")),
                "editor": joined_names(_people(source, "Editor")),
            }
            if stated.get("title"):
                yield exchanged(
                    key_of(tag, number), kind, stated, Location(path, 1, 1, "paragraph"), str(stated), names=names
                )


def _people(source: Element, role: str) -> Iterator[tuple[str, str, str]]:
    for outer in source:
        for group in outer if local_name(outer) == "Author" else ():
            if local_name(group) == role:
                for person in group.iter():
                    said = {local_name(part): (part.text or "").strip() for part in person}
                    if local_name(person) == "Person":
                        yield said.get("Last", ""), " ".join(filter(None, (said.get("First"), said.get("Middle")))), ""
                    elif local_name(person) == "Corporate":
                        yield (person.text or "").strip(), "", ""
