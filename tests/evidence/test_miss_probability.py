"""The joint fit: missing references raise the miss probability, and inventions do not hide each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.evidence import (
    Controls,
    Stratum,
    Trials,
    expected_misses,
    is_covered_search,
    miss_probability,
    probability_invented,
)
from pytest_citecheck.thresholds import MISS_LIMIT, PROBABLY_INVENTED
from tests.support.absences import ARTICLES, BOTH, PAPERS, counted, missed_after, searched


def test_references_that_are_found_lower_it_and_those_that_are_not_raise_it() -> None:
    nothing, found, missed = (missed_after(controls) for controls in (Controls(), counted(60), counted(57, 3)))
    assert found.mean < nothing.mean < missed.mean
    assert found.low <= found.mean <= found.high


def test_a_missing_reference_does_not_count_against_itself() -> None:
    assert missed_after(counted(40, 1, identified=False)).mean == missed_after(counted(40, identified=False)).mean


def test_inventions_do_not_hide_each_other() -> None:
    one, two, four, ten = (missed_after(counted(40 - count, count, identified=False)) for count in (1, 2, 4, 10))
    assert one.mean <= MISS_LIMIT
    assert one.invented < two.invented < PROBABLY_INVENTED < four.invented < ten.invented


def test_known_works_that_are_missing_are_no_inventions() -> None:
    """Three works with a registered DOI that no search finds: the next missing one may well be real."""
    missed = missed_after(counted(37, 3))
    assert missed.mean > MISS_LIMIT
    assert missed.invented < 0.05


def test_a_prior_of_many_inventions_makes_a_missing_reference_an_invention() -> None:
    controls = counted(24, 6, identified=False)
    assert missed_after(controls, prior=0.3).invented > 0.9
    assert missed_after(controls, prior=0.3).mean <= missed_after(controls).mean


def test_convicted_references_of_the_file_raise_the_probability() -> None:
    usual = missed_after(counted(40, 1, identified=False))
    after = missed_after(counted(40, 1, identified=False, convicted=3))
    assert after.invented > usual.invented


def test_another_file_does_not_make_this_one_suspect() -> None:
    """Ten missing references of one bibliography are no evidence that the next bibliography has inventions."""
    alone = missed_after(counted(40, 1, identified=False))
    beside = Controls(
        files={
            **counted(40, 1, identified=False).files,
            "other.bib": counted(30, 10, identified=False).files["refs.bib"],
        }
    )
    assert missed_after(beside).invented == pytest.approx(alone.invented, abs=0.1)


@pytest.mark.parametrize("missed", [5, 20])
def test_a_search_that_finds_no_control_loses_its_vote(missed: int) -> None:
    broken, alone = missed_after(searched("crossref", 0, missed)), missed_after(Controls(), by=["dblp"])
    assert broken.mean == pytest.approx(alone.mean, rel=0.5)


def test_a_source_that_takes_from_another_adds_less_than_an_independent_one() -> None:
    alone = missed_after(Controls(), ARTICLES, ["crossref"])
    derived = missed_after(Controls(), ARTICLES, ["crossref", "openalex"])
    assert derived.mean < alone.mean
    assert missed_after(Controls(), by=["dblp", "dblp_sparql"]).mean == missed_after(Controls(), by=["dblp"]).mean


def test_a_source_that_is_not_made_for_such_works_has_no_vote() -> None:
    assert miss_probability(ARTICLES, ["dblp", "arxiv"], Controls(), 0.1) is None
    assert miss_probability(ARTICLES, [], Controls(), 0.1) is None
    others = searched("arxiv", 0, 30)  # trials with articles, which arXiv does not hold
    preprints = Stratum("preprint", "other", "2010-2019")
    assert missed_after(others, preprints, ["arxiv"]).mean == missed_after(Controls(), preprints, ["arxiv"]).mean


def test_earlier_trials_of_a_search_lower_the_miss_probability() -> None:
    usual = missed_after(counted(20))
    earlier = {search: {PAPERS: Trials(200, 0)} for search in BOTH}
    calibrated = missed_after(Controls(earlier, counted(20).identified, counted(20).files))
    assert calibrated.mean < usual.mean
    assert calibrated.looked_for == usual.looked_for, "the message counts the references of this run"


@pytest.mark.exhaustive
@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([PAPERS, ARTICLES]), st.booleans())
def test_it_is_a_probability_within_its_interval(found: int, missed: int, place: Stratum, identified: bool) -> None:
    result = missed_after(counted(found, missed, place=place, identified=identified), place, ["crossref"])
    assert 0 < result.low <= result.high < 1
    assert 0 < result.mean < 1
    assert 0 <= result.invented < 1


def test_bayes_rule() -> None:
    assert probability_invented(0.01, 0.001) == pytest.approx(0.09, abs=0.005)
    assert probability_invented(0.0005, 0.001) == pytest.approx(0.665, abs=0.005)
    assert probability_invented(0.01, 0.3) == pytest.approx(0.977, abs=0.005)
    assert probability_invented(0.0, 0.0) == 0.0


def test_every_row_of_the_table_names_its_source() -> None:
    for search in ("dblp", "crossref", "semantic_scholar", "openalex"):
        row = expected_misses(search, PAPERS)
        assert row is not None
        assert 0 < row.missed < 1
        assert 0 < row.size <= 50
        assert row.why
        assert is_covered_search(search)
    assert not is_covered_search("index")


def test_trials_add_up() -> None:
    assert Trials(1, 2) + Trials(3, 4) == Trials(4, 6)
    assert Trials(1, 2).looked_for == 3
    assert Trials(1, 2).scaled(0.5) == Trials(0.5, 1)
