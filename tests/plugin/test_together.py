"""Several BibTeX files passed together: one bibliography, each file read once, the same for all workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.suites import identified

ABBRV = '@string{nips = "Advances in Neural Information Processing Systems"}\n'
REFS = "@inproceedings{a, title={Some Title}, author={Ada Lovelace}, booktitle=nips, year=2017}\n"
CHILD = "@inproceedings{c, title={Other Title}, author={Ada Lovelace}, crossref={vol}}\n"
VOLUME = "@proceedings{vol, title={The Volume}, editor={Grace Hopper}, year=2001}\n"
OFFLINE = ("--citecheck-offline", "--citecheck-cache=off")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    bibs = pytester.mkdir("bibs")
    for name, text in (("abbrv", ABBRV), ("refs", REFS + CHILD), ("volumes", VOLUME)):
        (bibs / f"{name}.bib").write_text(text)
    return bibs


GIVEN = [
    ("--citecheck=bibs/abbrv.bib", "--citecheck=bibs/refs.bib", "--citecheck=bibs/volumes.bib"),
    ("--citecheck=bibs",),
    ("--citecheck", "--", "bibs"),
    ("--citecheck=bibs/volumes.bib", "--citecheck=bibs/refs.bib", "--citecheck=bibs/abbrv.bib"),
    ("--citecheck=bibs/refs.bib,bibs/volumes.bib,bibs/abbrv.bib",),
    ("--citecheck=bibs/*.bib",),
    ("bibs/refs.bib", "bibs/abbrv.bib", "bibs/volumes.bib", "--citecheck"),
]


@pytest.mark.sample(1)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("given", identified(GIVEN, " ".join, 3))
def test_macros_and_parents_reach_across_files(pytester: pytest.Pytester, given: tuple[str, ...]) -> None:
    result = pytester.runpytest(*OFFLINE, "--citecheck-json=report.json", *given)
    assert "[syntax]" not in result.stdout.str()
    report = json.loads((pytester.path / "report.json").read_text())
    assert {one["key"]: one["checks"]["completeness"]["outcome"] for one in report["references"]} == {
        "a": "passed",
        "c": "passed",
        "vol": "passed",
    }


@pytest.mark.exhaustive
@pytest.mark.usefixtures("folder")
def test_workers_see_the_same(pytester: pytest.Pytester) -> None:
    for name, workers in (("one", ()), ("two", ("-n", "2"))):
        pytester.runpytest("--citecheck=bibs", *OFFLINE, f"--citecheck-json={name}.json", *workers)
    assert (pytester.path / "one.json").read_bytes() == (pytester.path / "two.json").read_bytes()


@pytest.mark.usefixtures("folder")
def test_a_file_alone_lacks_what_it_names(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--citecheck=bibs/refs.bib", *OFFLINE)
    result.stdout.fnmatch_lines(["*a syntax: * [[]undefined-macro]", "*c syntax: * [[]crossref-missing]"])


def test_each_file_is_read_once(pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = Path.read_bytes

    def counted(path: Path) -> bytes:
        read.append(path.name)
        return original(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    pytester.inline_run(f"--citecheck={folder}", *OFFLINE)
    assert sorted(name for name in read if name.endswith(".bib")) == ["abbrv.bib", "refs.bib", "volumes.bib"]


def test_a_file_that_cannot_be_read_keeps_no_other_from_it(pytester: pytest.Pytester, folder: Path) -> None:
    (folder / "abbrv.bib").unlink()
    (folder / "abbrv.bib").symlink_to(folder / "nowhere.bib")
    result = pytester.runpytest("--citecheck", "--", "bibs", *OFFLINE)
    result.stdout.fnmatch_lines(["*a syntax: * [[]undefined-macro]"])
    assert "c [syntax]" not in result.stdout.str()
