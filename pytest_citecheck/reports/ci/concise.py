"""One line a problem: ``file:line:col: severity code message (fix: …)``, as editors and ``grep`` read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_citecheck.reports.ci.problems import Findings, Problem
from pytest_citecheck.reports.safe_text import safe_line

__all__ = ["concise_lines", "line_of", "tally"]


def concise_lines(findings: Findings) -> Iterator[str]:
    """The lines of the errors and warnings that nobody waived, in file order."""
    for one in findings.problems:
        if one.level != "info" and not one.waived:
            yield line_of(one) + "\n"


def line_of(problem: Problem) -> str:
    """The line of one problem."""
    code = " ".join((problem.code, *problem.also))
    key = problem.key or "(no key)"
    return safe_line(
        f"{problem.path}:{problem.line}:{problem.column}: {problem.level} {code} {key}: {problem.sentence}"
    )


def tally(findings: Findings) -> str:
    """The last line of a run: ``3 errors, 1 warning in 41 references (38 verified, 2 misdescribed, 1 fabricated)``.

    If some references could not be checked, the line says how many, and why.
    """
    levels = Counter(one.level for one in findings.problems if not one.waived)
    count = len(findings.result.references)
    verdicts = ", ".join(f"{number} {name}" for name, number in findings.result.verdicts().items() if number)
    where = f"in {count} reference{'' if count == 1 else 's'}{f' ({verdicts})' if verdicts else ''}"
    said = ", ".join(
        f"{levels[name]} {name}{'' if levels[name] == 1 else 's'}" for name in ("error", "warning") if levels[name]
    )
    coverage = findings.coverage
    unchecked = f"; {coverage.gap}" if coverage is not None and coverage.gap else ""
    return f"{said or 'no error'} {where}{unchecked}"
