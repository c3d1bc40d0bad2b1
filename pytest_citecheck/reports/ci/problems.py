"""What is wrong in a run, as a flat list: what every format for editors, terminals and CI is made of."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

from pytest_citecheck.checks.codes import CODES, HARMS, TABLE, Harm, harm_of
from pytest_citecheck.reports.coverage import Coverage
from pytest_citecheck.reports.references import codes_of, report_severity
from pytest_citecheck.reports.results import ReferenceResult, RunResult
from pytest_citecheck.reports.safe_text import safe_line

__all__ = [
    "HARM_NAMES",
    "Findings",
    "Level",
    "Problem",
    "fingerprints",
    "fix_text",
    "json_lines",
    "problems",
    "worst_first",
]

Level = Literal["error", "warning", "info"]
"""How bad a problem is: it fails the run, is warned of, or is a hint."""
_LEVELS: Final = get_args(Level)

HARM_NAMES: Final[Mapping[Harm, str]] = {
    "invented": "fabricated or a different work",
    "misleading": "misleading",
    "slip": "minor",
}
"""What people call a harm."""

_LONGEST_FIX = 200
_LONGEST_MESSAGE = 1000
_RANK: Final = {"fabricated": 0, "unfindable": 1, "misdescribed": 2}


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding that fails, warns or hints. Lines and columns count from 1; all texts are safe on a terminal.

    also: further codes of the same finding. fix: what to write instead; empty if unknown. waived: somebody accepted it.
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
        """What the problem means for a reader; the worst of its codes counts."""
        if self.verdict == "fabricated":
            return "invented"
        return min(map(harm_of, (self.code, *self.also)), key=HARMS.index)

    @property
    def sentence(self) -> str:
        """Message and fix in one line, without place and code."""
        return f"{self.message} (fix: {self.fix})" if self.fix else self.message


def problems(result: RunResult) -> Iterator[Problem]:
    """The problems of a run, in file order, those of a reference in the order of the checks; also the waived ones.

    Those of whole bibliographies follow.
    """
    for reference in result.references:
        for check, finding in reference.findings.items():
            level = _level(finding)
            if level:
                yield _problem(reference, check, finding, level)
    for one in result.further:
        check = next(row.check for row in TABLE if row.name == one.code)
        message = _cut(safe_line(one.message), _LONGEST_MESSAGE)
        line = max(one.line, 1)
        yield Problem(
            *(one.path, line, 1, line, None, "error", one.code, (), check, f"[{check}]", message, one.message),
            *("", "", "", False),
        )


class Findings:
    """The result of a run with its problems, which are made once for all formats."""

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
        """As `problems` gives them."""
        return tuple(problems(self.result))


def json_lines(findings: Findings) -> Iterator[str]:
    """The JSON report of a run."""
    from pytest_citecheck.reports.json_report import json_pieces  # noqa: PLC0415 - few runs write it

    return json_pieces(findings.result)


def worst_first(found: Iterable[Problem]) -> list[Problem]:
    """The problems by severity, then by what the reference is (fabricated, unfindable, misdescribed), then in their order."""
    return sorted(
        found,
        key=lambda one: (_LEVELS.index(one.level), _RANK.get(one.verdict, len(_RANK)), HARMS.index(one.harm)),
    )


def fix_text(fixes: Mapping[str, str]) -> str:
    """What to write instead, in one line: ``title = {…}; no volume``."""
    said = "; ".join(f"{name} = {{{value}}}" if value else f"no {name}" for name, value in fixes.items())
    return _cut(safe_line(said), _LONGEST_FIX)


def fingerprints(found: Sequence[Problem]) -> list[str]:
    """A name for each problem that survives a move of its lines: file, key, check, codes and what is cited. All differ."""
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


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


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
        message=_cut(f"{said}: {message}" if said else message, _LONGEST_MESSAGE),
        cited=finding.get("cited") or "",
        fix=fix_text(finding.get("fixes") or {}),
        verdict=str(reference.verdict["name"]) if reference.verdict else "",
        record=str(record["url"]) if record and record.get("url") else "",
        waived=bool(finding.get("waived")),
    )
