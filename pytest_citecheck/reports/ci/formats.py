"""The table of formats: what ``--citecheck-format`` and ``citecheck check --format`` take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pytest_citecheck.reports.ci.azure import azure_lines
from pytest_citecheck.reports.ci.concise import concise_lines
from pytest_citecheck.reports.ci.github import github_lines
from pytest_citecheck.reports.ci.gitlab import gitlab_json
from pytest_citecheck.reports.ci.junit import jenkins_xml, junit_xml
from pytest_citecheck.reports.ci.problems import Findings
from pytest_citecheck.reports.ci.sarif import sarif_json
from pytest_citecheck.reports.json_report import json_pieces

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """meaning: for help and pages. is_lines: it may stand among other output; else it is one document."""

    render: Callable[[Findings], Iterable[str]]
    meaning: str
    is_lines: bool = False


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "concise": Format(concise_lines, "one line a problem: file:line:col: severity code key: message (fix: …)", True),
        "github": Format(github_lines, "annotations of GitHub Actions, ten a kind, the worst first", True),
        "azure": Format(azure_lines, "issues of Azure Pipelines", True),
        "json": Format(lambda findings: json_pieces(findings.result), "the JSON report (docs/json-report.md)"),
        "gitlab": Format(gitlab_json, "GitLab's Code Quality report"),
        "sarif": Format(sarif_json, "SARIF 2.1.0"),
        "junit": Format(junit_xml, "JUnit XML with file and line of each case, as GitLab reads it"),
        "jenkins": Format(jenkins_xml, "JUnit XML by the schema of Jenkins"),
    }
)  # fmt: skip
"""By name. ``full`` is no row: it is what a run prints by itself."""
