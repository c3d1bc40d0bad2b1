"""The rounds of asking: each says, from what is known of a reference, what to ask for it next.

Identifiers come first and in batches. Titles are searched for what identifiers did not settle, first where many fit into one
request. An identifier that a search has shown leads to the registry that it is from. Earlier versions of e-prints are asked for
before titles one by one: what has another title now need not be searched for. A round that has nothing to ask for a reference
costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_citecheck.gather.lookup_state import LookupState, Plan
from pytest_citecheck.gather.profiles import Profile
from pytest_citecheck.linking.scopes import closed_stream
from pytest_citecheck.model import Absent, Question, QuestionKind, Unavailable
from pytest_citecheck.thresholds import LONGEST_ROUTE

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["Round", "about_pages", "rounds"]

Round = Callable[[LookupState, Profile], Plan]

_ARXIV_DOI = "10.48550/arxiv."
_NEVER_PREPRINTS = frozenset({
    "book", "mvbook", "collection", "proceedings", "manual", "booklet", "patent", "standard", "online", "electronic", "dataset",
    "software",
})  # fmt: skip
_BOOKS = frozenset(
    {"book", "mvbook", "collection", "proceedings", "inbook", "incollection", "bookinbook", "booklet", "manual"}
)
_OWN_AGENCIES = frozenset({"crossref", "datacite"})
_TITLE_SOURCES: dict[str, tuple[QuestionKind, str]] = {
    "dblp_record": ("dblp", "dblp"),
    "acl_anthology": ("acl", "acl"),
    "openreview": ("openreview", "openreview"),
    "openreview_v1": ("openreview", "openreview"),
}
"""Sources in a route that are asked for an identifier that names the work, not for its title."""
_ADDRESS_OF_IDENTIFIER = re.compile(
    r"https?://(?:(?:dx\.)?doi\.org|arxiv\.org|(?:www\.)?dblp\.org|(?:www\.)?ncbi\.nlm\.nih\.gov|pubmed\.ncbi)",
    re.IGNORECASE,
)


def _identifiers(state: LookupState, profile: Profile) -> Plan:
    """The cited identifiers where they are most likely from."""
    named = state.cited.identifiers
    plan: Plan = []
    if named.doi and not named.doi.startswith(_ARXIV_DOI):
        plan.append(("crossref", Question("doi", named.doi)))
    if named.arxiv:
        plan.append(("arxiv", Question("arxiv", named.arxiv)))
    if named.pmid:
        plan.append(("pubmed", Question("pmid", named.pmid)))
    elif named.pmcid and profile.together:
        plan.append(("europe_pmc", Question("pmcid", named.pmcid)))
    if named.isbn and not named.doi and profile.together and state.reference.type in _BOOKS:
        plan += [("open_library", Question("isbn", isbn)) for isbn in named.isbn[:1]]
    return plan


def _other_agency(state: LookupState, profile: Profile) -> Plan:
    """A DOI that Crossref does not have may be DataCite's; so is that of an arXiv paper that arXiv did not show."""
    named = state.cited.identifiers
    if not profile.agencies or not named.doi or state.shown("doi", named.doi):
        return []
    if named.doi.startswith(_ARXIV_DOI) and state.shown("arxiv", named.arxiv):
        return []
    return [("datacite", Question("doi", named.doi))]


def _registry(state: LookupState, profile: Profile) -> Plan:
    """A DOI that neither agency showed: does it exist at all?"""
    named = state.cited.identifiers
    if not profile.agencies or not named.doi or state.shown("doi", named.doi):
        return []
    if named.arxiv and state.shown("arxiv", named.arxiv):
        return []
    return [("doi_org", Question("doi", named.doi))]


def _agency(state: LookupState, _: Profile) -> Plan:
    """A DOI that neither agency has: whose prefix is it?"""
    if not state.was_asked("doi_org"):
        return []
    return [("doi_ra", Question("prefix", state.cited.identifiers.doi.partition("/")[0]))]


def _content(state: LookupState, _: Profile) -> Plan:
    """A DOI that exists and is another agency's: what does that agency say is behind it?"""
    doi = state.cited.identifiers.doi
    exists = any(record.doi == doi for record in state.records("doi"))
    agencies = {record.agency.lower() for record in state.records("prefix")}
    if not exists or state.shown("doi", doi) or not agencies or agencies & _OWN_AGENCIES:
        return []
    return [("doi_content", Question("doi", doi))]


def _pointers(state: LookupState, _: Profile) -> Plan:
    """PubMed's search names records that it does not show."""
    found = [record.pmid for record in state.records("title", "doi") if record.pmid and not record.title]
    return [("pubmed", Question("pmid", pmid)) for pmid in dict.fromkeys(found)]


def _together(wave: int) -> Round:
    def titles_together(state: LookupState, profile: Profile) -> Plan:
        """The title where many are asked for in one request."""
        waves = profile.batched(state.cited)
        if wave >= len(waves) or not state.cited.title or not state.need().record:
            return []
        return [(source, state.title_question()) for source in waves[wave]]

    return titles_together


def _learned(state: LookupState, profile: Profile) -> Plan:
    """What a compiled record names: its DOI and arXiv id at the registries, whose word counts for more."""
    if not profile.together or not state.need().record:
        return []
    plan: Plan = []
    for candidate in state.works():
        record = candidate.record
        if not record.compiled:
            continue
        if record.doi and not record.doi.startswith(_ARXIV_DOI):
            plan.append(("crossref", Question("doi", record.doi)))
        elif record.arxiv:
            plan.append(("arxiv", Question("arxiv", record.arxiv)))
        elif record.pmid:
            plan.append(("pubmed", Question("pmid", record.pmid)))
    return plan


def _next_title(state: LookupState, profile: Profile) -> Plan:
    """The title, or the identifier that stands for it, at the next source of the route."""
    if not state.cited.title or not state.need().record:
        return []
    for source in profile.route(state.cited):
        if state.was_asked(source, "title", "dblp", "acl", "openreview"):
            continue
        if source == "crossref" and closed_stream(state.cited, state.today) and _searched_widely(state, profile):
            continue  # it would be in DBLP; that it appeared elsewhere has been looked for
        if source in _TITLE_SOURCES:
            kind, name = _TITLE_SOURCES[source]
            return [(source, Question(kind, getattr(state.cited.identifiers, name)))]
        return [(source, state.title_question())]
    return []


def _searched_widely(state: LookupState, profile: Profile) -> bool:
    """Whether a service that compiles what all others have answered to the title."""
    widest = {source for wave in profile.batched(state.cited)[:1] for source in wave}
    return any(
        source in widest and question.kind == "title" and not isinstance(asked.answer, Unavailable)
        for (source, question), asked in state.asked.items()
    )


def _preprint(state: LookupState, profile: Profile) -> Plan:
    """What titles did not find, or not as published: as a preprint, unless who has all preprints was asked.

    Who has all of them knows each under one title, and mostly under that of the publication.
    """
    if not profile.together or not state.cited.title or state.reference.type in _NEVER_PREPRINTS:
        return []
    if state.need().former_title:
        return [("arxiv", state.title_question())]
    if not profile.batched(state.cited) or _searched_widely(state, profile):
        return []
    return [("arxiv", state.title_question())] if state.need().preprint else []


def _version(state: LookupState, _: Profile) -> Plan:
    """The version of an e-print that is cited, or the first one, where the latest has another title than the cited one."""
    named = state.cited.identifiers
    plan: Plan = []
    for record in state.retitled_eprints():
        latest = record.version or 1
        cited = named.arxiv_version if named.arxiv == record.arxiv else None
        wanted = cited if cited is not None and cited <= latest else 1
        if wanted != latest:
            plan.append(("arxiv", Question("arxiv", f"{record.arxiv}v{wanted}")))
    return plan


def _place(state: LookupState, profile: Profile) -> Plan:
    """What was not found in its venue: among its authors' works in the cited venue and year."""
    stream = closed_stream(state.cited, state.today)
    families = state.families()
    if not profile.places or not state.cited.title or not stream or not families or not state.need().place:
        return []
    return [("dblp", Question("author_search", stream, families, state.cited.year))]


def _volume(state: LookupState, _: Profile) -> Plan:
    """Where the cited authors have nothing in the cited venue and year: is that listed at all? Asked once for all of it."""
    return [
        (source, Question("venue_year", question.value, (), question.year))
        for (source, question), asked in state.asked.items()
        if question.kind == "author_search" and isinstance(asked.answer, Absent)
    ]


def _opinion(turn: int) -> Round:
    def second_opinion(state: LookupState, profile: Profile) -> Plan:
        """What is settled by one database alone: another one by identifier, hundreds in one request."""
        if turn >= len(profile.opinions) or not state.need().second_opinion:
            return []
        source = profile.opinions[turn]
        for kind, value in _known_identifiers(state):
            return [(source, Question(kind, value))]
        return []

    return second_opinion


def _known_identifiers(state: LookupState) -> Iterator[tuple[QuestionKind, str]]:
    """Identifiers of the cited work: those that are cited and right, else those of its records."""
    named = state.cited.identifiers
    if named.doi and state.shown("doi", named.doi) and not named.doi.startswith(_ARXIV_DOI):
        yield "doi", named.doi
    if named.arxiv and state.shown("arxiv", named.arxiv):
        yield "arxiv", named.arxiv
    for candidate in state.works():
        if candidate.record.doi and not candidate.record.doi.startswith(_ARXIV_DOI):
            yield "doi", candidate.record.doi
        elif candidate.record.arxiv:
            yield "arxiv", candidate.record.arxiv
        elif candidate.record.pmid:
            yield "pmid", candidate.record.pmid


def about_pages(state: LookupState, profile: Profile) -> Plan:
    """Does the cited page still exist? Not for addresses that stand for an identifier, which is looked up anyway."""
    named = state.cited.identifiers
    if not profile.together or not named.url or _ADDRESS_OF_IDENTIFIER.match(named.url):
        return []
    # An address that is part of a longer text may have been cut off: another page would be asked for.
    fields = state.reference.fields
    if named.url not in {fields.get(name, "").strip() for name in ("url", "howpublished", "note")}:
        return []
    return [("web_page", Question("url", named.url))]


def _at_others(sources: Sequence[Source]) -> Round:
    def others(state: LookupState, _: Profile) -> Plan:
        """Sources that a user has added: every identifier that they take, and the title while something is lacking."""
        named = state.cited.identifiers
        cited: tuple[tuple[QuestionKind, str], ...] = (
            ("doi", named.doi), ("arxiv", named.arxiv), ("pmid", named.pmid), ("pmcid", named.pmcid), ("acl", named.acl),
            ("isbn", next(iter(named.isbn), "")), ("openreview", named.openreview), ("dblp", named.dblp),
        )  # fmt: skip
        plan: Plan = []
        for source in sources:
            plan += [(source.name, Question(kind, value)) for kind, value in cited if value and kind in source.batch]
            if "title" in source.batch and state.cited.title and state.need().record:
                plan.append((source.name, state.title_question()))
        return plan

    return others


def rounds(others: Sequence[Source] = ()) -> tuple[Round, ...]:
    """The rounds in their order. ``others`` are sources that no profile knows."""
    return (
        _identifiers,
        _at_others(others),
        _other_agency,
        _registry,
        _agency,
        _content,
        _together(0),
        _learned,
        _together(1),
        _version,
        *[_next_title] * LONGEST_ROUTE,
        _pointers,
        _learned,
        _preprint,
        _place,
        _volume,
        _opinion(0),
        _opinion(1),
    )
