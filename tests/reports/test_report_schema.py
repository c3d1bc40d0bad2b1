"""The JSON Schema of the report: reports of all kinds of runs validate, and every change of a field is noticed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import pytest

from pytest_citecheck.checks import Severity
from pytest_citecheck.model import NoticeKind, Outcome, QueryKind, VerdictName
from pytest_citecheck.reports import SCHEMA, results

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = json.loads((files("pytest_citecheck") / "reports" / "report.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(DOCUMENT)
REPLAYED = f"--citecheck-cassettes={ROOT / 'cassettes'}"
BOOK = "@book{a, author={Ada Quillfeather}, title={Tides}, publisher={P}, year=2999}\n@misc{b, title={Ebbs}\n@misc{c,"
SPLIT = "".join(
    json.dumps({"bibtex_key": key, "bibtex_type": "misc", "fields": {"title": "Tides"}, "label": "VALID"}) + "\n"
    for key in "ab"
)
METRIC = """
class Doubt:
    name, higher_is_better = "doubt", False
    def compute(self, pairs):
        return None
def pytest_citecheck_metrics(metrics):
    metrics.append(Doubt())
"""


def problems(report: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(report)]


def run(pytester: pytest.Pytester, *options: str) -> Any:
    pytester.runpytest("--citecheck-json=r.json", "-q", "--tb=no", *options)
    return json.loads((pytester.path / "r.json").read_text("utf-8"))


def test_the_schema_is_one_and_names_the_format() -> None:
    jsonschema.Draft202012Validator.check_schema(DOCUMENT)
    assert DOCUMENT["properties"]["schema"] == {"const": SCHEMA}
    assert DOCUMENT["$id"] == "urn:pytest-citecheck:" + SCHEMA.replace("/", ":")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--citecheck=refs.bib", REPLAYED), id="right", marks=pytest.mark.exhaustive),
        pytest.param(
            ("--citecheck=hallucinated.bib", REPLAYED, "--citecheck-policy=neurips-2026", "--citecheck-strict"),
            id="hallucinated",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(("--citecheck=answers.jsonl", REPLAYED), id="answers"),
    ],
)
def test_reports_of_the_fixtures_validate(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    name = options[0].partition("=")[2]
    (pytester.path / name).write_bytes((ROOT / "fixtures" / name).read_bytes())
    report = run(pytester, *options)
    assert problems(report) == []
    assert ("arena" in report) == (name == "answers.jsonl")
    assert any(reference["evidence"] for reference in report["references"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("refs.bib",), ()),
        (("refs.bib",), ("-k", "syntax")),
        (("dev.jsonl",), ("--citecheck-policy=arena",)),
        (("dev.jsonl", "test.jsonl"), ()),
    ],
    ids=["offline", "syntax", "metrics", "tools"],
)
def test_reports_of_other_runs_validate(
    pytester: pytest.Pytester, names: tuple[str, ...], options: tuple[str, ...]
) -> None:
    for name in names:
        (pytester.path / name).write_text(BOOK if name.endswith(".bib") else SPLIT, encoding="utf-8")
    pytester.makeconftest(METRIC)
    report = run(pytester, f"--citecheck={','.join(names)}", "--citecheck-offline", *options)
    assert problems(report) == []
    assert ("metrics" in report, "tools" in report) == (names == ("dev.jsonl",), len(names) == 2)


def test_duplicates_that_fail_a_run_are_in_the_report(pytester: pytest.Pytester) -> None:
    entry = "@article{%s, title = {Looms of time}, author = {Ada Lovelace}, journal = {C}, year = 1843, doi = {10.1000/x}}\n"
    (pytester.path / "refs.bib").write_text(entry % "a" + entry % "b", encoding="utf-8")
    report = run(pytester, "--citecheck=refs.bib", "--citecheck-offline")
    assert problems(report) == []
    (found,) = report["further"]
    assert (found["path"], found["line"], found["check"], found["code"]) == (
        "refs.bib", 2, "duplicates", "duplicate-work",
    )  # fmt: skip
    assert "`a` (refs.bib:1) and `b` (refs.bib:2) cite one work" in found["message"]


def everything() -> list[tuple[str, Callable[[Any], Any]]]:
    """Return the path of each kind of object in a report."""
    return [
        ("report", lambda report: report),
        ("summary", lambda report: report["summary"]),
        ("reference", lambda report: report["references"][0]),
        ("verdict", lambda report: report["references"][0]["verdict"]),
        ("finding", lambda report: report["references"][0]["checks"]["completeness"]),
        ("evidence", lambda report: report["references"][0]["evidence"][0]),
        ("question", lambda report: report["references"][0]["evidence"][0]["question"]),
        ("source", lambda report: report["sources"][0]),
    ]


OPTIONAL = {("verdict", "type"), ("report", "command"), ("summary", "coverage"), ("finding", "place")}


@pytest.mark.exhaustive
def test_a_renamed_a_missing_and_a_further_field_do_not_validate(pytester: pytest.Pytester) -> None:
    (pytester.path / "refs.bib").write_text(BOOK, encoding="utf-8")
    report = run(pytester, "--citecheck=refs.bib", "--citecheck-offline")
    for kind, part in everything():
        for field in part(report):
            further = {f"{field}_": part(report)[field]}
            for renamed in (further,) if (kind, field) in OPTIONAL else ({}, further):
                changed = copy.deepcopy(report)
                del part(changed)[field]
                part(changed).update(renamed)
                assert problems(changed), (kind, field, renamed)
        changed = copy.deepcopy(report)
        part(changed)["further"] = 1
        assert problems(changed), kind


def test_the_values_are_those_of_the_types() -> None:
    parts = DOCUMENT["$defs"]
    for part, field, values in (
        ("finding", "outcome", Outcome),
        ("finding", "severity", Severity),
        ("verdict", "name", VerdictName),
        ("notice", "kind", NoticeKind),
        ("question", "kind", QueryKind),
    ):
        assert parts[part]["properties"][field]["enum"] == list(get_args(values)), (part, field)
    for part in ("finding", "verdict", "notice", "question", "record", "evidence", "gold"):
        typed = getattr(results, "QueryData" if part == "question" else f"{part.title()}Data")
        hints = get_type_hints(typed, include_extras=True)
        assert set(parts[part]["properties"]) == set(hints), part
        assert set(parts[part]["required"]) == {
            name for name, hint in hints.items() if get_origin(hint) is not NotRequired
        }, part
