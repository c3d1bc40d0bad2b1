"""Reader for Word documents: items in field codes of citation managers, else Word's own sources, else the final list.

ECMA-376 (Office Open XML), part 1: fields (section 17.16), structured document tags (17.5.2), bibliography (22.6).
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from pytest_citecheck.inputs.base import Bibliography, decode_bytes
from pytest_citecheck.inputs.documents import Surroundings, UnreadableDocumentError, WholeDocumentReader, megabytes
from pytest_citecheck.inputs.exchange import (
    ENDNOTE,
    csl_reference,
    exchanged,
    is_csl_item,
    joined_names,
    key_of,
    local_name,
    parse_xml,
)
from pytest_citecheck.inputs.plain.references import read_list
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.model import Defect, Location, Reference

_MOST = 20_000


class CitedItems:
    """Items in citations, without duplicates, each located at its first citation."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: set[str] = set()
        self.references: list[Reference] = []

    def add(self, code: str, paragraph: int) -> None:
        """Read a field code or bookmark name; ignore it if it is not a citation."""
        place = Location(self._path, paragraph, paragraph, "paragraph")
        if "CSL_CITATION" in code:
            for item in _csl_items(code):
                self._keep(_identity(item), csl_reference(item, place, len(self.references) + 1))
        elif "EN.CITE" in code and "<EndNote>" in code:
            self._add_endnote(code, place)
        elif code.startswith("MENDELEY_CITATION_"):
            for item in _mendeley_items(code):
                self._keep(_identity(item), csl_reference(item, place, len(self.references) + 1))

    def _add_endnote(self, code: str, place: Location) -> None:
        start, end = code.index("<EndNote>"), code.rfind("</EndNote>")
        if end < 0:
            return
        try:
            found = ENDNOTE.read(self._path, code[start : end + len("</EndNote>")].encode("utf-8", "replace"))
        except UnreadableDocumentError:
            return
        for one in found.references:
            self._keep(f"{one.key} {one.fields.get('title', '')}", replace(one, location=place))

    def _keep(self, identity: str, reference: Reference) -> None:
        if identity not in self._seen and len(self.references) < _MOST:
            self._seen.add(identity)
            key = reference.key if not reference.key.startswith("http") else f"ref_{len(self.references) + 1}"
            known = {one.key for one in self.references} if len(self.references) < 2000 else set()
            unique = key if key not in known else f"{key}+{len(self.references) + 1}"
            self.references.append(replace(reference, key=unique))


def _csl_items(code: str) -> Iterator[dict[str, Any]]:
    start = code.find("{")
    if start < 0:
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(code, start)
    except (ValueError, RecursionError):
        return
    yield from _items_of(value)


def _mendeley_items(code: str) -> Iterator[dict[str, Any]]:
    packed = code.rpartition("_")[2]
    try:
        value = json.loads(base64.b64decode(packed, validate=True))
    except (ValueError, RecursionError):
        return
    yield from _items_of(value)


def _items_of(value: Any) -> Iterator[dict[str, Any]]:
    items = value.get("citationItems") if isinstance(value, dict) else None
    for one in items if isinstance(items, list) else ():
        data = one.get("itemData") if isinstance(one, dict) else None
        if isinstance(data, dict) and is_csl_item(data):
            yield data


def _identity(item: dict[str, Any]) -> str:
    return json.dumps(
        [item.get("DOI"), item.get("title"), item.get("issued"), item.get("type")], sort_keys=True, default=str
    )


_LARGEST = 50_000_000  # maximum unpacked bytes of a part


class Package:
    """An archive. Raises UnreadableDocumentError if the data is not an archive."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
            why = (
                "is encrypted; save it without a password" if data[:8].startswith(b"\xd0\xcf\x11\xe0") else "is damaged"
            )
            raise UnreadableDocumentError(f"{path} {why} ({error})") from error

    def names(self, start: str) -> Iterator[str]:
        """Yield the names of the parts with this prefix."""
        yield from sorted(name for name in self._archive.namelist() if name.startswith(start))

    def xml(self, name: str) -> Element | None:
        """Return the root element of a part, or None if the part does not exist. Raise UnreadableDocumentError."""
        try:
            with self._archive.open(name) as part:
                data = part.read(_LARGEST + 1)
        except KeyError:
            return None
        except RuntimeError as error:  # an encrypted part
            raise UnreadableDocumentError(f"{self.path} is encrypted; save it without a password") from error
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as error:
            raise UnreadableDocumentError(f"{self.path} is damaged: {name} ({error})") from error
        if len(data) > _LARGEST:
            raise UnreadableDocumentError(f"{self.path}: its part {name} has more than {megabytes(_LARGEST)}")
        try:
            return parse_xml(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{self.path}: {name}: {error}") from error


def _or_list(path: str, references: list[Reference], paragraphs: Iterable[str], programs: str) -> Bibliography:
    """Return the cited items of a document, or else its list of references. Raise UnreadableDocumentError without any."""
    notes: list[Defect] = []
    if not references:
        references, notes = read_list(path, [*paragraphs], whole=False, unit="paragraph")
    if not any(one.fields for one in references):
        raise UnreadableDocumentError(f"{path} has no citations of {programs}, and no list of references")
    return Bibliography(path, tuple(references), tuple(notes))


_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_TYPES, _SOURCE = names_of("word", "types"), names_of("word", "fields")


class DocxReader(WholeDocumentReader):
    """Reader for ``.docx`` files; see `read_document`."""

    suffixes = frozenset((".docx", ".docm"))
    format = "a Word document"

    def reads(self, head: bytes) -> bool:
        """Detect the signature of a ZIP archive or of an encrypted document."""
        return head[:2] == b"PK" or head[:4] == b"\xd0\xcf\x11\xe0"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Return the references of a document, each with its paragraph. Raise UnreadableDocumentError."""
        package = Package(path, data)
        body = package.xml(_PARTS[0])
        if body is None:
            raise UnreadableDocumentError(f"{path} is not a Word document")
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
        return _or_list(path, references, map(_text, paragraphs), "Zotero, Mendeley or EndNote")


DOCX = DocxReader()


def _codes(paragraph: Element) -> Iterator[str]:
    """Yield the field codes of a paragraph. A code may span several runs, and fields may be nested in results."""
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
            else:  # a code that began in an earlier paragraph
                yield (element.text or "").strip()


def _field_data(packed: str) -> str:
    """Decode the data of a field: EndNote stores the records of ``EN.CITE.DATA`` there, in base64."""
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
        elif name in ("br", "cr"):
            parts.append("\n")
        elif name == "tab":
            parts.append(" ")
        elif name == "noBreakHyphen":
            parts.append("-")
    return "".join(parts)


def _own_sources(path: str, package: Package) -> Iterator[Reference]:
    """Yield the sources of Word's bibliography (References > Manage Sources)."""
    number = 0
    for name in package.names("customXml/item"):
        root = package.xml(name) if name.endswith(".xml") and "Props" not in name else None
        if root is None or local_name(root) != "Sources":
            continue
        for source in root:
            number += 1
            values = {local_name(one): (one.text or "").strip() for one in source}
            stated = {_SOURCE[name]: value for name, value in values.items() if name in _SOURCE and value}
            kind, key = _TYPES.get(values.get("SourceType", ""), "misc"), key_of(values.get("Tag", ""), number)
            names = {role.lower(): joined_names(_people(source, role)) for role in ("Author", "Editor")}
            if stated.get("title"):
                yield exchanged(key, kind, stated, Location(path, 1, 1, "paragraph"), str(stated), names=names)


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


_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_MARK = names_of("opendocument", "fields")
_PEOPLE = ("author", "editor")


class OdtReader(WholeDocumentReader):
    """Reader for ``.odt`` files; see `read_document`."""

    suffixes = frozenset((".odt",))
    format = "an OpenDocument text"

    def reads(self, head: bytes) -> bool:
        """Detect the signature of a ZIP archive."""
        return head[:2] == b"PK"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Return the references of a document, each with its paragraph. Raise UnreadableDocumentError."""
        body = Package(path, data).xml("content.xml")
        if body is None:
            raise UnreadableDocumentError(f"{path} is not an OpenDocument text")
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
        references = cited.references or [*marks.values()]
        return _or_list(path, references, map(_text_of, paragraphs), "Zotero or LibreOffice")


ODT = OdtReader()


def _text_of(paragraph: Element) -> str:
    """The text of a paragraph of OpenDocument, with its line breaks."""
    breaks = {f"{_TEXT}line-break": "\n", f"{_TEXT}tab": " ", f"{_TEXT}s": " "}
    parts = [paragraph.text or ""]
    for element in paragraph:
        parts += [breaks.get(element.tag, "") or _text_of(element), element.tail or ""]
    return "".join(parts)


def _mark(element: Element, place: Location, number: int) -> Reference:
    said = {ours: element.get(f"{_TEXT}{foreign}", "") for foreign, ours in _MARK.items()}
    kind = element.get(f"{_TEXT}bibliography-type", "misc").lower()
    names = {name: said.pop(name).replace(";", " and ") for name in _PEOPLE}
    key = key_of(element.get(f"{_TEXT}identifier", ""), number)
    return exchanged(
        key, "misc" if kind in ("www", "journal", "custom1") else kind, said, place, str(said), names=names
    )
