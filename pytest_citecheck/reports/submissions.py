"""Reports on several submissions: totals of each, the worst first; a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports.results import UNREADABLE, ReferenceResult

_WORST_FIRST = ("fabricated", "unfindable", "misdescribed", "undecided", "verified")
_COLUMNS = ("submission", "place", "key", "title", "verdict", "probability", "errors", "warnings", "found", "sources")
_LONGEST = 2000  # characters of a cell


@dataclass(slots=True)
class SubmissionTotals:
    """references: number of references. verdicts: number by verdict. errors: references with an error. unread: reason
    if unread."""

    name: str
    references: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    unread: str = ""

    @property
    def rank(self) -> tuple[int, ...]:
        """The smaller, the worse."""
        return (*(-self.verdicts[name] for name in _WORST_FIRST[:3]), -self.errors, -bool(self.unread))

    def __str__(self) -> str:
        if self.unread:
            return f"{self.name}: not read ({self.unread})"
        verdicts = ", ".join(f"{self.verdicts[name]} {name}" for name in _WORST_FIRST if self.verdicts[name])
        noun = "reference" if self.references == 1 else "references"
        return f"{self.name}: {self.references} {noun}, {self.errors} with errors{f' ({verdicts})' if verdicts else ''}"


def submission_totals(references: Iterable[ReferenceResult]) -> list[SubmissionTotals]:
    """The totals of each submission, the worst first; empty if the run is not of submissions."""
    totals: dict[str, SubmissionTotals] = {}
    for one in references:
        if not one.submission:
            continue
        total = totals.setdefault(one.submission, SubmissionTotals(one.submission))
        unread = next((data["message"] for data in one.findings.values() if data["code"] == UNREADABLE), "")
        if unread:
            total.unread = total.unread or unread
            continue
        total.references += 1
        total.errors += any(data["severity"] == "error" and not data["waived"] for data in one.findings.values())
        if one.verdict:
            total.verdicts[one.verdict["name"]] += 1
    return sorted(totals.values(), key=lambda total: (total.rank, total.name))


def write_table(
    path: Path, references: Iterable[ReferenceResult], passed_over: Mapping[str, str] | None = None
) -> None:
    """A row for each reference and each file that was passed over. Raises OSError.

    It is UTF-8 with a byte order mark and CRLF, as Excel reads it (RFC 4180).
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for one in references:
        writer.writerow(map(_cell, _row(one)))
    for name, reason in (passed_over or {}).items():
        row = {"place": name, "verdict": "not read", "warnings": reason}
        writer.writerow(_cell(row.get(column, "")) for column in _COLUMNS)
    write_whole(path, "\ufeff" + text.getvalue())


def _row(one: ReferenceResult) -> list[str]:
    by_severity: dict[str, list[str]] = {"error": [], "warning": []}
    for check, data in one.findings.items():
        if data["severity"] in by_severity and not data["waived"]:
            by_severity[data["severity"]].append(f"{check}: {data['code']}: {data['message']}")
    records = {
        data["record"]["url"]: None for data in one.findings.values() if data["record"] and data["record"]["url"]
    }
    return [
        one.submission,
        one.place,
        one.key,
        one.title,
        one.verdict["name"] if one.verdict else "",
        f"{one.verdict['probability']:.3f}" if one.verdict else "",
        "; ".join(by_severity["error"]),
        "; ".join(by_severity["warning"]),
        next((data["found"] for data in one.findings.values() if data["outcome"] == "failed" and data["found"]), ""),
        " ".join(records),
    ]


def _cell(value: str) -> str:
    from pytest_citecheck.reports.renderers import csv_cell  # noqa: PLC0415 - few runs write a table

    return csv_cell(safe_line(value)[:_LONGEST])
