"""Rounds about places: the work on the cited page, and tables of contents for what is still undecided."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from pytest_citecheck.lookup import PROFILES, LookupState, ask_all
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, QueryResult, Record
from pytest_citecheck.sources import SOURCES, Source
from tests.support.evidence_builders import TODAY, record, reference

TITLE = "Notes on the analysis of difference engines"
JOURNAL = "Annals of Invented Machinery"


class Services:
    """Services with these answers to a kind of query; they know nothing else."""

    def __init__(self, answers: dict[tuple[str, QueryKind], tuple[Record, ...]], *, recorded: bool = True) -> None:
        self.answers = answers
        self.asked: list[tuple[str, QueryKind]] = []
        self._recorded = recorded

    def admits(self, source: Source, kind: QueryKind) -> bool:
        return kind in source.batch

    def answerable(self, source: Source, queries: Iterable[Query]) -> list[Query]:
        return list(queries) if self._recorded else []

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        answers = {}
        for query in queries:
            self.asked.append((source.name, query.kind))
            records = self.answers.get((source.name, query.kind), ())
            answer: Answer = Found(records) if records else Absent()
            answers[query] = QueryResult(source.name, query, answer)
        return answers

    def about_places(self) -> list[tuple[str, QueryKind]]:
        return [one for one in self.asked if one[1] in ("place", "volume")]


def article(title: str, people: str, pages: str, **fields: str) -> Record:
    return record(
        title, people, venue=JOURNAL, year=1950, type="article", volume="12", pages=pages, issn=("1234-5679",), **fields
    )


def looked_up(services: Services, **fields: str) -> LookupState:
    stated = {"author": "Ada Lovelace and Alan Turing", "title": TITLE, "journal": JOURNAL, "year": "1950"}
    cited = reference("article", **{**stated, "volume": "12", "pages": "41--60", **fields})
    state = LookupState.of(cited, TODAY)
    asyncio.run(ask_all([state], SOURCES, services, PROFILES["default"]))
    return state


def venue(state: LookupState) -> str:
    return state.evaluate_so_far().findings["venue"].code


def test_a_work_that_was_found_is_not_asked_for_by_its_place() -> None:
    services = Services(
        {("europe_pmc", "title"): (article(TITLE, "Ada Lovelace; Alan Turing", "41-60", source="europe_pmc"),)}
    )
    state = looked_up(services)
    assert services.about_places() == []
    assert venue(state) == "place-ok"


def test_many_places_first_then_single_ones() -> None:
    services = Services({})
    looked_up(services)
    assert services.about_places() == [("pubmed", "place"), ("crossref", "place")]


def test_a_known_issn_leads_to_the_table_of_contents() -> None:
    other = article("Report on looms and mills", "Wea Ver", "41-60", number="3")
    services = Services({("crossref", "volume"): (other,)})
    state = looked_up(services, issn="1234-5679", number="3")
    assert services.about_places() == [("pubmed", "place"), ("crossref", "volume")]
    assert venue(state) == "place-other-work"
    assert state.evaluate_so_far().verdict.name == "fabricated"


def test_an_issue_may_begin_on_page_1() -> None:
    other = article("Report on looms and mills", "Wea Ver", "41-60")
    state = looked_up(Services({("crossref", "volume"): (other,)}), issn="1234-5679")
    assert state.evaluate_so_far().findings["venue"].level == "warning"


def test_a_work_of_the_journal_shows_its_issn() -> None:
    elsewhere = article("Report on mills", "Wea Ver", "1-40", number="3")
    other = article("Report on looms and mills", "Wea Ver", "41-60", number="3")
    services = Services({("crossref", "place"): (elsewhere,), ("crossref", "volume"): (other,)})
    state = looked_up(services, number="3")
    assert services.about_places() == [("pubmed", "place"), ("crossref", "place"), ("crossref", "volume")]
    assert venue(state) == "place-other-work"


def test_physics_is_asked_of_its_catalogue() -> None:
    services = Services({})
    looked_up(services, journal="Physical Review Letters")
    assert services.about_places()[:2] == [("pubmed", "place"), ("inspire", "place")]


def test_an_id_that_pubmed_has_for_a_place_is_looked_up() -> None:
    work = article(
        "Notes sur l'analyse des machines à différences",
        "Ada Lovelace; Alan Turing",
        "41-60",
        source="pubmed",
        pmid="7",
    )
    pointer = Record("pubmed", "7", pmid="7")
    state = looked_up(Services({("pubmed", "place"): (pointer,), ("pubmed", "pmid"): (work,)}))
    assert venue(state) == "place-ok"


def test_a_replay_does_without_places_that_were_not_recorded() -> None:
    services = Services({}, recorded=False)
    looked_up(services)
    assert services.about_places() == []


@pytest.mark.parametrize(
    "fields", [{"volume": ""}, {"pages": ""}, {"pages": "1--9"}, {"journal": "arXiv preprint"}, {"journal": ""}]
)
def test_a_place_that_identifies_nothing_is_not_asked_for(fields: dict[str, str]) -> None:
    services = Services({})
    looked_up(services, **fields)
    assert services.about_places() == []
