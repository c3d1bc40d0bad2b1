"""A reference string with a doubtful reading is looked up as a whole."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pytest_citecheck.index import rebuild
from pytest_citecheck.inputs import read_reference_strings
from pytest_citecheck.lookup import PROFILES, IndexSource, LookupState, ask_all, look_up
from pytest_citecheck.model import Location, Query, Reference
from pytest_citecheck.sources import SOURCES
from tests.lookup.test_parts_of_titles import Searches
from tests.support.evidence_builders import TODAY
from tests.support.records import work

STRING = "Ann Lee. What do birds see. A study of crows. Ethology of the north, 2020."
"""The most probable title is cut at the first full stop, and no work in the index has that title."""


def read(text: str) -> Reference:
    (reference,) = read_reference_strings([(text, Location("strings.txt", 1, 1))])
    return reference


def test_an_index_finds_the_work_in_the_string(tmp_path: Path) -> None:
    crows = work("dblp", "1", "What do birds see. A study of crows", ("Ann Lee",), 2020, "Ethology")
    others = [work("dblp", str(n), f"Weaving of looms {n}", ("Bo Wu",), 2020, "Looms") for n in range(2, 40)]
    rebuild(tmp_path / "my.index", [crows, *others], (), [])
    index = IndexSource(tmp_path / "my.index", "index")
    state = LookupState.of(read(STRING), TODAY)
    look_up(index, [state])
    index.close()
    assert Query("citation", STRING) in {query for _, query in state.asked}
    assert state.cited.title == "What do birds see. A study of crows"
    assert state.evaluate_so_far().findings["authors"].code == "authors-ok"


def asked(text: str, *, recorded: bool = True) -> set[str]:

    asker = Searches({}, recorded=recorded)
    asyncio.run(ask_all([LookupState.of(read(text), TODAY)], SOURCES, asker, PROFILES["default"]))
    return asker.asked


def test_services_are_asked_for_the_whole_string_where_its_reading_is_in_doubt() -> None:
    assert STRING in asked(STRING)
    assert STRING not in asked(STRING, recorded=False)  # a replay does without
    certain = "A. Lee, “What do birds see,” Ethology, vol. 5, 2020."
    assert certain not in asked(certain)
