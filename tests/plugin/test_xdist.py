"""Under pytest-xdist: gathered once, in the controller, in every mode of distribution, with the same results."""

from __future__ import annotations

import pytest

from tests.plugin.test_outcomes import RIGHT, TWICE_WRONG, WRONG
from tests.stand_ins.server import LocalServices

REFS = RIGHT + WRONG


@pytest.mark.parametrize(
    "mode",
    ["load", *(pytest.param(mode, marks=pytest.mark.exhaustive) for mode in ("loadscope", "loadgroup", "worksteal"))],
)
def test_every_distribution_mode(
    pytester: pytest.Pytester, live: list[str], services: LocalServices, mode: str
) -> None:
    pytester.makefile(".bib", refs=RIGHT + TWICE_WRONG)
    one = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=one.json", *live)
    alone = len(services.requests)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=two.json", "-n", "2", f"--dist={mode}", *live)
    result.assert_outcomes(passed=9, failed=2, skipped=1)
    if mode in ("load", "loadscope"):  # the others may take the second failing check to the other worker
        assert result.stdout.str().count("evidence and correction: see refs.bib::twice[doi]") == 1
    assert len(services.requests) == 2 * alone
    summaries = [
        run.stdout.str().partition("references that need attention:")[2].partition("==")[0] for run in (one, result)
    ]
    assert summaries[0] == summaries[1] != ""
    assert (pytester.path / "one.json").read_bytes() == (pytester.path / "two.json").read_bytes()


@pytest.mark.exhaustive
def test_max_fail_and_verbose_ids(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=REFS)
    result = pytester.runpytest("--citecheck=refs.bib", "-v", "-n", "1", *live)
    result.stdout.fnmatch_lines(["*FAILED refs.bib::wrong[[]title[]]*"])
    result.stdout.fnmatch_lines(["*references that need attention:*"])
    result = pytester.runpytest("--citecheck=refs.bib", "--maxfail=1", "-n", "2", *live)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


def test_with_xdist_switched_off(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=REFS)
    for args in (("-n", "0"), ("-p", "no:xdist")):
        pytester.runpytest("--citecheck=refs.bib", *args, *live).assert_outcomes(passed=10, failed=1, skipped=1)
