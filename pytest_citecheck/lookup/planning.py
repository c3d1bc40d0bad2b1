"""State of one reference during the rounds: queries made for it, and missing evidence.

`LookupState.evaluate_so_far` is the one place in gathering where checks run, since missing evidence depends on them.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_citecheck.checks import Evaluation, Need, ReferenceCase, evaluate
from pytest_citecheck.evidence import (
    AbsenceContext,
    Candidate,
    Stratum,
    cited_locator,
    closed_stream,
    discipline,
    is_corroborated,
    missing_from_scope,
    newest_answer,
    publishers_lists,
    same_journal,
    stratum,
    work_types,
)
from pytest_citecheck.lookup.profiles import Profile
from pytest_citecheck.matching import Asked, lookup, parse, separate_parts
from pytest_citecheck.model import (
    Absent,
    Answer,
    CitedMetadata,
    Discipline,
    Evidence,
    Found,
    Query,
    QueryKind,
    QueryResult,
    Record,
    RecordType,
    Reference,
    Unavailable,
    WorkType,
    derived,
)
from pytest_citecheck.sources import Role, SearchStage, TitleSearch
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS

if TYPE_CHECKING:
    from pytest_citecheck.sources import Source

_NAMES_OF_TITLE = 3  # people whose family names go into a search for a title

Plan = list[tuple[str, Query]]
"""Queries with the name of their source, the most promising first."""


@dataclass(slots=True)
class LookupState:
    """A reference and the answers so far.

    planned: all planned queries, also those that were not sent. own_questions: queries for this reference alone.
    """

    reference: Reference
    today: datetime.date
    asked: dict[tuple[str, Query], QueryResult]
    _evaluation: Evaluation
    _evaluated: int = 0  # number of answers that were evaluated
    planned: set[tuple[str, Query]] = field(default_factory=set)
    own_questions: int = 0

    @classmethod
    def of(cls, reference: Reference, today: datetime.date, known: Evidence | None = None) -> LookupState:
        """known: existing answers."""
        asked = {(one.source, one.query): one for one in known.asked} if known is not None else {}
        return cls(reference, today, asked, evaluate(reference, Evidence(), today))

    @property
    def as_of(self) -> datetime.date:
        """The day of the newest answer; today if no answer has a date."""
        return min(newest_answer(self.asked.values()) or self.today, self.today)

    @property
    def cited(self) -> CitedMetadata:
        """The cited metadata of the reference; a short DOI is replaced as soon as its DOI is known."""
        named = self._evaluation.case.cited.identifiers
        if named.short_doi or named.doi_literal:
            self.evaluate_so_far()
        return self._evaluation.case.cited

    def cited_identifiers(self) -> dict[QueryKind, str]:
        """The cited identifiers by kind, without the kinds that are not cited; of several ISBNs the first one."""
        named = self.cited.identifiers
        values: dict[QueryKind, str] = {
            "doi": named.doi, "arxiv": named.arxiv, "pmid": named.pmid, "pmcid": named.pmcid, "acl": named.acl,
            "isbn": next(iter(named.isbn), ""), "openreview": named.openreview, "dblp": named.dblp,
            "hal": named.hal, "nnt": named.nnt,
            "rfc": named.rfc, "w3c": named.w3c, "package": named.package, "repository": named.repository,
            "texkey": named.texkey, "zbl": named.zbl, "bibcode": named.bibcode,
        }  # fmt: skip
        return {kind: value for kind, value in values.items() if value}

    def evidence(self) -> Evidence:
        return Evidence(tuple(self.asked.values()))

    def need(self) -> Need:
        """Needs that the answers so far leave open."""
        return self._judged().need

    def evaluate_so_far(self) -> Evaluation:
        """Evaluate the answers so far, if there are new ones. Each check runs when its finding is read."""
        if self._evaluated != len(self.asked):
            self._take(evaluate(self.reference, self.evidence(), self.today, self._evaluation))
        return self._evaluation

    def _take(self, evaluation: Evaluation) -> None:
        self._evaluation, self._evaluated = evaluation, len(self.asked)

    def _judged(self) -> Evaluation:
        """Input of planning: the answers so far, without outages after the last answer that is relevant here."""
        return self._evaluation if self._only_outages_since() else self.evaluate_so_far()

    def _only_outages_since(self) -> bool:
        """Return True if nothing that a need depends on can have changed."""
        new = [one.answer for one in islice(reversed(self.asked.values()), len(self.asked) - self._evaluated)]
        silent = [answer.reason for answer in new if isinstance(answer, Unavailable)]
        if not new:
            return True
        if len(silent) < len(new) or not (self._evaluation.need.known or self._evaluation.case.identifier_targets):
            return False  # a new evaluation runs no check unless it is asked
        # An outage finds nothing. It can only cancel a failure, since the service may have the missing work. Without a
        # title, the venue decides nothing.
        findings = self._evaluation.findings
        if findings["title"].outcome != "passed":
            return findings["title"].outcome == "unverifiable"
        return {"offline"}.issuperset(silent) or findings["venue"].outcome != "failed"

    def evaluate_finally(self, absences: AbsenceContext) -> Evaluation:
        """The same when all evidence is there: where nothing was found, the absence is judged too; where single evidence speaks
        against the citation, its weight."""
        evaluation = self.evaluate_so_far()
        if evaluation.case.absences != absences and _depends_on_absences(evaluation, absences):
            self._take(evaluate(self.reference, self.evidence(), self.today, evaluation, absences))
        return self._evaluation

    def case_with(self, answers: Sequence[QueryResult]) -> ReferenceCase:
        """The case with answers that are no evidence, but those to a search for a control."""
        case = self.evaluate_so_far().case
        return (
            ReferenceCase(case.reference, Evidence((*case.evidence.asked, *answers)), case.today, case)
            if answers
            else case
        )

    @property
    def settled(self) -> bool:
        """True if the evidence decides everything: then no other source is queried, not even for a second opinion."""
        return bool(self.asked) and not self.need().record

    def was_asked(self, source: str) -> bool:
        """Return True if a source was asked anything."""
        return any(name == source for name, _ in self.asked)

    def records(self, *kinds: QueryKind) -> Iterator[Record]:
        """Records in answers to queries of these kinds."""
        for (_, query), asked in self.asked.items():
            if query.kind in kinds and isinstance(asked.answer, Found):
                yield from asked.answer.records

    def shown(self, kind: QueryKind, value: str) -> bool:
        """Return True if some source has shown a titled record for this identifier."""
        return any(
            query.kind == kind
            and query.value == value
            and isinstance(asked.answer, Found)
            and any(record.title for record in asked.answer.records)
            for (_, query), asked in self.asked.items()
        )

    def works(self) -> tuple[Candidate, ...]:
        """Records of the cited work, the cited version first."""
        case = self._judged().case
        return (*case.works, *case.near_matches)

    def retitled_eprints(self) -> Iterator[Record]:
        """E-prints with versions that may be the cited work under another title, while the citation is in doubt for it."""
        evaluation = self._judged()
        found = (*evaluation.case.identifier_targets, *evaluation.case.near_matches)
        records = [one.record for one in found if one.record.arxiv and one.record.version is not None]
        if records and not (evaluation.findings["title"].outcome == evaluation.findings["doi"].outcome == "passed"):
            yield from records

    def families(self) -> tuple[str, ...]:
        """Family names of the first people cited."""
        return self.title_question().authors

    def names(self, most: int) -> tuple[str, ...]:
        """The first cited people as ``Family, Given``, or only family names if there are no given names."""
        names = [parse(person) for person in self.cited.people.names[:most]]
        written = [(" ".join(filter(None, (name.particles, name.family))), " ".join(name.given)) for name in names]
        return tuple(", ".join(filter(None, parts)) for parts in written if parts[0])

    def citation_question(self) -> Query:
        """The whole reference string, for sources that search with it."""
        return Query("citation", " ".join(self.reference.text.split()))

    def title_question(self) -> Query:
        return _title_question(self.cited)


def _depends_on_absences(evaluation: Evaluation, absences: AbsenceContext) -> bool:
    """Return True if the work is missing, or if only evidence of one source speaks against the citation."""
    if evaluation.case.is_missing or any(one.evidence and one.level != "error" for one in evaluation.findings.values()):
        return True
    return absences.prior > PRIOR_OF_PAPERS and evaluation.verdict.name == "undecided"


@derived
def _title_question(cited: CitedMetadata) -> Query:
    """The query for the title, with the family names of the first people."""
    names = [parse(person) for person in cited.people.names[:_NAMES_OF_TITLE]]
    families = (" ".join(filter(None, (name.particles, name.family))) for name in names if name.family)
    return Query("title", cited.title, tuple(families))


class Roles:
    """Sources of a run by role. All lists hold names, in the order of the registry.

    sources: all by name. undeclared: those without a role. agencies: registration agencies that are not queried first
        for DOIs.
    agency_names: names of all registration agencies that are queried, in lower case. opinions: in order.
    """

    def __init__(self, sources: Sequence[Source], profile: Profile) -> None:
        self.profile = profile
        self.undeclared = [source for source in sources if source.role is None]
        self.sources = {source.name: source for source in sources}
        self._roles = {source.name: source.role for source in sources if source.role is not None}
        self._searches = cache(self._made_for)  # planning asks for them many times per reference
        self.agencies = self._with(lambda role: bool(role.agency) and "doi" not in role.looks_up)
        self.agency_names = frozenset(role.agency.lower() for role in self._roles.values()) - {""}
        self.doi_registries = self._with(lambda role: role.doi_registry)
        self.doi_content = self._with(lambda role: role.doi_content)
        self.opinions = sorted(self._with(lambda role: role.opinion > 0), key=lambda name: self._roles[name].opinion)

    def _with(self, is_wanted: Callable[[Role], bool]) -> list[str]:
        return [name for name, role in self._roles.items() if is_wanted(role)]

    def looking_up(self, kind: QueryKind) -> list[str]:
        """Sources to query first for identifiers of this kind."""
        return self._with(lambda role: kind in role.looks_up)

    def taking(self, kind: QueryKind) -> list[str]:
        """Sources that answer queries of this kind, in any role."""
        return [name for name, source in self.sources.items() if kind in source.batch]

    def at_places(self, cited: CitedMetadata) -> list[str]:
        """Sources that find works of this discipline by their places."""
        field = discipline(cited)
        roles = self._roles
        return [name for name in self.taking("place") if name not in roles or field in roles[name].disciplines]

    def catalogues(self, cited: CitedMetadata, named: Mapping[QueryKind, str]) -> Plan:
        """The identifiers that name a cited work in the catalogue of a source; none where the profile has routes."""
        if self.profile.routes is not None:
            return []
        field = discipline(cited)
        plan = [
            (name, Query(kind, named[kind]))
            for name, role in self._roles.items()
            for kind in role.catalogue
            if kind in named and field in role.disciplines
        ]
        return [(name, query) for name, query in plan if self.sources[name].accepts(query)]

    def searched(self, cited: CitedMetadata, stage: SearchStage, *, listed: bool = False) -> list[str]:
        """The sources to search for the title of this work, in order; ``listed``: see `TitleSearch.in_listed_venues`."""
        return [
            name
            for name, search in self._searches(work_types(cited), discipline(cited), stage)
            if (search.in_listed_venues or not listed) and self.sources[name].may_list(cited)
        ]

    def _made_for(
        self, works: frozenset[WorkType], field: Discipline, stage: SearchStage
    ) -> list[tuple[str, TitleSearch]]:
        """The sources that are searched for such works, in order, with the first search that fits."""
        found: dict[str, TitleSearch] = {}
        for name, role in self._roles.items():
            for search in role.titles:
                if search.stage == stage and field in search.disciplines and not works.isdisjoint(search.works):
                    found.setdefault(name, search)
        return sorted(found.items(), key=lambda item: item[1].order)

    def route(self, cited: CitedMetadata, *, listed: bool = False) -> list[str]:
        """Sources to search for one title, in order: the sources of the profile, else those that declare it."""
        if self.profile.routes is not None:
            routes = self.profile.routes
            return list(routes.get(cited.reference.discipline or discipline(cited), routes["other"]))
        return self.searched(cited, "single", listed=listed)

    def of_preprints(self) -> list[str]:
        """The sources that are searched for preprints."""
        return self._with(lambda role: any(s.stage == "batch" and "preprint" in s.works for s in role.titles))


def parts_of_titles(state: LookupState, roles: Roles) -> Plan:
    """Both parts of the title, for sources that answered the whole title and accept several titles per request."""
    if (
        not state.cited.title
        or not state.need().record
        or state.works()
        or not isinstance(stratum(state.cited, state.as_of), Stratum)
    ):
        return []
    searched = [*roles.searched(state.cited, "broad"), *roles.searched(state.cited, "batch")]
    whole = state.title_question()
    answered = [
        name
        for name in searched
        if (asked := state.asked.get((name, whole))) is not None and isinstance(asked.answer, (Found, Absent))
    ]
    return [
        (name, replace(whole, value=part))
        for part in separate_parts(state.cited.title)
        for name in answered
        if roles.sources[name].batch["title"] > 1
    ]


def place_question(state: LookupState, kind: Literal["place", "volume"]) -> Query | None:
    """The query for the work at the cited place, or for all works of the cited volume; None if the place identifies nothing."""
    cited = state.cited
    where = cited_locator(cited)
    if not (cited.venue and where.volume) or (kind == "place" and not where.identifies) or cited.preprint:
        return None
    known = lookup(cited.venue)
    numbers = (
        *cited.identifiers.issn,
        *(known.issn if known else ()),
        *(one for record in state.records("title", "place") if same_journal(cited, record) for one in record.issn),
    )
    asked = Asked(cited.venue, next(iter(numbers), ""), where.volume, where.starts[0] if kind == "place" else "")
    return Query(kind, asked.value, state.families()[:1] if kind == "place" else (), cited.year)


def author_searches(state: LookupState, roles: Roles) -> Plan:
    """The works of the cited authors in the cited venue and year, where it is listed completely."""
    stream = closed_stream(state.cited, state.as_of)
    families = state.families()
    if not state.cited.title or not stream or not families or not state.need().place:
        return []
    return [
        (source, Query("author_search", stream, families, state.cited.year))
        for source in roles.taking("author_search")
        if "venue_year" in roles.sources[source].batch
    ]


def venue_year_lists(state: LookupState, _: Roles) -> Plan:
    """Queries for the lists of venues and years in which the authors have no works."""
    return [
        (source, Query("venue_year", query.value, (), query.year))
        for (source, query), asked in state.asked.items()
        if query.kind == "author_search" and isinstance(asked.answer, Absent)
    ]


def lists_of_publishers(state: LookupState, roles: Roles) -> Plan:
    """One publisher's list after the other, until one has answered; all parts of it together."""
    families = state.families()
    if not state.cited.title or not families or not state.need().place:
        return []
    evidence = state.evidence()
    if missing_from_scope(state.cited, evidence, state.as_of) and is_corroborated(state.cited, evidence, state.as_of):
        return []
    for listed in publishers_lists(state.cited, state.as_of):
        for source in listed.sources:
            plan = [
                (source, Query("author_search", value, families, listed.year, state.cited.title))
                for value in listed.values
            ]
            if source in roles.sources and not state.planned.issuperset(plan):
                return plan
    return []


class Asker(Protocol):
    """Answers queries on behalf of the sources: the transport, or a forecast."""

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        """Answers of the source to all queries."""
        ...

    def admits(self, source: Source, kind: QueryKind) -> bool:
        """Return True if asking this source for this makes sense."""
        ...

    def answerable(self, source: Source, queries: Iterable[Query]) -> list[Query]:
        """Queries that have an answer in the replayed cassettes; all queries if nothing is replayed."""
        ...


_FOUND_BY_TITLE = frozenset({"article", "paper", "book", "data", "preprint"})
_TYPES: dict[str, RecordType] = {"article": "article", "paper": "inproceedings", "book": "book", "thesis": "thesis"}
_UNSTATED = "10.99999/unstated."
_PREPRINTS = "arxiv"


class ExpectedAnswers:
    """Answers to queries about these references, from sources that have all of them."""

    def __init__(self, states: Iterable[LookupState]) -> None:
        self._by_identifier: dict[tuple[str, str], LookupState] = {}
        self._by_title: dict[str, LookupState] = {}
        for number, state in enumerate(states):
            for kind, value in state.cited_identifiers().items():
                self._by_identifier.setdefault((kind, value), state)
            self._by_identifier[("doi", f"{_UNSTATED}{number}")] = state
            self._by_title.setdefault(state.cited.title, state)
        self._unstated = {
            id(state): doi for (_, doi), state in self._by_identifier.items() if doi.startswith(_UNSTATED)
        }

    def answer(self, source: Source, query: Query) -> Answer:
        """Record of the requested work; an absence if this source does not have such works."""
        if query.kind == "title":
            state = self._by_title.get(query.value)
            if state is None or _FOUND_BY_TITLE.isdisjoint(work_types(state.cited)):
                return Absent()
        else:
            value = query.value.partition("v")[0] if query.kind == "arxiv" else query.value
            state = self._by_identifier.get((query.kind, value))
        return Absent() if state is None else Found((self._record(source, query, state),))

    def _record(self, source: Source, query: Query, state: LookupState) -> Record:
        cited = state.cited
        kinds = work_types(cited)
        record = Record(
            source=source.name,
            id=query.value,
            title=cited.title,
            authors=cited.people.names,
            authors_complete=not cited.people.others,
            years=(cited.year,) if cited.year else (),
            venues=(cited.venue,) if cited.venue else (),
            type="preprint" if cited.preprint else next((_TYPES[kind] for kind in kinds if kind in _TYPES), "other"),
            publisher=cited.venue,
            doi=cited.identifiers.doi or self._doi(state),
            arxiv=cited.identifiers.arxiv if source.name == _PREPRINTS or cited.preprint else "",
            pmid=cited.identifiers.pmid,
            isbn=cited.identifiers.isbn,
            compiled=not source.authoritative_for,
        )
        if source.name != _PREPRINTS:
            return record
        return replace(record, type="preprint", venues=("arXiv",), publisher="", doi="")

    def _doi(self, state: LookupState) -> str:
        """DOI that a citation omits; none for a preprint, or for works in venues without DOIs."""
        cited = state.cited
        listed = bool(closed_stream(cited, state.as_of))
        return "" if cited.preprint or listed or "article" not in work_types(cited) else self._unstated[id(state)]
