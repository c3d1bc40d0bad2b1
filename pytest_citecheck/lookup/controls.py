"""The last queries of a run, which determine the weight of absences (`pytest_citecheck.evidence.absence`).

They are sent only if a reference was found nowhere although its sources should have it:

1. Do these sources hold its venue around its year? Works that they returned in this run show it; else one query for
works of the venue, at a source that takes such queries. 2. Controls: references that an identifier confirms are
searched for by title, as many titles per request as a source takes. 3. The works of the cited authors around the cited
year: another way to find the work, and the nearest one for the message.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from pytest_citecheck.evidence import (
    Calibration,
    Controls,
    Holdings,
    Kind,
    Period,
    Stratum,
    Trials,
    Uncovered,
    expected_misses,
    is_identified,
    searches,
    stratum,
)
from pytest_citecheck.lookup.planning import LookupState, Roles
from pytest_citecheck.lookup.profiles import PROFILES
from pytest_citecheck.matching import is_preprint_venue, lookup, words
from pytest_citecheck.model import Absent, Found, Location, Query, QueryResult, Record, Reference
from pytest_citecheck.thresholds import (
    CONTROL_REQUESTS,
    CONTROLS_ALONE,
    FEWEST_OF_A_SEARCH,
    FOUND_BY_A_SEARCH,
    MOST_CONTROLS,
)

if TYPE_CHECKING:
    from pytest_citecheck.evidence import Known
    from pytest_citecheck.lookup.planning import Asker
    from pytest_citecheck.sources import Source

_VENUES = ("dblp_sparql", "crossref", "semantic_scholar")
_PREPRINTS = ("arxiv",)
_SOURCES_OF_A_VENUE = 2
_FURTHER = ("crossref", "openalex")
_FEWEST_WORDS = 3  # of a title that is searched for without its authors


async def ask_controls(
    states: Sequence[LookupState],
    sources: Sequence[Source],
    asker: Asker,
    today: datetime.date,
    calibration: Mapping[str, Mapping[Stratum, Trials]] | None = None,
    *,
    further: bool = True,
) -> Controls:
    """Return the controls of a run; query for them if a reference is missing.

    further: also query for venues and authors; otherwise, only earlier answers show the venues that sources cover.
    calibration: by source, the trials of its search on earlier days. Adds the answers about the works of the cited
    authors to the states of missing references.
    """
    run = _Run(states, sources, asker, today)
    holdings = Holdings()
    if run.missing:
        for state in states:
            holdings.add(state.asked.values())
        if further:
            await _search_further(run)
            await _ask_venues(run, holdings)
        covered = [number for number in run.missing if holdings.covers(run.cases[number].cited, run.answered(number))]
        await _search_controls(run, covered)
        if further:
            await _ask_authors(run, covered)
    known = (state.case_with(run.answers.get(number, ())) for number, state in enumerate(states))
    not_convicted = (case for case, state in zip(known, states, strict=True) if not _is_convicted(state))
    return Controls.of(not_convicted, today, _convicted(states), holdings if run.missing else None, calibration)


class _Run:
    """The references of a run, those that are missing, and answers that count as controls only."""

    def __init__(
        self, states: Sequence[LookupState], sources: Sequence[Source], asker: Asker, today: datetime.date
    ) -> None:
        self.states, self.asker = states, asker
        self.sources = {source.name: source for source in sources}
        self.cases: list[Known] = [state.case_with(()) for state in states]
        self.places = [stratum(case.cited, today) for case in self.cases]
        self.missing = [
            number
            for number, case in enumerate(self.cases)
            if isinstance(self.places[number], Stratum) and case.is_missing and not case.cited.reference.uncertain
        ]
        self.answers: dict[int, list[QueryResult]] = {}

    def answered(self, number: int) -> list[str]:
        """The sources that answered the title search of a reference."""
        return [search.source for search in searches(self.cases[number])]

    async def ask(self, source: Source, queries: Sequence[Query]) -> dict[Query, QueryResult]:
        wanted = [query for query in dict.fromkeys(queries) if source.accepts(query)]
        return await self.asker.ask(source, self.asker.answerable(source, wanted)) if wanted else {}


async def _search_further(run: _Run) -> None:
    """Search for the titles of missing references where no search was made yet: what others lack may be there.

    Where a complete list lacks the work, nothing is left to find.
    """
    open_ones = [number for number in run.missing if not _is_convicted(run.states[number])]
    for name in _FURTHER:
        source = run.sources.get(name)
        wanted = {
            number: run.states[number].title_question()
            for number in open_ones
            if source is not None and name not in run.answered(number) and _is_made_for(source, run.places[number])
            if len(words(run.cases[number].cited.title)) >= _FEWEST_WORDS
        }
        if source is None or not wanted or not run.asker.admits(source, "title"):
            continue
        found = await run.ask(source, list(wanted.values()))
        for number, query in wanted.items():
            if query in found:
                run.states[number].asked[name, query] = found[query]
                run.cases[number] = run.states[number].case_with(())
        open_ones = [number for number in open_ones if run.cases[number].is_missing]
        run.missing = [number for number in run.missing if run.cases[number].is_missing]


async def _ask_venues(run: _Run, holdings: Holdings) -> None:
    """Query for works of each venue and year that the answers so far do not show, at one source after the other."""
    for place in range(_SOURCES_OF_A_VENUE):
        wanted: dict[str, dict[Query, None]] = {}
        for number in run.missing:
            if not holdings.covers(run.cases[number].cited, run.answered(number)):
                for name, query in _of_venue(run, number)[place : place + 1]:
                    wanted.setdefault(name, {})[query] = None
        for name, queries in wanted.items():
            holdings.add((await run.ask(run.sources[name], list(queries))).values())


def _of_venue(run: _Run, number: int) -> list[tuple[str, Query]]:
    """The sources that answered for a reference and take queries about its venue, with the query."""
    cited, answered = run.cases[number].cited, run.answered(number)
    preprint = cited.preprint or is_preprint_venue(cited.venue)
    venue = None if preprint else lookup(cited.venue, cited.year)
    stream = venue.dblp_stream if venue else ""
    return [
        (name, Query("venue_year", value, (), cited.year))
        for name in (_PREPRINTS if preprint else _VENUES)
        if name in answered and name in run.sources and run.asker.admits(run.sources[name], "venue_year")
        if (value := name if preprint else stream if name.startswith("dblp") else cited.venue)
    ]


async def _search_controls(run: _Run, covered: Sequence[int]) -> None:
    """Search for identified references, starting with the strata of the missing ones."""
    if not covered:
        return
    searched = {name for number in covered for name in run.answered(number)}
    wanted = {run.places[number] for number in covered}
    known = [
        number
        for number, case in enumerate(run.cases)
        if isinstance(run.places[number], Stratum) and case.cited.title and is_identified(case)
    ]
    known.sort(key=lambda number: run.places[number] not in wanted)
    free = [source for name, source in run.sources.items() if name in searched and not source.costs.get("title")]
    asked = [source for source in free if run.asker.admits(source, "title")]
    requests = max(1, int(CONTROL_REQUESTS * len(run.states)) // max(1, len(asked)))
    for source in sorted(asked, key=lambda source: source.batch["title"] == 1):
        alone = source.batch["title"] == 1
        left = [
            number
            for number in known
            if _is_made_for(source, run.places[number])
            and not (
                alone and any(one.found for one in searches(run.states[number].case_with(run.answers.get(number, ()))))
            )
        ]
        few = left[: min(requests * source.batch["title"], CONTROLS_ALONE if alone else MOST_CONTROLS)]
        queries = {number: run.states[number].title_question() for number in few}
        found = await run.ask(source, list(queries.values()))
        for number, query in queries.items():
            if query in found:
                run.answers.setdefault(number, []).append(found[query])


async def _ask_authors(run: _Run, covered: Sequence[int]) -> None:
    """Query for works of the first cited author around the cited year that share a word with the title."""
    wanted: dict[str, dict[Query, list[int]]] = {}
    for number in covered:
        state = run.states[number]
        people = state.names(1)
        if not people or state.cited.year is None:
            continue
        query = Query("author_search", "", people, state.cited.year, state.cited.title)
        for name in run.answered(number):
            source = run.sources.get(name)
            if source is not None and "venue_year" in source.batch and run.asker.admits(source, "author_search"):
                wanted.setdefault(name, {}).setdefault(query, []).append(number)
    for name, queries in wanted.items():
        for query, answer in (await run.ask(run.sources[name], list(queries))).items():
            if isinstance(answer.answer, (Found, Absent)):
                for number in queries[query]:
                    run.states[number].asked[name, query] = answer


def _is_convicted(state: LookupState) -> bool:
    return state.evaluate_so_far().verdict.name == "fabricated"


def _convicted(states: Sequence[LookupState]) -> dict[str, Trials]:
    """By file, the number of references that are proven invented, and of the others."""
    counts: dict[str, Trials] = {}
    for state in states:
        path, invented = state.reference.location.path, _is_convicted(state)
        counts[path] = counts.get(path, Trials()) + Trials(invented, not invented)
    return counts


def weak_searches(controls: Controls, sources: Sequence[Source]) -> list[str]:
    """Return a note on each search that finds few of the works known otherwise: its silence counts for little."""
    notes = []
    for source in sources:
        trials = sum(
            (
                counted
                for place, counted in controls.of_source(source.name).items()
                if expected_misses(source.name, place)
            ),
            Trials(),
        )
        if trials.looked_for >= FEWEST_OF_A_SEARCH and trials.found < FOUND_BY_A_SEARCH * trials.looked_for:
            notes.append(
                f"{source.label}'s title search found {trials.found:.0f} of {trials.looked_for:.0f} existing works, "
                f"so works that it does not find may exist"
            )
    return notes


def _is_made_for(source: Source, place: Stratum | Uncovered) -> bool:
    return isinstance(place, Stratum) and expected_misses(source.name, place) is not None


_FIELDS: dict[Kind, tuple[str, str]] = {"article": ("article", "journal"), "paper": ("inproceedings", "booktitle"),
                                        "preprint": ("misc", "howpublished")}  # fmt: skip
_BATCHES = 4
"""Batches of a group at most: random works may be too new, too short or of another type."""


async def calibrate(
    table: Calibration,
    sources: Sequence[Source],
    asker: Asker,
    today: datetime.date,
    wanted: int,
    saved: Callable[[], object],
) -> None:
    """Add this month's trials to the table until each group has ``wanted`` works.

    A group is a service that draws samples, a type of work and a period. saved: called after each group, so that an
    interrupted calibration can resume.
    """
    month = today.strftime("%Y-%m")
    roles = Roles(sources, PROFILES["default"])
    for sampler in (source for source in sources if "sample" in source.batch and asker.admits(source, "sample")):
        for kind in get_args(Kind):
            for period in get_args(Period):
                for batch in range(_BATCHES):
                    if table.drawn(month, sampler.name, kind, period) >= wanted:
                        break
                    query = Query("sample", f"{kind} {period} {month} {batch}")
                    if not sampler.accepts(query):
                        break
                    answer = (await asker.ask(sampler, [query]))[query].answer
                    records = answer.records if isinstance(answer, Found) else ()
                    await _search(table, sampler, kind, records, roles, asker, today)
                saved()


async def _search(
    table: Calibration,
    sampler: Source,
    kind: Kind,
    records: Sequence[Record],
    roles: Roles,
    asker: Asker,
    today: datetime.date,
) -> None:
    states = [LookupState.of(reference, today) for record in records if (reference := _cited(record)) is not None]
    places = {id(state): stratum(state.cited, today) for state in states}
    states = [state for state in states if getattr(places[id(state)], "kind", "") == kind]
    wanted: dict[str, dict[Query, list[LookupState]]] = {}
    for state in states:
        cited = state.cited
        names = (*roles.searched(cited, "broad"), *roles.searched(cited, "batch"), *roles.route(cited))
        for name in dict.fromkeys(names):
            source, query = roles.sources[name], state.title_question()
            if name != sampler.name and source.accepts(query) and asker.admits(source, "title"):
                wanted.setdefault(name, {}).setdefault(query, []).append(state)
    for name, queries in wanted.items():
        for query, answered in (await asker.ask(roles.sources[name], list(queries))).items():
            for state in queries[query]:
                state.asked[name, query] = answered
    for state in states:
        place = places[id(state)]
        if isinstance(place, Stratum):
            table.add(today.strftime("%Y-%m"), sampler.name, place, searches(state.case_with(())))


def _cited(record: Record) -> Reference | None:
    """Reference as an author would write it for this record, without identifiers; None if the record lacks a field."""
    kind: Kind = "preprint" if record.type == "preprint" else "article" if record.type == "article" else "paper"
    if not (record.title and record.authors and record.years and (record.venues or kind == "preprint")):
        return None
    type_, place = _FIELDS[kind]
    fields = {
        "title": record.title,
        "author": " and ".join(str(person) for person in record.authors),
        "year": str(record.years[0]),
        place: "arXiv preprint" if kind == "preprint" else record.venues[0],
    }
    return Reference(f"{record.source}:{record.id}", type_, fields, Location("calibration", 1, 1))
