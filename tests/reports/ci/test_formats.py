"""Validity of each format: by the official schema if there is one, else by the rules that its reader documents.

``schemas/sarif-schema-2.1.0.json`` is OASIS's (from SchemaStore, Apache-2.0); ``schemas/junit-10.xsd`` is from Jenkins's
xunit-plugin (MIT, as in pytest's tests).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pytest_citecheck.reports import FORMATS, PER_KIND, Findings, RunResult, fingerprints, problems, step_summary
from tests.support.report_data import HOSTILE, finding, reference
from tests.support.run_results import failing, result_of

SCHEMAS = Path(__file__).parent / "schemas"
WORKFLOW_COMMANDS = "x\n::error::owned\r\n##vso[task.setvariable variable=PATH]owned\n%0A::warning::owned\x1b[2J"


def varied() -> RunResult:
    """One of each kind, and one that wants to do harm."""
    unclear = finding("unverifiable", "title-published", severity="warning", message="published elsewhere")
    hint = finding("unverifiable", "doi-to-add", severity="info", fixes={"doi": "10.1000/x"})
    return result_of(
        failing("slip", fixes={"title": "Clocks; or, 100% Time"}, message="another title", line=7, end_line=9),
        failing("made-up", "title-not-found", verdict="fabricated", line=11, end_line=12),
        reference("warned", checks={"title": unclear, "doi": hint}, line=20, end_line=21),
        failing("waived", waived=True, line=30, end_line=31),
        failing(
            HOSTILE, message=WORKFLOW_COMMANDS, fixes={"title": WORKFLOW_COMMANDS}, path="a b/réfs,1:2.bib", line=3
        ),
        failing("own", "my-own-code", check="mine"),
        reference("open", checks={"title": finding("unverifiable", "not-found")}),
        reference("good"),
    )


def text(name: str, result: RunResult) -> str:
    return "".join(FORMATS[name].render(Findings(result)))


def test_sarif_is_valid_by_the_schema_of_oasis() -> None:
    data = json.loads(text("sarif", varied()))
    jsonschema.validate(data, json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")))
    (run,) = data["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    assert all(rule["help"]["text"] and rule["help"]["markdown"] for rule in rules)
    place = {one["message"]["text"].split(":")[0]: one["locations"][0]["physicalLocation"] for one in run["results"]}
    assert place["slip"]["region"] == {"startLine": 7, "startColumn": 1, "endLine": 9}
    assert "a%20b/r%C3%A9fs%2C1%3A2.bib" in {one["artifactLocation"]["uri"] for one in place.values()}
    levels = [(one["ruleId"], one["level"], "suppressions" in one) for one in run["results"]]
    assert levels[0] == ("title-not-found", "error", False)
    assert ("title-published", "warning", False) in levels
    assert ("doi-to-add", "note", False) in levels
    assert ("title-near-miss", "error", True) in levels


def test_a_fingerprint_survives_a_move_and_is_unique() -> None:
    def named(line: int) -> list[str]:
        return fingerprints(list(problems(result_of(failing("a", line=line), failing("a", line=line), failing("b")))))

    assert named(1) == named(400)
    assert len(set(named(1))) == 3


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_waived_problem_is_reported_as_suppressed_or_not_at_all(name: str) -> None:
    result = result_of(failing("open", line=3), failing("accepted", waived=True, line=30, end_line=31))
    written = text(name, result)
    assert "open" in written
    if name == "sarif":
        (run,) = json.loads(written)["runs"]
        assert [(one["message"]["text"].split(":")[0], "suppressions" in one) for one in run["results"]] == [
            ("open", False), ("accepted", True),
        ]  # fmt: skip
    elif name in ("junit", "jenkins"):
        cases = ElementTree.fromstring(written).iter("testcase")  # noqa: S314 - our own report
        inner = {str(case.get("name")).split("[")[0]: [one.tag for one in case] for case in cases}
        assert inner["open"] == ["failure"]
        assert inner["accepted"] == ["skipped"]
    elif name == "json":
        found = {one["key"]: one["checks"]["title"]["waived"] for one in json.loads(written)["references"]}
        assert found == {"open": False, "accepted": True}
    else:
        assert "accepted" not in written


def test_a_step_summary_leaves_waived_problems_out() -> None:
    written = step_summary(Findings(result_of(failing("open"), failing("accepted", waived=True))))
    assert "open" in written
    assert "accepted" not in written


@pytest.mark.exhaustive
def test_junit_is_what_gitlab_and_jenkins_read() -> None:
    result = varied()
    gitlab = ElementTree.fromstring(text("junit", result))  # noqa: S314 - our own
    cases = list(gitlab.iter("testcase"))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)  # GitLab counts the first of equal ones only
    assert cases[0].attrib == {"classname": "refs.bib", "name": "slip[title]", "file": "refs.bib", "line": "7"}
    counts = [[suite.get(name) for name in ("tests", "failures", "errors", "skipped")] for suite in gitlab]
    assert counts == [["5", "2", "0", "3"], ["1", "1", "0", "0"], ["3", "1", "0", "1"]]
    assert "fix: title = {Clocks; or, 100% Time}" in str(cases[0].findtext("failure"))
    xmlschema = pytest.importorskip("xmlschema")
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(text("jenkins", result))


def test_code_quality_has_what_gitlab_documents() -> None:
    issues: list[dict[str, Any]] = json.loads(text("gitlab", varied()))
    for issue in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} == issue.keys()
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not issue["location"]["path"].startswith(("./", "/"))
        assert 1 <= issue["location"]["lines"]["begin"] <= issue["location"]["lines"]["end"]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert [issue["severity"] for issue in issues] == ["minor", "blocker", "info", "info", "minor", "major"]


def test_github_shows_the_worst_ten_of_a_kind_and_counts_the_rest() -> None:
    many = [failing(f"slip{number}", line=number) for number in range(1, 40)]
    lines = text("github", result_of(*many, failing("made-up", "title-not-found", verdict="fabricated"))).splitlines()
    assert len(lines) == PER_KIND
    assert lines[0].startswith("::error file=refs.bib,line=1,endLine=5,title=citecheck title-not-found::made-up: ")
    assert (
        lines[-1]
        == "::error title=citecheck::31 more of this kind: the summary of the step and the other formats list them"
    )
    assert len(text("github", result_of(*many[:PER_KIND])).splitlines()) == PER_KIND


@pytest.mark.exhaustive
def test_a_step_summary_has_counts_and_the_worst_and_fits() -> None:
    long = [failing(f"k{number}", message="x|`<b>" * 400, fixes={"title": "y" * 500}) for number in range(2000)]
    summary = step_summary(Findings(result_of(*long, failing("made-up", "title-not-found", verdict="fabricated"))))
    assert len(summary.encode()) < 1 << 20
    assert "2001 errors in 2001 references" in summary
    assert summary.index("made-up") < summary.index("k0 ")
    assert re.search(r"and \d+ more\n$", summary)


@pytest.mark.parametrize("name", ["github", "azure", "concise"])
def test_text_from_outside_is_no_command(name: str) -> None:
    hostile = failing("::set-env::x", message=WORKFLOW_COMMANDS, path="::error::p", fixes={"title": "##vso[x]y]z;"})
    lines = text(name, result_of(hostile)).split("\n")
    assert len(lines) == 2
    assert not lines[1]
    start = {
        "github": "::error file=%3A%3Aerror%3A%3Ap,",
        "azure": "##vso[task.logissue type=error;",
        "concise": "\u200b::",
    }
    assert lines[0].startswith(start[name])
    assert not re.search(r"[\x00-\x1f]", lines[0])
    if name == "github":  # what stands after the second "::" is data
        assert lines[0].count("::") >= 2
        assert "%250A" in lines[0]


def test_concise_is_one_line_a_problem() -> None:
    lines = text("concise", varied()).splitlines()
    assert lines[0] == (
        "refs.bib:7:1: error title-near-miss slip: another title (fix: title = {Clocks; or, 100% Time})"
    )
    assert all(re.match(r"[^\n]+:\d+:\d+: (error|warning) [a-z-]+ ", line) for line in lines)
    assert len(lines) == 5
