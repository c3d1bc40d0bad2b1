"""Chosen documents of an audit as the report of a run, so that pages, JSON and JUnit show them as they show a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from pytest_citecheck import __version__
from pytest_citecheck.audit.plan import Folder
from pytest_citecheck.audit.tables import read_rows
from pytest_citecheck.reports.json_report import report_data
from pytest_citecheck.reports.results import ReferenceResult, RunResult
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.verdict.policy_file import named_policy, read_policy
from pytest_citecheck.whole_file import whole_file

__all__ = ["NoDocumentError", "audit_report", "is_audit", "write_junit"]

_WRONG = ("fabricated", "misdescribed")
_CONTROL = dict.fromkeys(range(32), " ")


class NoDocumentError(ValueError):
    """No document of the audit has such a name."""


def is_audit(path: Path) -> bool:
    """Whether the folder of an audit stands there."""
    return Folder(path).plan_file.is_file()


def audit_report(path: Path, patterns: Sequence[str] = (), worst: int = 0) -> dict[str, Any]:
    """The report of the documents with these names (or shell patterns), and of so many of the worst; of all, if none are chosen.

    Raises OSError, OtherAuditError, NoDocumentError.
    """
    folder = Folder(path)
    plan = folder.plan()
    parts = [folder.judged(number) for number in range(len(plan.partitions)) if folder.judged(number).exists()]
    chosen = _chosen(parts, patterns, worst) if patterns or worst else None
    settings = plan.settings
    policy = (
        read_policy(settings.policy_text, settings.policy, settings.policy)
        if settings.policy_text
        else named_policy(settings.policy)
    )
    references = list(_references(parts, chosen))
    if not references:
        raise NoDocumentError(
            f"{path}: no document {', '.join(patterns)}" if patterns else f"{path}: nothing is judged yet"
        )
    result = RunResult(__version__, references, (), policy=policy.name, calls=policy.calls, strict=settings.strict)
    return report_data(result)


def _chosen(parts: Iterable[Path], patterns: Sequence[str], worst: int) -> set[str]:
    wrong: Counter[str] = Counter()
    for part in parts:
        for row in read_rows(part, ["document", "verdict"]):
            wrong[row["document"]] += row["verdict"] in _WRONG
    named = {name for name in wrong if any(fnmatchcase(name, pattern) for pattern in patterns)}
    return named | set(sorted(wrong, key=lambda name: (-wrong[name], name))[:worst])


def _references(parts: Iterable[Path], chosen: set[str] | None) -> Iterable[ReferenceResult]:
    for part in parts:
        for row in read_rows(part, ["document", "report"]):
            if chosen is None or row["document"] in chosen:
                data = json.loads(row["report"])
                yield ReferenceResult(
                    findings=data.pop("checks"),
                    notices=tuple(data.pop("notices")),
                    evidence=tuple(data.pop("evidence")),
                    **data,
                )


def write_junit(path: Path, report: dict[str, Any]) -> None:
    """Write a report as JUnit XML: a suite a document, a case a check, as pytest writes those of a run. Raises OSError."""
    suites = ET.Element("testsuites", name="citecheck")
    found: dict[str, ET.Element] = {}
    for reference in report["references"]:
        document, _, name = reference["id"].partition("::")
        suite = found.get(document)
        if suite is None:
            suite = found[document] = ET.SubElement(suites, "testsuite", name=_text(document))
        for check, finding in reference["checks"].items():
            case = ET.SubElement(suite, "testcase", classname=_text(document), name=_text(f"{name}[{check}]"))
            said = f"{finding['code']}: {finding['message']}"
            if finding["severity"] == "error":
                ET.SubElement(case, "failure", message=_text(said)).text = _text(finding["rule"])
            elif finding["outcome"] == "unverifiable":
                ET.SubElement(case, "skipped", message=_text(said))
    for suite in found.values():
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
        suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    with whole_file(path) as file:
        ET.ElementTree(suites).write(file, encoding="utf-8", xml_declaration=True)


def _text(text: str) -> str:
    return safe_line(text).translate(_CONTROL)
