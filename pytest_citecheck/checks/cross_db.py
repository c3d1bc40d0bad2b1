"""cross_db: independent sources agree on title, authors and year; those that disagree are shown; one record never fails it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pytest_citecheck.checks.base import LABELS, ReferenceCase, Shown, accusation, finding, undecided
from pytest_citecheck.checks.completeness import evidence_on_a_volume, neighbouring_year
from pytest_citecheck.checks.corrections import of_other_year
from pytest_citecheck.checks.identifier_patterns import year_against_identifier
from pytest_citecheck.evidence import Candidate, independent_compilers, is_project, same_venue, source_name
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import (
    compare_titles,
    compare_venues,
    fold,
    lazy_pattern,
    match_arxiv_id,
    parse_venue,
    share_topic,
    title_key,
    venue_kind,
    words,
)
from pytest_citecheck.model import CitedMetadata, Finding, Outcome, Reference
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import SEVERAL_SOURCES, TELLING_PART, YEARS_APART, YEARS_ASIDE, YEARS_IN_PRESS

# Types of entries that appear again in other years: editions, printings, versions.
_IN_EDITIONS = frozenset({
    "book", "mvbook", "inbook", "incollection", "booklet", "collection", "manual", "thesis", "phdthesis", "mastersthesis",
    "techreport", "report", "dataset", "software", "misc", "online", "electronic", "standard", "reference",
})  # fmt: skip
_IN_VOLUMES = ("inproceedings", "proceedings")
_BY_VOLUME = frozenset({"dblp", "mlanthology"})
"""Sources that list journals volume by volume: no other collection dates any of 120 articles later
(`benchmarks/one_record.py`)."""


def check_cross_db(case: ReferenceCase) -> Finding:
    """Pass if all records of the work agree with the citation: two independent records, or the record of the cited DOI's
    agency."""
    if against := year_against_identifier(case):
        return against
    if not case.works:
        if case.near_matches:
            record = case.near_matches[0].record
            message = f"{source_name(record.source)} has this work under a different title"
            return finding("cross_db", "unverifiable", "other-title", message, found=record.title, record=record)
        return undecided(case, "cross_db", "the agreement of databases")
    year = _year(case)
    if year is not None:
        return year
    opinions = _opinions(case)
    if not opinions:
        record = case.works[0].record
        message = f"{source_name(record.source)} has the work, but no source has its authors"
        return finding("cross_db", "unverifiable", "single-source", message, record=record)
    agreeing = [origin for origin, candidate in opinions.items() if _agrees(candidate)]
    dissenting = [origin for origin in opinions if origin not in agreeing]
    record = opinions[agreeing[0]].record if agreeing else case.works[0].record
    if len(agreeing) > 1:
        but = f"; {_named(dissenting)} with other authors" if dissenting else ""
        message = f"{_named(agreeing)} agree on {_what_agrees(case, [opinions[origin] for origin in agreeing])}{but}"
        return finding("cross_db", "passed", "agree", message, record=record)
    if dissenting and agreeing:
        message = f"{_named(agreeing)} agrees with the citation; other authors in {_named(dissenting)}"
        return finding("cross_db", "unverifiable", "sources-disagree", message, record=record)
    if dissenting:
        message = f"other authors in {_named(dissenting)}"
        return finding("cross_db", "unverifiable", "other-authors", message, record=record)
    only = opinions[agreeing[0]]
    if only.matched_identifier:
        cited = LABELS[only.matched_identifier]
        message = f"the record of the cited {cited} in {_named(agreeing)} agrees on {_what_agrees(case, [only])}"
        return finding("cross_db", "passed", "agree-registry", message, record=record)
    if case.unavailable:
        return undecided(case, "cross_db", f"{_named(agreeing)} agrees; a second opinion")
    message = f"no second independent source has this work; {_named(agreeing)} agrees on {_what_agrees(case, [only])}"
    return finding("cross_db", "unverifiable", "single-source", message, record=record)


def _named(sources: Iterable[str]) -> str:
    return ", ".join(map(source_name, sources))


def _what_agrees(case: ReferenceCase, agreeing: Sequence[Candidate]) -> str:
    known = _years(agreeing)
    if case.cited.year is None or not known or case.cited.year in known:
        return "title, authors and year"
    if all(is_project(candidate.record) for candidate in agreeing):
        return "title and authors"
    return (
        f"title and authors, and date it {', '.join(map(str, sorted(known)))}, which is accepted for {case.cited.year}"
    )


def _opinions(case: ReferenceCase) -> dict[str, Candidate]:
    """Return one record per origin, the one closest to the citation.

    A compiled source may agree. If others have the work, its disagreement counts as its own error.
    """
    opinions: dict[str, Candidate] = {}
    known_first_hand = any(not candidate.record.compiled for candidate in case.works)
    for candidate in case.works:
        if candidate.record.compiled and known_first_hand and not _agrees(candidate):
            continue
        if is_project(candidate.record) and candidate.authors.abstain:
            continue  # a project without any of the cited people
        held = opinions.setdefault(candidate.upstream, candidate)
        if (_agrees(candidate), bool(candidate.matched_identifier)) > (_agrees(held), bool(held.matched_identifier)):
            opinions[candidate.upstream] = candidate
    return opinions


def _agrees(candidate: Candidate) -> bool:
    return candidate.authors.abstain or not candidate.authors.code


def _year(case: ReferenceCase) -> Finding | None:
    """The finding about a year that no record of the work has, or None if the year fits or cannot be compared."""
    cited = case.cited.year
    dated = [candidate for candidate in case.works if candidate.record.years and not is_project(candidate.record)]
    if cited is None or not dated:
        return None
    if neighbouring := neighbouring_year(case, dated):
        return neighbouring
    # A version in the cited venue is the cited one; otherwise any version may be.
    meant = [candidate for candidate in dated if same_venue(case.cited.venue, candidate.record) == "same"] or dated
    known = _years(dated) | _years_of_the_id(case)
    if min(known) <= cited <= max(known):
        return _mixed(case, meant, cited)  # else the year of another version: that does no harm to finding the work
    gap = min(abs(cited - year) for year in _years(meant))
    if gap <= YEARS_ASIDE:
        # Printed in the year after online publication; nothing is published online in the year after its e-print.
        return _before_its_preprint(dated, cited) if cited < min(known) else None
    best = min(
        meant,
        key=lambda one: (one.preprint != case.cited.preprint, min(abs(cited - year) for year in one.record.years)),
    )
    record = best.record
    found = ", ".join(str(year) for year in sorted(_years(meant)))
    facts = _OtherYear(case, meant, cited, gap)
    doubt = "" if cited > case.today.year else _YEAR_DOUBTS.deciding(facts).said(facts)
    if doubt and _posted_long_after(case, dated, cited):
        first = min(_years(dated))
        return accusation(
            case,
            "cross_db",
            "year-other",
            f"only a preprint of {first} is known ({source_name(record.source)}), {first - cited} years after the cited {cited}",
            dated,
            "single record",
            cited=str(cited),
            found=str(first),
            record=record,
            rule=f"conference papers are almost never posted on arXiv {YEARS_IN_PRESS} years or more after the conference",
            fixes=of_other_year(case, record),
        )
    if doubt:
        message = f"{source_name(record.source)} dates this work {found}, not {cited}; {doubt}"
        return finding(
            "cross_db", "unverifiable", "year-unclear", message, cited=str(cited), found=found, record=record
        )
    message = f"this work is dated {found}, not {cited}, by {_named(sorted({item.record.source for item in meant}))}"
    rule = f"no record of this work has the cited year; journals and volumes may differ by {YEARS_ASIDE} year"
    shown: Shown = {
        "cited": str(cited),
        "found": found,
        "record": record,
        "rule": rule,
        "fixes": of_other_year(case, record),
    }
    return accusation(case, "cross_db", "year-other", message, meant, evidence_on_a_volume(case, meant), **shown)


def _before_its_preprint(dated: Sequence[Candidate], cited: int) -> Finding | None:
    """Return the finding for a year before the earliest preprint if only preprints are known; None otherwise."""
    if not all(candidate.preprint for candidate in dated):
        return None
    first = min(dated, key=lambda candidate: min(candidate.record.years))
    found = str(min(first.record.years))
    message = (
        f"the earliest version seen is the preprint of {found} ({source_name(first.record.source)}); none is of {cited}"
    )
    return finding(
        "cross_db", "unverifiable", "year-preprint", message, cited=str(cited), found=found, record=first.record
    )


def _years_of_the_id(case: ReferenceCase) -> set[int]:
    """Return the year in which the cited arXiv id was assigned; records of later versions may have a later year."""
    found = match_arxiv_id(case.cited.identifiers.arxiv) if case.cited.identifiers.arxiv else None
    return {found.year} if found is not None and found.year else set()


def _mixed(case: ReferenceCase, meant: Sequence[Candidate], cited: int) -> Finding | None:
    """The finding about the proceedings of one year and the year of another version, such as a preprint.

    A year between the two is a habit; where there are more, another volume of the conference is named than the one that has it.
    """
    at_venue = [candidate for candidate in meant if same_venue(case.cited.venue, candidate.record) == "same"]
    if venue_kind(case.cited.venue, case.cited.venue_field) != "conference" or case.unseen_doi:
        return None
    origins = {candidate.upstream for candidate in at_venue if not candidate.record.compiled}
    if (
        independent_compilers(origins) < SEVERAL_SOURCES
        or min(abs(cited - year) for year in _years(at_venue)) < YEARS_APART
    ):
        return None
    record = at_venue[0].record
    other = next((work.record for work in case.works if cited in work.record.years), None)
    version = (
        f", as {source_name(other.source)} dates {other.venues[0] if other.venues else 'another version'}"
        if other
        else ""
    )
    held = ", ".join(str(year) for year in sorted(_years(at_venue)))
    return accusation(
        case,
        "cross_db",
        "year-mixed",
        f"this work is in the proceedings of {held}; the cited year is {cited}{version}",
        at_venue,
        evidence_on_a_volume(case, at_venue),
        cited=str(cited),
        found=held,
        record=record,
        rule=f"at least {SEVERAL_SOURCES} sources list it at the cited conference, at least {YEARS_APART} years from "
        "the cited year",
        fixes=of_other_year(case, record),
    )


@dataclass(frozen=True)
class _OtherYear:
    """The records that date the cited work, none of them in the cited year; gap: years to the nearest."""

    case: ReferenceCase
    meant: Sequence[Candidate]
    cited: int
    gap: int

    @cached_property
    def years(self) -> set[int]:
        return _years(self.meant)

    @cached_property
    def places(self) -> set[str]:
        """How the venues of the records compare with the cited one."""
        return {same_venue(self.case.cited.venue, candidate.record) for candidate in self.meant}

    @property
    def behind_doi(self) -> bool:
        return any(candidate.matched_identifier == "doi" for candidate in self.meant)

    @property
    def after(self) -> int:
        """Years from the last record to the cited year."""
        return self.cited - max(self.years)

    @cached_property
    def article(self) -> bool:
        """True if an article is cited; compilers call all papers articles."""
        at_conference = venue_kind(self.case.cited.venue, self.case.reference.type) == "conference"
        return any(item.record.type == "article" for item in self.meant) and not at_conference

    @property
    def volumes(self) -> bool:
        return all(item.record.type in _IN_VOLUMES for item in self.meant)

    @property
    def has_editions(self) -> bool:
        cited = self.case.reference.type in _IN_EDITIONS and not self.case.cited.preprint
        return cited or all(candidate.record.type == "book" for candidate in self.meant)

    @property
    def other_form(self) -> bool:
        """True if a publication is cited and only preprints are known, or the other way round."""
        cited = self.case.cited
        return bool(cited.venue) and not any(candidate.preprint == cited.preprint for candidate in self.meant)


_YEAR_DOUBTS: Table[_OtherYear] = Table(
    "cross_db: doubts about the year",
    "checks/cross_db",
    Rule("unseen DOI", lambda f: f.case.unseen_doi, "the record of its DOI is not available"),
    Rule("editions", lambda f: f.has_editions, "there may be another edition"),
    Rule("other form", lambda f: f.other_form, "the cited version may be from a different year"),
    Rule("reprinted in the venue", lambda f: f.after > 0 and f.case.cited.venue and "same" not in f.places,
         "it may have been reprinted there"),
    Rule("other venue", lambda f: f.places == {"different"} and not f.behind_doi,
         "the cited version may be from a different year"),
    Rule("record is a reprint",
         lambda f: f.cited < min(f.years) - YEARS_IN_PRESS and "same" not in f.places and not f.behind_doi,
         "the records may describe a reprint"),
    Rule("online before print",
         lambda f: f.after > 0 and f.gap < YEARS_IN_PRESS and f.article and not _dated_by_volume(f.case, f.meant),
         "it may have been online years before it was printed"),
    Rule("two sources", lambda f: independent_compilers({candidate.upstream for candidate in f.meant}) > 1),
    Rule("other volume", lambda f: f.article and _of_another_volume(f.case, f.meant),
         "the cited volume and number may belong to that year"),
    Rule("no identifier or venue",
         lambda f: not any(candidate.matched_identifier for candidate in f.meant) and "same" not in f.places,
         "there may be another version"),
    Rule(
        "online date",  # proceedings are so decades later only
        lambda f: (
            f.cited < min(f.years)
            and not f.case.cited.preprint
            and not (f.volumes and f.places == {"same"} and f.gap <= YEARS_IN_PRESS)
        ),
        "its date may be the online publication date",
    ),
    Rule("no doubt", always),
)  # fmt: skip


def _posted_long_after(case: ReferenceCase, dated: Sequence[Candidate], cited: int) -> bool:
    """True if all known records are preprints posted years after the cited conference."""
    return (
        all(candidate.preprint for candidate in dated)
        and not case.cited.preprint
        and min(_years(dated)) - cited >= YEARS_IN_PRESS
        and venue_kind(case.cited.venue, case.cited.venue_field) == "conference"
    )


def _of_another_volume(case: ReferenceCase, meant: Sequence[Candidate]) -> bool:
    """Return True if the citation names a volume or number of the journal that no record has: it was not copied with the year."""
    fields = case.reference.fields
    cited = {name: fields[name] for name in ("volume", "number") if fields.get(name)}
    return bool(cited) and not any(
        getattr(item.record, name) == value for item in meant for name, value in cited.items()
    )


def _dated_by_volume(case: ReferenceCase, meant: Sequence[Candidate]) -> bool:
    """Return True if the year is the year of the printed volume of the cited journal, however early the article was
    online."""
    return any(candidate.upstream in _BY_VOLUME and _in_cited_venue(case, candidate) for candidate in meant)


def _in_cited_venue(case: ReferenceCase, candidate: Candidate) -> bool:
    return same_venue(case.cited.venue, candidate.record) == "same"


def _years(candidates: Sequence[Candidate]) -> set[int]:
    return {year for candidate in candidates for year in candidate.record.years}


DUPLICATES = "duplicates"
"""The name of the check, and of its item."""

_FEWEST_LETTERS = 12
"""Minimum for a title that identifies a work: "Introduction" and "Editorial" are titles of many."""
_PARENTS = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection", "xdata", "set"})
_IDENTIFYING = ("doi", "eprint", "arxivid", "url", "journal", "note", "volume", "howpublished")
_ARXIV = lazy_pattern(r"(?<!\d)\d{4}\.\d{4,5}(?!\d)")
_BOOKS = frozenset({"book", "mvbook"})
_CHAPTERS = frozenset({"inbook", "incollection", "inreference", "suppbook"})
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
    """Two inconsistent entries. code: the problem; open: both may be intended. second: place of the report."""

    code: str
    message: str
    first: Reference
    second: Reference
    open: bool = False


def conflicts(references: Sequence[Reference]) -> list[Conflict]:
    """All inconsistent pairs, each reported at its second entry, in the order of second entries."""
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
    """Return the finding for a set of entries: failed with all messages; unverifiable if both entries of each pair may be
    intended."""
    told = sorted(problems, key=lambda one: one.open)
    if not told:
        return finding(DUPLICATES, "passed", "duplicates-none", "no entries contradict each other")
    outcome: Outcome = "unverifiable" if all(one.open for one in told) else "failed"
    found = finding(DUPLICATES, outcome, told[0].code, "\n  ".join(one.message for one in told))
    return replace(found, also=tuple(dict.fromkeys(one.code for one in told if one.code != told[0].code)))


def _suspects(references: Sequence[Reference]) -> list[Reference]:
    """Those that share a key, a title or an identifier with another, at a glance: cited metadata takes a millisecond each."""
    marks = [
        _glances(one.key, one.fields.get("title", ""), *(one.fields.get(name, "") for name in _IDENTIFYING))
        for one in references
    ]
    counts = Counter(mark for own in marks for mark in own)
    return [one for one, own in zip(references, marks, strict=True) if any(counts[mark] > 1 for mark in own)]


@lru_cache(maxsize=8192)  # an editor asks again after every change
def _glances(key: str, title: str, *identifying: str) -> tuple[str, ...]:
    marks = [f"key {key}"] if key.strip() else []
    if letters := "".join(filter(str.isalnum, title)).lower():
        marks.append(letters)
    for value in identifying:
        if "10." in value:
            marks.append(value[value.index("10.") :].lower())
        if (arxiv := _ARXIV.search(value)) is not None:
            marks.append(arxiv[0])
    return tuple(marks)


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
            message = f"{where} is used for two works: “{_short(other.title)}” and “{_short(one.title)}”"
            yield Conflict("key-of-two-works", message, other.reference, one.reference)
        elif other.reference.location.path != one.reference.location.path and (names := _differing(other, one)):
            message = f"{where} describes one work twice, with differences in {', '.join(names)}"
            yield Conflict("conflicting-entries", message, other.reference, one.reference)


def _differing(one: CitedMetadata, other: CitedMetadata) -> list[str]:
    def said(fields: Mapping[str, str], name: str) -> str:
        return "".join(filter(str.isalnum, fold(fields.get(name, ""))))

    fields, others = one.reference.fields, other.reference.fields
    return [
        name for name in _COMPARED if fields.get(name) and others.get(name) and said(fields, name) != said(others, name)
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
        return None  # one of them has the identifier of the other: the check of identifiers decides
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
    """True if the venues are certainly different, or one is a workshop, a track or an abstract of the other.

    Unknown names differ if their topics share no word and the pages differ.
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
    """Return True if a record attests two works with this title."""
    dois = {one.identifiers.doi, other.identifiers.doi} - {""}
    if len(dois) == 2 and not any(doi.startswith("10.48550/") for doi in dois):
        return True
    fields, others = one.reference.fields, other.reference.fields
    for name in ("volume", "pages", "edition", "version", "isbn", "number", "issue", "part", "chapter"):
        if fields.get(name) and others.get(name) and _number(name, fields[name]) != _number(name, others[name]):
            return True
    if one.preprint != other.preprint:
        return False
    if _in_other_venue(one, other) or _is_generic(one, other):
        return True
    if one.reference.type != other.reference.type:
        return True  # a data set or a program and the paper about it
    return one.year != other.year


def _is_generic(one: CitedMetadata, other: CitedMetadata) -> bool:
    """Return True for titles such as "Introduction" in containers of different names."""
    if one.preprint or not (one.venue and other.venue):
        return False
    if _told_by_book(one, other):
        return True
    if len(words(one.title)) >= TELLING_PART:
        return False
    return fold(one.venue) != fold(other.venue) and compare_venues(one.venue, other.venue) != "same"


def _told_by_book(one: CitedMetadata, other: CitedMetadata) -> bool:
    """Return True for chapters of two books, unless their pages are the same: then one of the books is wrong."""
    pages = {entry.reference.fields.get("pages", "") for entry in (one, other)}
    if not {one.reference.type, other.reference.type} <= _CHAPTERS or (len(pages) == 1 and pages != {""}):
        return False
    return compare_titles(one.venue, other.venue).relation == "different"


def _number(name: str, value: str) -> str:
    """A number, normalised for comparison: without dashes and leading zeros; only the first page, as the last is often
    abbreviated."""
    digits = _DIGITS.findall(value)
    if name == "pages" and digits:
        return str(digits[0]).lstrip("0")
    return "".join(filter(str.isalnum, fold(value))).lstrip("0")


def _place(reference: Reference) -> str:
    return str(reference.location)


def _short(title: str) -> str:
    return title if len(title) <= 60 else f"{title[:59].rstrip()}…"
