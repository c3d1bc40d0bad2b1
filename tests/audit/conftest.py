"""A corpus of three documents and an index with most of the works that they cite."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.records import work

_NEEDED = ("pyarrow", "duckdb", "fsspec", "numpy")  # the extra `audit`
collect_ignore_glob = [] if all(map(find_spec, _NEEDED)) else ["test_*.py"]
if not collect_ignore_glob:
    import_module("duckdb")  # once a process: pytester forgets what its runs import, and a second import aborts

WORKS = [
    work(
        "dblp", f"conf/x/{number}", f"Measuring the {word} response of layered {thing}", (f"Ada Lovelace{number}", "Alan Turing"),
        2010 + number % 8, "CVPR", doi=f"10.1109/x{number}", type="inproceedings",
    )
    for number, (word, thing) in enumerate(
        (word, thing) for word in ("magnetic", "thermal", "optical", "social") for thing in ("networks", "crystals", "films")
    )
]  # fmt: skip


def entry(number: int, key: str, title: str = "") -> str:
    one = WORKS[number]
    people = " and ".join(map(str, one.authors))
    return (
        f"@inproceedings{{{key},\n  title = {{{title or one.title}}},\n  author = {{{people}}},\n  year = {{{one.year}}},\n"
        f"  booktitle = {{CVPR}},\n  doi = {{{one.doi}}}\n}}\n"
    )


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pytest_citecheck.index import build  # noqa: PLC0415 - needs numpy

    path = Path(tmp_path_factory.mktemp("index"), "works.index")
    build(path, WORKS)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for place, name in enumerate(("a.bib", "b.bib", "c.bib")):
        right = [entry(place * 4 + number, f"right{number}") for number in range(3)]
        # The record of the DOI with the same people, venue and year would be the cited work.
        of_others = "author = {Quist, Lena},\n  year"
        wrong = re.sub(
            r"author = .*\n  year", of_others, entry(place * 4 + 3, "wrong", "An entirely different study of paper")
        )
        invented = (
            "@misc{none, title = {Nobody wrote this about anything}, author = {Ghost, Some}, year = {2019}}\n@broken{\n"
        )
        Path(folder, name).write_text("\n".join([*right, wrong, invented]), encoding="utf-8")
    return folder
