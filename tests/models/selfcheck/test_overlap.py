"""Overlap of two answers, without a model."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Person
from pytest_citecheck.models.selfcheck import dice, name_keys, names_in, pairs, pairwise, venue_keys, year_keys


@pytest.mark.parametrize(
    ("answer", "keys"),
    [
        ("AUTHORS: Béla Bollobás, M. E. J. Newman", {"bollobas b", "newman m"}),
        ("1. Donald E. Knuth\n2. Ronald L. Graham", {"knuth d", "graham r"}),
        ("Knuth, D. E., Graham, R. L., and Patashnik, O.", {"knuth d", "graham r", "patashnik o"}),
        ("Ada Lovelace & Charles Babbage (eds.), et al.", {"lovelace a", "babbage c"}),
        ("The authors of 'Deep Work' are Ada Lovelace and Charles Babbage.", {"lovelace a", "babbage c"}),
        ("Written by Ada Lovelace.", {"lovelace a"}),
        ("Authors: 1. Ada Lovelace 2. Charles Babbage", {"lovelace a", "babbage c"}),
        ("ada lovelace, charles babbage", {"lovelace a", "babbage c"}),
        ("Information about the authors of this work is scarce", set()),
        ("The authors are not listed here", set()),
        ("I could not find this publication.", set()),
        ("", set()),
        (", , ;", set()),
    ],
)
def test_names_become_family_name_and_initial(answer: str, keys: set[str]) -> None:
    assert name_keys(names_in(answer)) == keys


def test_the_authors_of_an_entry_compare_with_an_answer() -> None:
    cited = (Person(family="Bollobás", given="Béla"),)
    assert dice(name_keys(cited), name_keys(names_in("B. Bollobas"))) == 1


def test_q3_all_pairs_are_compared_in_the_order_of_the_paper() -> None:
    assert pairs(3) == [(1, 0), (2, 0), (2, 1)]
    assert len(pairs(5)) == 10
    a, b = frozenset("ab"), frozenset("bc")
    assert pairwise([a, a, b]) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert pairwise([a]) is None
    assert pairwise([frozenset(), frozenset()]) == 0


def test_years_and_venues_compare_by_what_they_name() -> None:
    assert year_keys("YEAR: 2017") == {"2017"}
    assert year_keys("I do not know the year, maybe 2017") == frozenset()
    assert venue_keys("VENUE: NeurIPS 2019") == venue_keys("Advances in Neural Information Processing Systems")
    assert venue_keys("VENUE: Annals of Machine Weaving, vol. 3") == {"machine", "weaving"}
