"""Works are found by their authors, whichever way the lists of numbers are counted."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.index import LocalIndex, author, in_several
from pytest_citecheck.index import search as author_search
from pytest_citecheck.model import Record
from tests.support.records import work

np = pytest.importorskip("numpy")

FAMILIES = ("Zhang", "Wang", "Li", "Lovelace", "Turing")
VENUES = ("NeurIPS", "ICML", "Notes")


@given(st.lists(st.sets(st.integers(0, 12)).map(sorted), max_size=6), st.integers(0, 7), st.sampled_from([0, 400]))
def test_numbers_in_several_lists_are_counted(lists: list[list[int]], least: int, worth_sorting: int) -> None:
    counted = Counter(number for numbers in lists for number in numbers)
    expected: dict[int, list[int]] = {}
    for number in sorted(counted):
        if least and counted[number] >= least:
            expected.setdefault(counted[number], []).append(number)
    stored = [array("I", numbers).tobytes() for numbers in lists]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(author_search, "_WORTH_SORTING", worth_sorting)
        assert in_several(stored, least) == expected


@pytest.fixture(scope="module")
def records() -> list[Record]:
    dice = random.Random(1)  # noqa: S311
    return [
        work(
            "dblp", str(number), f"Work {number}", tuple(f"A. {dice.choice(FAMILIES)}" for _ in range(dice.randint(1, 4))),
            dice.choice((2019, 2020, 2021, 2022)), dice.choice(VENUES),
        )
        for number in range(400)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> LocalIndex:
    from pytest_citecheck.index import build  # noqa: PLC0415 - needs numpy

    path = Path(tmp_path_factory.mktemp("index"), "works.index")
    build(path, records)
    return LocalIndex(path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("worth_sorting", [0, 1 << 30])
def test_look_ups_give_what_going_through_all_records_gives(
    index: LocalIndex, records: list[Record], worth_sorting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For many queries: the same records, those with most of the people first."""
    monkeypatch.setattr(author_search, "_WORTH_SORTING", worth_sorting)
    dice = random.Random(2)  # noqa: S311
    for _ in range(150):
        people = dice.sample(FAMILIES, dice.randint(1, 4))
        year, least, venue = dice.choice((2020, 2021)), dice.randint(1, 3), dice.choice(VENUES)
        near = index.by_authors(people, year, 1000, least=least)
        assert near == expected([one for one in records if one.year in (year - 1, year, year + 1)], people, least, near)
        there = index.by_authors(people, year, 1000, least=least, within=0, at=venue.__eq__)
        those = [one for one in records if one.year == year and one.venue == venue]
        assert there == expected(those, people, least, there)


def expected(records: list[Record], people: list[str], least: int, found: list[Record]) -> list[Record]:
    """Return records by at least ``least`` of these people, in the order of ``found``."""
    wanted = Counter(name.lower() for name in people)
    shared = {one.id: (wanted & Counter(map(author, one.authors))).total() for one in records}
    fitting = [one for one in records if shared[one.id] >= min(least, len(people))]
    assert [shared[one.id] for one in found] == sorted((shared[one.id] for one in found), reverse=True)
    return sorted(fitting, key=lambda one: found.index(one) if one in found else -1)
