"""The XML dump of dblp, ``dblp.xml.gz``.

Documentation: dblp FAQ "How can I download the whole dblp dataset?" and "What do I find in dblp.xml?" (dblp.org/faq), Michael
Ley, "DBLP: Some Lessons Learned" (PVLDB 2, 2009, with its appendix on dblp.xml), and the definition of the elements,
dblp.org/xml/dblp.dtd. The dump uses the Latin entities of HTML 4 that this definition declares.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.sources.dblp import publication
from pytest_citecheck.sources.dumps import (
    Context,
    Head,
    Part,
    Piece,
    Problem,
    XmlError,
    cut_into,
    declared_encoding,
    decode,
    element,
    lines,
    peek,
    pieces,
    resolve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

# The RDF dump of dblp as N-Triples, ``dblp.nt.gz``.


_STATEMENT = lazy_pattern(
    r"""\s*(<[^<>\s]*>|_:\S+)\s+<([^<>\s]*)>\s+"""
    r"""(?:<([^<>\s]*)>|_:(\S+)|"([^"\\]*+(?:\\.[^"\\]*+)*+)"(?:\^\^<[^<>\s]*>|@[A-Za-z0-9-]+)?)\s*\.\s*(?:\#.*)?"""
)
_COMMENT = lazy_pattern(rb"\s*#")
_RECORD = "https://dblp.org/rec/"
_SCHEMA = "https://dblp.org/rdf/schema#"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_LOOKS_SO = lazy_pattern(rb"^[^\S\n]*+(?:<https?://[^<>\s]*+>|_:\S++)\s++<[^<>\s]*+>\s++\S", re.MULTILINE)
_ESCAPE = lazy_pattern(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ISBN = "urn:isbn:"
_MOST_DIGITS = 9
# Classes of the schema, and the corresponding elements of the XML dump.
_ELEMENTS = {
    "Article": "article",
    "Inproceedings": "inproceedings",
    "Incollection": "incollection",
    "Editorship": "proceedings",
    "Book": "book",
    "Reference": "incollection",
    "Data": "data",
    "Informal": "article",
}
# Properties of the schema, and the corresponding elements; the first one counts.
_FIELDS = {
    "title": "title", "publishedInJournal": "journal", "publishedInBook": "booktitle", "publishedIn": "booktitle",
    "publishedInSeries": "series", "thesisAcceptedBySchool": "school", "publishedBy": "publisher", "yearOfPublication": "year",
    "yearOfEvent": "year", "publishedInJournalVolume": "volume", "publishedInSeriesVolume": "volume",
    "publishedInJournalVolumeIssue": "number", "pagination": "pages", "doi": "ee", "primaryDocumentPage": "ee",
    "documentPage": "ee",
}  # fmt: skip


@dataclass(slots=True)
class _Signature:
    name: str = ""
    order: int = 0
    editor: bool = False


@dataclass(slots=True)
class _Publication:
    """The statements on one publication, and on its signatures."""

    key: str
    offset: int
    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    kinds: list[str] = field(default_factory=list)
    signatures: dict[str, _Signature] = field(default_factory=dict)


class DblpTriples:
    """Reads ``dblp.nt`` (see the module)."""

    name = "dblp-nt"
    source = "dblp"
    licence = "CC0-1.0"
    starts = ""
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By statements in N-Triples about dblp."""
        return _LOOKS_SO.search(head.data) is not None and b"dblp.org/" in head.data

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record per publication; statements about persons, venues and streams are skipped.

        An unreadable statement is missing from its publication. A publication without all signatures is dropped,
        because its list of authors would be wrong.
        """
        current: _Publication | None = None
        cut = False
        for number, offset, line in lines(chunks, context):
            statement = _parsed(line)
            if statement is None:
                if _COMMENT.match(line):
                    continue
                cut = True
                yield context.problem(offset, "the line is not a statement in N-Triples", line=number)
                continue
            cut = False
            subject, predicate, iri, node, literal = statement
            key = _key(subject)
            if key and (current is None or current.key != key):
                if current is not None:
                    yield _finished(current, context)
                current = _Publication(key, offset, number)
            if current is None:
                continue
            if key:
                _state(current, predicate, iri, literal, node)
            elif subject.startswith(("_:", f"<{_RECORD}{current.key}#")):
                _sign(current, subject, predicate, iri, literal)
        if current is not None:
            if cut or context.pending:
                reason = "the file is damaged where the publication may go on"
                yield context.problem(current.offset, reason, line=current.line, record=current.key)
            else:
                yield _finished(current, context)


def _parsed(line: bytes) -> tuple[str, str, str, str, str] | None:
    try:
        match = _STATEMENT.fullmatch(line.decode("utf-8"))
        if match is None:
            return None
        literal = match[5]
        if literal and "\\" in literal:
            literal = _ESCAPE.sub(_character, literal)
    except ValueError:
        return None
    return match[1], match[2], match[3] or "", match[4] or "", literal or ""


def _character(match: re.Match[str]) -> str:
    """Decode a character reference. Raises ValueError for an invalid one."""
    if match[3]:
        if match[3] not in _ESCAPED:
            raise ValueError(match[0])
        return _ESCAPED[match[3]]
    number = int(match[1] or match[2], 16)
    if 0xD800 <= number < 0xE000:
        raise ValueError(match[0])
    return chr(number)


def _key(subject: str) -> str:
    """The key of a publication, empty for any other subject."""
    return subject[len(_RECORD) + 1 : -1] if subject.startswith(f"<{_RECORD}") and "#" not in subject else ""


def _state(publication: _Publication, predicate: str, iri: str, literal: str, node: str) -> None:
    if predicate == _RDF_TYPE:
        publication.kinds.append(iri.removeprefix(_SCHEMA))
    elif predicate.startswith(_SCHEMA):
        name = predicate[len(_SCHEMA) :]
        if name == "hasSignature":
            publication.signatures.setdefault(f"_:{node}" if node else f"<{iri}>", _Signature())
        else:
            publication.values.setdefault(name, []).append(literal or iri)


def _sign(publication: _Publication, subject: str, predicate: str, iri: str, literal: str) -> None:
    if predicate == _RDF_TYPE:
        if iri.endswith("EditorSignature"):
            publication.signatures.setdefault(subject, _Signature()).editor = True
    elif predicate == f"{_SCHEMA}signatureDblpName":
        publication.signatures.setdefault(subject, _Signature()).name = literal
    elif predicate == f"{_SCHEMA}signatureOrdinal" and literal.isdecimal() and len(literal) < _MOST_DIGITS:
        publication.signatures.setdefault(subject, _Signature()).order = int(literal)


def _finished(gathered: _Publication, context: Context) -> Record | Problem:
    """The record, or the reason for its absence: without all signatures, its list of authors would be wrong."""
    count = next(iter(gathered.values.get("numberOfCreators", ())), "")
    signed = sum(bool(one.name) for one in gathered.signatures.values())
    if count.isdecimal() and len(count) < _MOST_DIGITS and signed < int(count):
        reason = f"it has {signed} signatures of {count}"
        return context.problem(gathered.offset, reason, line=gathered.line, record=gathered.key)
    values = gathered.values
    signatures = sorted((one for one in gathered.signatures.values() if one.name), key=lambda one: one.order)
    fields = [("editor" if one.editor else "author", one.name) for one in signatures]
    fields += [(element, value.strip()) for name, element in _FIELDS.items() for value in values.get(name, ())]
    fields += [("isbn", number.removeprefix(_ISBN)) for number in values.get("isbn", ())]
    element = next((_ELEMENTS[kind] for kind in gathered.kinds if kind in _ELEMENTS), "www")
    kinds = ("informal",) if "Informal" in gathered.kinds else ()
    record = publication(gathered.key, element, kinds, fields)
    if record is None:
        return context.problem(gathered.offset, "it has no title", line=gathered.line, record=gathered.key)
    return record if count.strip() else replace(record, authors_complete=False)


DBLP_TRIPLES = DblpTriples()

_TAGS = (
    "article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data", "www",
    "person",
)  # fmt: skip
_PERSONS = frozenset({"www", "person"})
# Fields of a record. Possessive, so that a field without an end is searched only once.
_KEY = lazy_pattern(r"""\skey\s*=\s*["']([^"'<>]+)["']""")
_KINDS = lazy_pattern(r"""\spubltype\s*=\s*["']([^"'<>]*)["']""")
# Markup of words within a field, by the definition of the elements.
_FACES = ("sub", "sup", "i", "tt", "ref")
_FIELD = lazy_pattern(
    rf"<(?!(?:{'|'.join(_FACES)})[\s/>])([a-z]+)(?:\s[^<>]*+)?>([^<]*+(?:</?(?:{'|'.join(_FACES)})(?=[\s/>])[^<]*+)*+)</\1>"
)
_FACE = lazy_pattern(rf"</?(?:{'|'.join(_FACES)})(?:\s[^<>]*)?>")
# Elements around the records.
_FRAME = lazy_pattern(rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?dblp\b[^<>]*>)*", re.DOTALL)
_LARGE = 1 << 20
_HOME = lazy_pattern(
    rb"<!DOCTYPE\s+dblp\b|<dblp\b[^<>]*>"
    rb"|<(?:article|inproceedings|proceedings|book|incollection|\w+thesis|www)\s(?:[^<>]*\s)?key\s*=\s*[\"'][a-z]+/"
)


class DblpXml:
    """Reads ``dblp.xml`` (see the module)."""

    name = "dblp-xml"
    source = "dblp"
    licence = "CC0-1.0"
    starts = "<"
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By its document type, its root element or a record with a key."""
        return _HOME.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a publication; the records of persons (``www``) are skipped."""
        head, chunks = peek(chunks, 200)
        latin = declared_encoding(head) in ("iso-8859-1", "latin1", "windows-1252", "us-ascii")
        containers = dict(context.known)
        told = False
        for piece in pieces(chunks, _TAGS, context):
            if isinstance(piece, Problem):
                yield piece
                told = True
                continue
            if len(piece.before) > 1 and not told and not _FRAME.fullmatch(piece.before):
                yield context.problem(piece.offset - len(piece.before), "text that belongs to no record")
            told = False
            if not piece.tag:
                return
            if piece.tag in _PERSONS:
                context.skipped["person"] += 1
                continue
            try:
                record = _record(piece, decode(piece.data, latin=latin), containers)
            except XmlError as error:
                stated = _KEY.search(piece.data[:1000].decode("latin-1"))
                yield context.problem(piece.offset, str(error), record=stated[1] if stated else "")
                continue
            if record is None:
                context.skipped["no title"] += 1
            else:
                yield record

    def parts(self, head: bytes, chunks: Iterator[bytes]) -> Iterator[Part]:
        """The parts of a file. Each begins with the XML declaration, and knows the volumes before it that its papers are in."""
        declaration = match[0] + b"?>" if (match := _DECLARATION.search(head)) else b""
        volumes: dict[str, str] = {}
        for part in cut_into(chunks, _last_end):
            cited = {key.decode("latin-1") for key in _CROSSREF.findall(part.data)}
            known = {key: volumes[key] for key in cited & volumes.keys()}
            data = declaration + part.data if part.offset else part.data
            yield Part(part.offset - len(data) + len(part.data), part.line, data, known)
            _note_volumes(part.data, volumes)


_DECLARATION = lazy_pattern(rb"<\?xml[^<>?]*+(?=\?>)")
_CROSSREF = lazy_pattern(rb"<crossref>([^<]*+)</crossref>")
_VOLUME = lazy_pattern(rb"<(proceedings|book)\s")


def _last_end(data: bytes) -> int:
    """The place behind the last record."""
    ends = [(data.rfind(b"</%b>" % tag.encode()), len(tag) + 3) for tag in _TAGS]
    return sum(max(ends)) if max(ends)[0] >= 0 else 0


def _note_volumes(data: bytes, volumes: dict[str, str]) -> None:
    for match in _VOLUME.finditer(data):
        tag = match[1]
        end = data.find(b"</%b>" % tag, match.end(), match.end() + _LARGE)
        if end >= 0:
            with suppress(XmlError):
                text = decode(data[match.start() : end + len(tag) + 3], latin=True)
                _record(Piece(tag.decode(), 0, b"", b""), text, volumes)


def _record(piece: Piece, text: str, containers: dict[str, str]) -> Record | None:
    """The record of one element; None if it has no title. Raises XmlError if it is broken."""
    head, _, body = text.partition(">")
    stated = _KEY.search(head)
    if stated is None:
        raise XmlError("the record has no key")
    key = stated[1]
    fields = _FIELD.findall(body) if len(body) < _LARGE else []
    if not fields or body.count("<") != 2 * len(fields) + 1:
        fields = _checked(fields, body, text)
    if "&" in body:
        fields = [(name, resolve(value) if "&" in value else value) for name, value in fields]
    kinds = _KINDS.search(head) if "publtype" in head else None
    container = ""
    if piece.tag == "proceedings" or piece.tag == "book":
        containers[key] = dict(fields).get("booktitle", "")
    elif "<crossref" in body:
        container = containers.get(dict(fields).get("crossref", ""), "")
    return publication(key, piece.tag, kinds[1].split() if kinds else (), fields, container)


def _checked(fields: list[tuple[str, str]], body: str, text: str) -> list[tuple[str, str]]:
    """The fields of a record that has more angle brackets than fields: without faces, or as an XML parser reads them.

    Raises XmlError if the record is not well-formed.
    """
    if fields:
        plain = [(name, _FACE.sub("", value) if "<" in value else value) for name, value in fields]
        faces = sum(value.count("<") for _, value in fields if "<" in value)
        closed = sum(value.count("</") for _, value in fields if "<" in value)
        if (
            faces == 2 * closed
            and body.count("<") == 2 * len(fields) + 1 + faces
            and not any("<" in v for _, v in plain)
        ):
            return plain
    found = element(text)
    for child in found:
        for inner in child.iter():
            if inner is not child and inner.tag not in _FACES:
                raise XmlError(f"<{inner.tag}> is within <{child.tag}>")
    # An XML parser has replaced the entities; any remaining "entity" is text.
    return [(child.tag, "".join(child.itertext()).replace("&", "&amp;")) for child in found]


DBLP_XML = DblpXml()
DUMPS = (DBLP_XML, DBLP_TRIPLES)
