"""The rounds of asking: each says, from what is known of a reference, what to ask for it next.

Identifiers come first and in batches. Titles are searched for what identifiers did not settle, first where many fit into one
request. An identifier that a search has shown leads to the registry that it is from. Earlier versions of e-prints are asked for
before titles one by one: what has another title now need not be searched for. A round that has nothing to ask for a reference
costs nothing. The role that each source declares says which rounds query it (`pytest_citecheck.sources.base.Role`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.evidence import Stratum, closed_stream, is_compiler, is_own_library, stratum, work_types
from pytest_citecheck.lookup.planning import (
    LookupState,
    Plan,
    author_searches,
    lists_of_publishers,
    parts_of_titles,
    place_question,
    venue_year_lists,
)
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Query, QueryKind, Record, Unavailable

if TYPE_CHECKING:
    from pytest_citecheck.lookup.planning import Roles
    from pytest_citecheck.lookup.profiles import RoundName
    from pytest_citecheck.sources import SearchStage

_ARXIV_DOI = "10.48550/arxiv."
_NEVER_PREPRINTS = frozenset({
    "book", "mvbook", "collection", "proceedings", "manual", "booklet", "patent", "standard", "online", "electronic", "dataset",
    "software",
})  # fmt: skip
_BOOKS = frozenset(
    {"book", "mvbook", "collection", "proceedings", "inbook", "incollection", "bookinbook", "booklet", "manual"}
)
_OF_SOFTWARE = frozenset({
    "software", "softwareversion", "softwaremodule", "dataset", "misc", "online", "electronic", "www", "webpage", "manual",
    "techreport", "report", "booklet", "unpublished",
})  # fmt: skip
_IDENTIFYING: frozenset[QueryKind] = frozenset(
    {"doi", "arxiv", "pmid", "pmcid", "acl", "openreview", "dblp", "rfc", "w3c"}
)
"""Identifiers that mark a publication; any URL next to one points to its code."""
_ADDRESS_OF_IDENTIFIER = lazy_pattern(
    r"https?://(?:(?:dx\.)?doi\.org|arxiv\.org|(?:www\.)?dblp\.org|(?:www\.)?ncbi\.nlm\.nih\.gov|pubmed\.ncbi)",
    re.IGNORECASE,
)


class Round(NamedTuple):
    """One round, which goes over all references that an index did not settle.

    asks, when: in words. plan: the queries for one reference. repeated: until it has nothing more to ask for any.
    of_settled: whether it also goes over what an index has settled. optional: whether a replay does without it, where it was not
    recorded. with_next: whether its answers are awaited only after the next round.
    """

    name: RoundName
    asks: str
    when: str
    plan: Callable[[LookupState, Roles], Plan]
    repeated: bool = False
    of_settled: bool = False
    optional: bool = False
    with_next: bool = False


def _ask(sources: list[str], kind: QueryKind, value: str) -> Plan:
    return [(source, Query(kind, value)) for source in sources]


def _ask_title(sources: list[str], state: LookupState) -> Plan:
    return [(source, state.title_question()) for source in sources]


def _short_dois(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    doubtful = named.short_doi or named.doi_literal
    return _ask(roles.doi_registries, "doi", doubtful) if doubtful else []


def _identifiers(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    cited = _telling_identifiers(state)
    if named.doi.startswith(_ARXIV_DOI):
        del cited["doi"]
    if named.pmid:
        cited.pop("pmcid", None)
    kinds = [kind for kind in roles.profile.identifiers if kind in cited]
    return [step for kind in kinds for step in _ask(roles.looking_up(kind), kind, cited[kind])]


def _telling_identifiers(state: LookupState) -> dict[QueryKind, str]:
    """The cited identifiers, without an ISBN if the work is not a book or has a DOI: papers are cited with the ISBN of
    their volume."""
    cited = state.cited_identifiers()
    if state.cited.identifiers.doi or state.reference.type not in _BOOKS:
        cited.pop("isbn", None)
    return cited


def _undeclared(state: LookupState, roles: Roles) -> Plan:
    plan: Plan = []
    for source in roles.undeclared:
        for kind, value in state.cited_identifiers().items():
            if kind in source.batch:
                plan.append((source.name, Query(kind, value)))
        if "title" in source.batch and state.cited.title and state.need().record:
            plan.append((source.name, state.title_question()))
    return plan


def _other_agencies(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    if not named.doi or state.shown("doi", named.doi):
        return []
    if named.doi.startswith(_ARXIV_DOI) and state.shown("arxiv", named.arxiv):
        return []
    return _ask(roles.agencies, "doi", named.doi)


def _doi_registry(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    if not named.doi or state.shown("doi", named.doi) or (named.arxiv and state.shown("arxiv", named.arxiv)):
        return []
    return _ask(roles.doi_registries, "doi", named.doi)


def _doi_prefixes(state: LookupState, roles: Roles) -> Plan:
    if not any(map(state.was_asked, roles.doi_registries)):
        return []
    return _ask(roles.taking("prefix"), "prefix", state.cited.identifiers.doi.partition("/")[0])


def _doi_content(state: LookupState, roles: Roles) -> Plan:
    doi = state.cited.identifiers.doi
    exists = any(record.doi == doi for record in state.records("doi"))
    agencies = {record.agency.lower() for record in state.records("prefix")}
    if not exists or state.shown("doi", doi) or not agencies or agencies & roles.agency_names:
        return []
    return _ask(roles.doi_content, "doi", doi)


def _standards_and_software(state: LookupState, roles: Roles) -> Plan:
    if not state.need().record:
        return []
    cited = state.cited_identifiers()
    kinds: list[QueryKind] = ["rfc", "w3c"]
    if state.reference.type in _OF_SOFTWARE and _IDENTIFYING.isdisjoint(cited):
        kinds += ["package", "repository"]
    return [step for kind in kinds if kind in cited for step in _ask(roles.looking_up(kind), kind, cited[kind])]


def _catalogues(state: LookupState, roles: Roles) -> Plan:
    if not state.cited.title or not state.need().record:
        return []
    # A source that has shown the work under one of its identifiers adds nothing under another.
    shown = _showing(state)
    route = [step for step in roles.catalogues(state.cited, _telling_identifiers(state)) if step[0] not in shown]
    return _next(route, state)


def _showing(state: LookupState) -> set[str]:
    """The sources that have shown the cited work."""
    return {work.record.source for work in state.works()}


def _titles(stage: SearchStage, state: LookupState, roles: Roles) -> Plan:
    """The title, at all sources that are searched in this stage."""
    if not state.cited.title or not state.need().record:
        return []
    shown = _showing(state)
    return _ask_title([name for name in roles.searched(state.cited, stage) if name not in shown], state)


def _slow_titles(state: LookupState, roles: Roles) -> Plan:
    """The title, with a second request only if an absence counts: one from a compiled source counts only in a stratum."""
    counts = isinstance(stratum(state.cited, state.as_of), Stratum)
    plan = _titles("slow", state, roles)
    return [(name, replace(query, confirm=counts or not is_compiler(name))) for name, query in plan]


def _learned(state: LookupState, roles: Roles) -> Plan:
    if not state.need().record:
        return []
    works = [work.record for work in state.works() if work.record.compiled]
    works += [record for record in state.records("title") if is_own_library(record.source)]
    named = dict.fromkeys(filter(None, map(_identifier, works)))
    return [step for kind, value in named for step in _ask(roles.looking_up(kind), kind, value)]


def _reference_strings(state: LookupState, roles: Roles) -> Plan:
    if not state.reference.uncertain or not state.evaluate_so_far().case.reference.uncertain or not state.need().record:
        return []
    query = state.citation_question()
    return [(name, query) for name in roles.taking("citation")]


def _single_titles(state: LookupState, roles: Roles) -> Plan:
    if not state.cited.title or not state.need().record:
        return []
    # A work in a completely listed venue need not be searched for in other venues: a broad search was made.
    listed = bool(closed_stream(state.cited, state.as_of)) and _searched_broadly(state, roles)
    return _next(_ask_title(roles.route(state.cited, listed=listed), state), state)


def _places(state: LookupState, roles: Roles) -> Plan:
    """The cited place, at services that take many in one request; without a title, at all."""
    question = place_question(state, "place")
    if question is None or not state.need().record or state.works():
        return []
    sources = roles.at_places(state.cited)
    return [(name, question) for name in sources if not state.cited.title or roles.sources[name].batch["place"] > 1]


def _tables_of_contents(state: LookupState, roles: Roles) -> Plan:
    """The works of the cited volume, once for all references to it; the cited place alone where the ISSN is not known."""
    volume, place = place_question(state, "volume"), place_question(state, "place")
    if volume is None or place is None or not state.need().record or state.works() or not state.cited.title:
        return []
    plan = [(name, volume) for name in roles.taking("volume") if roles.sources[name].accepts(volume)]
    if not plan:
        sources = roles.at_places(state.cited)
        plan = [(name, place) for name in sources if roles.sources[name].batch["place"] == 1]
    return [step for step in plan if step not in state.planned]


def _next(route: Plan, state: LookupState) -> Plan:
    """The first step of a route that has not been planned yet."""
    return [step for step in route if step not in state.planned][:1]


def _searched_broadly(state: LookupState, roles: Roles) -> bool:
    """Return True if a service of all fields has answered to the title."""
    broad = roles.searched(state.cited, "broad")
    return any(
        source in broad and query.kind == "title" and not isinstance(asked.answer, Unavailable)
        for (source, query), asked in state.asked.items()
    )


def _search_results(state: LookupState, roles: Roles) -> Plan:
    found = [record.pmid for record in state.records("title", "doi", "place") if record.pmid and not record.title]
    return [step for pmid in dict.fromkeys(found) for step in _ask(roles.looking_up("pmid"), "pmid", pmid)]


def _preprints(state: LookupState, roles: Roles) -> Plan:
    if not state.cited.title or state.reference.type in _NEVER_PREPRINTS:
        return []
    # A service for all fields knows each preprint under one title, usually the title of the publication.
    unsearched = state.need().preprint and work_types(state.cited) and not _searched_broadly(state, roles)
    return _ask_title(roles.of_preprints(), state) if state.need().former_title or unsearched else []


def _versions(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    plan: Plan = []
    for record in state.retitled_eprints():
        latest = record.version or 1
        cited = named.arxiv_version if named.arxiv == record.arxiv else None
        wanted = cited if cited is not None and cited <= latest else 1
        if wanted != latest and record.source in roles.looking_up("arxiv"):
            plan.append((record.source, Query("arxiv", f"{record.arxiv}v{wanted}")))
    return plan


def _second_opinions(state: LookupState, roles: Roles) -> Plan:
    """From one source at a time: the second one is only asked if the first one left a need of it."""
    if not state.need().second_opinion:
        return []
    by_identifier = {source for source, query in state.planned if query.kind in ("doi", "arxiv", "pmid")}
    turn = [source for source in roles.opinions if source not in by_identifier][:1]
    return next((_ask(turn, kind, value) for kind, value in _known_identifiers(state)), [])


def _known_identifiers(state: LookupState) -> Iterator[tuple[QueryKind, str]]:
    """Identifiers of the cited work: the cited ones if they are right, else the identifiers of its records."""
    named = state.cited.identifiers
    if named.doi and state.shown("doi", named.doi) and not named.doi.startswith(_ARXIV_DOI):
        yield "doi", named.doi
    if named.arxiv and state.shown("arxiv", named.arxiv):
        yield "arxiv", named.arxiv
    yield from filter(None, (_identifier(work.record) for work in state.works()))


def _identifier(record: Record) -> tuple[QueryKind, str] | None:
    """The identifier by which the work of a record is looked up; None if it has none."""
    if record.doi and not record.doi.startswith(_ARXIV_DOI):
        return "doi", record.doi
    if record.arxiv:
        return "arxiv", record.arxiv
    return ("pmid", record.pmid) if record.pmid else None


def _web_pages(state: LookupState, roles: Roles) -> Plan:
    named = state.cited.identifiers
    if not named.url or _ADDRESS_OF_IDENTIFIER.match(named.url):
        return []
    # An address that is part of a longer text may have been cut off: another page would be asked for.
    fields = state.reference.fields
    if named.url not in {fields.get(name, "").strip() for name in ("url", "howpublished", "note")}:
        return []
    return _ask(roles.taking("url"), "url", named.url)


_LEARNED = Round(
    "learned identifiers",
    "registries, by the DOI, arXiv id or PMID of a compiled record",
    "evidence is missing",
    _learned,
)
ROUNDS: tuple[Round, ...] = (
    Round(
        "short DOIs",
        "the registry of all DOIs, for the DOI behind a short one, and for one that ends in punctuation",
        "always",
        _short_dois,
        optional=True,
    ),
    Round(
        "identifiers",
        "sources for the cited DOI, arXiv id, PMID (otherwise PMC id), HAL id, French thesis number, and ISBN of a "
        "book without a DOI",
        "always; not the DOI of an arXiv paper, whose arXiv id is looked up",
        _identifiers,
    ),
    Round(
        "undeclared sources",
        "sources without a role, for every identifier that they accept, and the title",
        "always; the title while evidence is missing",
        _undeclared,
    ),
    Round("other agencies", "the other registration agencies, for the DOI", "no source has the DOI", _other_agencies),
    Round("DOI registry", "the registry of all DOIs", "no agency has the DOI", _doi_registry),
    Round("DOI prefixes", "the agency of the DOI prefix", "the registry was queried", _doi_prefixes),
    Round("DOI content", "the agency of the DOI, by content negotiation", "it has not been queried", _doi_content),
    Round(
        "standards and software",
        "the RFC Editor and W3C, by number or short name; the index or host of a cited package, repository or model",
        "evidence is missing; packages and repositories only for types of software, data, pages and reports",
        _standards_and_software,
    ),
    Round(
        "broad titles",
        "services of all fields, many titles a request",
        "evidence is missing",
        partial(_titles, "broad"),
    ),
    _LEARNED,
    Round(
        "catalogues",
        "one source after the other, by an identifier of its catalogue",
        "evidence is missing",
        _catalogues,
        repeated=True,
    ),
    _LEARNED,
    Round(
        "batched titles",
        "services of one type of work or discipline, many titles a request",
        "evidence is missing",
        partial(_titles, "batch"),
    ),
    _LEARNED,
    Round(
        "parts of titles",
        "the same services, for the title without its subtitle, and for the subtitle",
        "they have not found a work whose absence may be evidence",
        parts_of_titles,
        optional=True,
    ),
    _LEARNED,
    Round(
        "places",
        "services that take many places in one request, for the work at the cited journal, volume and page; all services for a "
        "reference without a title",
        "the work was not found, and volume and page are cited",
        _places,
        optional=True,
    ),
    Round(
        "versions",
        "the version of an e-print that is cited, or its first one",
        "the latest version has a different title",
        _versions,
    ),
    Round(
        "reference strings",
        "services that search with a whole reference string",
        "the title is known only from the most probable reading of the string, and evidence is missing",
        _reference_strings,
        optional=True,
    ),
    _LEARNED,
    Round(
        "slow titles",
        "services that allow few requests a minute, many titles a request; the next round does not wait",
        "evidence is missing",
        _slow_titles,
        with_next=True,
    ),
    Round(
        "single titles", "one source after the other, by title", "evidence is missing", _single_titles, repeated=True
    ),
    Round(
        "tables of contents",
        "the works of the cited volume, once for all references to it; first the cited page alone where no ISSN is known",
        "the work was not found, and volume and page are cited",
        _tables_of_contents,
        repeated=True,
        optional=True,
    ),
    Round("search results", "records that a search returned only by id", "a search returned ids", _search_results),
    _LEARNED,
    Round(
        "preprints",
        "the archives of preprints, by title",
        "the work was not found or is only known as a preprint, and no broad search answered; or its title is near",
        _preprints,
    ),
    Round(
        "author searches",
        "the works of the cited authors in the cited venue and year, where it is listed completely",
        "the work was not found in its venue",
        author_searches,
    ),
    Round(
        "venue-year lists",
        "coverage of the venue and year, once for all references",
        "the authors have no works there",
        venue_year_lists,
    ),
    Round(
        "publishers' lists",
        "the publisher's own list of the cited venue and year, once for all references",
        "no complete list was found",
        lists_of_publishers,
        repeated=True,
    ),
    Round(
        "second opinions",
        "another database, by identifier",
        "one database alone has settled the reference",
        _second_opinions,
        repeated=True,
    ),
    Round(
        "web pages",
        "existence of the cited page, unless its address contains an identifier",
        "always, on request",
        _web_pages,
        of_settled=True,
    ),
)
"""All rounds in their order. A profile takes those that it names."""
