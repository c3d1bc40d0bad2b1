"""Candidates: comparison of every record found with the cited metadata.

A similarity of titles only proposes a candidate. The relation of a record to the reference follows from title, authors,
year and venue together, and from cited identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import Literal

from pytest_citecheck.evidence.places import is_at_place
from pytest_citecheck.evidence.provenance import is_own_library, same_venue, upstream
from pytest_citecheck.evidence.record_faults import Seen, fault, trusted
from pytest_citecheck.matching import (
    FUNCTION_WORDS,
    AuthorComparison,
    TitleComparison,
    compare_authors,
    compare_titles,
    compare_venues,
    is_preprint_venue,
    is_review_of,
    lazy_pattern,
    may_be_translation,
    other_reading,
    parse_venue,
    reviewers,
    undecorated_forms,
    without_affiliations,
    without_latex_and_markup,
    without_rubric,
    words,
)
from pytest_citecheck.model import (
    CitedMetadata,
    Evidence,
    Found,
    Identifiers,
    NameList,
    Person,
    Query,
    Record,
    Unavailable,
)
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import (
    AGREEING,
    DISTINCTIVE,
    NEAR_BY_OTHERS,
    SAME_PEOPLE,
    SUBJECT_STEM,
    TELLING,
    YEARS_ASIDE,
)

_ARXIV = "10.48550/arxiv."
_ACL = ("10.18653/v1/", "10.3115/v1/")
_OWN_KEYS = frozenset({"openreview", "dblp", "pmcid", "hal", "nnt"})


def registered(evidence: Evidence, kind: str, value: str) -> bool:
    """Return True if a source answered that this identifier exists."""
    return any(
        asked.query.kind == kind and asked.query.value == value and isinstance(asked.answer, Found)
        for asked in evidence.asked
    )


def resolved(evidence: Evidence, named: Identifiers) -> str:
    """Return the DOI that a short one stands for, or the cited DOI with its last punctuation, if a record has that DOI."""
    if not (named.short_doi or named.doi_literal):
        return ""
    found = [(asked.query, asked.answer.records) for asked in evidence.asked if isinstance(asked.answer, Found)]
    if any(record.doi == named.doi_literal != "" for _, records in found for record in records):
        return named.doi_literal
    dois = (record.doi for query, records in found if query == Query("doi", named.short_doi) for record in records)
    return next((doi for doi in dois if doi != named.short_doi), "")


def unseen_identifiers(
    metadata: CitedMetadata, evidence: Evidence, records: Iterable[Record]
) -> tuple[tuple[str, str], ...]:
    """Kind (``doi``, ``arxiv``) and value of each cited identifier that no source confirms. records: records of the work."""
    named = (("doi", metadata.identifiers.doi), ("arxiv", metadata.identifiers.arxiv))
    cited = [(kind, value) for kind, value in named if value and not registered(evidence, kind, value)]
    if not cited:
        return ()
    stated = {name for record in records for name in _of_record(record)}
    return tuple((kind, value) for kind, value in cited if value.lower() not in stated)


def _of_record(record: Record) -> Iterator[str]:
    names = [record.doi, record.arxiv]
    for relation, name in record.related:
        if relation == "acl":
            names += (prefix + name for prefix in _ACL)
        elif relation not in _OWN_KEYS:
            names.append(name)
    for name in (name.lower() for name in names if name):
        yield name
        yield name.removeprefix(_ARXIV) if name.startswith(_ARXIV) else _ARXIV + name


_OTHERS_SAY = "the record of a project names who holds it, not everybody who wrote it"


def is_project(record: Record) -> bool:
    """Return True if a record is of a project."""
    return record.type == "project"


def names_project(title: str, record: Record) -> TitleComparison:
    """Return the relation of a cited title to a project: ``same`` if it is the project's name or description."""
    described = (f"{record.title}: {record.subtitle}", record.subtitle) if record.subtitle else ()
    compared = compare_titles(title, record.title, "", (*record.other_titles, *described))
    if compared.relation in ("same", "short") or not _holds(words(title), _key(record.title)):
        return compared
    return TitleComparison("same", 1.0, (), record.title)


def _holds(cited: Sequence[str], name: str) -> bool:
    """Return True if some words of a title that follow each other are this name, however it is parted."""
    if not name:
        return False
    for first in range(len(cited)):
        run = ""
        for word in cited[first:]:
            run += word
            if run == name:
                return True
            if len(run) >= len(name):
                break
    return False


def _key(name: str) -> str:
    return "".join(words(name))


def of_project(compared: AuthorComparison) -> AuthorComparison:
    """Return the comparison of people for the record of a project, which never contradicts the citation.

    Contributors come and go, so the citation may list any of the people of the record.
    """
    if compared.code == "authors-truncated":
        return AuthorComparison("", "", compared.pairs)
    return AuthorComparison("", "", abstain=True, reason=_OTHERS_SAY) if compared.code else compared


def outranked(cited: CitedMetadata, found: Sequence[Candidate]) -> bool:
    """Return True if other records identify the work, so that the project is only additional.

    Citations of a paper about software often include the address of its repository.
    """
    return any(
        candidate.relation in ("work", "near", "target")
        or (candidate.relation == "similar" and candidate.title.relation == "near" and bool(cited.people.names))
        for candidate in found
        if not is_project(candidate.record)
    )


# Comparison of records of standards with citations by number or short name (RFC 8259, www.w3.org/TR/xml).
STANDARDS = frozenset({"rfc", "w3c"})
"""The kinds of identifiers of standards."""


def number_may_fit(compared: Comparison) -> bool:
    """Return True if a record with the cited number but a different title may be the cited standard."""
    authors = compared.authors
    if not authors.abstain:
        return authors.overlap >= AGREEING
    if may_be_translation(compared.cited.title, compared.title.found):
        return True
    cited, found = _subjects(compared.cited.title), _subjects(compared.title.found)
    in_short = _initials(compared.title.found)
    return not cited.isdisjoint(found) or any(len(word) > 1 and word in in_short for word in cited)


def _subjects(title: str) -> set[str]:
    """Stems of the topical words of a title."""
    return {word[:SUBJECT_STEM] for word in words(without_latex_and_markup(title)) if word not in FUNCTION_WORDS}


def _initials(title: str) -> str:
    """Return the initials of all words: ``TCP`` for Transmission Control Protocol."""
    return "".join(word[0] for word in words(without_latex_and_markup(title)))


_PARTS_OF_BOOKS = frozenset({"incollection", "inproceedings", "conference", "inbook", "article", "inreference"})
"""Types of works that are cited with the ISBN of their volume."""
_CATALOGUED = STANDARDS | {"package", "repository"}
"""Kinds of identifiers that are queried as cited, or not at all."""

Relation = Literal["work", "near", "target", "container", "similar", "other"]

_RUBRIC = lazy_pattern(
    r"\b(?:editorials?|editors?|preface|foreword|introduction|introducing|special (?:issue|section|track)|guest|message|"
    r"comments?|commentary|reply|response|rejoinder|discussion|letter|errat\w+|corrigend\w+|correction|retraction|reviews?|"
    r"news|annual|reports?|summary|proceedings|workshops?|conference|symposium|issue|volume|part)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Comparison:
    """A record's title and people compared with the cited ones. The people are compared on first use: for a record
    with another title that is rare.

    named: whether the reference names the record by an identifier. relations: by the kind of the identifier that led
    to the record (`Candidate.matched_identifier`), its relation to the reference, if that has been determined.
    """

    cited: CitedMetadata = field(repr=False, compare=False)
    record: Record
    named: bool
    relations: dict[str, Relation] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def title(self) -> TitleComparison:
        record = self.record
        if self._reviewed:
            return compare_titles(record.title, record.title)
        if is_project(record):
            return names_project(self.cited.title, record)
        titles = (*record.other_titles, *undecorated_forms(record.title, anchored=self.named or self.same_number))
        compared = compare_titles(self.cited.title, record.title, record.subtitle, titles)
        if self.named and compared.relation == "near" and (bare := without_rubric(self.cited.title)):
            undecorated = compare_titles(bare, record.title, record.subtitle)
            return undecorated if undecorated.relation == "same" else compared
        return compared

    @property
    def same_number(self) -> bool:
        """True if the record states an ISBN, HAL id or thesis number that is cited."""
        named = self.cited.identifiers
        keys = {("hal", named.hal), ("nnt", named.nnt)}
        return not set(named.isbn).isdisjoint(self.record.isbn) or not keys.isdisjoint(self.record.related)

    @property
    def _reviewed(self) -> bool:
        """True if a review is cited and the record is that review, under the title of the reviewed work."""
        return self.named and self.record.type == "article" and is_review_of(self.cited.title, self.record.title)

    @cached_property
    def authors(self) -> AuthorComparison:
        metadata, record = self.cited, self.record
        if is_project(record):
            return of_project(_compare_people(metadata.people, record.authors, complete=False))
        own, others = (record.editors, record.authors) if metadata.edited else (record.authors, record.editors)
        if self._reviewed:
            own = reviewers(own, metadata.title) or own
        own, others = without_affiliations(own), without_affiliations(others)
        if self.title.relation == "different" and not self.named:
            # Another work: whether it is by the same people matters, not how a damaged list might be read.
            authors = _compare_lists(metadata.people, own or others, complete=record.authors_complete)
        else:
            authors = _compare_people(metadata.people, own or others, complete=record.authors_complete)
        if not own and authors.code:
            # Editors are cited as authors of a volume, but a chapter's author is not its editor.
            return AuthorComparison("", "", abstain=True, reason="the record names editors where authors are cited")
        return authors


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record compared with the cited metadata.

    anchor: the kind of identifier (``doi``, ``rfc``) by which the reference names this record, or empty.
    relation: ``work`` (the cited work), ``near`` (the cited work, but its title differs in words), ``target`` (the
        cited identifier leads to it, but its title is different), ``container`` (the identifier belongs to the volume),
        ``similar`` (may be meant, may be a namesake: decides nothing), ``other``.
    """

    compared: Comparison
    matched_identifier: str
    relation: Relation

    @property
    def record(self) -> Record:
        return self.compared.record

    @property
    def title(self) -> TitleComparison:
        """The record's title compared with the cited one."""
        return self.compared.title

    @property
    def authors(self) -> AuthorComparison:
        """The record's people compared with the cited ones."""
        return self.compared.authors

    @property
    def people_agree(self) -> bool | None:
        """True if at least half of the cited people are in the record; None if one side names no people."""
        return None if self.authors.abstain else self.authors.overlap >= AGREEING

    @property
    def same_people(self) -> bool:
        """True if practically all cited people are in the record."""
        return not self.authors.abstain and self.authors.overlap >= SAME_PEOPLE

    @property
    def preprint(self) -> bool:
        """True if the record describes a preprint, or a submission, which is no publication either."""
        return self.record.type in ("preprint", "submission") or any(
            is_preprint_venue(venue) for venue in self.record.venues[:1]
        )

    @property
    def upstream(self) -> str:
        """Origin of the record: arXiv's deposits at DataCite and in DBLP's CoRR count as arXiv."""
        record = self.record
        if record.arxiv and self.preprint:
            return "arxiv"
        # The name of a collection starts with its origin: dblp-2024 and dblp-crawl both come from dblp.
        return upstream(record.source) if "-" in record.source else record.source


def candidates(metadata: CitedMetadata, evidence: Evidence, earlier: Iterable[Candidate] = ()) -> tuple[Candidate, ...]:
    """All titled records of the evidence, each once, compared with the claim, in the order in which they were found.

    earlier: candidates for this very claim, whose records are not compared again.
    """
    known = {id(candidate.record): candidate for candidate in earlier}
    found = _versions_together(
        [
            _candidate(metadata, record, matched_identifier, known.get(id(record)))
            for record, matched_identifier in _records(metadata, evidence)
        ]
    )
    if outranked(metadata, found):
        found = [replace(one, relation="other") if is_project(one.record) else one for one in found]
    anchored = [candidate for candidate in found if candidate.matched_identifier and candidate.relation == "work"]
    known_by_name = [_known_by_its_authors(candidate, anchored) for candidate in found]
    if any(candidate.matched_identifier == "doi" and candidate.people_agree for candidate in anchored):
        known_by_name = list(map(_namesake, known_by_name))
    settled = any(candidate.relation in ("work", "near") for candidate in known_by_name)
    if settled or not is_distinctive(metadata.title) or search_failed(evidence):
        return tuple(known_by_name)
    return tuple(map(_under_others_names, known_by_name))


def search_failed(evidence: Evidence) -> bool:
    """Return True if a source failed to answer a search by title, other than by the user's wish to ask none."""
    searches = [asked.answer for asked in evidence.unanswered if asked.query.kind == "title" and not asked.compiled]
    return any(isinstance(answer, Unavailable) and answer.reason != "offline" for answer in searches)


def is_distinctive(title: str, least: int = TELLING) -> bool:
    """Return True if a title is long enough to identify one work and is not a recurring title ("Editorial: ...").

    least: number of words.
    """
    return len(words(title)) >= least and _RUBRIC.search(title) is None


def _namesake(candidate: Candidate) -> Candidate:
    """A record by other people is not the cited work, where the cited DOI leads to the cited title by the cited people."""
    others = not candidate.matched_identifier and candidate.relation == "work" and candidate.people_agree is False
    return replace(candidate, relation="similar") if others else candidate


def _under_others_names(candidate: Candidate) -> Candidate:
    """A record with the cited title but none of the cited people is the cited work, if the title has no namesakes: the
    people are wrong."""
    if candidate.relation != "similar" or candidate.title.relation != "same":
        return candidate
    if fault("work", Seen(candidate.compared.cited, candidate.record, candidate.authors)):
        return candidate
    none_of_them = not candidate.authors.abstain and candidate.authors.overlap == 0
    return replace(candidate, relation="work") if none_of_them else candidate


def _versions_together(found: list[Candidate]) -> list[Candidate]:
    """The candidates, of which all versions of an e-print are the cited work if one of them is: it was retitled in between."""
    versions = {
        (candidate.record.source, candidate.record.id)
        for candidate in found
        if candidate.relation == "work" and candidate.record.version is not None
    }
    if not versions:
        return found
    return [
        replace(candidate, relation="work")
        if candidate.relation in ("near", "target", "similar")
        and (candidate.record.source, candidate.record.id) in versions
        else candidate
        for candidate in found
    ]


def _known_by_its_authors(candidate: Candidate, anchored: list[Candidate]) -> Candidate:
    """Treat a record with the cited title and different authors as the cited work if its authors match the record that
    the reference names by an identifier: then the citation names the wrong people."""
    if candidate.relation == "similar" and candidate.title.relation == "same":
        people = NameList(candidate.record.authors)
        for known in anchored:
            comparison = compare_authors(people, known.record.authors)
            if not comparison.abstain and comparison.overlap >= AGREEING:
                return replace(candidate, relation="work")
    return candidate


def _records(metadata: CitedMetadata, evidence: Evidence) -> Iterator[tuple[Record, str]]:
    seen: dict[tuple[str, str, int | None], int] = {}
    found: list[tuple[Record, str]] = []
    identifiers = metadata.identifiers
    for asked in evidence.asked:
        if not isinstance(asked.answer, Found):
            continue
        for stated in asked.answer.records:
            if not stated.title or is_own_library(stated.source):
                continue
            if asked.query.kind == "volume" and not _may_be_cited(metadata, stated):
                continue
            record = trusted(metadata, stated)
            matched_identifier = ""
            named = record.doi == identifiers.doi or (
                asked.query.kind == "doi" and asked.query.value == identifiers.doi
            )
            if (
                identifiers.doi
                and named
                and "doi" not in identifiers.unprinted
                and not fault("DOI", Seen(metadata, record))
            ):
                matched_identifier = "doi"
            elif identifiers.arxiv and "arxiv" not in identifiers.unprinted and record.arxiv == identifiers.arxiv:
                matched_identifier = "arxiv"
            elif asked.query.kind in _CATALOGUED:
                matched_identifier = asked.query.kind
            name = (record.source, record.id, record.version)
            if name not in seen:
                seen[name] = len(found)
                found.append((record, matched_identifier))
            elif matched_identifier and not found[seen[name]][1]:
                found[seen[name]] = (record, matched_identifier)
    yield from found


def _may_be_cited(metadata: CitedMetadata, record: Record) -> bool:
    """Return True if a work of the cited volume may be the cited one: half of the words of either title, or the page, agree."""
    cited, found = (
        {word for word in words(title) if word not in FUNCTION_WORDS} for title in (metadata.title, record.title)
    )
    return 2 * len(cited & found) >= max(1, min(len(cited), len(found))) or is_at_place(metadata, record)


def _candidate(metadata: CitedMetadata, record: Record, matched_identifier: str, known: Candidate | None) -> Candidate:
    compared = known.compared if known else Comparison(metadata, record, _is_named(metadata, record))
    relation = compared.relations.get(matched_identifier)
    if relation is None:
        facts = _Led(compared, matched_identifier)
        relation = compared.relations[matched_identifier] = _RELATIONS.deciding(facts).gives
    return Candidate(compared, matched_identifier, relation)


def _is_named(metadata: CitedMetadata, record: Record) -> bool:
    named = metadata.identifiers
    return bool((named.doi and record.doi == named.doi) or (named.arxiv and record.arxiv == named.arxiv))


@lru_cache(maxsize=64)
def _compare_lists(cited: NameList, found: tuple[Person, ...], *, complete: bool) -> AuthorComparison:
    """`compare_authors`, once for the several records of one reference that have the same list."""
    return compare_authors(cited, found, complete=complete)


def _compare_people(cited: NameList, found: tuple[Person, ...], *, complete: bool) -> AuthorComparison:
    """The comparison of the lists as written, or of the reading of a damaged list under which they agree."""
    comparison = _compare_lists(cited, found, complete=complete)
    if not comparison.code:
        return comparison
    readings = product(
        filter(None, (cited.names, other_reading(cited.names))), tuple(filter(None, (found, other_reading(found))))
    )
    for names, persons in islice(readings, 1, None):  # the first is the one that has just been compared
        again = compare_authors(replace(cited, names=names), persons, complete=complete)
        if not again.code and not again.abstain:
            return again
    return comparison


@dataclass(frozen=True)
class _Led:
    """A record, and the kind of the cited identifier that led to it (empty without any)."""

    compared: Comparison
    matched: str

    @property
    def cited(self) -> CitedMetadata:
        return self.compared.cited

    @property
    def record(self) -> Record:
        return self.compared.record

    @property
    def type(self) -> str:
        return self.cited.reference.type

    @cached_property
    def untitled(self) -> bool:
        return not words(self.cited.title)

    @property
    def titles(self) -> str:
        return self.compared.title.relation

    @cached_property
    def people_agree(self) -> bool | None:
        return None if self.compared.authors.abstain else self.compared.authors.overlap >= AGREEING

    @cached_property
    def place(self) -> str:
        return same_venue(self.cited.venue, self.record)

    @property
    def then(self) -> bool:
        return self.cited.year in self.record.years

    @cached_property
    def at_place(self) -> bool:
        """True if the record has the cited journal, volume and first page."""
        return is_at_place(self.cited, self.record)

    @property
    def distinctive(self) -> bool:
        return len(words(self.cited.title)) >= DISTINCTIVE

    @property
    def by_them_or_telling(self) -> bool:
        """True if the same title is of the same work because all people, a long title, or venue or year agree."""
        all_of_them = self.compared.authors.overlap >= SAME_PEOPLE
        return all_of_them or self.distinctive or year_fits(self.cited, self.record) or self.place != "different"


_RELATIONS: Table[_Led] = Table(
    "relations of records",
    "evidence",
    Rule("named project", lambda f: is_project(f.record) and f.matched and f.titles in ("same", "short"), gives="work"),
    Rule("project", lambda f: is_project(f.record), gives="other"),
    # Without a title, nothing suggests a different work. The people are known from the record of the identifier.
    Rule("no title, same people", lambda f: f.untitled and f.matched and f.people_agree, gives="work"),
    Rule("no title, identifier", lambda f: f.untitled and f.matched, gives="similar"),
    Rule("no title, same place", lambda f: f.untitled and f.at_place and f.people_agree is not False, gives="work"),
    Rule("no title", lambda f: f.untitled, gives="other"),
    Rule("translated title at the cited place",
         lambda f: (f.titles == "different" and f.at_place and f.people_agree
                    and may_be_translation(f.cited.title, f.compared.title.found)),
         gives="work"),
    Rule("other title by the same people at the cited place",
         lambda f: f.titles == "different" and not f.matched and f.at_place and f.people_agree, gives="similar"),
    Rule("number of another standard",
         lambda f: f.titles == "different" and f.matched in STANDARDS and not number_may_fit(f.compared),
         gives="target"),
    Rule("number of a standard", lambda f: f.titles == "different" and f.matched in STANDARDS, gives="similar"),
    Rule("other title", lambda f: f.titles == "different" and not f.matched, gives="other"),
    Rule("volume", lambda f: f.titles == "different" and _is_container(f.cited, f.record), gives="container"),
    Rule("other title behind the identifier", lambda f: f.titles == "different", gives="target"),
    Rule("faulty record",
         lambda f: not f.matched and fault("work", Seen(f.cited, f.record, f.compared.authors)), gives="similar"),
    Rule("same edition, whatever its authors",
         lambda f: f.titles == "same" and f.compared.same_number and f.type not in _PARTS_OF_BOOKS, gives="work"),
    Rule("same title at the cited place", lambda f: f.titles in ("same", "short") and f.at_place, gives="work"),
    Rule("same title behind the identifier", lambda f: f.titles == "same" and f.matched, gives="work"),
    Rule(
         "same title and people", lambda f: f.titles == "same" and f.people_agree and f.by_them_or_telling, gives="work"),
    # Another work on the subject by some of the same people: a tutorial of the same short title.
    Rule("same short title by some of them", lambda f: f.titles == "same" and f.people_agree, gives="similar"),
    Rule("same long title, people unknown", lambda f: f.titles == "same" and f.people_agree is None and f.distinctive,
         gives="work"),
    Rule("same short title, people unknown", lambda f: f.titles == "same" and f.people_agree is None, gives="similar"),
    # Same title, other people: a namesake, unless the title is distinctive and the place or year is the cited one.
    Rule("same title, venue and year", lambda f: f.titles == "same" and f.place == "same" and f.then, gives="work"),
    Rule("same long title, and venue or year",
         lambda f: f.titles == "same" and f.distinctive and (f.place == "same" or f.then), gives="work"),
    Rule("namesake", lambda f: f.titles == "same", gives="similar"),
    Rule("part of the title behind the identifier", lambda f: f.titles == "short" and f.matched, gives="work"),
    Rule("part of the title, same people",
         lambda f: (f.titles == "short" and f.people_agree
                    and (f.compared.same_number or same_venue_and_year(f.cited, f.record))),
         gives="work"),
    Rule("part of the title", lambda f: f.titles == "short", gives="similar"),
    Rule(
        "proceedings",  # volumes and their parts are titled in many ways, as venues are
        lambda f: f.matched and f.type == "proceedings" and compare_venues(f.cited.title, f.record.title) == "same",
        gives="work",
    ),
    Rule("similar title behind the identifier",
         lambda f: f.matched and (f.people_agree is not False or f.compared.title.similarity >= NEAR_BY_OTHERS),
         gives="near"),
    Rule("similar title by others behind the identifier", lambda f: f.matched, gives="target"),
    Rule("similar title, same people, venue and year",
         lambda f: by_these_people(f.cited, f.compared.authors) and f.then and f.place == "same", gives="near"),
    Rule("similar title", always, gives="similar"),
)  # fmt: skip


def by_these_people(metadata: CitedMetadata, authors: AuthorComparison) -> bool:
    """Return True if practically all cited people are in the record, and all of its people are cited (unless some are left
    out)."""
    if authors.abstain or authors.overlap < SAME_PEOPLE:
        return False
    return metadata.people.others or authors.missing <= (1 - SAME_PEOPLE) * (len(authors.pairs) - authors.added)


def same_venue_and_year(metadata: CitedMetadata, record: Record) -> bool:
    """Return True if a record has the cited venue and year: same authors write several works on one subject."""
    return year_fits(metadata, record) and same_venue(metadata.venue, record) != "different"


def year_fits(metadata: CitedMetadata, record: Record) -> bool:
    """Return True if a record is of the cited year or an adjacent one."""
    return metadata.year is None or any(abs(metadata.year - year) <= YEARS_ASIDE for year in record.years)


def _is_container(metadata: CitedMetadata, record: Record) -> bool:
    volume = metadata.reference.fields.get("booktitle", "") or metadata.reference.fields.get("maintitle", "")
    if not volume or record.type not in ("book", "proceedings", "other", ""):
        return False
    return compare_titles(volume, record.title, record.subtitle).relation in ("same", "short") or (
        compare_venues(volume, record.title) == "same"
    )


def workshop_of_cited(metadata: CitedMetadata, record: Record) -> str:
    """The venue of a record if that is a workshop of the cited conference in the cited year; else empty."""
    cited = parse_venue(metadata.venue)
    hosts = {venue.id for venue in cited.venues}
    if cited.part != "main" or not record.venues or not any(venue.kind == "conference" for venue in cited.venues):
        return ""
    found = parse_venue(record.venues[0])
    at_host = found.part == "workshop" and not hosts.isdisjoint(venue.id for venue in found.venues)
    return record.venues[0] if at_host and year_fits(metadata, record) else ""
