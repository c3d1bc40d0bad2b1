"""``citecheck PATH`` runs a check; a mistyped command gets a suggestion."""

from __future__ import annotations

import builtins
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main

ENTRIES = """\
@article{bad, title = {Looms}, author = {Ada Lovelace}, journal = {Cards}, year = 1843, doi = {forthcoming}}
@article{good, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844}
"""
OFFLINE = ("--offline", "--cache=off")
Screen = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("PYTEST_", "CITECHECK_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    Path("refs.bib").write_text(ENTRIES, encoding="utf-8")


def stopped(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "typed",
    [("refs.bib", *OFFLINE), (*OFFLINE, "refs.bib"), ("refs.bib", "--citecheck-offline", "--citecheck-cache=off")],
)
def test_a_path_is_checked_as_by_the_command(capfd: Screen, typed: tuple[str, ...]) -> None:
    assert main(["check", "refs.bib", *OFFLINE]) == 1
    expected = capfd.readouterr()
    assert main(typed) == 1
    assert capfd.readouterr() == expected


def test_folders_and_globs_are_checked(capfd: Screen) -> None:
    for typed in (".", "*.bib", "refs.bib,refs.bib"):
        assert main([typed, *OFFLINE]) == 1
        assert capfd.readouterr().out.splitlines()[-1].startswith("1 error in 2 references")


def test_without_arguments_there_is_help(capsys: Screen) -> None:
    assert stopped() == 0
    assert capsys.readouterr().out.startswith("usage: citecheck")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("chek", "refs.bib"), "unknown command or file 'chek'; did you mean check?"),
        (("zzz",), "unknown command or file 'zzz'; known are check, demo, fix"),
        (("refs.bib", "--ofline"), "unrecognized arguments: --ofline; did you mean --offline?"),
        (("fix", "refs.bib", "--adddoi"), "unrecognized arguments: --adddoi; did you mean --add-doi?"),
    ],
)
def test_the_nearest_word_is_suggested(capsys: Screen, typed: tuple[str, ...], said: str) -> None:
    assert stopped(*typed) == 2
    assert said in capsys.readouterr().err


@pytest.mark.exhaustive
def test_messages_name_the_flags_of_the_command(capfd: Screen) -> None:
    assert main(["refs.bib", "--offline", "--record=new"]) == 2
    assert "--offline and --record exclude each other" in capfd.readouterr().err
    assert main(["refs.bib", "--cassettes=."]) == 1
    shown = capfd.readouterr()
    assert "--citecheck" not in shown.out + shown.err
    assert "record with --record=new" in shown.out


@pytest.mark.exhaustive
def test_sources_are_chosen_by_name_and_family(capfd: Screen) -> None:
    def asked(*arguments: str) -> set[str]:
        main(["refs.bib::good", *OFFLINE, "-v", *arguments, "--format=json"])
        return set(re.findall(r'"source": "([a-z_]+)"', capfd.readouterr().out))

    everyone = asked()
    assert asked("--sources=crossref,dblp") == {"crossref", "dblp_sparql"} < everyone
    assert asked("--exclude=dblp") == everyone - {"dblp_sparql"}
    assert main(["refs.bib", *OFFLINE, "--sources=crosref"]) == 2
    assert "unknown source 'crosref'; did you mean crossref?" in capfd.readouterr().err


def test_places_in_standard_input(capfd: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    class Typed:
        buffer = io.BytesIO(ENTRIES.encode())

    monkeypatch.setattr("sys.stdin", Typed())
    assert main(["-", *OFFLINE, "--format=concise"]) == 1
    assert capfd.readouterr().out.startswith("<stdin>:1:")


def test_the_demonstration_catches_corrects_and_abstains(capsys: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITECHECK_POLICY", "no-such-policy")  # no setting of the user changes it
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 10
    verdicts = [line.split(":")[0].strip() for line in lines[1:9:2]]
    assert verdicts == ["fabricated", "fabricated", "misdescribed", "undecided"]
    assert "NeurIPS proceedings lists 1,399 works" in lines[2]
    assert "“Long Short-Term Memory”" in lines[4]
    assert "Quoc V. Le → Vaswani, Ashish" in lines[6]
    assert os.environ["CITECHECK_POLICY"] == "no-such-policy"


def test_completion_says_how_to_get_its_extra(capsys: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *arguments: Any, **further: Any) -> Any:
        if name == "shtab":
            raise ModuleNotFoundError("No module named 'shtab'", name="shtab")
        return imported(name, *arguments, **further)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["completion", "bash"]) == 2
    assert "this command needs shtab: pip install '.[completion]' in a checkout" in capsys.readouterr().err


def test_the_help_fits_one_screen(capsys: Screen) -> None:
    assert stopped("--help") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) < 80


def test_the_command_has_another_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest_citecheck", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.startswith("citecheck ")) == (0, True)
