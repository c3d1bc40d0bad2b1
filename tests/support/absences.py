"""Runs of made-up references for tests of absences: what was found by which searches."""

from __future__ import annotations

import asyncio
import datetime
from collections import Counter
from collections.abc import Collection, Iterable

from pytest_citecheck.evidence import Controls, FileCounts, MissProbability, Stratum, Trials, miss_probability
from pytest_citecheck.lookup import LookupState, ask_controls
from pytest_citecheck.model import Absent, Found, Query, QueryKind, QueryResult
from pytest_citecheck.sources import SOURCES, Source
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS
from tests.support.evidence_builders import TODAY, record, reference

PAPERS = Stratum("paper", "computer_science", "2010-2019")
ARTICLES = Stratum("article", "other", "2010-2019")
BOTH = ("dblp", "crossref")
MISSING = "Unheard thoughts on a topic of nobody"


def searched_by(by: Collection[str], found: int, missed: int) -> dict[tuple[frozenset[str], frozenset[str]], int]:
    """Counts of references that all of these searches found, and that all of them missed."""
    return {(frozenset(by), frozenset(by)): found, (frozenset(by), frozenset[str]()): missed}


def counted(
    found: int,
    missed: int = 0,
    by: Collection[str] = BOTH,
    place: Stratum = PAPERS,
    *,
    identified: bool = True,
    convicted: int = 0,
) -> Controls:
    """Controls of one stratum: references that all of these searches found, and references that none found."""
    counts = {place: searched_by(by, found, missed)}
    if identified:
        return Controls(identified=counts, files={"refs.bib": FileCounts({}, found + missed, convicted)})
    return Controls(files={"refs.bib": FileCounts(counts, 0, convicted)})


def missed_after(
    controls: Controls, place: Stratum = PAPERS, by: Collection[str] = BOTH, prior: float = PRIOR_OF_PAPERS
) -> MissProbability:
    """The miss probability of a reference of ``refs.bib`` that these searches did not find."""
    found = miss_probability(place, by, controls, prior, "refs.bib")
    assert found is not None
    return found


def searched(source: str, found: int, missed: int, place: Stratum = PAPERS) -> Controls:
    """Controls of the search of one source."""
    return Controls({source: {place: Trials(found, missed)}}, {}, {})


def known_and_missing(known: int) -> list[LookupState]:
    """So many papers that Crossref has shown by their DOI, and one that no search has."""
    states = []
    for number in range(known):
        title = f"Known results on engines of the kind number {number}"
        cited = reference(
            "inproceedings", author="Ada Lovelace", title=title, booktitle="ICML", year="2019", doi=f"10.1000/{number}"
        )
        state = LookupState.of(cited, TODAY)
        work = record(title, "Ada Lovelace", doi=f"10.1000/{number}", venue="ICML", year=2019)
        query = Query("doi", f"10.1000/{number}")
        state.asked["crossref", query] = QueryResult("crossref", query, Found((work,)))
        states.append(state)
    cited = reference("inproceedings", author="Hugo Abbott", title=MISSING, booktitle="ICML", year="2019")
    state = LookupState.of(cited, TODAY)
    for source in ("semantic_scholar", "crossref"):
        query = state.title_question()
        state.asked[source, query] = QueryResult(source, query, Absent())
    return [*states, state]


class FakeAsker:
    """Notes the questions, and answers each with the work of the cited title, or with nothing."""

    def __init__(self, *silent: str) -> None:
        self.asked: Counter[str] = Counter()
        self.kinds: set[str] = set()
        self._silent = silent

    def admits(self, source: Source, kind: QueryKind) -> bool:
        return kind in source.batch

    def answerable(self, source: Source, queries: Iterable[Query]) -> list[Query]:
        return list(queries)

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        answers = {}
        for query in queries:
            self.asked[source.name] += 1
            self.kinds.add(query.kind)
            work = record(query.value, "Ada Lovelace", source=source.name, venue="ICML", year=2019)
            nothing = source.name in self._silent or query.value == MISSING
            answer = Absent() if nothing else Found((work,))
            answers[query] = QueryResult(source.name, query, answer)
        return answers


def questions_asked(known: int, *silent: str, today: datetime.date = TODAY) -> tuple[Counter[str], Controls]:
    """Return the number of controls sent to each source if ``known`` works are known, and the result of the controls."""
    asker = FakeAsker(*silent)
    return asker.asked, asyncio.run(ask_controls(known_and_missing(known), SOURCES, asker, today))
