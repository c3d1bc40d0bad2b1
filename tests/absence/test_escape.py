"""The escape probability: few trials, a broken search, and dependent sources never make an absence say more than it does."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.absence import Controls, Stratum, Trials, escape, probability_invented
from pytest_citecheck.absence.coverage_table import floor_of, search_of
from tests.support.absences import ARTICLES, BOTH, PAPERS, counted, escape_after, searched


def test_references_that_are_found_lower_it_and_those_that_are_not_raise_it() -> None:
    nothing, found, missed = (escape_after(controls) for controls in (Controls(), counted(30), counted(27, 3)))
    assert found.mean < nothing.mean < missed.mean
    assert found.low <= found.mean <= found.high


def test_without_controls_the_upper_end_decides() -> None:
    nothing = escape_after(Controls())
    assert not nothing.enough
    assert nothing.bound == nothing.high > nothing.mean
    assert escape_after(counted(30)).bound == escape_after(counted(30)).mean


@pytest.mark.parametrize("missed", [2, 5, 20])
def test_a_search_that_finds_no_control_loses_its_vote(missed: int) -> None:
    broken, alone = escape_after(searched("crossref", 0, missed)), escape_after(Controls(), by=["dblp"])
    assert broken.mean == pytest.approx(alone.mean, abs=alone.mean * 0.45)


def test_a_source_that_takes_from_another_adds_nothing() -> None:
    assert escape_after(Controls(), ARTICLES, ["crossref", "openalex"]).sources == ("crossref",)
    assert escape_after(Controls(), by=["dblp", "dblp_sparql"]).sources == ("dblp",)


def test_a_source_that_is_not_made_for_such_works_has_no_vote() -> None:
    assert escape(ARTICLES, ["dblp", "arxiv"], Controls(), 0.1) is None
    assert escape(ARTICLES, [], Controls(), 0.1) is None


def test_a_control_that_another_search_found_says_nothing_of_those_that_answered() -> None:
    others = counted(30, by=["semantic_scholar"])
    assert escape_after(others).mean > escape_after(Controls()).mean


def test_what_may_be_invented_counts_as_missed_unless_identifiers_tell() -> None:
    suspicious = counted(20, 10, identified=False)
    assert escape_after(suspicious).mean > 0.1
    told = Controls({}, counted(20).by_identifier, suspicious.others)
    assert escape_after(told).mean < 0.02


def test_where_many_are_invented_what_is_not_found_hardly_counts_as_missed() -> None:
    suspicious = counted(24, 6, identified=False)
    assert escape_after(suspicious, prior=0.3).mean < 0.02 < 0.1 < escape_after(suspicious, prior=0.0004).mean


def test_but_what_is_more_than_the_share_of_invented_ones_explains_does() -> None:
    assert escape_after(counted(18, 12, identified=False), prior=0.1).mean > 0.1


def test_but_the_mean_is_relied_on_only_after_enough_that_is_certainly_real() -> None:
    assert escape_after(counted(25, 10, identified=False), prior=0.3).enough
    of_one_search = counted(25, 10, by=["dblp"], identified=False)
    assert not escape_after(of_one_search, prior=0.3).enough


def test_the_reference_that_is_judged_does_not_count_against_itself() -> None:
    assert escape_after(counted(30, 1, identified=False)).mean == escape_after(counted(30, identified=False)).mean


@pytest.mark.exhaustive
@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([PAPERS, ARTICLES]))
def test_it_is_a_probability_within_its_interval(found: int, missed: int, place: Stratum) -> None:
    escaped = escape_after(counted(found, missed, place=place), place, ["crossref"])
    assert 0 < escaped.low <= escaped.high < 1
    assert 0 < escaped.mean < 1


@pytest.mark.parametrize("hidden", [0.0, 0.01, 0.03, 0.1, 0.3])
@pytest.mark.parametrize("identified", [0.0, 0.5])
def test_the_stated_risk_is_the_true_risk(hidden: float, identified: float) -> None:
    """Bibliographies of 40 papers of one stratum, of which nobody holds a share that the table of coverage does not know."""
    chance = random.Random(7)  # noqa: S311 - a simulation
    real = 0
    called = dict.fromkeys((0.002, 0.01, 0.05), 0)
    for _ in range(60):
        found = [chance.random() >= hidden for _ in range(40)]
        named = [chance.random() < identified for _ in range(40)]
        counts = {
            flag: {frozenset(BOTH): sum(f for f, n in zip(found, named, strict=True) if n is flag),
                   frozenset[str](): sum(not f for f, n in zip(found, named, strict=True) if n is flag)}
            for flag in (True, False)
        }  # fmt: skip
        escaped = escape_after(Controls({}, {PAPERS: counts[True]}, {PAPERS: counts[False]}))
        real += 40
        for limit in called:
            called[limit] += counts[False][frozenset()] if escaped.bound <= limit else 0
    for limit, times in called.items():
        assert times / real <= limit + 2 * (limit / real) ** 0.5


def test_bayes_rule() -> None:
    assert probability_invented(0.01, 0.001) == pytest.approx(0.09, abs=0.005)
    assert probability_invented(0.0005, 0.001) == pytest.approx(0.665, abs=0.005)
    assert probability_invented(0.01, 0.3) == pytest.approx(0.977, abs=0.005)
    assert probability_invented(0.0, 0.0) == 0.0


def test_every_row_of_the_table_names_its_source() -> None:
    for search in ("dblp", "crossref", "semantic_scholar", "openalex"):
        row = search_of(search, PAPERS)
        assert row is not None
        assert 0 < row.share < 1
        assert 0 < row.size <= 50
        assert row.why
    assert floor_of(ARTICLES).share < floor_of(PAPERS).share < 1


def test_trials_add_up() -> None:
    assert Trials(1, 2) + Trials(3, 4) == Trials(4, 6)
    assert Trials(1, 2).looked_for == 3
    assert Trials(1, 0).without_missed(1) == Trials(1, 0)
