"""GitLab's Code Quality report (docs.gitlab.com, "Code Quality report format"): a list of issues, with unique fingerprints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from pytest_citecheck.checks.codes import Harm
from pytest_citecheck.reports.ci.problems import Findings, Level, Problem, fingerprints

__all__ = ["gitlab_json"]

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
