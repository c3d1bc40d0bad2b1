"""The XML dump of dblp, ``dblp.xml.gz``.

Documentation: dblp FAQ "How can I download the whole dblp dataset?" and "What do I find in dblp.xml?" (dblp.org/faq), Michael
Ley, "DBLP: Some Lessons Learned" (PVLDB 2, 2009, with its appendix on dblp.xml), and the definition of the elements,
dblp.org/xml/dblp.dtd. The dump uses the Latin entities of HTML 4 that this definition declares.
"""

from __future__ import annotations

import re
from contextlib import suppress
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
    peek,
    pieces,
    resolve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

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
DUMPS = (DBLP_XML,)
