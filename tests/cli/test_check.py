"""``citecheck check`` is the plugin without pytest's frame."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ENTRIES = """\
@article{bad:one, title = {Looms}, author = {Ada Lovelace}, journal = {Cards}, year = 1843, doi = {forthcoming}}
@article{good, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844}
@article{later, title = {Cogs}, author = {Ada Lovelace}, journal = {Cards}, year = 2999}
"""
Screen = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def bibliography(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("PYTEST_", "CITECHECK_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    Path("refs.bib").write_text(ENTRIES, encoding="utf-8")


def check(*arguments: str) -> int:
    return main(["check", "--offline", "--cache=off", "refs.bib", *arguments])


def test_no_frame_and_nothing_but_the_document_on_standard_output(capfd: Screen) -> None:
    assert check("--format=json") == 1
    out, err = capfd.readouterr()
    assert [one["key"] for one in json.loads(out)["references"]] == ["bad:one", "good", "later"]
    assert check() == 1
    out, err = capfd.readouterr()
    assert out.startswith("only the entries themselves were checked: the run is offline")
    assert re.search(r"^  refs.bib:1 bad:one doi: .* \[doi-malformed\]$", out, re.MULTILINE)
    assert out.splitlines()[-1].startswith("2 errors in 3 references (")
    assert not re.search(r"test session|FAILURES|==|rootdir|short test summary", out + err)


def test_concise_and_quiet(capfd: Screen) -> None:
    assert check("--format=concise", "--select=doi,cross_db") == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("refs.bib:1:93: error doi-malformed bad:one: ")
    assert lines[-1].startswith("1 error in 3 references")
    assert check("-q", "--format=concise", "--select=completeness", "-k", "good") == 0
    assert capfd.readouterr().out == ""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("selection", "selected"),
    [
        (["refs.bib::later"], {"later"}),
        (["refs.bib::bad:one[doi]"], {"bad:one"}),
        (["-m", "doi", "-k", "later"], {"later"}),
    ],
    ids=["key", "check of a key", "expressions"],
)
def test_a_selection(selection: list[str], selected: set[str], capfd: Screen) -> None:
    arguments = selection if "::" in selection[0] else ["refs.bib", *selection]
    main(["check", "--offline", "--cache=off", *arguments, "--format=json"])
    data = json.loads(capfd.readouterr().out)
    assert {one["key"] for one in data["references"]} == selected


def test_files_for_several_formats_and_findings_on_the_screen(capfd: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert check("--format=github", "--format=junit=j.xml", "--format=sarif=s.json", "-k", "later") == 1
    assert capfd.readouterr().out.startswith(
        "::error file=refs.bib,line=3,endLine=3,title=citecheck year-future,col=77,endColumn=88::later: "
    )
    assert json.loads(Path("s.json").read_text("utf-8"))["runs"][0]["results"][0]["ruleId"] == "year-future"
    assert Path("j.xml").is_file()
    assert "1 error in 1 reference" in Path("summary.md").read_text("utf-8")
    assert check("--format=sarif", "-o", "other.json", "-k", "good") == 3
    assert Path("other.json").is_file()
    assert "nothing was checked" in capfd.readouterr().out


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.bib"], "no such file: none.bib"),
        (["refs.bib", "--format=yaml"], "unknown format 'yaml'"),
        (["refs.bib", "--format=json", "--format=sarif"], "only one format can be the output"),
        (["refs.bib", "--format=json=refs.bib"], "refusing to overwrite the input file"),
        (["refs.bib", "-o", "x.json"], "--output needs one --format"),
        (["latin.jsonl"], "latin.jsonl:2"),
    ],
    ids=["no file", "no format", "two documents", "the input", "output without format", "unreadable"],
)
def test_usage_errors_end_with_4(arguments: list[str], said: str, capfd: Screen) -> None:
    Path("latin.jsonl").write_text(
        '{"bibtex_key": "a", "fields": {"title": "T"}}\n{"bibtex_key": 1}\n', encoding="utf-8"
    )
    assert main(["check", "--offline", "--cache=off", *arguments]) == 2
    out, err = capfd.readouterr()
    assert not out
    assert said in err


def test_the_settings_and_plugins_of_the_project_change_nothing(capfd: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    check("--format=concise")
    plain = capfd.readouterr().out
    Path("pytest.ini").write_text("[pytest]\naddopts = --no-such\ncitecheck_strict = true\nrequired_plugins = none\n")
    Path("conftest.py").write_text("raise RuntimeError\n")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only -p none_such")
    check("--format=concise")
    assert capfd.readouterr().out == plain


def test_entries_that_contradict_each_other_stand_in_every_format(capfd: Screen) -> None:
    entry = "@article{%s, title = {Looms of time}, author = {Ada Lovelace}, journal = {C}, year = 1843, doi = {10.1000/x}}\n"
    Path("refs.bib").write_text(entry % "a" + entry % "b", encoding="utf-8")
    names = ("github", "azure", "gitlab", "sarif", "junit", "jenkins")
    assert check("--format=concise", *(f"--format={name}={name}.out" for name in names)) == 1
    assert "refs.bib:2:1: error duplicate-work [duplicates]: `a` (refs.bib:1) and `b`" in capfd.readouterr().out
    assert all("duplicate-work" in Path(f"{name}.out").read_text("utf-8") for name in names)


def test_a_misspelt_file_is_answered_with_a_harmless_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "refs\x1b[31m.bib").write_text("", encoding="utf-8")
    assert main(["check", str(tmp_path / "refs[31m.bib"), "--offline"]) == 2
    assert "\x1b" not in "".join(capfd.readouterr())
