"""The calibration table: its counts, its expiry, and the effect of a damaged file."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from pytest_citecheck.evidence import Calibration, CalibrationError, Search
from tests.support.absences import PAPERS

TODAY = datetime.date(2026, 11, 20)
FOUND_BY_DBLP = [Search("crossref", found=True), Search("dblp", found=True), Search("semantic_scholar", found=False)]


def test_what_is_saved_is_loaded_again(tmp_path: Path) -> None:
    table = Calibration()
    table.add("2026-11", "crossref", PAPERS, FOUND_BY_DBLP)
    table.save(tmp_path / "cache")
    loaded = Calibration.load(tmp_path / "cache")
    assert loaded.rows == table.rows
    assert loaded.drawn("2026-11", "crossref", "paper", "2010-2019") == 1
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["calibration.json"]


def test_the_service_that_a_work_was_drawn_from_is_no_trial_of_its_own_search() -> None:
    table = Calibration()
    table.add("2026-11", "crossref", PAPERS, FOUND_BY_DBLP)
    trials = table.trials(TODAY)
    assert set(trials) == {"dblp", "semantic_scholar"}
    assert (trials["dblp"][PAPERS].found, trials["semantic_scholar"][PAPERS].missed) == (1, 1)


def test_the_summary_counts_each_work_once_for_all_searches_together() -> None:
    table = Calibration()
    table.add("2026-11", "crossref", PAPERS, FOUND_BY_DBLP)
    for _ in range(2):
        table.add("2026-11", "crossref", PAPERS, [Search("dblp", found=False), Search("semantic_scholar", found=False)])
    together, single = table.summary()[PAPERS]
    assert (together.found, together.looked_for) == (1, 3)
    assert {name: (one.found, one.looked_for) for name, one in single.items()} == {
        "dblp": (1, 3),
        "semantic_scholar": (0, 3),
    }


def test_the_table_holds_counts_and_nothing_of_the_works(tmp_path: Path) -> None:
    table = Calibration()
    table.add("2026-11", "crossref", PAPERS, FOUND_BY_DBLP)
    table.save(tmp_path)
    row = json.loads((tmp_path / "calibration.json").read_text())["trials"][0]
    assert set(row) == {"month", "sampler", "kind", "discipline", "period", "searched", "found", "count"}


def _row(**changed: object) -> str:
    row = {
        "month": "2026-11", "sampler": "x", "kind": "paper", "discipline": "other", "period": "2020-", "searched": [],
        "found": [], "count": 1,
    }  # fmt: skip
    return json.dumps({"format": 1, "trials": [row | changed]})


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"format": 2, "trials": []}',
        '{"format": 1, "trials": [{"month": "2026-11"}]}',
        _row(month="13"),
        _row(kind="poem"),
        _row(count=0),
        '{"format": 1, "trials": ' + "[" * 100_000,
    ],
)
def test_a_damaged_table_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "calibration.json").write_text(text, encoding="utf-8")
    with pytest.raises(CalibrationError, match=r"calibration\.json"):
        Calibration.load(tmp_path)


def test_without_a_file_or_a_folder_the_table_is_empty(tmp_path: Path) -> None:
    assert not Calibration.load(tmp_path).rows
    assert not Calibration.load(None).rows
