"""The table of formats: what ``--citecheck-format`` and ``citecheck check --format`` take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_citecheck.reports.ci.problems import Findings

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """renderer: module beside this one and its function. meaning: for help and pages. is_lines: other output may surround it;
    else it is one document.
    """

    renderer: str
    meaning: str
    is_lines: bool = False

    def render(self, findings: Findings) -> Iterable[str]:
        """The findings in this format, in pieces."""
        module, _, name = self.renderer.partition(".")
        render: Callable[[Findings], Iterable[str]] = getattr(
            import_module(f"pytest_citecheck.reports.ci.{module}"), name
        )
        return render(findings)


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "concise": Format("concise.concise_lines", "one line a problem: file:line:col: severity code key: text (fix: …)", True),
        "github": Format("github.github_lines", "annotations of GitHub Actions, ten a kind, the worst first", True),
        "azure": Format("azure.azure_lines", "issues of Azure Pipelines", True),
        "json": Format("problems.json_lines", "the JSON report (docs/json-report.md)"),
        "gitlab": Format("gitlab.gitlab_json", "GitLab's Code Quality report"),
        "sarif": Format("sarif.sarif_json", "SARIF 2.1.0"),
        "junit": Format("junit.junit_xml", "JUnit XML with file and line of each case, as GitLab reads it"),
        "jenkins": Format("junit.jenkins_xml", "JUnit XML by the schema of Jenkins"),
    }
)  # fmt: skip
"""By name. ``full`` is no row: it is what a run prints by itself."""
