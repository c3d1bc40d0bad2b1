"""Policies as a user sees them: exit codes, messages, the summary, JSON, JUnit, workers, labels of benchmarks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from junitparser import xunit2

from pytest_citecheck.checks import CHECKS
from pytest_citecheck.cli import main
from pytest_citecheck.index import build
from pytest_citecheck.reports import markdown_page
from tests.plugin.test_benchmark import INDEX, SPLIT, write
from tests.plugin.test_outcomes import RIGHT, WRONG
from tests.support.outcomes import UNDECIDED, assert_checks
from tests.support.suites import first_fast

UNKNOWN = """@article{unknown,
  author = {Ada Quillfeather}, title = {On an altogether unheard-of matter},
  journal = {Journal of Imaginary Results}, year = {2017}
}
"""


@pytest.fixture
def refs(pytester: pytest.Pytester, live: list[str]) -> list[str]:
    """Options of a run over a correct reference, one with a changed word, and an unknown one, with all services up."""
    pytester.makefile(".bib", refs=RIGHT + WRONG + UNKNOWN)
    return ["--citecheck=refs.bib", "--citecheck-prior=0.3", "-p", "no:cacheprovider", *live]


@pytest.fixture
def split(pytester: pytest.Pytester) -> list[str]:
    """Options of a run over a benchmark and a local index alone."""
    build(pytester.path / "my.index", INDEX)
    write(SPLIT)
    return ["--citecheck=split.jsonl", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-cache=off"]


def report(name: str = "r.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))
    return found


def severities(name: str = "r.json") -> dict[tuple[str, str], str]:
    """(key, check) of all that is not ignored."""
    return {
        (reference["key"], check): finding["severity"]
        for reference in report(name)["references"]
        for check, finding in reference["checks"].items()
        if finding["severity"] != "ignore"
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("policy", "held"),
    first_fast(
        [
            ("default", {("wrong", "title"): "error"}),
            (
                "strict",
                {
                    ("wrong", "title"): "error",
                    **{("unknown", check): "error" for check in ("title", "authors", "venue", "cross_db")},
                },
            ),
            ("neurips-2026", {("wrong", "title"): "warning", ("unknown", "title"): "error"}),
            ("arena", {("wrong", "title"): "warning", ("unknown", "title"): "error"}),
            ("lenient", {("wrong", "title"): "warning"}),
        ],
        3,
    ),
)
def test_what_fails_and_what_is_warned_of(
    pytester: pytest.Pytester, refs: list[str], policy: str, held: dict[tuple[str, str], str]
) -> None:
    result = pytester.runpytest(f"--citecheck-policy={policy}", "--citecheck-json=r.json", *refs)
    assert severities() == held
    assert report()["policy"] == policy
    assert not any("label" in reference["verdict"] for reference in report()["references"]), "no benchmark"
    errors = list(held.values()).count("error")
    assert result.parseoutcomes().get("failed", 0) == errors
    assert sum(result.parseoutcomes().get(name, 0) for name in ("passed", "skipped")) == 3 * len(CHECKS) - errors
    assert result.ret == (1 if errors else 0)
    assert ("policy" in result.stdout.str()) == (policy != "default")
    # The findings are the same under each.
    wrong = report()["references"][1]
    assert (wrong["checks"]["title"]["outcome"], wrong["verdict"]["name"]) == ("failed", "misdescribed")


@pytest.mark.exhaustive
def test_a_policy_says_what_it_calls_a_reference(pytester: pytest.Pytester, refs: list[str]) -> None:
    result = pytester.runpytest("--citecheck-policy=neurips-2026", *refs)
    result.stdout.fnmatch_lines([
        "citecheck: *, policy neurips-2026",
        "refs.bib:13 unknown title: the title could not be checked: *[[]not-found[]]",
        "policy neurips-2026: warning = error to report or possible error to report",
        "with a warning (1 reference):",
        "  refs.bib:7 wrong title: * → * [[]title-near-miss[]]",
        "next: *--citecheck-html=FILE*--lf",
        "FAILED refs.bib::unknown[[]title[]] - not-found: possible hallucinated reference *",
    ])  # fmt: skip
    # The policy decides the column of each finding; the last line of pytest counts the same.
    counts = re.findall(r"^(findings of|title|cross_db) +(.*)", result.stdout.str(), re.MULTILINE)
    assert [(first, *rest.split()) for first, rest in counts] == [
        ("findings of", "passed", "failed", "warning", "unverifiable"),
        ("title", "1", "1", "1", "."),
        ("cross_db", "1", ".", ".", "2"),
    ]
    result = pytester.runpytest("--citecheck-policy=lenient", *refs)
    assert "next: " not in result.stdout.str(), "nothing failed"
    result = pytester.runpytest("--citecheck-policy=lenient", "-q", *refs)
    result.stdout.fnmatch_lines(["policy lenient", "with a warning (1 reference):", "  refs.bib:7 wrong title: *"])


@pytest.mark.exhaustive
def test_strict_does_not_call_a_reference_invented(pytester: pytest.Pytester, refs: list[str]) -> None:
    result = pytester.runpytest("--citecheck-policy=strict", "-k", "unknown", *refs)
    result.stdout.fnmatch_lines(["refs.bib:13 unknown title: the title could not be checked: *[[]not-found[]]"])
    result.stdout.fnmatch_lines(["FAILED refs.bib::unknown[[]title[]] - not-found: the title is not verified (polic*"])
    assert "hallucinat" not in result.stdout.str()
    assert "fabricated  " not in result.stdout.str()


@pytest.mark.parametrize("policy", ["strict", "neurips-2026"])
def test_an_outage_stays_a_skip(pytester: pytest.Pytester, live: list[str], policy: str) -> None:
    pytester.makefile(".bib", refs=UNKNOWN)
    down = [re.sub("=http://.*", "=http://127.0.0.1:9", option) for option in live]
    result = pytester.runpytest("--citecheck=refs.bib", f"--citecheck-policy={policy}", *down)
    result.assert_outcomes(passed=1, skipped=UNDECIDED)


@pytest.mark.exhaustive
def test_that_an_outage_fails_has_an_option_of_its_own_and_no_other_name(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=UNKNOWN)
    options = [
        "--citecheck=refs.bib",
        "--citecheck-policy=neurips-2026",
        "--citecheck-offline",
        "--citecheck-cache=off",
    ]
    pytester.runpytest(*options).assert_outcomes(passed=1, skipped=UNDECIDED)
    result = pytester.runpytest(*options, "--citecheck-strict", "--citecheck-json=r.json")
    result.assert_outcomes(passed=1, failed=UNDECIDED)
    assert "hallucinated reference" not in result.stdout.str()
    result.stdout.fnmatch_lines([
        "refs.bib:1 unknown title: the title could not be checked: no answer from *[[]unavailable[]]",
        "findings of *passed *failed *unverifiable",
        "FAILED refs.bib::unknown[[]title[]] - unavailable: the title is not verified (--c*",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("misdescribed*")
    assert severities() == {("unknown", check): "error" for check in CHECKS if check != "completeness"}
    checks = report()["references"][0]["checks"]
    assert (checks["title"]["demanded"], checks["title"]["said"]) == (
        True,
        "the title is not verified (--citecheck-strict)",
    )
    assert (checks["completeness"]["demanded"], checks["completeness"]["said"]) == (False, "")
    assert (report()["strict"], report()["calls"]["error"]) == (
        True,
        "hallucinated reference or possible hallucinated reference",
    )


@pytest.mark.exhaustive
def test_reports_for_people(pytester: pytest.Pytester, refs: list[str]) -> None:
    written = ["--citecheck-html=r.html", "--citecheck-markdown=r.md", "--citecheck-json=r.json"]
    pytester.runpytest("--citecheck-policy=neurips-2026", *written, *refs)
    page = Path("r.md").read_text(encoding="utf-8")
    assert "Policy: neurips-2026." in page
    errors, warnings = page.split(
        "## References with failures: hallucinated reference or possible hallucinated reference\n"
    )[1].split("## References with warnings: error to report or possible error to report\n")
    assert re.findall(r"^### `(.*)`|^\| Title \| `(.*?)`", errors, re.MULTILINE) == [("unknown", ""), ("", "not-found")]
    found = re.findall(r"^### `(.*)`|^\| Title \| `(.*?)`", warnings, re.MULTILINE)
    assert found == [("wrong", ""), ("", "title-near-miss")]
    assert "policy neurips-2026" in Path("r.html").read_text(encoding="utf-8")
    assert "警告" in markdown_page(report(), "zh")
    pytester.runpytest(*written, *refs)
    assert "Policy" not in Path("r.md").read_text(encoding="utf-8")
    assert "not-found" not in Path("r.md").read_text(encoding="utf-8")
    assert "with warnings" not in Path("r.md").read_text(encoding="utf-8")
    assert "policy default" not in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_workers_and_junit(pytester: pytest.Pytester, refs: list[str]) -> None:
    options = ["--citecheck-policy=neurips-2026", *refs]
    pytester.runpytest(*options, "--citecheck-json=one.json")
    result = pytester.runpytest(*options, "--citecheck-json=two.json", "--junitxml=junit.xml", "-n", "2")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    result.stdout.fnmatch_lines(["with a warning (1 reference):"])
    (suite,) = xunit2.JUnitXml.fromfile("junit.xml")
    run = {item.name: item.value for item in suite.properties()}  # type: ignore[no-untyped-call]
    assert run["citecheck.policy"] == "neurips-2026"
    stated = {}
    for case in suite:
        assert isinstance(case, xunit2.TestCase)
        stated[case.name] = {item.name: item.value for item in case.properties()}  # type: ignore[no-untyped-call]
    assert stated["wrong[title]"]["citecheck.severity"] == "warning"
    assert stated["wrong[title]"]["citecheck.outcome"] == "failed"
    assert stated["unknown[title]"]["citecheck.severity"] == "error"
    assert stated["vaswani[title]"]["citecheck.severity"] == "ignore"
    (message,) = {one.message for case in suite if case.name == "unknown[title]" for one in case.result}
    assert message.startswith("not-found: possible hallucinated reference (policy neurips-2026): the title ")


@pytest.mark.exhaustive
def test_a_file_of_ones_own(pytester: pytest.Pytester, refs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pytester.mkdir("rules")
    (folder / "journal.toml").write_text('extends = "lenient"\n[codes]\ntitle-near-miss = "error"\n')
    pytester.makeini("[pytest]\ncitecheck_policy = rules/journal.toml\n")
    result = pytester.runpytest(*refs)
    assert_checks(result, 3, passed=11, failed=1)
    result.stdout.fnmatch_lines(["*policy journal"])
    monkeypatch.setenv("CITECHECK_POLICY", "lenient")
    assert pytester.runpytest(*refs).ret == 0
    assert pytester.runpytest("--citecheck-policy=rules/journal.toml", *refs).ret == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("given", "shown"),
    first_fast(
        [("rules/strict.toml", "rules/strict.toml"), ("strict.toml", "strict.toml"), ("rules/ours.toml", "ours")]
    ),
)
def test_a_file_named_like_a_shipped_policy_is_not_taken_for_it(
    pytester: pytest.Pytester, given: str, shown: str
) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    Path(given).parent.mkdir(exist_ok=True)
    Path(given).write_text('[codes]\ntitle-near-miss = "ignore"\n')
    options = ["--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", "--citecheck-json=r.json"]
    result = pytester.runpytest(f"--citecheck-policy={given}", *options)
    result.stdout.fnmatch_lines([f"citecheck: *, policy {shown}"])
    assert report()["policy"] == shown
    pytester.runpytest(f"--citecheck-policy={Path(given).absolute()}", *options)
    assert report()["policy"] == shown.rpartition("/")[2]


@pytest.mark.parametrize(
    ("value", "said"),
    first_fast(
        [
            ("neurips", "citecheck_policy: unknown policy: 'neurips'; did you mean neurips-2026?"),
            ("none.toml", "citecheck_policy: none.toml cannot be read: No such file or directory"),
            ("bad.toml", "citecheck_policy: bad.toml: failed: unknown check or verdict: 'titel'; did you mean title?"),
            ("bytes.toml", "citecheck_policy: bytes.toml is not in UTF-8 (byte 3)"),
            ("rules", "citecheck_policy: rules is not a .toml file, which a custom policy must be"),
        ],
        2,
    ),
)
def test_a_policy_that_makes_no_sense(pytester: pytest.Pytester, refs: list[str], value: str, said: str) -> None:
    Path("bad.toml").write_text('[failed]\ntitel = "error"\n')
    Path("bytes.toml").write_bytes(b"a=\xff")
    Path("rules").mkdir()
    result = pytester.runpytest(f"--citecheck-policy={value}", *refs)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])


@pytest.mark.exhaustive
def test_what_is_waived_is_expected_to_fail_and_not_warned_of(pytester: pytest.Pytester, refs: list[str]) -> None:
    pytester.makeini("[pytest]\ncitecheck_ignore =\n    wrong title printed that way\n")
    result = pytester.runpytest("--citecheck-policy=lenient", *refs)
    assert_checks(result, 3, passed=11, xfailed=1)
    assert "with a warning (" not in result.stdout.str()
    assert "outdated waiver" not in result.stdout.str()


@pytest.mark.exhaustive
def test_labels_of_a_benchmark_follow_a_policy_that_has_a_word_for_them(
    pytester: pytest.Pytester, split: list[str]
) -> None:
    options = [*split, "--citecheck-json=r.json", "--junitxml=r.xml"]
    counts = {}
    for policy in ("strict", "neurips-2026", "arena"):
        pytester.runpytest(*options, f"--citecheck-policy={policy}")
        counts[policy] = report()["metrics"]["counts"]
        assert main(["score", "junit", "r.xml", "--json", "s.json"]) == 0
        assert report("s.json")["tools"][0]["counts"] == counts[policy]
    # By hand: the one reference of which nothing is known is labelled valid; the Arena asks for no venue.
    open_one = {"tp": 3, "fp": 0, "tn": 4, "fn": 1, "uncertain": 1, "missing": 0}
    assert counts["strict"] == open_one
    assert counts["neurips-2026"] == open_one | {"fp": 1, "uncertain": 0}
    assert counts["arena"] == open_one | {"tp": 2, "fn": 2, "fp": 1, "uncertain": 0}


def test_the_checker_is_tested_by_the_labels_of_the_policy(pytester: pytest.Pytester, split: list[str]) -> None:
    options = ["--citecheck-expect=truth", "-k", "venue and cross_db", *split]
    pytester.runpytest(*options).assert_outcomes(passed=1, deselected=9 * len(CHECKS) - 1)
    result = pytester.runpytest(*options, "--citecheck-policy=arena")
    result.assert_outcomes(failed=1, deselected=9 * len(CHECKS) - 1)
    result.stdout.fnmatch_lines(["*labelled HALLUCINATED, but policy arena classifies it as VALID*"])
