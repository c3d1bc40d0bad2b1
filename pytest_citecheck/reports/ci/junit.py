"""JUnit XML without pytest: a suite a file, a case a check.

GitLab reads ``file`` (and shows ``line``) of a case. The schema of Jenkins (xunit-plugin, ``junit-10.xsd``) knows neither
attribute, so that there the suite alone names the file. Of cases with one name GitLab counts the first only: node ids are unique.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from pytest_citecheck.checks.codes import CODES
from pytest_citecheck.reports.ci.problems import Findings, fix_text
from pytest_citecheck.reports.coverage import Coverage, coverage_properties
from pytest_citecheck.reports.references import report_severity
from pytest_citecheck.reports.results import ReferenceResult
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["jenkins_xml", "junit_xml"]

_NO_XML = lazy_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


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
    """``failures``, ``skipped`` or nothing, and the element that says so."""
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
    return "", ""


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", text))
