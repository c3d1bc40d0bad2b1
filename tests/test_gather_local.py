"""An index in the role of a source: what it answers for the people of a place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.gather.local import IndexSource
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.index.maintenance import rebuild
from pytest_citecheck.model import Found, Question

NAMESAKES = 60


@pytest.fixture
def source(tmp_path: Path) -> Iterator[IndexSource]:
    """ICML 2019, of which sixty papers are by another Zhang each, and one by two of them."""
    given = [f"{first}{second}" for first in "ABCDEF" for second in "aeiouyrlnm"]
    papers = [
        Entry("dblp", str(n), f"Paper number {n}", (f"{name} Zhang",), 2019, "ICML") for n, name in enumerate(given)
    ]
    both = Entry("dblp", "both", "A paper of two", ("Ai Zhang", "Ba Zhang"), 2019, "ICML")
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
    asked = source.ask([Question("byline", "icml", people, 2019)])
    (answer,) = (item.answer for item in asked.values())
    assert len(answer.records if isinstance(answer, Found) else ()) == count
    assert "holds all of icml 2019" in getattr(answer, "scope", "")
