"""The XML dump of dblp, ``dblp.xml.gz``.

Documentation: dblp FAQ "How can I download the whole dblp dataset?" and "What do I find in dblp.xml?" (dblp.org/faq), Michael
Ley, "DBLP: Some Lessons Learned" (PVLDB 2, 2009, with its appendix on dblp.xml), and the definition of the elements,
dblp.org/xml/dblp.dtd. The dump uses the Latin entities of HTML 4 that this definition declares. What the parts of a
record mean is read as the source of single records reads it (services/dblp/by_key.py).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dblp.dump_values import PREPRINTS, arxiv_of, doi_of, isbns_of, person, titled
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.streams import peek
from pytest_citecheck.services.dumps.xml_pieces import (
    Piece,
    XmlError,
    declared_encoding,
    decode,
    element,
    pieces,
    resolve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DBLP_XML", "DblpXml"]

_TAGS = (
    "article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data", "www",
    "person",
)  # fmt: skip
_PERSONS = frozenset({"www", "person"})
_TYPES = {"data": "dataset"}
# The fields of a record. Possessive, so that a field without an end costs one look at the rest of the record and no more.
_KEY = re.compile(r"""\skey\s*=\s*["']([^"'<>]+)["']""")
_KINDS = re.compile(r"""\spubltype\s*=\s*["']([^"'<>]*)["']""")
# What marks up words within a field, by the definition of the elements.
_FACES = ("sub", "sup", "i", "tt", "ref")
_FIELD = re.compile(
    rf"<(?!(?:{'|'.join(_FACES)})[\s/>])([a-z]+)(?:\s[^<>]*+)?>([^<]*+(?:</?(?:{'|'.join(_FACES)})(?=[\s/>])[^<]*+)*+)</\1>"
)
_FACE = re.compile(rf"</?(?:{'|'.join(_FACES)})(?:\s[^<>]*)?>")
# What stands around the records.
_FRAME = re.compile(rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?dblp\b[^<>]*>)*", re.DOTALL)
_LARGE = 1 << 20
_HOME = re.compile(
    rb"<!DOCTYPE\s+dblp\b|<dblp\b[^<>]*>"
    rb"|<(?:article|inproceedings|proceedings|book|incollection|\w+thesis|www)\s(?:[^<>]*\s)?key\s*=\s*[\"'][a-z]+/"
)
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


class DblpXml:
    """Reads ``dblp.xml`` (see the module)."""

    name = "dblp-xml"
    source = "dblp"

    def recognises(self, head: Head) -> bool:
        """By its document type, its root element or a record with a key."""
        return _HOME.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a publication; the records of persons (``www``) are skipped."""
        head, chunks = peek(chunks, 200)
        latin = declared_encoding(head) in ("iso-8859-1", "latin1", "windows-1252", "us-ascii")
        source = context.source or self.source
        containers: dict[str, str] = {}
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
                yield _entry(piece, decode(piece.data, latin=latin), source, containers)
            except XmlError as error:
                stated = _KEY.search(piece.data[:1000].decode("latin-1"))
                yield context.problem(piece.offset, str(error), record=stated[1] if stated else "")


def _entry(piece: Piece, text: str, source: str, containers: dict[str, str]) -> Entry:
    """The entry of one record. Raises XmlError if it is broken."""
    tag = piece.tag
    head, _, body = text.partition(">")
    stated = _KEY.search(head)
    if stated is None:
        raise XmlError("the record has no key")
    key = stated[1]
    fields = _FIELD.findall(body) if len(body) < _LARGE else []
    if not fields or body.count("<") != 2 * len(fields) + 1:
        fields = _checked(fields, body, text)
    single = dict(fields)
    authors = [value for name, value in fields if name == "author"]
    title = single.get("title", "")
    if "&" in body:
        authors = [resolve(name) if "&" in name else name for name in authors]
        title = resolve(title)
        single = {name: resolve(value) if "&" in value and name in _USED else value for name, value in single.items()}
    kinds = _KINDS.search(head) if "publtype" in head else None
    links = [value for name, value in fields if name == "ee"]
    venue = single.get("journal") or single.get("booktitle") or ""
    venues: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    kind = _TYPES.get(tag, tag)
    if kinds is not None and "informal" in kinds[1].split():
        kind = "preprint" if venue.lower() in PREPRINTS else "informal"
    if tag != "article" and tag != "inproceedings":
        names = (single.get(name, "") for name in ("journal", "booktitle", "series", "school"))
        venue, *further = [name for name in dict.fromkeys(names) if name] or [""]
        venues = tuple(further)
        editors = tuple(person(resolve(value)) for name, value in fields if name == "editor")
        isbn = isbns_of(value for name, value in fields if name == "isbn")
        if tag == "proceedings" or tag == "book":
            containers[key] = single.get("booktitle", "")
            if tag == "proceedings" and authors and not editors:
                editors, authors = tuple(map(person, authors)), []
    if not venue and "crossref" in single:
        venue = containers.get(single["crossref"], "")
    doi = doi_of(links)
    year = single.get("year", "")
    return Entry(
        source,
        key,
        titled(title, thesis=tag.endswith("thesis")),
        tuple([person(name) if name[-1:].isdigit() or "\n" in name else name for name in authors]),
        int(year) if len(year) == 4 and year.isdecimal() else _year(year),
        venue,
        doi,
        arxiv_of(doi, single.get("volume", ""), links) if venue == "CoRR" or doi.startswith("10.48550/") else "",
        "https://dblp.org/rec/" + key,
        kind,
        "",
        "",
        "",
        key,
        isbn,
        venues,
        single.get("volume", ""),
        single.get("number", ""),
        single.get("pages", ""),
        editors,
    )


_USED = frozenset({"journal", "booktitle", "series", "school", "volume", "number", "pages", "year", "crossref"})


def _year(stated: str) -> int | None:
    match = _YEAR.search(stated)
    return int(match[0]) if match else None


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
                raise XmlError(f"<{inner.tag}> stands within <{child.tag}>")
    # An XML parser has replaced the entities; what looks like one now is text.
    return [(child.tag, "".join(child.itertext()).replace("&", "&amp;")) for child in found]


DBLP_XML = DblpXml()
