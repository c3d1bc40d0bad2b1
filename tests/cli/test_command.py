"""The citecheck command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_citecheck import __version__
from pytest_citecheck.cli import main

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASSETTES = FIXTURES.parent / "cassettes"
COMMAND = Path(sys.executable).parent / "citecheck"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"citecheck {__version__}\n"


@pytest.mark.exhaustive
def test_a_good_file_passes_and_prints_little(pytester: pytest.Pytester) -> None:
    result = pytester.run(COMMAND, "check", str(FIXTURES / "refs.bib"), f"--cassettes={CASSETTES}")
    assert result.ret == 0
    assert len(result.outlines) < 15


@pytest.mark.exhaustive
def test_a_bad_file_fails_with_file_line_and_reason(pytester: pytest.Pytester) -> None:
    text = (FIXTURES / "hallucinated.bib").read_text(encoding="utf-8")
    (entry,) = (part for part in text.split("\n\n") if "{fabricated-doi-1-lamport," in part)
    pytester.makefile(".bib", hallucinated=entry)
    result = pytester.run(COMMAND, "check", f"--cassettes={CASSETTES}", "hallucinated.bib")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*hallucinated.bib:* fabricated-doi-1-lamport doi: * [[]doi-unregistered]"])


@pytest.mark.exhaustive
def test_the_pytest_set_up_of_the_project_stays_out_of_the_way(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\naddopts = --no-such-option\nrequired_plugins = pytest-none-of-these\nfilterwarnings = error\n"
    )
    pytester.makeconftest("raise RuntimeError('not for citations')")
    pytester.makepyfile("def test_mine(): assert False")
    pytester.makefile(".bib", refs="@misc{a, title = {T}, year = 2000}")
    assert pytester.run(COMMAND, "check", "--offline", "refs.bib").ret == 3
    assert not (pytester.path / ".pytest_cache").exists()


@pytest.mark.parametrize("arguments", [["check"], ["check", "--no-such", "x.bib"]])
def test_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: citecheck" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_file_that_is_not_there_is_a_usage_error(pytester: pytest.Pytester) -> None:
    assert pytester.run(COMMAND, "check", "none.bib").ret == 2


@pytest.mark.exhaustive
def test_the_cache_is_looked_at_and_emptied(
    pytester: pytest.Pytester, live: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def cache(action: str) -> str:
        assert main(["cache", action, "--cache=kept"]) == 0
        return capsys.readouterr().out.splitlines()[-1]

    pytester.makefile(".bib", refs="@misc{a, title = {Adam}, eprint = {1412.6980}, year = 2014}")
    assert cache("info").endswith("no cache")
    pytester.runpytest("--citecheck=refs.bib", *live, "--citecheck-cache=kept")
    assert " 0 answers" not in cache("info")
    assert " 0 answers" in cache("clear")
