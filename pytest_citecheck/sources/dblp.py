"""DBLP: its publications as records, the names by which its lists are searched, and its XML dump, ``dblp.xml.gz``.

Source: the definition of its elements (dblp.org/xml/dblp.dtd). `pytest_citecheck.sources.dblp_sparql` queries DBLP. Its search
and its records by key are not used: since autumn 2026 DBLP and its mirrors show programs a page that only a browser passes.
Documentation of the dump: dblp FAQ "How can I download the whole dblp dataset?" and "What do I find in dblp.xml?"
(dblp.org/faq), Michael Ley, "DBLP: Some Lessons Learned" (PVLDB 2, 2009, with its appendix on dblp.xml). The dump uses the Latin
entities of HTML 4 that the definition declares.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_citecheck.matching import BLANKS, fold, lazy_pattern, without_markup, words
from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.sources.dumps import (
    Context,
    Part,
    Piece,
    XmlError,
    XmlFormat,
    XmlReader,
    cut_into,
    declared_encoding,
    decode,
    element,
    resolve,
)
from pytest_citecheck.sources.parsing import (
    arxiv_id,
    arxiv_id_of_doi,
    isbn_numbers,
    marked_text,
    stated_name,
    text,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import plain_words

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

_NAMES_ASCII = lazy_pattern(r"[a-z0-9]+")


def beginnings(families: Sequence[str]) -> list[str]:
    """The beginning of the last word of each family name, which every spelling of a name with particles has, folded.

    ``muller`` of ``Müller``, ``oord`` of ``van den Oord``. None for names in other scripts.
    """
    last_words = [found[-1] for found in map(plain_words, families) if found]
    matches = [_NAMES_ASCII.match(fold(word)) for word in last_words]
    return [match.group() for match in matches if match and len(match.group()) > 1]


def sure_part(families: Sequence[str]) -> str:
    """A part of the first family name that every spelling of it has, in small letters: ``ller`` of ``Müller``; may be empty."""
    runs = _NAMES_ASCII.findall((plain_words(families[0]) or ("",))[-1].lower()) if families else []
    return max((run for run in runs if len(run) > 1), key=len, default="")


def has_name(record: Record, wanted: Sequence[str]) -> bool:
    """Return True if a word of the name of an author or editor begins so."""
    people = (*record.authors, *record.editors)
    return any(word.startswith(tuple(wanted)) for person in people for word in words(str(person)))


KEY = lazy_pattern(r"(?<![a-z])(?!homepages/)[a-z]+(?:/(?!\.+(?:/|\Z))[A-Za-z0-9._+:-]+)+")
"""The key of a publication."""
STREAM_KEY = lazy_pattern(r"(?:conf|journals|series)/[A-Za-z0-9_-]+")
"""The key of a series with all its tracks."""
_ELEMENTS: Mapping[str, RecordType] = {
    "article": "article",
    "inproceedings": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "data": "dataset",
    "www": "other",
}
PREPRINTS = frozenset({"corr", "iacr cryptol. eprint arch."})
"""Series, in small letters, whose informal publications are preprints."""
_THESES = ("phd/", "ms/", "habil/", "bachelor/")
_VENUES = ("journal", "booktitle", "series", "school")
_HOMONYM = lazy_pattern(BLANKS + r"\d{4}\Z")
# Theses carry their title in a second language: "Title. (Titre)".
_TRANSLATED = lazy_pattern(r"(?P<title>.+?)\.?" + BLANKS + r"\(\s*+(?P<translation>[^()]++(?:\([^()]*+\)[^()]*+)*+)\)")
_CORR_VOLUME = lazy_pattern(r"(?:abs/)?(?P<id>\S+)")
_RESOLVER = "https://doi.org/10."
_DOI_LINK = lazy_pattern(
    r"https?://(?:(?:dx\.|www\.)?doi\.org|doi\.acm\.org|doi\.ieeecomputersociety\.org)/(10\.\d[\d.]*/\S+)\Z",
    re.IGNORECASE,
)


def parse_publication(element: ET.Element) -> Record | None:
    """Record of one publication element of dblp.dtd, or None for another element, or without key or title."""
    key = element.get("key", "")
    fields = ((child.tag, marked_text(child)) for child in element)
    return publication(key, element.tag, element.get("publtype", "").split(), fields) if KEY.fullmatch(key) else None


def publication(
    key: str, element: str, kinds: Collection[str], fields: Iterable[tuple[str, str]], container: str = ""
) -> Record | None:
    """The record of one publication of dblp's XML, or None for another element or without a title.

    element: its name in dblp.dtd. kinds: the words of ``publtype``. fields: names and texts of the elements in it,
    without markup. container: the venue of its volume, for a record without a venue.
    """
    if element not in _ELEMENTS:
        return None
    stated: dict[str, list[str]] = {}
    for name, value in fields:
        stated.setdefault(name, []).append(value)

    def first(name: str) -> str:
        return without_markup(stated[name][0]) if name in stated else ""

    title = _title(first("title"))
    if not title:
        return None
    venues = unique(name for field in _VENUES for name in map(without_markup, stated.get(field, ())))
    venues = venues or ((container,) if container else ())
    links = stated.get("ee", ())
    doi = _doi(links)
    kind = _informal(venues) if "informal" in kinds else "thesis" if key.startswith(_THESES) else _ELEMENTS[element]
    other_titles: tuple[str, ...] = ()
    translated = _TRANSLATED.fullmatch(title) if kind == "thesis" else None
    if translated:
        other_titles = (translated["translation"].strip(" ."), title)
        title = translated["title"].strip()
    authors, editors = (tuple(map(_person, map(text, stated.get(role, ())))) for role in ("author", "editor"))
    if kind == "proceedings" and not editors:
        editors, authors = authors, ()
    return Record(
        source="dblp",
        id=key,
        url=f"https://dblp.org/rec/{key}",
        title=title,
        other_titles=other_titles,
        authors=authors,
        editors=editors,
        years=unique((year_of(first("year")),)),
        type=kind,
        venues=venues,
        publisher=first("publisher"),
        doi=doi,
        arxiv=_arxiv(doi, venues, first("volume"), links),
        volume=first("volume"),
        number=first("number"),
        pages=first("pages"),
        isbn=isbn_numbers(stated["isbn"]) if "isbn" in stated else (),
        notices=(Notice("removal", "dblp"),) if "withdrawn" in kinds else (),
    )


@lru_cache(maxsize=1 << 14)
def _person(stated: str) -> Person:
    """The person, without the number that distinguishes namesakes."""
    return undivided(_HOMONYM.sub("", stated_name(stated)))


def _title(stated: str) -> str:
    """The title without the period that dblp puts at its end."""
    title = without_markup(stated)
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def _informal(venues: Sequence[str]) -> RecordType:
    return "preprint" if venues and venues[0].lower() in PREPRINTS else "other"


def _doi(links: Iterable[str]) -> str:
    """The first DOI among the links, in lower case; empty if there is none."""
    for link in links:
        if link.startswith(_RESOLVER) and "%" not in link and " " not in link and "/" in link[19:]:
            return link[16:].lower()
        if (match := _DOI_LINK.match(link)) is not None:
            return unquote(match[1]).lower()
    return ""


def _arxiv(doi: str, venues: Sequence[str], volume: str, links: Iterable[str]) -> str:
    found = arxiv_id_of_doi(doi)
    if not found and "CoRR" in venues:
        stated = _CORR_VOLUME.fullmatch(volume)
        found = arxiv_id(stated["id"]) if stated else ""
        found = found or next((name for name in map(arxiv_id, links) if name), "")
    return found


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
_FRAME = lazy_pattern(rb"\A(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?dblp\b[^<>]*>)*", re.DOTALL)
_LARGE = 1 << 20
_HOME = lazy_pattern(
    rb"<!DOCTYPE\s+dblp\b|<dblp\b[^<>]*>"
    rb"|<(?:article|inproceedings|proceedings|book|incollection|\w+thesis|www)\s(?:[^<>]*\s)?key\s*=\s*[\"'][a-z]+/"
)


class _DblpReader(XmlReader):
    """The records of persons (``www``) are skipped."""

    def __init__(self, frame: re.Pattern[bytes], context: Context, head: bytes) -> None:
        super().__init__(frame, context, head)
        self.latin = declared_encoding(head) in ("iso-8859-1", "latin1", "windows-1252", "us-ascii")
        self.containers = dict(context.known)

    def is_framed(self, before: bytes) -> bool:
        return len(before) < 2 or super().is_framed(before)

    def record(self, piece: Piece) -> Record | None:
        if piece.tag in _PERSONS:
            self.context.skipped["person"] += 1
            return None
        record = _record(piece, decode(piece.data, latin=self.latin), self.containers)
        self.context.skipped.update(["no title"] if record is None else ())
        return record

    def stated_id(self, piece: Piece) -> str:
        stated = _KEY.search(piece.data[:1000].decode("latin-1"))
        return stated[1] if stated else ""


class DblpXml(XmlFormat):
    """The file ``dblp.xml`` (see the module)."""

    name = "dblp-xml"
    source = "dblp"
    licence = "CC0-1.0"
    home, tags, frame, reader = _HOME, _TAGS, _FRAME, _DblpReader

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
