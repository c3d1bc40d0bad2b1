"""Every format reports the coverage of a run: a run without answers must not look like one without problems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.reports import (
    FORMATS,
    PER_KIND,
    Coverage,
    CoverageCount,
    Findings,
    coverage_of_report,
    html_page,
    markdown_page,
    report_data,
    step_summary,
    tally,
)
from tests.support.report_data import reference
from tests.support.run_results import failing, result_of

GAP = "2 not checked: offline (Crossref, DBLP), timed out (arXiv)"
BIB = """\
@article{good, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844}
@article{other, title = {Cogs}, author = {Ada Lovelace}, journal = {Cards}, year = 1845}
"""


def counted(required: float = 0.0) -> Coverage:
    count = CoverageCount()
    count.add("verified", {"crossref": "found", "dblp": "offline"})
    count.add("undecided", {"crossref": "absent", "dblp": "absent"})
    count.add("undecided", {"crossref": "offline", "dblp": "offline"})
    count.add("undecided", {"crossref": "absent", "arxiv": "timeout"})
    return count.coverage(required)


def test_a_reference_is_checked_if_it_is_decided_or_every_source_answered() -> None:
    coverage = counted()
    assert (coverage.references, coverage.decided, coverage.checked) == (4, 1, 2)
    assert coverage.sentence == f"1 of 4 references decided (Crossref 1); {GAP}"
    assert (coverage.level, counted(0.5).level, counted(0.51).level) == ("warning", "warning", "error")
    assert counted(0.51).gap == f"{GAP}. 50% were checked, 51% are required"
    count = CoverageCount()
    count.add("undecided", {})
    assert count.coverage().gap == "1 not checked: no source was queried"


def test_nothing_is_missing_where_there_is_nothing_to_check() -> None:
    nothing = CoverageCount().coverage(1.0)
    assert nothing.is_enough
    assert nothing.sentence == ""


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"json", "concise"}))
def test_each_format_states_what_was_not_reached(name: str) -> None:
    def shown(coverage: Coverage | None) -> str:
        return "".join(FORMATS[name].render(Findings(replace(result_of(reference("a")), coverage=coverage))))

    assert GAP in shown(counted())
    assert "were checked, 100" in shown(counted(1.0))
    assert "coverage" not in shown(None)


def test_the_last_line_of_a_run_states_it() -> None:
    assert tally(Findings(replace(result_of(reference("a")), coverage=counted()))).endswith(f"; {GAP}")


def test_documents_state_it_too() -> None:
    result = replace(result_of(reference("a")), coverage=counted(), command="citecheck check a.bib --offline")
    data = report_data(result)
    assert coverage_of_report(data) == counted()
    page = html_page(data)
    assert GAP in page
    assert "citecheck check a.bib --offline" in page
    assert "No service answered" in page
    assert GAP in markdown_page(data)
    assert GAP in step_summary(Findings(result))


def test_github_shows_the_coverage_among_its_ten() -> None:
    many = [failing(f"slip{number}", line=number) for number in range(1, 40)]
    result = replace(result_of(*many), coverage=counted(1.0))
    lines = "".join(FORMATS["github"].render(Findings(result))).splitlines()
    assert len(lines) == PER_KIND
    assert lines[-1].startswith("::error title=citecheck coverage::")
    assert "31 more" in lines[-2]


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_run_fails_that_could_check_too_little(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makefile(".bib", refs=BIB)
    arguments = ("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", *workers)
    run = pytester.runpytest_subprocess if workers else pytester.runpytest_inprocess
    assert run(*arguments).ret == 3
    result = run(*arguments, "--citecheck-min-checked=0.8", "--junitxml=x.xml")
    assert result.ret == 3
    result.stdout.fnmatch_lines(["*too few references were checked: 0% were checked, 80% are required*"])
    assert 'name="citecheck.coverage.checked" value="0"' in Path("x.xml").read_text(encoding="utf-8")


def test_a_share_is_from_0_to_1(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=BIB)
    result = pytester.runpytest_inprocess("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-min-checked=80")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*citecheck_min_checked must be a share from 0 to 1, not '80'"])
