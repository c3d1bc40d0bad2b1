"""What entries of a bibliography say against each other: one work under two keys, one key for two works.

Two entries cite one work if they state the same identifier and their titles do not differ, or the same title and first author
and nothing that distinguishes them. A workshop paper and its conference version, two tracks, a report or an abstract and the
paper, and a volume and its parts are separate publications. A preprint and its publication may both be meant: that is left open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.checks.base import finding
from pytest_citecheck.model import CitedMetadata, Finding, Outcome, Reference
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles, title_key
from pytest_citecheck.venues.comparison import compare_venues, share_topic
from pytest_citecheck.venues.parsing import parse_venue

__all__ = ["DUPLICATES", "Conflict", "conflicts", "duplicates_finding"]

DUPLICATES = "duplicates"
"""The name of the check, and of its item."""

_FEWEST_LETTERS = 12
"""Of a title that may stand for its work: "Introduction" and "Editorial" head many."""
_PARENTS = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection", "xdata", "set"})
_IDENTIFYING = ("doi", "eprint", "arxivid", "url", "journal", "note", "volume", "howpublished")
_ARXIV = lazy_pattern(r"(?<!\d)\d{4}\.\d{4,5}(?!\d)")
_BOOKS = frozenset({"book", "mvbook"})
_PARTS = frozenset({"inbook", "incollection", "inproceedings", "conference", "inreference", "suppbook"})
_CONTAINERS = frozenset({"journal", "journaltitle", "shortjournal", "booktitle", "maintitle", "eventtitle"})
_DESCRIBING = (
    "note",
    "booktitle",
    "journal",
    "journaltitle",
    "howpublished",
    "type",
    "series",
    "addendum",
    "titleaddon",
)
_VERSION = lazy_pattern(
    r"\b(abstract|poster|tutorial|keynote|panel|erratum|corrigendum|slides|technical report|tech\. rep)", re.IGNORECASE
)
_DIGITS = lazy_pattern(r"\d+")
_COMPARED = ("author", "title", "year", "date", "journal", "journaltitle", "booktitle", "doi", "volume", "pages")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two entries that do not go together. code: what is wrong; open: both may be meant. second: where it is told."""

    code: str
    message: str
    first: Reference
    second: Reference
    open: bool = False


def conflicts(references: Sequence[Reference]) -> list[Conflict]:
    """All pairs that do not go together, each told at its second entry, in the order of those."""
    readable = _suspects([one for one in references if one.readable and one.type not in _PARENTS and one.fields])
    cited = [cited_metadata(one) for one in readable]
    found = {id(one.second): one for one in _keys(cited)}
    by_mark: dict[tuple[str, str], list[CitedMetadata]] = {}
    for one in cited:
        for mark in _marks(one):
            earlier = by_mark.setdefault(mark, [])
            for other in earlier:
                if id(one.reference) in found:
                    break
                if one.reference.key != other.reference.key and (told := _same_work(other, one, mark)) is not None:
                    found[id(one.reference)] = told
            if len(earlier) < 8:  # of a title that many entries share
                earlier.append(one)
    return [found[id(one)] for one in readable if id(one) in found]


def duplicates_finding(problems: Iterable[Conflict]) -> Finding:
    """What a set of entries is told: failed with all messages; unverifiable if both of each pair may be meant."""
    told = sorted(problems, key=lambda one: one.open)
    if not told:
        return finding(DUPLICATES, "passed", "duplicates-none", "no two entries contradict each other")
    outcome: Outcome = "unverifiable" if all(one.open for one in told) else "failed"
    found = finding(DUPLICATES, outcome, told[0].code, "\n  ".join(one.message for one in told))
    return replace(found, also=tuple(dict.fromkeys(one.code for one in told if one.code != told[0].code)))


def _suspects(references: Sequence[Reference]) -> list[Reference]:
    """Those that share a key, a title or an identifier with another, at a glance: cited metadata takes a millisecond each."""
    marks = [[*_glances(one)] for one in references]
    counts = Counter(mark for own in marks for mark in own)
    return [one for one, own in zip(references, marks, strict=True) if any(counts[mark] > 1 for mark in own)]


def _glances(one: Reference) -> Iterator[str]:
    if one.key.strip():
        yield f"key {one.key}"
    title = "".join(filter(str.isalnum, one.fields.get("title", ""))).lower()
    if title:
        yield title
    for name in _IDENTIFYING:
        value = one.fields.get(name, "")
        if "10." in value:
            yield value[value.index("10.") :].lower()
        if (arxiv := _ARXIV.search(value)) is not None:
            yield arxiv[0]


def _keys(cited: Iterable[CitedMetadata]) -> Iterator[Conflict]:
    """One key for two works, or with two descriptions in two files."""
    first: dict[str, CitedMetadata] = {}
    for one in cited:
        key = one.reference.key
        if not key.strip():
            continue
        other = first.setdefault(key, one)
        if other is one:
            continue
        titles = compare_titles(one.title, other.title) if one.title and other.title else None
        where = f"`{key}` ({_place(other.reference)}, {_place(one.reference)})"
        if titles is not None and titles.relation == "different":
            message = f"{where} names two works: “{_short(other.title)}” and “{_short(one.title)}”"
            yield Conflict("key-of-two-works", message, other.reference, one.reference)
        elif other.reference.location.path != one.reference.location.path and (names := _differing(other, one)):
            message = f"{where} has two descriptions of one work, which differ in {', '.join(names)}"
            yield Conflict("conflicting-entries", message, other.reference, one.reference)


def _differing(one: CitedMetadata, other: CitedMetadata) -> list[str]:
    def said(fields: Mapping[str, str], name: str) -> str:
        return "".join(filter(str.isalnum, fold(fields.get(name, ""))))

    mine, theirs = one.reference.fields, other.reference.fields
    return [
        name for name in _COMPARED if mine.get(name) and theirs.get(name) and said(mine, name) != said(theirs, name)
    ]


def _marks(one: CitedMetadata) -> Iterator[tuple[str, str]]:
    if one.identifiers.doi:
        yield "DOI", one.identifiers.doi
    if one.identifiers.arxiv:
        yield "arXiv id", one.identifiers.arxiv
    key = title_key(one.title)
    if len(key) >= _FEWEST_LETTERS and one.people.names:
        yield "title and first author", f"{key} {fold(one.people.names[0].family or str(one.people.names[0]))}"


def _same_work(one: CitedMetadata, other: CitedMetadata, mark: tuple[str, str]) -> Conflict | None:
    kind, value = mark
    places = f"`{one.reference.key}` ({_place(one.reference)}) and `{other.reference.key}` ({_place(other.reference)})"
    if kind == "title and first author":
        if _told_apart(one, other):
            return None
        if one.preprint != other.preprint:
            message = f"{places} cite a preprint and its publication: “{_short(other.title)}”"
            return Conflict("duplicate-version", message, one.reference, other.reference, open=True)
        message = f"{places} cite one work: “{_short(other.title)}”"
        return Conflict("duplicate-work", message, one.reference, other.reference)
    if one.title and other.title and compare_titles(one.title, other.title).relation in ("near", "different"):
        return None  # one of them has the identifier of the other: the check of identifiers says which
    if one.preprint != other.preprint:
        message = f"{places} cite a preprint and its publication, with one {kind} ({value})"
        return Conflict("duplicate-version", message, one.reference, other.reference, open=True)
    if _chapters(one, other) or (kind != "DOI" and _in_other_venue(one, other)):
        return None
    message = f"{places} cite one work: both have the {kind} {value}"
    return Conflict("duplicate-work", message, one.reference, other.reference)


def _chapters(one: CitedMetadata, other: CitedMetadata) -> bool:
    """True for parts of one book, whose DOI both state, and for a book and a part of it."""
    if bool(one.title and other.title) and title_key(one.title) != title_key(other.title):
        return True
    types = (one.reference.type, other.reference.type)
    return any(first in _BOOKS and second in _PARTS for first, second in (types, types[::-1]))


def _in_other_venue(one: CitedMetadata, other: CitedMetadata) -> bool:
    """True if one venue is certainly not the other, or is a workshop, a track or an abstract beside it.

    Names that are not in the table differ if they share no word of their topic and the pages are not the same.
    """
    if _kinds_of_version(one) != _kinds_of_version(other):
        return True
    if not (one.venue_field in _CONTAINERS and other.venue_field in _CONTAINERS) or one.preprint or other.preprint:
        return False
    relation = compare_venues(one.venue, other.venue)
    if relation != "unknown":
        return relation == "different"
    parts = (parse_venue(one.venue), parse_venue(other.venue))
    if all(part.venues for part in parts):
        return parts[0].part != parts[1].part
    pages = [_DIGITS.findall(entry.reference.fields.get("pages", "")) for entry in (one, other)]
    return not (pages[0] == pages[1] != []) and not share_topic(one.venue, other.venue)


def _kinds_of_version(one: CitedMetadata) -> set[str]:
    """Words in which an entry calls itself something other than the paper: an abstract, a poster, a report."""
    text = " ".join(one.reference.fields.get(name, "") for name in _DESCRIBING)
    return {match.lower() for match in _VERSION.findall(text)}


def _told_apart(one: CitedMetadata, other: CitedMetadata) -> bool:
    """Whether something says that two works have this title."""
    dois = {one.identifiers.doi, other.identifiers.doi} - {""}
    if len(dois) == 2 and not any(doi.startswith("10.48550/") for doi in dois):
        return True
    mine, theirs = one.reference.fields, other.reference.fields
    for name in ("volume", "pages", "edition", "version", "isbn", "number", "issue", "part", "chapter"):
        if mine.get(name) and theirs.get(name) and _number(name, mine[name]) != _number(name, theirs[name]):
            return True
    if one.preprint != other.preprint:
        return False
    if _in_other_venue(one, other):
        return True
    if one.reference.type != other.reference.type:
        return True  # a data set or a program and the paper about it
    return one.year != other.year


def _number(name: str, value: str) -> str:
    """A number as it compares: without dashes and leading zeros; of pages the first, as people abbreviate the last."""
    digits = _DIGITS.findall(value)
    if name == "pages" and digits:
        return str(digits[0]).lstrip("0")
    return "".join(filter(str.isalnum, fold(value))).lstrip("0")


def _place(reference: Reference) -> str:
    return str(reference.location)


def _short(title: str) -> str:
    return title if len(title) <= 60 else f"{title[:59].rstrip()}…"
