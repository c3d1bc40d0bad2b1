"""SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): a rule a code, a result a problem.

A problem that somebody waived stays in the file, as suppressed. GitHub reads at most 25,000 results of a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from pytest_citecheck.checks.codes import CODES, TABLE
from pytest_citecheck.checks.explanations import explanation, explanation_markdown
from pytest_citecheck.reports.ci.problems import Findings, Level, Problem, fingerprints, worst_first
from pytest_citecheck.reports.coverage import Coverage

__all__ = ["MOST_RESULTS", "sarif_json"]

MOST_RESULTS = 25_000
"""Results of a run that GitHub accepts; the worst stand first."""

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "note"}


def sarif_json(findings: Findings) -> Iterator[str]:
    """The report as JSON."""
    found = worst_first(findings.problems)
    shown = found[:MOST_RESULTS]
    codes = sorted({code for one in shown for code in (one.code, *one.also)})
    places = {code: place for place, code in enumerate(codes)}
    run = {
        "tool": {
            "driver": {
                "name": "citecheck",
                "version": findings.result.version,
                "semanticVersion": findings.result.version,
                "shortDescription": {"text": "Tests whether every citation of a bibliography is real"},
                "rules": [_rule(code) for code in codes],
            }
        },
        **({"invocations": [_invocation(coverage)]} if (coverage := findings.coverage) else {}),
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder in which the run began"}}},
        "results": [_result(one, name, places[one.code]) for one, name in zip(shown, fingerprints(shown), strict=True)],
        "properties": {
            "policy": findings.result.policy,
            "references": len(findings.result.references),
            "omitted": len(found) - len(shown),
            **({"coverage": coverage.data()} if coverage else {}),
        },
    }
    head, tail = json.dumps(
        {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{**run, "results": []}]}, ensure_ascii=False
    ).split('"results": []')
    yield f'{head}"results": ['
    results: Any = run["results"]
    for place, one in enumerate(results):
        yield f"{',' if place else ''}\n{json.dumps(one, ensure_ascii=False)}"
    yield f"\n]{tail}\n"


def _invocation(coverage: Coverage) -> dict[str, Any]:
    """The run as an invocation, with a notification that states the coverage (SARIF 2.1.0, 3.20 and 3.58)."""
    return {
        "executionSuccessful": coverage.is_enough,
        "toolExecutionNotifications": [
            {
                "descriptor": {"id": "coverage"},
                "level": _LEVELS[coverage.level],
                "message": {"text": coverage.sentence},
                "properties": {"unreached": coverage.data()["unreached"]},
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    rows = [row for row in TABLE if row.name == code]
    meaning = CODES.get(code, f"a finding of a check that a hook added: {code}")
    severities = {row.severity for row in rows}
    level: Level = "error" if "error" in severities or not rows else "warning" if "warning" in severities else "info"
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in code.split("-")),
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "help": {"text": explanation(code), "markdown": explanation_markdown(code)},
        "defaultConfiguration": {"level": _LEVELS[level]},
        "properties": {
            "tags": ["citation", *sorted({row.check for row in rows})],
            "problem.severity": _problem_severity(level),
        },
    }


def _problem_severity(level: Level) -> str:
    return "recommendation" if level == "info" else level


def _result(problem: Problem, fingerprint: str, rule: int) -> dict[str, Any]:
    region = {"startLine": problem.line, "startColumn": problem.column, "endLine": problem.end_line}
    if problem.end_column is not None:
        region["endColumn"] = problem.end_column
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": _LEVELS[problem.level],
        "message": {"text": f"{problem.key or '(no key)'}: {problem.sentence}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": _artifact(problem.path), "region": region},
                "logicalLocations": [{"name": problem.key, "fullyQualifiedName": f"{problem.path}::{problem.key}"}],
            }
        ],
        "partialFingerprints": {"citecheck/v1": fingerprint},
        **({"suppressions": [{"kind": "external", "status": "accepted"}]} if problem.waived else {}),
        "properties": {
            "check": problem.check,
            "verdict": problem.verdict,
            **({"also": list(problem.also)} if problem.also else {}),
            **({"record": problem.record} if problem.record else {}),
            **({"fix": problem.fix} if problem.fix else {}),
        },
    }


def _artifact(path: str) -> dict[str, str]:
    """A path as a URI; one within the folder of the run is relative to it."""
    if PurePath(path).is_absolute() or path[1:3] in (":/", ":\\"):
        uri = "file:///" + quote(path.replace("\\", "/").lstrip("/"), safe="/:")
        return {"uri": uri}
    return {"uri": quote(path.removeprefix("./"), safe="/"), "uriBaseId": "SRCROOT"}
