"""Problems of a run as a flat list: the base of every format for editors, terminals and CI."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from pytest_citecheck.checks import CODES, HARMS, TABLE, Harm, harm_of
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports.explanation import codes_of, report_severity, shortened
from pytest_citecheck.reports.results import Coverage, ReferenceResult, RunResult, number_of

Level = Literal["error", "warning", "info"]
"""Severity of a problem: it fails the run, or is a warning or a hint."""
_LEVELS: Final = get_args(Level)

_LONGEST_FIX = 200
_LONGEST_MESSAGE = 1000
_RANK: Final = {"fabricated": 0, "unfindable": 1, "misdescribed": 2}


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding that fails, warns or hints. Lines and columns count from 1; all texts are safe on a terminal.

    also: further codes of the same finding. fix: replacement text; empty if unknown. waived: True if accepted.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int | None
    level: Level
    code: str
    also: tuple[str, ...]
    check: str
    key: str
    message: str
    cited: str
    fix: str
    verdict: str
    record: str
    waived: bool

    @property
    def harm(self) -> Harm:
        """Meaning of the problem for a reader; the worst of its codes counts."""
        if self.verdict == "fabricated":
            return "invented"
        return min(map(harm_of, (self.code, *self.also)), key=HARMS.index)

    @property
    def sentence(self) -> str:
        """Message and fix in one line, without place and code."""
        return f"{self.message} (fix: {self.fix})" if self.fix else self.message


def problems(result: RunResult) -> Iterator[Problem]:
    """Problems of a run, also waived ones, in file order; problems of a reference in the order of the checks.

    Problems of whole bibliographies follow.
    """
    for reference in result.references:
        for check, finding in reference.findings.items():
            level = _level(finding)
            if level:
                yield _problem(reference, check, finding, level)
    for one in result.further:
        check = next(row.check for row in TABLE if row.name == one.code)
        message = shortened(safe_line(one.message), _LONGEST_MESSAGE)
        line = max(one.line, 1)
        yield Problem(
            *(one.path, line, 1, line, None, "error", one.code, (), check, f"[{check}]", message, one.message),
            *("", "", "", False),
        )


class Findings:
    """The result of a run with its problems, computed once for all formats."""

    def __init__(self, result: RunResult) -> None:
        self.result = result

    @property
    def coverage(self) -> Coverage | None:
        """Coverage of the run; None if it is unknown or there is nothing to cover."""
        coverage = self.result.coverage
        return coverage if coverage is not None and coverage.references else None

    @property
    def first_path(self) -> str:
        """The file of the first reference, where formats that demand a place show the coverage."""
        return next((reference.path for reference in self.result.references), "")

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """As from `problems`."""
        return tuple(problems(self.result))


def json_lines(findings: Findings) -> Iterator[str]:
    """The JSON report of a run."""
    from pytest_citecheck.reports.json_report import json_pieces  # noqa: PLC0415 - few runs write it

    return json_pieces(findings.result)


def worst_first(found: Iterable[Problem]) -> list[Problem]:
    """The problems by severity, then by verdict (fabricated, unfindable, misdescribed), then in their order."""
    return sorted(
        found, key=lambda one: (_LEVELS.index(one.level), _RANK.get(one.verdict, len(_RANK)), HARMS.index(one.harm))
    )


def fix_text(fixes: Mapping[str, str]) -> str:
    """Replacement text in one line: ``title = {…}; no volume``."""
    said = "; ".join(f"{name} = {{{value}}}" if value else f"no {name}" for name, value in fixes.items())
    return shortened(safe_line(said), _LONGEST_FIX)


def fingerprints(found: Sequence[Problem]) -> list[str]:
    """A unique name for each problem that does not depend on its lines: file, key, check, codes and cited value."""
    seen: Counter[str] = Counter()
    names = []
    for one in found:
        parts = (one.path, one.key, one.check, one.code, *one.also, one.cited)
        name = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        seen[name] += 1
        if seen[name] > 1:
            name = hashlib.sha256(f"{name}~{seen[name]}".encode()).hexdigest()
        names.append(name)
    return names


def _level(finding: Mapping[str, Any]) -> Level | None:
    severity = report_severity(finding)
    if severity:
        return "warning" if severity == "warning" else "error"
    return "info" if finding.get("severity") == "info" else None


def _problem(reference: ReferenceResult, check: str, finding: Mapping[str, Any], level: Level) -> Problem:
    code, *also = codes_of(finding)
    message = safe_line(finding.get("message") or CODES.get(code, code))
    if reference.unit != "line":  # such as a page: no line of the file
        message = f"{reference.unit} {reference.line}: {message}"
    said = safe_line(finding.get("said") or "")
    is_line = reference.unit == "line"
    whole = (
        [max(reference.line, 1), 1, max(reference.end_line, reference.line, 1), None] if is_line else [1, 1, 1, None]
    )
    place: Any = finding.get("place") or whole
    line, column, end_line, end_column = place
    record = finding.get("record")
    return Problem(
        path=reference.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        level=level,
        code=code,
        also=tuple(also),
        check=check,
        key=safe_line(reference.key),
        message=shortened(f"{said}: {message}" if said else message, _LONGEST_MESSAGE),
        cited=finding.get("cited") or "",
        fix=fix_text(finding.get("fixes") or {}),
        verdict=str(reference.verdict["name"]) if reference.verdict else "",
        record=str(record["url"]) if record and record.get("url") else "",
        waived=bool(finding.get("waived")),
    )


def concise_lines(findings: Findings) -> Iterator[str]:
    """Lines of errors and warnings without a waiver, in file order."""
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


def has_no_trouble(findings: Findings) -> bool:
    """True if a run has no error and no warning, and checked every reference: a quiet run then says nothing."""
    loud = any(one.level != "info" and not one.waived for one in findings.problems)
    return not (loud or findings.result.unanswered or (findings.coverage and findings.coverage.gap))


def tally(findings: Findings) -> str:
    """The last line of a run: ``3 errors, 1 warning in 41 references (38 verified, 2 misdescribed, 1 fabricated)``.

    If some references could not be checked, the line has their number and the reasons. It never says "no error" if no source
    answered.
    """
    levels = Counter(one.level for one in findings.problems if not one.waived)
    count = number_of(len(findings.result.references), "reference")
    verdicts = f" ({counts})" if (counts := findings.result.counts()) else ""
    where = f"in {count}{verdicts}"
    said = ", ".join(number_of(levels[name], name) for name in ("error", "warning") if levels[name])
    waived = sum(one.waived for one in findings.problems)
    if findings.result.unanswered and not said:
        return f"{count}, none checked"
    said = (said or "no error") + (f", {waived} waived" if waived else "")
    coverage = findings.coverage
    if coverage is None or not coverage.gap:
        return f"{said} {where}"
    if not (levels["error"] or levels["warning"] or coverage.checked):
        where = f"found, but none of {count} was checked{verdicts}"
    elif not (levels["error"] or levels["warning"]):
        where = where.replace("in ", f"in the {coverage.checked} checked of ", 1)
    return f"{said} {where}; {coverage.gap}"


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
        render: Callable[[Findings], Iterable[str]] = getattr(import_module(f"pytest_citecheck.reports.{module}"), name)
        return render(findings)


FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "concise": Format(
            "problem_list.concise_lines",
            "one line per problem, for editors: file:line:col: severity code key: text (fix: …)",
            True,
        ),
        "github": Format("ci.github_lines", "annotations of GitHub Actions, ten a kind, the worst first", True),
        "azure": Format("ci.azure_lines", "issues of Azure Pipelines", True),
        "json": Format("problem_list.json_lines", "the JSON report (docs/json-report.md)"),
        "gitlab": Format("ci.gitlab_json", "GitLab's Code Quality report"),
        "sarif": Format("ci.sarif_json", "SARIF 2.1.0, for code scanning"),
        "junit": Format("ci.junit_xml", "JUnit XML with file and line of each case, as GitLab reads it"),
        "jenkins": Format("ci.jenkins_xml", "JUnit XML by the schema of Jenkins"),
    }
)  # fmt: skip
"""By name. ``full``, the normal output of a run, is not in the table."""
