"""`citecheck index coverage`: which references an index can answer for, and why not for the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import Coverage, LocalIndex, Scope, pack, rebuild
from pytest_citecheck.matching import all_venues, lookup
from pytest_citecheck.model import Record
from tests.support.records import work


def volume(source: str, venue: str, year: int, papers: range) -> list[Record]:
    return [work(source, f"{venue}{year}/{n}", f"Paper {n} of {venue} {year}", ("A. B.",), year, venue) for n in papers]


ENTRIES = [
    *volume("dblp", "ICML", 2019, range(40)), *volume("acl", "ICML", 2019, range(40)),  # they agree
    *volume("dblp", "ICML", 2020, range(40)), *volume("acl", "ICML", 2020, range(10, 50)),  # they do not
    *volume("dblp", "ICML", 2021, range(9)), *volume("acl", "ICML", 2021, range(9)),  # too few
    *volume("dblp", "ICML", 2022, range(40)),  # one collection
    *volume("dblp", "ICML", 2023, range(40)), *volume("acl", "ICML", 2023, range(40)),  # the latest
    *volume("dblp", "CVPR", 2018, range(3)), *volume("dblp", "CVPR", 2019, range(3)),  # declared, one as incomplete
]  # fmt: skip
DECLARED: list[Scope] = [("dblp", "cvpr", 2018, True, "counted"), ("dblp", "cvpr", 2019, False, "half of it")]
ICML = "International Conference on Machine Learning"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    rebuild(tmp_path / "my.index", ENTRIES, (), DECLARED)
    return tmp_path / "my.index"


@pytest.mark.parametrize(
    ("venue", "year", "why"),
    [
        ("ICML", 2019, ""),
        ("Proceedings of the 36th International Conference on Machine Learning", 2019, ""),
        ("CVPR", 2018, ""),
        ("CVPR", 2019, "is declared incomplete (dblp: half of it)"),
        ("ICML", 2020, f"the collections of {ICML} 2020 do not agree: 30 of 50 titles in two that are independent"),
        ("ICML", 2021, "has too few records to decide (9 in common; 30 are needed)"),
        ("ICML", 2022, f"{ICML} 2022 is not declared complete, and is in one collection only (dblp)"),
        ("ICML", 2023, f"2023 is the latest year of {ICML} in the index"),
        ("ICML", 2001, f"the index has no record of {ICML} of 2001"),
        ("ICML", None, "no year is cited"),
        ("Nature", 2019, "the index has no record of Nature"),
        ("Journal of Wholly Unheard-of Matters", 2019, "no single journal or conference is known as"),
        ("arXiv", 2019, "no single journal or conference is known as 'arXiv'"),
        ("", 2019, "no venue is cited"),
    ],
)
def test_why_not(index: Path, venue: str, year: int | None, why: str) -> None:
    with LocalIndex(index) as opened:
        said = Coverage(opened).why_not(venue, year)
    assert (why in said) if why else not said


def test_command(index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bibliography = tmp_path / "refs.bib"
    bibliography.write_text(
        "@inproceedings{a, title = {Paper 3 of ICML 2019}, author = {B, A.}, booktitle = {ICML}, year = 2019}\n"
        "@inproceedings{b, title = {Another paper}, author = {B, A.}, booktitle = {ICML}, year = 2022}\n"
        "@inproceedings{c, title = {Cut"
    )
    assert main(["index", "coverage", str(index), str(bibliography)]) == 0
    lines = capsys.readouterr().out.replace(str(bibliography), "refs.bib").splitlines()
    one = f"{ICML} 2022 is not declared complete, and is in one collection only (dblp)"
    assert lines == [
        "refs.bib:1 a: in the index; covered (acl+dblp: at most 0.56% of about 40 works missing)",
        f"refs.bib:2 b: not in the index; not covered: {one}",
        "refs.bib:3 c: cannot be read",
        "3 references: 1 in the index",
        "1 cited in venues and years for which it is complete",
        "There an absence is evidence, but only for works searched for under the cited authors.",
    ]


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["none.index", "refs.bib"], 2),
        (["my.index", "refs.doc"], 2),
        (["my.index", "none.bib"], 2),
        (["my.index", "folder.bib"], 2),
    ],
)
def test_wrong_usage(
    index: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], names: list[str], code: int
) -> None:
    monkeypatch.chdir(index.parent)
    Path("folder.bib").mkdir()
    assert main(["index", "coverage", *names]) == code
    assert "citecheck index coverage: error: " in capsys.readouterr().err


def test_without_a_closed_volume_nothing_is_said_of_absence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rebuild(Path("my.index"), volume("dblp", "ICML", 2019, range(3)), (), ())
    Path("refs.bib").write_text("@misc{a, title = {Paper 1 of ICML 2019}}")
    assert main(["index", "coverage", "my.index", "refs.bib"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0 cited in venues and years for which it is complete"


@pytest.mark.parametrize("table", ["scopes", "volumes", "blocks"])
def test_damage_is_told_in_words(
    table: str, index: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(index.parent)
    Path("refs.bib").write_text("@misc{a, title = {Paper 1 of ICML 2019}, doi = {10.1000/x}}")
    changes = {
        "scopes": "DROP TABLE scopes",
        "volumes": "DROP TABLE volumes",
        # One record where there should be eight: looked up, that was "list index out of range".
        "blocks": "UPDATE blocks SET content = ?",
    }
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute(changes[table], [pack(["one"])] if table == "blocks" else [])
    action = (
        ["lookup", "my.index", "Paper 7 of ICML 2019"] if table == "blocks" else ["coverage", "my.index", "refs.bib"]
    )
    assert main(["index", *action]) == 1
    said = "it was changed after writing" if table == "blocks" else f"no such table: {table}"
    assert capsys.readouterr().err == f"citecheck index {action[0]}: my.index is damaged ({said}): rebuild it\n"


def test_a_conference_is_one_whatever_its_identifier_names(tmp_path: Path) -> None:
    """Some identifiers, such as `fse`, are no name of the venue. 30 works a year suffice for a conference only."""
    others = [
        venue for venue in all_venues()
        if venue.kind == "conference" and lookup(venue.id) != venue and lookup(venue.name) == venue
    ]  # fmt: skip
    assert len(others) >= 3
    entries = [paper for venue in others for paper in volume("dblp", venue.name, 2018, range(30))]
    rebuild(tmp_path / "my.index", entries, (), ())
    with LocalIndex(tmp_path / "my.index") as index:
        assert {venue for venue, _ in Coverage(index).held} == {venue.id for venue in others}
