"""The contract with other plugins: the identifiers, reports and reruns that they rely on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_citecheck.checks import CHECKS

BIB = """\
@article{dated, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844, doi = {forthcoming}}
@article{DBLP:journals/cards/Lovelace45, title = {Cogs}, author = {Ada Lovelace}, journal = {Cards}, year = 2999}
@article{good, title = {Looms}, author = {Ada Lovelace}, journal = {Cards}, year = 1850}
"""
ITEMS = 3 * len(CHECKS)
FAILED = {"dated[doi]", "DBLP:journals/cards/Lovelace45[completeness]"}
OWN = ("-p", "pytest_citecheck.plugin")
MODES = ("load", "loadscope", "loadfile", "loadgroup", "worksteal", "each")


@pytest.fixture(autouse=True)
def only_named_plugins(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    for name in [name for name in os.environ if name.startswith(("PYTEST_ADDOPTS", "CITECHECK_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".bib", refs=BIB)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        *OWN, "--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", *arguments
    )


def cases(path: Path) -> dict[str, set[str]]:
    """The names of the properties of each case of JUnit XML; fails if a case has one twice, or is there twice."""
    found: dict[str, set[str]] = {}
    for case in ElementTree.parse(path).iter("testcase"):  # noqa: S314 - our own
        names = [one.attrib["name"] for one in case.iter("property")]
        assert len(set(names)) == len(names)
        assert case.attrib["name"] not in found
        found[case.attrib["name"]] = set(names)
    return found


@pytest.mark.exhaustive
def test_allure_shows_every_check_as_a_test_of_its_own(pytester: pytest.Pytester) -> None:
    pytest.importorskip("allure_pytest")
    run(pytester, "-p", "allure_pytest.plugin", "--alluredir=results")
    results = [json.loads(path.read_text("utf-8")) for path in (pytester.path / "results").glob("*-result.json")]
    assert len({one["historyId"] for one in results}) == len(results) == ITEMS
    assert {one["name"] for one in results if one["status"] == "failed"} == FAILED
    assert Counter(one["status"] for one in results) == {"skipped": ITEMS - 4, "failed": 2, "passed": 2}
    generator = shutil.which("allure")
    if generator is None:
        pytest.skip("the report generator of Allure is not installed")
    subprocess.run([generator, "generate", "results", "-o", "page"], cwd=pytester.path, check=True, capture_output=True)
    summary = json.loads((pytester.path / "page" / "widgets" / "summary.json").read_text("utf-8"))
    statistic = {name: count for name, count in summary["statistic"].items() if count}
    assert statistic == {"failed": 2, "skipped": ITEMS - 4, "passed": 2, "total": ITEMS}


@pytest.mark.exhaustive
def test_allure_tells_files_apart_that_differ_in_their_ending(pytester: pytest.Pytester) -> None:
    pytest.importorskip("allure_pytest")
    pytester.makefile(".bibtex", refs=BIB)
    run(pytester, "-p", "allure_pytest.plugin", "--alluredir=results", "--citecheck=refs.bibtex")
    results = [json.loads(path.read_text("utf-8")) for path in (pytester.path / "results").glob("*-result.json")]
    checks = [one["historyId"] for one in results if "duplicates" not in one["name"]]
    assert len(set(checks)) == len(checks) == 2 * ITEMS


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [("-p", "xdist.plugin", "-n", "2"), ()])
@pytest.mark.parametrize("reruns", ["0", "1"])
def test_rerunfailures_keeps_the_properties(pytester: pytest.Pytester, workers: tuple[str, ...], reruns: str) -> None:
    pytest.importorskip("pytest_rerunfailures")
    result = run(pytester, *workers, "-p", "pytest_rerunfailures", f"--reruns={reruns}", "--junitxml=r.xml")
    result.assert_outcomes(passed=2, failed=2, skipped=ITEMS - 4)
    tree = ElementTree.parse(pytester.path / "r.xml")  # noqa: S314 - our own
    stated = Counter(one.attrib["value"] for one in tree.iter("property") if one.attrib["name"] == "citecheck.check")
    assert set(stated) == set(CHECKS)
    names = [[one.attrib["name"] for one in case.iter("property")] for case in tree.iter("testcase")]
    assert all(len(set(of_case)) == len(of_case) > 10 for of_case in names)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_xdist_gives_the_same_in_all_modes(pytester: pytest.Pytester, mode: str) -> None:
    run(pytester, "--junitxml=alone.xml")
    workers = ("--tx", "popen") if mode == "each" else ("-n", "2")
    arguments = ("-p", "xdist.plugin", *workers, "--dist", mode)
    result = run(pytester, *arguments, "--junitxml=many.xml")
    result.assert_outcomes(passed=2, failed=2, skipped=ITEMS - 4)
    assert cases(pytester.path / "many.xml") == cases(pytester.path / "alone.xml")


@pytest.mark.exhaustive
def test_a_json_report_has_the_properties_of_each_test(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_jsonreport")
    run(pytester, "-p", "pytest_jsonreport.plugin", "--json-report", "--json-report-file=r.json")
    report = json.loads((pytester.path / "r.json").read_text("utf-8"))
    assert report["summary"] == {"passed": 2, "failed": 2, "skipped": 14, "total": ITEMS, "collected": ITEMS}
    assert {test["nodeid"] for test in report["tests"] if test["outcome"] == "failed"} == {
        f"refs.bib::{name}" for name in FAILED
    }
    failed = next(test for test in report["tests"] if test["nodeid"] == "refs.bib::dated[doi]")
    assert {"citecheck.code": "doi-malformed"} in failed["user_properties"]
    assert "forthcoming" in failed["call"]["longrepr"]


@pytest.mark.exhaustive
def test_an_html_report_has_a_row_for_each_test(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_html")
    plugins = ("-p", "pytest_metadata.plugin", "-p", "pytest_html.plugin")
    run(pytester, *plugins, "--html=r.html", "--self-contained-html")
    page = (pytester.path / "r.html").read_text("utf-8")
    counts = {name: int(count) for count, name in re.findall(r">(\d+) (Failed|Passed|Skipped)", page)}
    assert counts == {"Failed": 2, "Passed": 2, "Skipped": 14}


@pytest.mark.exhaustive
def test_random_order_changes_no_outcome(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_randomly")
    run(pytester, "--citecheck-json=plain.json")
    for seed in ("1", "2"):
        result = run(pytester, "-p", "pytest_randomly", f"--randomly-seed={seed}", f"--citecheck-json={seed}.json")
        result.assert_outcomes(passed=2, failed=2, skipped=ITEMS - 4)
        assert (pytester.path / f"{seed}.json").read_bytes() == (pytester.path / "plain.json").read_bytes()


@pytest.mark.exhaustive
def test_a_random_order_keeps_the_checks_of_a_reference_together(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_randomly")
    orders = set()
    for seed in range(5):
        result = run(pytester, "-p", "pytest_randomly", f"--randomly-seed={seed}", "--collect-only", "-q")
        keys = [line.split("::", 1)[1].partition("[")[0] for line in result.outlines if line.startswith("refs.bib::")]
        assert len(keys) == ITEMS
        together = tuple(key for key, _ in groupby(keys))
        assert len(together) == 3
        orders.add(together)
    assert len(orders) > 1


@pytest.mark.exhaustive
def test_timeouts_and_coverage_leave_the_outcomes_alone(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_timeout")
    pytest.importorskip("pytest_cov")
    plugins = ("-p", "pytest_timeout", "--timeout=600", "-p", "pytest_cov.plugin", "--cov=nothing")
    result = run(pytester, *plugins, "--junitxml=r.xml")
    result.assert_outcomes(passed=2, failed=2, skipped=ITEMS - 4)
    assert len(cases(pytester.path / "r.xml")) == ITEMS


@pytest.mark.exhaustive
def test_a_conftest_that_reads_reports_gets_all_phases(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import collections
        seen = collections.Counter()

        def pytest_runtest_logreport(report):
            seen[report.when, "citecheck.code" in dict(report.user_properties)] += 1

        def pytest_terminal_summary(terminalreporter):
            terminalreporter.line(str(sorted(seen.items())))
        """
    )
    result = run(pytester, "--junitxml=r.xml")
    result.stdout.fnmatch_lines(["*('call', True), 18), (('setup', False), 18), (('teardown', True), 18)*"])
    assert len(cases(pytester.path / "r.xml")) == ITEMS


STATUSES = """
import collections
seen = collections.Counter()

def pytest_report_teststatus(report):
    seen[report.when] += 1

def pytest_terminal_summary(terminalreporter):
    terminalreporter.line(str(sorted(seen.items())))
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_check_has_one_report(pytester: pytest.Pytester, workers: str) -> None:
    pytest.importorskip("xdist")
    pytester.makeconftest(STATUSES)
    result = run(pytester, "-p", "xdist", f"-n{workers}")
    result.stdout.fnmatch_lines([f"*[('call', {ITEMS})]*"])


@pytest.mark.exhaustive
def test_workers_report_phases_to_a_reporter_of_the_controller(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makeconftest(
        f"""
        {STATUSES}
        class Reporter:
            def pytest_runtest_logreport(self, report):
                pass

        def pytest_configure(config):
            if not hasattr(config, "workerinput"):
                config.pluginmanager.register(Reporter())
        """.replace("\n        ", "\n")
    )
    result = run(pytester, "-p", "xdist", "-n1")
    result.stdout.fnmatch_lines([f"*[('call', {ITEMS}), ('setup', {ITEMS}), ('teardown', {ITEMS})]*"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("phase", ["setup", "call", "teardown"])
def test_hooks_of_a_phase_see_every_check(pytester: pytest.Pytester, phase: str) -> None:
    pytester.makeconftest(
        f"""
        seen = []

        def pytest_runtest_{phase}(item):
            seen.append(item.nodeid)

        def pytest_terminal_summary(terminalreporter):
            terminalreporter.line(str(len(set(seen))))
        """
    )
    run(pytester).stdout.fnmatch_lines([str(ITEMS)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("mark", ["skip", "xfail"])
def test_marks_of_later_checks_count(pytester: pytest.Pytester, mark: str) -> None:
    """Of the checks of a reference the first alone runs in pytest's phases, unless another has a mark."""
    pytester.makeconftest(
        f"""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if item.name.endswith("[completeness]"):
                    item.add_marker(pytest.mark.{mark}(reason="not now"))
        """
    )
    outcomes = run(pytester).parseoutcomes()
    failed, xfailed = (1, 1) if mark == "xfail" else (1, 0)
    assert (outcomes["failed"], outcomes.get("xfailed", 0)) == (failed, xfailed), outcomes


@pytest.mark.exhaustive
def test_tests_and_checks_share_a_run(pytester: pytest.Pytester) -> None:
    """Collectors are torn down where a file of checks ends."""
    pytester.makepyfile(
        test_before="def test_one(tmp_path): pass\ndef test_two(): pass", test_behind="def test_three(tmp_path): pass"
    )
    pytester.makefile(".bib", other=BIB)
    run(pytester, "test_before.py", "refs.bib", "other.bib", "test_behind.py", "refs.bib").assert_outcomes(
        passed=3 + 4, failed=4, skipped=2 * (ITEMS - 4)
    )
