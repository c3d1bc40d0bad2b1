"""An index as a source: results for the people of a venue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.index import IndexFileError, LocalIndex, rebuild
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Found, Query, Unavailable
from tests.support.records import work

NAMESAKES = 60


@pytest.fixture
def source(tmp_path: Path) -> Iterator[IndexSource]:
    """ICML 2019 with sixty papers, each by a different Zhang, and one more by two of them."""
    given = [f"{first}{second}" for first in "ABCDEF" for second in "aeiouyrlnm"]
    papers = [
        work("dblp", str(n), f"Paper number {n}", (f"{name} Zhang",), 2019, "ICML") for n, name in enumerate(given)
    ]
    both = work("dblp", "both", "A paper of two", ("Ai Zhang", "Ba Zhang"), 2019, "ICML")
    rebuild(tmp_path / "my.index", [*papers, both], (), [("dblp", "icml", 2019, True, "said so")])
    opened = IndexSource(tmp_path / "my.index", "index")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("people", "count"),
    [
        (("Zhang",), NAMESAKES + 1),
        (("Zhang, A.",), 11),  # ten of them have this initial, and one of the two
        (("Zhang, Ai", "Zhang, Bo"), 1),  # two people of one name are in the same paper
        (("Zhang, Xu",), 0),
        (("Lovelace, A.",), 0),
    ],
)
def test_namesakes_are_told_apart_by_initials(source: IndexSource, people: tuple[str, ...], count: int) -> None:
    asked = source.ask([Query("author_search", "icml", people, 2019)])
    (answer,) = (item.answer for item in asked.values())
    assert len(answer.records if isinstance(answer, Found) else ()) == count
    assert "is complete for icml 2019" in getattr(answer, "scope", "")


@pytest.mark.parametrize(("word", "several"), [("paper", True), ("two", False), ("fuction", False)])
def test_an_index_says_which_words_no_other_title_has(source: IndexSource, word: str, several: bool) -> None:
    answer = source.ask([Query("word", word)])[Query("word", word)].answer
    assert isinstance(answer, Found) == several
    assert several or word in getattr(answer, "scope", "")


def damage(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)


def test_damage_costs_only_the_questions_that_come_upon_it(tmp_path: Path) -> None:
    papers = [work("dblp", str(n), f"Study {n} of tides", (f"Ada Author{n}",), 2019, "ICML") for n in range(80)]
    rebuild(tmp_path / "my.index", papers, (), [("dblp", "icml", 2019, True, "said so")])
    damage(tmp_path / "my.index", "UPDATE blocks SET content = zeroblob(20) WHERE id = 0")
    opened = IndexSource(tmp_path / "my.index", "index")
    assert opened.damage == ""
    there, lost = Query("title", "Study 70 of tides"), Query("title", "Study 7 of tides")
    asked = opened.ask([there, lost])
    assert isinstance(asked[there].answer, Found)
    assert isinstance(asked[lost].answer, Unavailable)
    assert "my.index is damaged: 1 row was changed after writing" in opened.damage
    assert opened.damage.endswith("rebuild the index")
    opened.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM author_keys",
        "UPDATE author_keys SET content = x''",
        "UPDATE author_keys SET id = -id WHERE id > 0",
        "UPDATE names SET content = 'NeurIPS'",
        "UPDATE titles SET content = 'Another'",
    ],
)
def test_what_damage_hides_is_no_absence_from_a_closed_place(tmp_path: Path, change: str) -> None:
    papers = [work("dblp", str(n), f"Study {n} of tides", (f"Ada Author{n}",), 2019, "ICML") for n in range(80)]
    rebuild(tmp_path / "my.index", papers, (), [("dblp", "icml", 2019, True, "said so")])
    query = Query("author_search", "icml", ("Author7",), 2019)
    whole = IndexSource(tmp_path / "my.index", "index")
    assert isinstance(whole.ask([query])[query].answer, Found)
    whole.close()
    damage(tmp_path / "my.index", change)
    opened = IndexSource(tmp_path / "my.index", "index")
    assert isinstance(opened.ask([query])[query].answer, Unavailable)
    opened.close()


@pytest.mark.parametrize("kind", ["doi", "title", "author_search"])
def test_a_bucket_that_is_not_there_is_no_absence(tmp_path: Path, kind: str) -> None:
    rebuild(tmp_path / "my.index", [work("dblp", "1", "A study of tides", ("Ada Author",), 2019, "ICML")], (), [])
    value = {"doi": "10.1/x", "title": "Quaggas", "author_search": ""}[kind]
    query = Query(kind, value, ("Nobody",), 2019)  # type: ignore[arg-type]
    with closing(IndexSource(tmp_path / "my.index", "index")) as opened:
        assert not isinstance(opened.ask([query])[query].answer, Unavailable)
    damage(tmp_path / "my.index", "DELETE FROM author_keys" if kind == "author_search" else "DELETE FROM exact")
    with closing(IndexSource(tmp_path / "my.index", "index")) as opened:
        assert isinstance(opened.ask([query])[query].answer, Unavailable)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE scopes SET year = 2020",
        "DELETE FROM scopes",
        "UPDATE collections SET complete = 0",
        "UPDATE meta SET value = 7 WHERE key = 'sum:scopes'",
    ],
)
def test_a_list_of_closed_places_is_whole_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    scopes = [("dblp", "icml", 2019, True, "said so"), ("dblp", "icml", 2018, False, "half of it")]
    rebuild(tmp_path / "my.index", [work("dblp", "1", "A study", ("Ada Author",), 2019, "ICML")], (), scopes)
    damage(tmp_path / "my.index", change)
    closed: list[LocalIndex] = []
    close = LocalIndex.close

    def noted(index: LocalIndex) -> None:
        closed.append(index)
        close(index)

    monkeypatch.setattr(LocalIndex, "close", noted)
    with pytest.raises(IndexFileError, match="is damaged"):
        IndexSource(tmp_path / "my.index", "index")
    # What the table of the file itself refuses is closed before there is an index.
    assert len(closed) == ("meta" not in change)
