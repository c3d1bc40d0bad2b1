"""The project's own line format: JSON, one record a line (docs/index-formats.md)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from pytest_citecheck.index.search import reason_to_skip
from pytest_citecheck.inputs import BibtexReader, read_bibtex
from pytest_citecheck.matching import CATALOGUES, lazy_pattern, normalise_arxiv, without_markup
from pytest_citecheck.model import Notice, NoticeKind, Person, Record
from pytest_citecheck.sources import (
    LONGEST,
    Context,
    Head,
    Problem,
    broken,
    doi_name,
    entry_record,
    isbn_numbers,
    json_parts,
    lines,
    objects,
    parse_item,
    record_type,
    stated_name,
    text,
    undivided,
    year_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_citecheck.model import RecordType

_NAMES = tuple(
    lazy_pattern(rb'"%b"\s*:' % name) for name in (b"source", b"authors", b"year", b"venue", b"arxiv", b"title")
)
_SURROGATES = lazy_pattern("[\ud800-\udfff]")
_REQUIRED = ("source", "id", "title", "authors", "year", "venue", "doi", "arxiv", "url", "type")
_LISTS = frozenset({"authors", "editors", "venues", "isbn", "issn", "other_titles"})
_TEXTS = frozenset({*_REQUIRED, "pmid", *CATALOGUES, "volume", "number", "pages", "subtitle", "publisher"}) - {
    "authors",
    "year",
}
_SAME = frozenset({"pmid", "volume", "number", "pages", "subtitle", "publisher", "isbn", "issn", "other_titles"})
_NOTICES: frozenset[str] = frozenset(get_args(NoticeKind))


class LineError(ValueError):
    """A line is not a valid record; the message has the field and the problem."""


class RecordLines:
    """Reads the project's own lines; each states its collection itself."""

    name = "records"
    source = ""
    licence = ""
    starts = "{["
    fallback = False
    parts = staticmethod(json_parts)

    def recognises(self, head: Head) -> bool:
        """By the names of the fields."""
        return all(name.search(head.data) for name in _NAMES)

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a line."""
        for item in objects(chunks, context, _is_record):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            title = value["title"]
            if isinstance(title, str) and (skip := reason_to_skip(title)):
                context.skipped[skip] += 1
                continue
            if context.source:
                value["source"] = context.source
            try:
                yield stated_record(_encodable(value))
            except LineError as error:
                stated = value.get("id")
                yield context.problem(offset, str(error), line=line, record=stated if isinstance(stated, str) else "")


def stated_record(line: Mapping[str, Any]) -> Record:
    """The record that an object of the line format states.

    Raises LineError if a field is missing, unknown or of another type, and if source or title is empty.
    """
    _check(line)
    year, venues = line["year"], (line["venue"], *line.get("venues", ()))
    others: dict[str, Any] = {
        name: tuple(value) if name in _LISTS else value for name, value in line.items() if name in _SAME
    }
    return Record(
        source=line["source"],
        id=line["id"],
        url=line["url"],
        title=line["title"],
        authors=_people(line["authors"]),
        authors_complete=line.get("complete", True),
        editors=_people(line.get("editors", ())),
        years=() if year is None else (year,),
        venues=tuple(dict.fromkeys(name for name in venues if name))
        if len(venues) > 1
        else venues
        if venues[0]
        else (),
        type=record_type(line["type"]),
        doi=line["doi"],
        arxiv=line["arxiv"],
        related=tuple((kind, line[kind]) for kind in CATALOGUES if line.get(kind)),
        notices=tuple(_notice(stated, line["source"]) for stated in line.get("notices", ())),
        **others,
    )


def _check(line: Mapping[str, Any]) -> None:
    for name in _REQUIRED:
        if name not in line:
            raise LineError(f"the field `{name}` is missing")
    for name, value in line.items():
        if name in _TEXTS:
            if not isinstance(value, str):
                raise LineError(f"the field `{name}` is not a string")
        elif name in _LISTS:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise LineError(f"the field `{name}` is not a list of strings")
        elif name == "year":
            if value is not None and type(value) is not int:
                raise LineError("the field `year` is neither a whole number nor null")
        elif name == "complete":
            if not isinstance(value, bool):
                raise LineError("the field `complete` is neither true nor false")
        elif name != "notices":
            raise LineError(f"the field `{name}` is not one of the format")
        elif not isinstance(value, list) or not all(map(_is_notice, value)):
            raise LineError(
                f"the field `notices` is not a list of objects with a `kind` ({', '.join(sorted(_NOTICES))})"
            )
    for name in ("source", "title"):
        if not line[name].strip():
            raise LineError(f"the field `{name}` is empty")


def _is_notice(stated: object) -> bool:
    return (
        isinstance(stated, dict)
        and all(isinstance(value, str) for value in stated.values())
        and stated.keys() <= {"kind", "stated_by", "date", "doi"}
        and stated.get("kind") in _NOTICES
    )


def _notice(stated: Mapping[str, Any], source: str) -> Notice:
    """The notice; its default source is the collection of the line."""
    return Notice(stated["kind"], stated.get("stated_by") or source, stated.get("date", ""), stated.get("doi", ""))


def _people(names: Iterable[str]) -> tuple[Person, ...]:
    """The people of these names; a blank one is no person."""
    return tuple(_person(name) for name in names if name.strip())


@lru_cache(maxsize=1 << 14)
def _person(name: str) -> Person:
    return Person(name)


def _is_record(value: dict[str, Any]) -> bool:
    return "title" in value and "source" in value


def _encodable(value: dict[str, Any]) -> dict[str, Any]:
    """The line without lone surrogates: they can be stated in JSON, but are no characters and cannot be written in UTF-8."""
    try:
        "".join(
            part
            for stated in value.values()
            for part in (stated if isinstance(stated, list) else (stated,))
            if isinstance(part, str)
        ).encode()
    except UnicodeEncodeError:
        return {name: _without_surrogates(stated) for name, stated in value.items()}
    return value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATES.sub("", value)
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value


RECORD_LINES = RecordLines()


_ENTRY = lazy_pattern(rb"^[^\S\n]*+@\s*+[A-Za-z]++\s*+[{(]", re.MULTILINE)
# Boundary between two entries, but not text inside a value that looks like one.
_BORDER = lazy_pattern(rb"[})][ \t\r]*\n(?=\s*@[A-Za-z]+\s*[{(])")
_STRING = lazy_pattern(rb"^[ \t]*@string\s*[{(][^@]*?[}\"]\s*[})][ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_PART = 4 << 20
_MOST_STRINGS = 1 << 20


class Bibtex:
    """Reads BibTeX (see the module)."""

    name = "bibtex"
    source = ""
    licence = ""
    starts = ""
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By the start of an entry at the start of a line, or by the name of the file."""
        return _ENTRY.search(head.data) is not None or head.name.endswith(tuple(BibtexReader.suffixes))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an entry. Inherited fields (``crossref``) must be within the same four megabytes."""
        strings = b""
        for offset, line, part in _parts(chunks):
            if len(part) > LONGEST:
                yield context.problem(offset, f"no entry ends within {LONGEST:,} bytes", line=line)
                continue
            yield from _read(part, strings, context, offset, line)
            found = b"".join(match[0].strip() + b"\n" for match in _STRING.finditer(part))
            if len(strings) + len(found) <= _MOST_STRINGS:
                strings += found


def _parts(chunks: Iterator[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Offset, first line (1-based) and bytes of parts of the file that end where an entry ends.

    A part without such an end is cut at the maximum length.
    """
    unread, offset, line = b"", 0, 1
    for chunk in chunks:
        unread += chunk
        while len(unread) >= _PART:
            border = _BORDER.search(unread, _PART // 2)
            if border is None and len(unread) <= LONGEST:
                break
            end = border.end() if border else len(unread)
            yield offset, line, unread[:end]
            offset, line, unread = offset + end, line + unread.count(b"\n", 0, end), unread[end:]
    if unread.strip():
        yield offset, line, unread


def _read(part: bytes, strings: bytes, context: Context, offset: int, line: int) -> Iterator[Record | Problem]:
    before = strings.count(b"\n")
    starts: list[int] = []

    def problem(reason: str, place: int, record: str = "") -> Problem:
        if not starts:
            starts.extend((0, *(match.end() for match in re.finditer(rb"\n", part))))
        index = min(max(place - before - 1, 0), len(starts) - 1)
        return context.problem(offset + starts[index], reason, line=line + index, record=record)

    bibliography = read_bibtex(context.file, strings + part)
    for note in bibliography.notes:
        if note.code in ("encoding-guessed", "stray-fields", "git-conflict-marker"):
            yield problem(note.message, note.line)
    for reference in bibliography.references:
        if reason := broken(reference):
            yield problem(reason, reference.location.line, reference.key)
        elif reference.type not in ("xdata", "set"):
            yield entry_record(reference, context.source)


BIBTEX = Bibtex()


_TITLE = lazy_pattern(rb'"title"\s*:\s*"')
_OWN = lazy_pattern(rb'"(?:issued|container-title|date-parts|citation-key|page-first|event-title|DOI|PMID)"\s*:')
_FAMILY = lazy_pattern(rb'"family"\s*:')
_DIGITS = lazy_pattern(r"\d{1,8}")


class CslItems:
    """Reads CSL-JSON (see the module)."""

    name = "csl-json"
    source = ""
    licence = ""
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By a title that is one string, and fields or divided names as CSL has them."""
        return bool(_TITLE.search(head.data) and (_OWN.search(head.data) or _FAMILY.search(head.data)))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an item."""
        for item in objects(chunks, context, _is_item):
            yield item if isinstance(item, Problem) else _record(item[2], context.source)


def _is_item(value: dict[str, Any]) -> bool:
    return "title" in value and ("type" in value or "id" in value or "author" in value)


def _record(item: dict[str, Any], source: str) -> Record:
    record = parse_item(item, "")
    pmid, url = text(item.get("PMID")), text(item.get("URL"))
    arxiv = record.arxiv or (normalise_arxiv(url)[0] if "arxiv" in url.lower() else "")
    # CSL uses "article" for independent works: preprints in some files, papers in journals in others.
    own: RecordType = "preprint" if arxiv else ""
    return replace(
        record,
        source=source,
        id=text(item.get("id")) or record.doi,
        url=url,
        type=own if text(item.get("type")) == "article" else record.type,
        arxiv=arxiv,
        pmid=pmid if _DIGITS.fullmatch(pmid) else "",
        agency="",
    )


CSL_ITEMS = CslItems()


_FIELD = lazy_pattern(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_START = lazy_pattern(rb"(?:\A|\n|\xef\xbb\xbf)TY  ?- ")
_MOST_FIELDS = 100_000
_LONGEST_VALUE = 20_000
_ENDLESS = "the reference has no end (ER)"
_TYPES: Mapping[str, RecordType] = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "NEWS": "article", "EJOUR": "article", "ABST": "article",
    "INPR": "article", "CONF": "inproceedings", "CPAPER": "inproceedings", "BOOK": "book", "EBOOK": "book", "CHAP": "chapter",
    "ECHAP": "chapter", "THES": "thesis", "RPRT": "report", "DATA": "dataset", "COMP": "software", "UNPB": "preprint",
}  # fmt: skip
_TITLES = ("TI", "T1", "CT")
_PARTS = frozenset({"chapter", "inproceedings"})
_PMID = lazy_pattern(r"\d{1,8}")


class Ris:
    """Reads RIS (see the module)."""

    name = "ris"
    source = ""
    licence = ""
    starts = ""
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By a line with a type."""
        return _START.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a reference. Text in a line without a tag continues the field before it."""
        fields: list[tuple[str, str]] = []
        begun = 0, 0
        inside = given_up = False
        for number, offset, data in lines(chunks, context):
            try:
                line = data.decode("utf-8-sig").rstrip("\r")
            except UnicodeDecodeError as error:
                reason = f"byte 0x{data[error.start]:02X} is not UTF-8"
                yield context.problem(offset, reason, line=number, record=_id(fields))
                fields, inside, given_up = [], False, True
                continue
            match = _FIELD.fullmatch(line)
            tag, value = (match[1], (match[2] or "").strip()) if match else ("", line.strip())
            if tag == "TY":
                if inside:
                    yield context.problem(begun[0], _ENDLESS, line=begun[1], record=_id(fields))
                fields, inside, given_up, begun = [("TY", value)], True, False, (offset, number)
            elif not inside:
                # The rest of a reference that was given up was reported with it.
                if not given_up and not _is_remark(line):
                    yield context.problem(offset, "the line belongs to no reference", line=number)
                    given_up = True
                given_up = given_up and tag != "ER"
            elif tag == "ER":
                yield _ris_record(fields, context.source)
                fields, inside = [], False
            elif tag and len(fields) < _MOST_FIELDS:
                fields.append((tag, value))
            elif not tag:
                fields[-1] = (fields[-1][0], f"{fields[-1][1]} {value}"[:_LONGEST_VALUE])
        if inside:
            yield context.problem(begun[0], _ENDLESS, line=begun[1], record=_id(fields))


def _is_remark(line: str) -> bool:
    """Return True if a line outside references is one of the usual remarks of exporting programs."""
    return line.startswith(("%", "#", "Provider:", "Content:", "Database:"))


def _id(fields: list[tuple[str, str]]) -> str:
    return next((value for wanted in ("ID", "DO", "TI", "T1") for tag, value in fields if tag == wanted), "")


def _ris_record(fields: list[tuple[str, str]], source: str) -> Record:
    stated: dict[str, list[str]] = {}
    for tag, value in fields:
        if value := without_markup(value):
            stated.setdefault(tag, []).append(value)

    def first(*tags: str) -> str:
        return next((value for tag in tags for value in stated.get(tag, ())), "")

    kind = _TYPES.get(first("TY"), "other")
    title = first(*_TITLES) or (first("BT") if kind == "book" else "")
    containers = (
        ("T2", "BT", "JO", "JF", "JA", "J2", "T3") if kind in _PARTS else ("JO", "JF", "T2", "JA", "J2", "BT", "T3")
    )
    doi = doi_name(first("DO"))
    url = first("UR", "L2", "LK")
    year = year_of(first("PY", "Y1", "DA"))
    pmid = first("AN") if "pubmed" in f"{first('DB')} {first('DP')}".lower() else ""
    return Record(
        source=source,
        id=first("ID") or doi or first("AN"),
        url=url,
        title=title,
        authors=_ris_people([name for tag in ("AU", "A1") for name in stated.get(tag, ())]),
        editors=_ris_people(stated.get("ED", ())),
        years=(year,) if year else (),
        venues=tuple(dict.fromkeys(name for tag in containers for name in stated.get(tag, ()) if name != title)),
        type=kind,
        publisher=first("PB"),
        doi=doi,
        arxiv=normalise_arxiv(url)[0] if "arxiv" in url.lower() else "",
        pmid=pmid if _PMID.fullmatch(pmid) else "",
        volume=first("VL"),
        number=first("IS"),
        pages="-".join(dict.fromkeys(filter(None, (first("SP"), first("EP"))))),
        isbn=isbn_numbers(stated.get("SN", ())),  # contains an ISSN or an ISBN
    )


def _ris_people(names: Iterable[str]) -> tuple[Person, ...]:
    """The people of names as RIS has them: "Family, Given, Suffix", or in one piece."""
    people = []
    for name in filter(None, map(stated_name, names)):
        family, given, suffix = (part.strip() for part in (*name.split(",", 2), "", "")[:3])
        people.append(Person(family=family, given=given, suffix=suffix) if family and given else undivided(family))
    return tuple(people)


RIS = Ris()
