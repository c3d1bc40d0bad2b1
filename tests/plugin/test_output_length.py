"""Length of a run's output: one line per finding if there are many, and the evidence on demand."""

from __future__ import annotations

import json
import re

import pytest

ENTRY = """@article{{key{number},
  author = {{Ada Lovelace}}, title = {{Notes on the analysis of difference engines, part {number}}},
  journal = {{Looms}}, year = {{1843}}, doi = {{{doi}}},
}}
"""


def bibliography(right: int, wrong: int) -> str:
    """Return entries, some with an invalid DOI field; no look-ups are needed."""
    step = (right + wrong) // wrong
    entries = (right + wrong) * [""]
    for number in range(right + wrong):
        bad = number % step == 0 and number // step < wrong
        entries[number] = ENTRY.format(number=number, doi="forthcoming" if bad else f"10.1000/{number}")
    return "".join(entries)


@pytest.mark.exhaustive
def test_failures_are_told_in_a_line_each(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(0, 20))
    arguments = ["--citecheck=refs.bib", "--citecheck-offline", "-k", "doi", "--junitxml=junit.xml"]
    output = pytester.runpytest(*arguments).stdout.str()
    assert "  verdict:" not in output
    assert output.count("[doi-malformed]\n") == output.count(" - doi-malformed") == 20
    assert (pytester.path / "junit.xml").read_text(encoding="utf-8").count("  verdict:") == 20


@pytest.mark.exhaustive
def test_less_on_demand(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(0, 3))
    failing = ["--citecheck=refs.bib", "--citecheck-offline", "-k", "doi"]
    headings = r"_* key\d \[doi\] _*|refs.bib:\d+ key\d doi: .*|refs.bib:\d+: doi-malformed: .*"
    for style, lines in (("short", 2), ("line", 1)):
        output = pytester.runpytest(*failing, f"--tb={style}").stdout.str()
        failures = output.partition("= FAILURES =")[2].partition("= citecheck =")[0].splitlines()[1:-1]
        assert len(failures) == 3 * lines, style
        assert all(re.fullmatch(headings, line) for line in failures)


def test_lines_for_ci_follow_the_output(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    pytester.makefile(".bib", refs=bibliography(0, 2))
    arguments = ["--citecheck=refs.bib", "--citecheck-offline", "-k", "doi"]
    result = pytester.runpytest(*arguments, "--citecheck-format=github", "--citecheck-format=gitlab=q.json")
    result.stdout.fnmatch_lines(["::error file=refs.bib,line=3,*", "::error file=refs.bib,line=7,*"])
    issues = json.loads((pytester.path / "q.json").read_text("utf-8"))
    assert [issue["check_name"] for issue in issues] == ["doi-malformed", "doi-malformed", "coverage"]
    assert "2 errors" in (pytester.path / "summary.md").read_text("utf-8")


def test_a_document_needs_a_file(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(0, 1))
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-format=sarif")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--citecheck-format=sarif needs a file: --citecheck-format=sarif=FILE*"])


@pytest.mark.exhaustive
def test_more_on_demand(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(0, 21))
    output = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "-k", "doi", "-v").stdout.str()
    assert output.count("  verdict:") == 21


@pytest.mark.exhaustive
def test_a_thousand_references_with_a_hundred_findings(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(900, 100))
    lines = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline").stdout.lines
    assert len([line for line in lines if line.startswith("refs.bib:") and line.endswith("[doi-malformed]")]) == 100
    assert len(lines) <= 3 * 100 + 120  # pytest prints 84 lines of dots
