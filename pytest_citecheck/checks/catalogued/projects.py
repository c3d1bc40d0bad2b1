"""Whether a cited package, repository or model exists.

CRAN keeps all that it ever had, so that a package which it denies was invented. Owners delete projects from PyPI, and
repositories from GitHub, or make them private: what is not there is warned of and convicts nobody.
"""

from __future__ import annotations

from pytest_citecheck.checks.base import LABELS, Case, finding
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Absent, Finding, Found, Question, Unavailable

__all__ = ["cited_project"]

_PROJECTS = ("package", "repository")


def cited_project(case: Case) -> Finding | None:
    """Whether the cited package or repository exists; None if nobody says."""
    named = [asked for asked in case.asked(*_PROJECTS) if not isinstance(asked.answer, Unavailable)]
    for asked in named:
        if isinstance(asked.answer, Found):
            record = asked.answer.records[0]
            message = f"{source_name(asked.source)} has {record.title}" + (
                f": {record.subtitle}" if record.subtitle else ""
            )
            return finding("doi", "passed", f"{asked.question.kind}-ok", message, record=record)
    for asked in named:
        guessed = asked.question.kind == "package" and case.cited.identifiers.package_guessed
        if isinstance(asked.answer, Absent) and asked.answer.scope and not guessed:
            return _no_such_project(asked.question, asked.answer.scope)
    return None


def _no_such_project(question: Question, scope: str) -> Finding:
    """What the denial of a package or repository amounts to: only CRAN keeps what it had."""
    label, value = LABELS[question.kind], question.value
    if not value.startswith("cran:"):
        return finding(
            "doi", "unverifiable", f"{question.kind}-gone", f"the cited {label} {value}: {scope}", cited=value
        )
    message = f"the cited {label} {value} does not exist: {scope}"
    rule = "the index of packages and its archive answered that there never was one"
    return finding("doi", "failed", "package-unknown", message, cited=value, rule=rule)
