"""Issues of Azure Pipelines ("Logging commands", ``task.logissue``). Text from outside is escaped: no part of it is a command."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from pytest_citecheck.checks import CODES, TABLE, Harm, explanation, explanation_markdown
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.reports.explanation import report_severity
from pytest_citecheck.reports.problem_list import Findings, Level, Problem, fingerprints, fix_text, tally, worst_first
from pytest_citecheck.reports.renderers import code, plain
from pytest_citecheck.reports.results import Coverage, ReferenceResult, coverage_properties


def azure_lines(findings: Findings) -> Iterator[str]:
    """One ``##vso[task.logissue …]`` line for each error and warning, the worst first; then the coverage."""
    for one in worst_first(findings.problems):
        if one.level != "info" and not one.waived:
            properties = {
                "type": one.level,
                "sourcepath": one.path,
                "linenumber": str(one.line),
                "columnnumber": str(one.column),
                "code": one.code,
            }
            stated = ";".join(f"{name}={_property(value)}" for name, value in properties.items())
            yield f"##vso[task.logissue {stated}]{_data(f'{one.key}: {one.sentence}')}\n"
    if coverage := findings.coverage:
        # Azure has errors and warnings only; any other text is a heading of the log.
        command = (
            "##[section]" if coverage.level == "info" else f"##vso[task.logissue type={coverage.level};code=coverage]"
        )
        yield f"{command}citecheck: {_data(coverage.sentence)}\n"


def _data(text: str) -> str:
    """Text of a command, escaped as the agent does it (microsoft/azure-pipelines-task-lib, ``taskcommand.ts``)."""
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace("]", "%5D").replace(";", "%3B")


PER_KIND = 10
"""Annotations of a kind that GitHub shows for a step."""

_KINDS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "notice"}
_ROWS = 200  # of the summary: a step may write 1 MiB
_LARGEST = 1_000_000  # bytes


def github_lines(findings: Findings) -> Iterator[str]:
    """One ``::error file=…::…`` line for each of the worst problems, a line that counts the others of each kind, the coverage."""
    coverage = findings.coverage
    found = [one for one in worst_first(findings.problems) if not one.waived]
    for level, kind in _KINDS.items():
        of_kind = [one for one in found if one.level == level]
        room = PER_KIND - (coverage is not None and coverage.level == level)
        left = len(of_kind) - room
        # The line that counts the rest is an annotation itself.
        for one in of_kind[: room - 1] if left > 0 else of_kind:
            yield _annotation(kind, one)
        if left > 0:
            more = f"{left + 1} more of this kind: the summary of the step and the other formats list them"
            yield f"::{kind} title=citecheck::{more}\n"
        if coverage is not None and coverage.level == level:
            yield f"::{kind} title=citecheck coverage::{_github_data(coverage.sentence)}\n"


def _annotation(kind: str, problem: Problem) -> str:
    properties = {
        "file": problem.path,
        "line": str(problem.line),
        "endLine": str(problem.end_line),
        "title": f"citecheck {problem.code}",
    }
    if problem.line == problem.end_line and problem.end_column:
        properties |= {"col": str(problem.column), "endColumn": str(problem.end_column)}
    stated = ",".join(f"{name}={_github_property(value)}" for name, value in properties.items())
    return f"::{kind} {stated}::{_github_data(f'{problem.key}: {problem.sentence}')}\n"


def _github_data(text: str) -> str:
    """Text of a command, escaped as the toolkit of GitHub does it (actions/toolkit, ``command.ts``)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(findings: Findings) -> str:
    """Markdown for ``$GITHUB_STEP_SUMMARY``: the counts, and the worst problems in a table; less than 1 MiB."""
    found = [one for one in worst_first(findings.problems) if one.level != "info" and not one.waived]
    lines = ["## Citations", "", tally(findings), ""]
    if (coverage := findings.coverage) and coverage.is_complete:  # else the tally has it
        lines += [coverage.sentence, ""]
    size = 0
    if found:
        lines += ["| verdict | reference | problem | fix |", "|---|---|---|---|"]
    shown = 0
    for one in found[:_ROWS]:
        where = f"{plain(one.path)}:{one.line} {plain(one.key)}"
        row = f"| {one.verdict} | {where} | {one.level} {code(one.code)}: {plain(one.message)} | {code(one.fix)} |"
        size += len(row.encode()) + 1
        if size > _LARGEST - 10_000:
            break
        lines.append(row)
        shown += 1
    if len(found) > shown:
        lines += ["", f"and {len(found) - shown} more"]
    return "\n".join(lines) + "\n"


_COVERAGE: Final[dict[Level, str]] = {"error": "major", "warning": "minor", "info": "info"}
_SEVERITIES: Final[dict[Harm, str]] = {"invented": "blocker", "misleading": "major", "slip": "minor"}


def gitlab_json(findings: Findings) -> Iterator[str]:
    """The report as JSON; its last issue states the coverage."""
    found = [one for one in findings.problems if not one.waived]
    issues = [_issue(one, name) for one, name in zip(found, fingerprints(found), strict=True)]
    if coverage := findings.coverage:
        issues.append(
            {
                "description": f"citecheck: {coverage.sentence}",
                "check_name": "coverage",
                "fingerprint": hashlib.sha256(b"citecheck coverage").hexdigest(),
                "severity": _COVERAGE[coverage.level],
                "location": {"path": findings.first_path.removeprefix("./"), "lines": {"begin": 1, "end": 1}},
            }
        )
    yield json.dumps(issues, ensure_ascii=False, indent=1)
    yield "\n"


def _issue(problem: Problem, fingerprint: str) -> dict[str, Any]:
    return {
        "description": f"{problem.key}: {problem.sentence}",
        "check_name": problem.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[problem.harm] if problem.level == "error" else "info",
        "location": {
            "path": problem.path.removeprefix("./"),
            "lines": {"begin": problem.line, "end": problem.end_line},
        },
    }


MOST_RESULTS = 25_000
"""Maximum number of results of a run at GitHub; the worst come first."""

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


_NO_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that are not allowed in XML 1.0."""


def junit_xml(findings: Findings) -> Iterator[str]:
    """The report with the attributes ``file`` and ``line`` of each case, as GitLab reads it."""
    return _xml(findings, places=True)


def jenkins_xml(findings: Findings) -> Iterator[str]:
    """The report as the schema of Jenkins has it."""
    return _xml(findings, places=False)


def _xml(findings: Findings, *, places: bool) -> Iterator[str]:
    result = findings.result
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="citecheck">\n'
    for path, references in groupby(result.references, key=lambda reference: reference.path):
        cases, counts = [], {"failures": 0, "skipped": 0}
        for reference in references:
            for check, finding in reference.findings.items():
                kind, inner = _outcome(reference, check, finding)
                if kind:
                    counts[kind] += 1
                cases.append(_case(reference, check, inner, places=places))
        numbers = "".join(f' {name}="{number}"' for name, number in counts.items())
        yield f'<testsuite name={_attribute(path)} file={_attribute(path)} tests="{len(cases)}" errors="0"{numbers}>\n'
        yield from cases
        yield "</testsuite>\n"
    if result.further:
        count = len(result.further)
        yield f'<testsuite name="bibliographies" tests="{count}" errors="0" failures="{count}" skipped="0">\n'
        for number, one in enumerate(result.further):
            name = f"[{one.code}]{f'~{number + 1}' if number else ''}"
            place = f' file={_attribute(one.path)} line="{one.line}"' if places else ""
            said = safe_line(f"{one.code}: {one.message}")
            failure = f"<failure message={_attribute(said)}>{_text(f'{one.path}:{one.line} {said}')}</failure>"
            yield f"<testcase classname={_attribute(one.path)} name={_attribute(name)}{place}>{failure}</testcase>\n"
        yield "</testsuite>\n"
    if findings.coverage:
        yield from _coverage(findings.coverage)
    yield "</testsuites>\n"


def _coverage(coverage: Coverage) -> Iterator[str]:
    """A suite with one case: it fails if too few references were checked."""
    failure = (
        ""
        if coverage.is_enough
        else f"<failure message={_attribute(coverage.sentence)}>{_text(coverage.sentence)}</failure>"
    )
    properties = "".join(
        f"<property name={_attribute(name)} value={_attribute(value)}/>"
        for name, value in coverage_properties(coverage)
    )
    yield f'<testsuite name="coverage" tests="1" errors="0" failures="{int(bool(failure))}" skipped="0">\n'
    yield f"<properties>{properties}</properties>\n"
    yield f'<testcase classname="citecheck" name="[coverage]">{failure}</testcase>\n</testsuite>\n'


def _case(reference: ReferenceResult, check: str, inner: str, *, places: bool) -> str:
    name = reference.id.partition("::")[2] or reference.key
    line = (reference.findings[check].get("place") or [reference.line])[0]
    place = f' file={_attribute(reference.path)} line="{line}"' if places else ""
    return f"<testcase classname={_attribute(reference.path)} name={_attribute(f'{name}[{check}]')}{place}>{inner}</testcase>\n"


def _outcome(reference: ReferenceResult, check: str, finding: Mapping[str, Any]) -> tuple[str, str]:
    """``failures``, ``skipped`` or empty, and the corresponding element."""
    code = str(finding.get("code") or "")
    said = f"{code}: {safe_line(finding.get('message') or CODES.get(code, ''))}"
    if finding.get("waived"):
        return "skipped", f"<skipped message={_attribute(f'waived: {said}')}/>"
    if report_severity(finding) in ("error", "demanded"):
        fix = fix_text(finding.get("fixes") or {})
        lines = [f"{reference.path}:{reference.line} {safe_line(reference.key)} [{check}] {said}"]
        lines += [
            f"  {name}: {safe_line(str(value))}"
            for name, value in (("cited", finding.get("cited")), ("found", finding.get("found")), ("fix", fix))
            if value
        ]
        return "failures", f"<failure message={_attribute(said)}>{_text(chr(10).join(lines))}</failure>"
    if finding.get("outcome") == "unverifiable":
        return "skipped", f"<skipped message={_attribute(said)}/>"
    warned = report_severity(finding) == "warning"
    return "", f"<system-out>{_text(said)}</system-out>" if warned else ""


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", text))
