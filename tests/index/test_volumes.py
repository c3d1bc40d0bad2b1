"""Volumes of journals in a local index: found under every form of the name, and answered as places and tables of contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.index import LocalIndex, build
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Absent, Answer, Found, Query, Record
from tests.support.records import work

pytest.importorskip("numpy")

COUNT = 400


def article(
    number: int, pages: str, volume: str = "12", venue: str = "Journal of Invented Machinery", year: int = 1950
) -> Record:
    stated = work(
        "dblp", f"{venue}/{volume}/{number}", f"Report {number} on mills", (f"Author{number} Name",), year, venue
    )
    return replace(stated, type="article", volume=volume, pages=pages)


ARTICLES = [article(number, f"{10 * number + 1}-{10 * number + 10}") for number in range(5)]
OTHERS = [
    article(20, "7-9", "1", year=1939),
    article(21, "7-9", "60", year=1998),
    article(22, "11-20", venue="Journal of Improved Mechanics"),  # the same initials
    replace(article(23, "11-20"), source="library", id="own"),
    replace(article(24, ""), id="unpaged"),
    article(25, "5-9", venue="Journal of Machine Learning Research", year=2011),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("volumes") / "volumes.index"
    build(made, [*ARTICLES, *OTHERS])
    return made


@pytest.fixture
def source(path: Path) -> Iterator[IndexSource]:
    opened = IndexSource(path, "index")
    yield opened
    opened.close()


def ask(source: IndexSource, kind: str, value: str) -> Answer:
    query = Query(kind, value)  # type: ignore[arg-type]
    return source.ask([query])[query].answer


def pages(answer: Answer) -> list[str]:
    return [record.pages for record in answer.records] if isinstance(answer, Found) else []


@pytest.mark.parametrize(
    "journal",
    ["Journal of Invented Machinery", "J. Inv. Mach.", "J Invented Mach", "The Journal of Invented Machinery"],
)
def test_a_volume_is_found_under_every_form_of_the_name(source: IndexSource, journal: str) -> None:
    assert pages(ask(source, "volume", f"{journal}||12|")) == [one.pages for one in ARTICLES]


@pytest.mark.parametrize("journal", ["JMLR", "J. Mach. Learn. Res.", "Journal of Machine Learning Research"])
def test_a_known_journal_is_found_under_its_acronym(source: IndexSource, journal: str) -> None:
    assert pages(ask(source, "volume", f"{journal}||12|")) == ["5-9"]


def test_a_place_is_one_work_of_the_volume(source: IndexSource) -> None:
    assert pages(ask(source, "place", "J. Invented Mach.||12|21")) == ["21-30"]
    assert isinstance(ask(source, "place", "J. Invented Mach.||12|25"), Absent)
    assert isinstance(ask(source, "place", "Annals of Mills||12|21"), Absent)


def test_of_an_unknown_volume_the_first_and_last_one_are_shown(source: IndexSource) -> None:
    answer = ask(source, "volume", "Journal of Invented Machinery||900|")
    assert isinstance(answer, Found)
    assert [(record.volume, record.year) for record in answer.records] == [("1", 1939), ("60", 1998)]


def test_a_long_list_is_not_cut(path: Path) -> None:
    with LocalIndex(path) as index:
        assert index.by_volume(["Journal of Invented Machinery"], "12", 3) == []


def test_a_volume_costs_one_key_a_record(tmp_path: Path) -> None:
    placed = [article(number, f"{number + 2}-{number + 3}") for number in range(COUNT)]
    hidden = [replace(one, volume="", number=one.volume) for one in placed]
    sizes = [build(tmp_path / f"{name}.index", records).size for name, records in (("a", placed), ("b", hidden))]
    assert sizes[0] - sizes[1] <= 10 * COUNT + 8192
