"""How often checks run and rows are read for a reference that an index answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.work_per_reference import Work, count_work
from pytest_citecheck.index import rebuild
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Reference
from tests.support.evidence_builders import reference
from tests.support.records import work

SUBJECTS = ("looms", "cards", "engines", "wheels", "levers", "gears", "pulleys", "springs")


def title(subject: str) -> str:
    return f"Notes on the mechanical analysis of {subject} and their motion"


def cited(subject: str, **changed: str) -> Reference:
    fields = {"author": "Lovelace, Ada and Turing, Alan", "title": title(subject), "booktitle": "ICML", "year": "2019"}
    return reference("inproceedings", **(fields | changed))


RIGHT = {subject: cited(subject) for subject in SUBJECTS}
WRONG = {
    "authors": cited("looms", author="Jacquard, Joseph and Babbage, Charles"),
    "venue": cited("cards", booktitle="NeurIPS"),
    "year": cited("engines", year="2012"),
    "title": cited("wheels", title="Notes on the mechanical synthesis of wheels and their motion"),
    "unknown": cited("invented combs", author="Quillfeather, Ada and Nightwhistle, Tom"),
}


def counted(tmp_path: Path, references: Mapping[str, Reference]) -> Work:
    papers = [
        work("dblp", subject, title(subject), ("Ada Lovelace", "Alan Turing"), 2019, "ICML") for subject in SUBJECTS
    ]
    rebuild(tmp_path / "my.index", papers, (), [("dblp", "icml", 2019, True, "said so")])
    index = IndexSource(tmp_path / "my.index", "index")
    try:
        return count_work(references, index)
    finally:
        index.close()


def test_passed_checks_run_once(tmp_path: Path) -> None:
    done = counted(tmp_path, RIGHT)
    passed = {name: done.checks[name] / done.references for name in ("title", "authors", "venue", "completeness")}
    assert passed == dict.fromkeys(passed, 1.0)
    assert 1 <= done.evaluations <= 1.3


@pytest.mark.parametrize("kind", WRONG)
def test_no_check_runs_five_times(tmp_path: Path, kind: str) -> None:
    done = counted(tmp_path, {kind: WRONG[kind]})
    assert 1 <= min(done.checks.values()) <= max(done.checks.values()) <= 4
    assert done.evaluations <= 2.5


def test_a_record_is_compared_once(tmp_path: Path) -> None:
    done = counted(tmp_path, {"right": RIGHT["looms"]})
    assert done.comparisons["titles"] == 1
    assert 0 < done.rows <= 20
