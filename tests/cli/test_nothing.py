"""A run that checks nothing is not green, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ENTRY = "@article{a, title={On the motion of stars}, author={Lovelace, Ada}, journal={Nature}, year={2001}}\n"
EMPTY = {
    "an empty file": (b"", "the file is empty"),
    "blanks": (b" \n\n", "the file is empty"),
    "a comment": (b"% nothing yet\n", "no entry in refs.bib"),
    "a page of a server": (b"<!DOCTYPE html><html>404 Not Found</html>", "it is a web page"),
    "a pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
        "it is a pointer of Git LFS",
    ),
}


def run(*arguments: str) -> int:
    return main(["check", "refs.bib", "--offline", "--cache=off", *arguments])


@pytest.fixture(autouse=True)
def refs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refs.bib").write_text(ENTRY)
    return tmp_path / "refs.bib"


@pytest.mark.parametrize("name", EMPTY)
def test_a_file_without_entries(refs: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    content, why = EMPTY[name]
    refs.write_bytes(content)
    assert run() == 5
    out, err = capfd.readouterr()
    assert why in out
    assert "nothing was checked" in out + err


@pytest.mark.parametrize("arguments", [["-k", "nosuch"], ["-m", "doi and not doi"], ["--select=entirely_else"]])
def test_nothing_selected(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 5
    out, err = capfd.readouterr()
    assert "nothing was checked" in out + err


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["--select=titel"], "title"),
        (["--select=doi,titel"], "title"),
        (["-m", "dio"], "doi"),
        (["-m", "doi or autors"], "authors"),
        (["--select=crossdb"], "cross_db"),
        (["--select=duplicate"], "duplicates"),
    ],
)
def test_a_misspelt_check_is_a_usage_error(arguments: list[str], near: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 4
    assert f"did you mean {near}?" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--select=doi,title"], ["-m", "title or author_order"], ["-m", "not venue"], ["-k", "title"], []]
)
def test_what_is_known_runs(arguments: list[str]) -> None:
    assert run(*arguments) == 0
