"""A look-up reads few rows, in few statements. The counts do not depend on the machine."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from pytest_citecheck.index import LocalIndex
from pytest_citecheck.model import Record
from tests.support.records import work

np = pytest.importorskip("numpy")

COUNT = 1_500
WORDS = tuple(first + last for first in ("over", "under", "inter", "cross", "multi") for last in (
    "graph", "kernel", "lattice", "market", "network", "neuron", "opera", "planet", "quartz", "signal", "tensor", "vector",
))  # fmt: skip
FAMILIES = ("Zhang", "Wang", "Li")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    dice = random.Random(6)  # noqa: S311 - the same ones in every run
    return [
        work("dblp", str(number), " ".join(dice.sample(WORDS, 7)), tuple(f"A. {name}" for name in FAMILIES), 2000 + number % 20)
        for number in range(COUNT)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> Iterator[LocalIndex]:
    from pytest_citecheck.index import build  # noqa: PLC0415 - needs numpy

    path = tmp_path_factory.mktemp("index") / "works.index"
    build(path, records)
    with LocalIndex(path) as opened:
        yield opened


@pytest.fixture
def read(index: LocalIndex, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The table and the number of rows of each statement for several rows."""
    statements: list[tuple[str, int]] = []
    unpatched = index._rows.some

    def some(table: str, rows: Iterable[int]) -> dict[int, Any]:
        found = unpatched(table, rows)
        statements.append((table, len(found)))
        return found

    monkeypatch.setattr(index._rows, "some", some)
    return statements


def titles_read(statements: list[tuple[str, int]]) -> list[int]:
    return [rows for table, rows in statements if table == "titles"]


@pytest.mark.parametrize("place", range(7))
def test_a_changed_word_takes_few_titles(
    index: LocalIndex, records: list[Record], read: list[tuple[str, int]], place: int
) -> None:
    for number in range(0, COUNT, 50):
        words = records[number].title.split()
        words[place] = next(word for word in WORDS if word not in words)
        assert index.title_numbers(" ".join(words))[0] == number
    assert len(titles_read(read)) == COUNT // 50
    assert max(titles_read(read)) <= 15


def test_an_absent_title_is_given_up_if_all_its_words_are_known(index: LocalIndex, read: list[tuple[str, int]]) -> None:
    dice = random.Random(7)  # noqa: S311
    for _ in range(30):
        assert len(index.title_numbers(" ".join(dice.sample(WORDS, 7)))) == 10
    assert len(titles_read(read)) == 30
    assert max(titles_read(read)) <= 40


def test_more_lists_are_read_for_an_unknown_word(
    index: LocalIndex, records: list[Record], read: list[tuple[str, int]]
) -> None:
    title = records[0].title.split()
    assert index.title_numbers(" ".join(word[:2] + "x" + word[2:] for word in title))[0] == 0
    assert len(titles_read(read)) <= 2


def test_the_authors_of_all_years_are_read_in_one_statement(index: LocalIndex, read: list[tuple[str, int]]) -> None:
    assert len(index.by_authors(["Zhang", "Wang", "Li"], 2010, 5, within=8)) == 5
    assert [table for table, _ in read] == ["author_keys"]
