"""Annotations of GitHub Actions ("Workflow commands for GitHub Actions"), and the summary of a step.

GitHub shows ten annotations of each kind for a step and drops the others without a word: the worst come first, the rest is
counted. A text from outside is escaped, so that no line of it is a command.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_citecheck.reports.ci.concise import tally
from pytest_citecheck.reports.ci.problems import Findings, Level, Problem, worst_first
from pytest_citecheck.reports.markdown.text import code, plain

__all__ = ["PER_KIND", "github_lines", "step_summary"]

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
            yield f"::{kind} title=citecheck coverage::{_data(coverage.sentence)}\n"


def _annotation(kind: str, problem: Problem) -> str:
    properties = {
        "file": problem.path,
        "line": str(problem.line),
        "endLine": str(problem.end_line),
        "title": f"citecheck {problem.code}",
    }
    if problem.line == problem.end_line and problem.end_column:
        properties |= {"col": str(problem.column), "endColumn": str(problem.end_column)}
    stated = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {stated}::{_data(f'{problem.key}: {problem.sentence}')}\n"


def _data(text: str) -> str:
    """Text of a command, escaped as the toolkit of GitHub does it (actions/toolkit, ``command.ts``)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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
