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


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", EMPTY)
def test_a_file_without_entries(refs: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    content, why = EMPTY[name]
    refs.write_bytes(content)
    assert run() == 5
    out, err = capfd.readouterr()
    assert why in out
    assert "nothing was checked" in out + err


@pytest.mark.sample(1)
@pytest.mark.parametrize("arguments", [["-k", "nosuch"], ["-m", "doi and not doi"]])
def test_nothing_selected(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 5
    out, err = capfd.readouterr()
    assert "nothing was checked" in out + err


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("nosuch", "use the name of a file, a key or a check (doi, title,"),
        ("whels", "did you mean wheels?"),
        ("year-other", "year-other is a code of the check cross_db: -k cross_db"),
        ("doi and title", "use the name of a file"),
    ],
)
def test_what_was_selected_from_is_named(
    refs: Path, expression: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    refs.write_text(ENTRY + ENTRY.replace("{a", "{wheels"))
    assert run("-k", expression) == 5
    out, err = capfd.readouterr()
    assert f"-k {expression!r} matches none of 13 checks of 2 references; {said}" in out + err


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("beside", "advice"),
    [("refs.bib", "did you mean refs.bib?"), ("own.bib", "there is own.bib"), ("own.txt", "no .bib file is next to")],
)
@pytest.mark.parametrize("folder", [".", "paper"])
def test_a_missing_bibliography_is_named_with_the_nearest(
    tmp_path: Path, beside: str, advice: str, folder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "refs.bib").unlink()
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / beside).write_text(ENTRY)
    paper = tmp_path / folder / "paper.tex"
    paper.write_text(r"\documentclass{article}\begin{document}\cite{a}\bibliography{refz}\end{document}")
    assert main(["check", str(paper.relative_to(tmp_path)), "--offline", "--cache=off"]) == 2
    out, err = capfd.readouterr()
    named = "refz.bib" if folder == "." else f"{folder}/refz.bib"
    assert f"names {named}, which does not exist or cannot be read ({advice}" in out + err


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["--select=titel"], "title"),
        (["--select=doi,titel"], "title"),
        (["-m", "dio"], "doi"),
        (["-m", "doi or autors"], "authors"),
        (["--select=crossdb"], "cross_db"),
        (["--select=duplicate"], "duplicates"),
        (["-k", "titel"], "title"),
    ],
)
def test_a_misspelt_check_is_a_usage_error(arguments: list[str], near: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    assert f"did you mean {near}?" in capfd.readouterr().err


def test_a_name_far_from_every_check_is_a_usage_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--select=entirely_else") == 2
    assert "known are doi, title" in capfd.readouterr().err


@pytest.mark.sample(1)
@pytest.mark.parametrize("arguments", [["--select=doi,title"], ["-m", "not venue"], ["-k", "title"], []])
def test_a_run_without_an_answer_checked_nothing(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 3
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "nothing was checked: the run is offline, and no index or cache has an answer"
    assert lines[-1] == "1 reference, none checked"


def test_checks_that_need_no_answer_are_checked(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--select=completeness") == 0
    assert capfd.readouterr().out.splitlines()[-1] == "no error in 1 reference"


def test_no_service_reachable(capfd: pytest.CaptureFixture[str]) -> None:
    online = ["check", "refs.bib", "--cache=off", "--sources=crossref", "--base-url=crossref=http://127.0.0.1:9"]
    assert main(online) == 3
    assert (
        capfd.readouterr().out.splitlines()[0] == "nothing was checked: no service answered: 1 service, no connection"
    )


def test_an_error_comes_before_the_lack_of_evidence(refs: Path) -> None:
    refs.write_text(ENTRY.replace("year={2001}", "year={2001}, doi={forthcoming}"))
    assert run() == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CITECHECK_OFLINE", "unknown variable CITECHECK_OFLINE; did you mean CITECHECK_OFFLINE?"),
        ("CITECHECK_COLOUR", "unknown variable CITECHECK_COLOUR"),
    ],
)
def test_an_unknown_variable(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "1")
    assert run() == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (
            "own.toml",
            '[pytest]\ncitecheck_polcy = "strict"\n',
            "unknown setting citecheck_polcy; did you mean citecheck_policy?",
        ),
        ("own.toml", "[tool.pytest.ini_options]\ncitecheck_strct = true\n", "did you mean citecheck_strict?"),
        ("own.toml", '[policy]\nname = "strict"\n', "own.toml contains no setting of citecheck"),
        ("own.ini", "[pytest]\ncitecheck_ofline = true\n", "did you mean citecheck_offline?"),
    ],
)
def test_an_unknown_setting(tmp_path: Path, file: str, text: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / file).write_text(text)
    assert run(f"--config={file}") == 2
    assert said in capfd.readouterr().err
