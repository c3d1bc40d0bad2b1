"""Controls are sent only if a reference is missing, with few queries, and measure the weight of an absence."""

from __future__ import annotations

import asyncio

from pytest_citecheck.evidence import trials_of
from pytest_citecheck.lookup import ask_controls
from pytest_citecheck.sources import SOURCES
from tests.support.absences import FakeAsker, known_and_missing, questions_asked
from tests.support.evidence_builders import TODAY


def test_nothing_is_asked_where_nothing_is_missing() -> None:
    asker = FakeAsker()
    asyncio.run(ask_controls(known_and_missing(5)[:-1], SOURCES, asker, TODAY))
    assert not asker.asked


def test_sources_that_take_many_titles_are_asked_first_and_the_others_for_what_is_left() -> None:
    asked, controls = questions_asked(5)
    assert asked == {"openalex": 1, "semantic_scholar": 5, "crossref": 1}, "one query for the works of its author"
    assert [trials.found for trials in trials_of(["semantic_scholar"], controls.identified).values()] == [5]
    asked, controls = questions_asked(5, "semantic_scholar")
    assert asked["semantic_scholar"] == 5
    found = trials_of(["semantic_scholar", "crossref"], controls.identified)
    assert [(trials.found, trials.missed) for trials in found.values()] == [(1, 0)], (
        "Crossref was not asked for the others"
    )


def test_controls_are_no_evidence_for_themselves() -> None:
    states = known_and_missing(3)
    before = [state.evidence() for state in states[:-1]]
    asyncio.run(ask_controls(states, SOURCES, FakeAsker("semantic_scholar", "crossref"), TODAY))
    assert [state.evidence() for state in states[:-1]] == before


def test_a_missing_reference_is_searched_for_by_its_author_only_in_a_venue_that_is_held() -> None:
    asked, _ = questions_asked(3)
    assert asked["crossref"] == 1
    states = known_and_missing(0)
    asker = FakeAsker("crossref")
    asyncio.run(ask_controls(states, SOURCES, asker, TODAY))
    assert asker.kinds == {"title", "venue_year"}
