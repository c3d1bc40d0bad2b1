"""Checks, readers, policies, metrics and reports that a conftest.py adds by hooks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck import api
from pytest_citecheck.checks import CHECKS
from tests.support.outcomes import UNDECIDED
from tests.support.suites import first_fast

BOOK = "@book{{{0}, author={{Ada Quillfeather}}, title={{Tides of {0}}}, publisher={{P}}, year=1999{1}}}\n"

CHECK = """
from pytest_citecheck.api import Finding
class Pages:
    name = "pages"
    description = "the entry states pages in order"
    codes = {"pages-ok": "the pages are in order", "pages-reversed": "the last page is before the first", "pages-none": "none"}
    def check(self, case):
        first, _, last = case.reference.fields.get("pages", "").partition("--")
        if not first:
            return Finding(self.name, "unverifiable", "pages-none", "no pages are cited")
        if int(last) < int(first):
            return Finding(self.name, "failed", "pages-reversed", f"{first} comes after {last}", cited=f"{first}--{last}",
                           fixes={"pages": f"{last}--{first}"})
        return Finding(self.name, "passed", "pages-ok", "the pages are in order")
def pytest_citecheck_checks(checks):
    checks.append(Pages())
"""

DIST = pytest.mark.parametrize(
    "distribution",
    [pytest.param((), id="one-process"), pytest.param(("-n2",), id="two-workers", marks=pytest.mark.exhaustive)],
)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-json=r.json", *options)


def report(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))


@pytest.fixture
def refs(pytester: pytest.Pytester) -> pytest.Pytester:
    pages = {"good": ", pages={1--9}", "bad": ", pages={9--1}", "bare": ""}
    pytester.makefile(".bib", refs="".join(BOOK.format(key, field) for key, field in pages.items()))
    return pytester


# ----- checks ---------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@DIST
def test_a_check_from_a_hook_is_an_item_in_every_report(refs: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    refs.makeconftest(CHECK)
    result = run(refs, "--junitxml=j.xml", "--citecheck-html=r.html", "--citecheck-markdown=r.md", *distribution)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["pages *1 *1 *1*"])
    written = report(refs)
    found = {reference["key"]: reference["checks"]["pages"]["code"] for reference in written["references"]}
    assert found == {"good": "pages-ok", "bad": "pages-reversed", "bare": "pages-none"}
    assert list(written["references"][0]["checks"])[-2:] == [CHECKS[-1], "pages"]
    assert written["summary"]["checks"]["pages"] == {"passed": 1, "failed": 1, "unverifiable": 1}
    assert written["references"][1]["verdict"]["name"] == "undecided"  # the built-in checks decide
    for file in ("j.xml", "r.html", "r.md"):
        assert "pages-reversed" in (refs.path / file).read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_a_check_from_a_hook_shows_its_fix_and_can_be_selected(refs: pytest.Pytester) -> None:
    refs.makeconftest(CHECK)
    result = run(refs, "-m", "pages")
    result.assert_outcomes(passed=1, failed=1, skipped=1, deselected=3 * len(CHECKS))
    result.stdout.fnmatch_lines(["*bad pages: * [[]pages-reversed]"])
    run(refs, "refs.bib::bad[pages]").assert_outcomes(failed=1)
    run(refs, "--markers").stdout.fnmatch_lines(
        ["@pytest.mark.pages: citecheck(check='pages'), the entry states pages in order"]
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("policy", "failed"),
    [("[codes]\npages-ok = 'error'\npages-reversed = 'warning'", "good"), ("[failed]\npages = 'ignore'", "")],
    ids=["by-code", "by-check"],
)
def test_a_policy_can_name_a_check_from_a_hook(refs: pytest.Pytester, policy: str, failed: str) -> None:
    refs.makeconftest(CHECK)
    (refs.path / "own.toml").write_text(policy, encoding="utf-8")
    run(refs, "--citecheck-policy=own.toml", "-m", "pages")
    severities = {item["key"]: item["checks"]["pages"]["severity"] for item in report(refs)["references"]}
    assert [key for key, severity in severities.items() if severity == "error"] == [failed] * bool(failed)


def test_a_waiver_can_name_a_check_from_a_hook(refs: pytest.Pytester) -> None:
    refs.makeconftest(CHECK)
    refs.makeini("[pytest]\ncitecheck_ignore =\n    bad pages printed from right to left\n")
    run(refs, "-m", "pages").assert_outcomes(passed=1, xfailed=1, skipped=1, deselected=3 * len(CHECKS))


@pytest.mark.exhaustive
def test_a_check_that_raises_fails_its_items_and_no_others(refs: pytest.Pytester) -> None:
    refs.makeconftest(CHECK.replace("first, _, last =", "raise LookupError('no such shelf')\n        first, _, last ="))
    result = run(refs)
    result.assert_outcomes(failed=3, passed=3, skipped=3 * UNDECIDED)
    result.stdout.fnmatch_lines(["*LookupError: no such shelf"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("changed", "problem"),
    first_fast(
        [
            (('"pages-ok", "the', '"pages-fine", "the'), "the code 'pages-fine', which is not in its declared codes"),
            (('Finding(self.name, "passed"', 'Finding("title", "passed"'), "a finding of the check 'title'"),
            (('Finding(self.name, "passed"', 'Finding(self.name, "good"'), "the outcome 'good'"),
            (('"the pages are in order")\ndef', "None)\ndef"), "a finding with a value of the wrong type"),
            (('return Finding(self.name, "passed"', 'return self.codes or ("passed"'), "dict, not a Finding"),
        ],
        2,
    ),
    ids=["code", "check", "outcome", "type", "object"],
)
def test_what_is_not_a_finding_of_the_check_fails_the_item(
    refs: pytest.Pytester, changed: tuple[str, str], problem: str
) -> None:
    assert changed[0] in CHECK
    refs.makeconftest(CHECK.replace(*changed))
    result = run(refs, "-k", "good and pages")
    result.assert_outcomes(failed=1, deselected=3 * len(CHECKS) + 2)
    result.stdout.fnmatch_lines([f"*CheckError: the check 'pages' (Pages) returned {problem}"])


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (('name = "pages"', 'name = "title"'), "*'title' is not a valid check name*"),
        (('name = "pages"', 'name = "skip"'), "*'skip' is not a valid check name*"),
        (('name = "pages"', 'name = "two words"'), "*'two words' is not a valid check name*"),
        (
            ('"pages-ok": ', '"title-ok": "", "pages-ok": '),
            "*the code 'title-ok' of 'pages' is one of pytest-citecheck",
        ),
        (("description =", "about ="), "*has no attribute description"),
        (("checks.append(Pages())", "checks += [Pages(), Pages()]"), "*the name 'pages' is taken"),
    ],
    ids=["six", "pytest", "identifier", "code", "attribute", "twice"],
)
def test_a_check_that_cannot_be_added_is_a_usage_error(
    refs: pytest.Pytester, changed: tuple[str, str], problem: str
) -> None:
    refs.makeconftest(CHECK.replace(*changed))
    result = run(refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: pytest_citecheck_checks: {problem}"])


# ----- hooks that raise -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hook", ["sources", "checks", "readers", "policies", "metrics", "reports"], ids=lambda hook: str(hook)
)
@pytest.mark.parametrize(
    "error", first_fast(["ValueError('no such shelf')", "pytest.fail('no such shelf')"]), ids=["error", "fail"]
)
def test_a_hook_that_raises_is_a_usage_error_that_names_it(refs: pytest.Pytester, hook: str, error: str) -> None:
    refs.makeconftest(
        f"import pytest\ndef pytest_citecheck_{hook}({hook}):\n    raise {error}\n".replace("raise pytest", "pytest")
    )
    result = run(refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    name = "ValueError" if "Value" in error else "Failed"
    result.stderr.fnmatch_lines([f"ERROR: pytest_citecheck_{hook} failed in *conftest.py: {name}: no such shelf"])


# ----- readers --------------------------------------------------------------------------------------------

READER = """
from pytest_citecheck.api import Bibliography, Location, Reference
class Tabs:
    suffixes = frozenset({".tsv"})
    format = "a table with tabs"
    lenient = True
    def reads(self, head):
        return b"\\t" in head
    def read(self, path, data):
        rows = [line.split("\\t") for line in data.decode().splitlines()]
        return Bibliography(path, tuple(
            Reference(key, "book", {"author": author, "title": title, "year": year}, Location(path, line, line))
            for line, (key, author, title, year) in enumerate(rows, start=1)
        ))
def pytest_citecheck_readers(readers):
    readers.append(Tabs())
"""


@DIST
def test_a_reader_from_a_hook_reads_files(pytester: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    pytester.makeconftest(READER)
    (pytester.path / "books.tsv").write_text(
        "a\tAda Quillfeather\tTides\t1999\nb\tBo Ash\tEbbs\t2999\n", encoding="utf-8"
    )
    result = pytester.runpytest(
        "--citecheck=books.tsv", "--citecheck-offline", "--citecheck-json=r.json", *distribution
    )
    assert result.parseoutcomes()["failed"] == 1  # a year is in the future
    assert [reference["id"] for reference in report(pytester)["references"]] == ["books.tsv::a", "books.tsv::b"]


def test_a_reader_from_a_hook_finds_its_files_in_a_folder(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(READER)
    (pytester.mkdir("shelf") / "books.tsv").write_text("a\tAda Quillfeather\tTides\t2999\n", encoding="utf-8")
    result = pytester.runpytest("--citecheck=shelf", "--citecheck-offline")
    result.assert_outcomes(failed=1, skipped=UNDECIDED)


def test_without_its_reader_a_file_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(READER.replace("append(Tabs())", "clear()"))
    (pytester.path / "books.tsv").write_text("a\tb\tc\t1999\n", encoding="utf-8")
    result = pytester.runpytest("--citecheck=books.tsv", "--citecheck-offline")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


# ----- policies -------------------------------------------------------------------------------------------

POLICY = """
from pytest_citecheck.api import Policy
def pytest_citecheck_policies(policies):
    policies.append(Policy("house", codes={"complete": "error"}))
"""


@pytest.mark.exhaustive
@DIST
def test_a_policy_from_a_hook_has_a_name(refs: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    refs.makeconftest(POLICY)
    result = run(refs, "--citecheck-policy=house", *distribution)
    assert result.parseoutcomes()["failed"] == 3  # [completeness] of each
    assert report(refs)["policy"] == "house"


def test_a_policy_file_can_extend_a_policy_from_a_hook(refs: pytest.Pytester) -> None:
    refs.makeconftest(POLICY)
    (refs.path / "own.toml").write_text("extends = 'house'\n", encoding="utf-8")
    assert run(refs, "--citecheck-policy=own.toml").parseoutcomes()["failed"] == 3


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (("house", "strict"), "the name 'strict' is already in use"),
        (("complete", "completed"), "policy 'house': codes: unknown code: 'completed'; did you mean*"),
        (('"error"', '"fatal"'), "policy 'house': codes.complete: unknown severity: 'fatal'*"),
    ],
    ids=["name", "code", "severity"],
)
def test_a_policy_that_cannot_be_added_is_a_usage_error(
    refs: pytest.Pytester, changed: tuple[str, str], problem: str
) -> None:
    refs.makeconftest(POLICY.replace(*changed))
    result = run(refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: pytest_citecheck_policies: {problem}"])


# ----- metrics --------------------------------------------------------------------------------------------

METRIC = """
class Doubt:
    name = "doubt"
    higher_is_better = False
    def compute(self, pairs):
        answers = [answer for _, answer in pairs if answer]
        return sum(answer.label == "UNCERTAIN" for answer in answers) / len(answers)
def pytest_citecheck_metrics(metrics):
    metrics.append(Doubt())
"""
LABELLED = [
    {"bibtex_key": key, "bibtex_type": "misc", "fields": {"title": "Tides", "year": "1999"}, "label": label}
    | ({} if label == "VALID" else {"hallucination_type": "fabricated_doi", "difficulty_tier": 1})
    for key, label in (("a", "VALID"), ("b", "HALLUCINATED"))
]


@pytest.fixture
def split(pytester: pytest.Pytester) -> pytest.Pytester:
    lines = "".join(json.dumps(entry) + "\n" for entry in LABELLED)
    (pytester.path / "dev.jsonl").write_text(lines, encoding="utf-8")
    return pytester


@pytest.mark.exhaustive
@DIST
def test_a_metric_from_a_hook_is_a_score_and_a_gate(split: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    split.makeconftest(METRIC)
    options = ("--citecheck=dev.jsonl", "--citecheck-offline", "--citecheck-json=r.json", *distribution)
    result = split.runpytest(*options, "--citecheck-fail-under=doubt=0.5")
    assert report(split)["metrics"]["further"] == {"doubt": 1.0}
    result.stdout.fnmatch_lines(["FAILED  doubt=0.5: 1.0000"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert split.runpytest(*options, "--citecheck-fail-under=doubt<=1").ret == 0


def test_a_metric_that_raises_fails_the_run_and_is_named(split: pytest.Pytester) -> None:
    split.makeconftest(METRIC.replace("return sum", "raise LookupError('no shelf') or sum"))
    result = split.runpytest("--citecheck=dev.jsonl", "--citecheck-offline", "--citecheck-fail-under=doubt<=1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        ["citecheck: pytest_citecheck_metrics: the metric 'doubt' failed: LookupError: no shelf"]
    )


# ----- reports --------------------------------------------------------------------------------------------

REPORT = """
from pathlib import Path
from pytest_citecheck.api import Report
def render(result):
    return "".join(f"{reference.key};{reference.verdict['name']}\\n" for reference in result.references)
def pytest_citecheck_reports(reports):
    reports.append(Report(Path("out/verdicts.csv"), render))
"""


@DIST
def test_a_report_from_a_hook_is_written_at_the_end(refs: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    refs.makeconftest(REPORT)
    run(refs, *distribution)
    written = (refs.path / "out" / "verdicts.csv").read_text(encoding="utf-8")
    assert written == "good;undecided\nbad;undecided\nbare;undecided\n"


def test_a_report_that_raises_costs_no_other_report(refs: pytest.Pytester) -> None:
    refs.makeconftest(REPORT.replace("return", "raise LookupError('no shelf') or"))
    result = run(refs)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*verdicts.csv could not be written: pytest_citecheck_reports: LookupError: no shelf"])
    assert len(report(refs)["references"]) == 3


def test_two_reports_with_one_path_are_refused(refs: pytest.Pytester) -> None:
    refs.makeconftest(
        "from pathlib import Path\n"
        "def pytest_citecheck_reports(reports):\n"
        "    from pytest_citecheck.api import Report\n"
        "    reports += [Report(Path('keys.txt'), str)] * 2\n"
    )
    result = run(refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: two reports have the same path: keys.txt"])


def test_a_report_from_a_hook_never_replaces_an_input(refs: pytest.Pytester) -> None:
    refs.makeconftest(REPORT.replace("out/verdicts.csv", "refs.bib"))
    assert run(refs).ret == pytest.ExitCode.USAGE_ERROR


# ----- the public names -----------------------------------------------------------------------------------


def test_the_public_names_are_sorted_and_complete() -> None:
    assert api.__all__ == sorted(api.__all__)
    public = {name for name in vars(api) if name.isidentifier() and not name.startswith("_")}
    assert set(api.__all__) >= public - {"annotations"}
    assert [name for name in api.__all__ if not hasattr(api, name)] == []


# ----- sources --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param("sources.append('crossref')", "'crossref' has no attribute name, label,", id="not-a-source"),
        pytest.param("sources.append(sources[0])", "the name 'crossref' is taken", id="the-same-twice"),
    ],
)
def test_what_is_no_further_source_is_a_usage_error(refs: pytest.Pytester, change: str, problem: str) -> None:
    refs.makeconftest(f"def pytest_citecheck_sources(sources):\n    {change}\n")
    result = run(refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*pytest_citecheck_sources: {problem}*"])
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
