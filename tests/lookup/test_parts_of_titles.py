"""Before an absence counts, a title is also searched for without its subtitle, and by its subtitle alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from pytest_citecheck.lookup import PROFILES, LookupState, ask_all
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, QueryResult
from pytest_citecheck.sources import SOURCES, Source
from tests.support.evidence_builders import TODAY, record, reference

MAIN = "Folding maps of quiet cities"
SUBTITLE = "Lessons for their planners"
OTHER = f"{MAIN}: An Atlas of Sounds"


class Searches:
    """A source that finds its records only by their exact titles."""

    def __init__(self, titles: dict[str, str], *, recorded: bool = True) -> None:
        self.titles = titles
        self.asked: set[str] = set()
        self._recorded = recorded

    def admits(self, source: Source, kind: QueryKind) -> bool:
        return kind in source.batch

    def answerable(self, source: Source, queries: Iterable[Query]) -> list[Query]:
        return list(queries) if self._recorded else []

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        answers = {}
        for query in queries:
            self.asked.add(query.value)
            answer: Answer = Absent()
            if query.value in self.titles:
                found = record(self.titles[query.value], "Ada Lovelace", source=source.name, venue="Maps", year=2019)
                answer = Found((found,))
            answers[query] = QueryResult(source.name, query, answer)
        return answers


def state_after(asker: Searches, title: str = f"{MAIN}: {SUBTITLE}", year: str = "2019") -> LookupState:
    cited = reference("article", author="Ada Lovelace", title=title, journal="Maps", year=year)
    state = LookupState.of(cited, TODAY)
    asyncio.run(ask_all([state], SOURCES, asker, PROFILES["default"]))
    return state


def test_both_parts_are_asked_for_if_the_whole_is_not_found() -> None:
    asker = Searches({})
    state_after(asker)
    assert {MAIN, SUBTITLE} <= asker.asked


def test_what_is_found_so_is_shown_as_what_is_perhaps_meant() -> None:
    case = state_after(Searches({MAIN: OTHER})).evaluate_so_far().case
    assert OTHER in {candidate.record.title for candidate in case.candidates}
    assert case.miss_probability is None


@pytest.mark.parametrize(
    ("titles", "cited", "year"),
    [
        pytest.param({f"{MAIN}: {SUBTITLE}": f"{MAIN}: {SUBTITLE}"}, f"{MAIN}: {SUBTITLE}", "2019", id="found"),
        pytest.param({}, MAIN, "2019", id="no subtitle"),
        pytest.param({}, f"{MAIN}: {SUBTITLE}", "1950", id="an absence is no evidence"),
    ],
)
def test_nothing_more_is_asked_otherwise(titles: dict[str, str], cited: str, year: str) -> None:
    asker = Searches(titles)
    state_after(asker, cited, year)
    assert asker.asked == {cited}


def test_a_replay_does_without_what_was_not_recorded() -> None:
    asker = Searches({}, recorded=False)
    state_after(asker)
    assert asker.asked == {f"{MAIN}: {SUBTITLE}"}
