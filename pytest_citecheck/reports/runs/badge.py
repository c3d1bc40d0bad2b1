"""A badge and a line of history for a README, from a JSON report."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from pytest_citecheck.reports.references import report_severity

__all__ = ["HISTORY_HEAD", "badge", "history_line"]

Report = Mapping[str, Any]

_COLOURS = {"good": "#2a7d2e", "open": "#8a6d00", "bad": "#b3261e"}
_LABEL, _CHARACTER, _PAD = 64, 6.6, 14  # widths in px
HISTORY_HEAD = (
    "| evidence of | version | references | verified | undecided | unfindable | misdescribed | fabricated | failing |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)
"""The head of the table that lines of history make."""


def badge(report: Report) -> str:
    """An SVG: ``citations | 132 of 134 verified``; green if nothing fails, red if something does, else amber."""
    failing, total, verdicts = _counts(report)
    if failing:
        said, colour = f"{failing} of {total} wrong", _COLOURS["bad"]
    else:
        said = f"{verdicts.get('verified', 0)} of {total} verified"
        colour = _COLOURS["good" if verdicts.get("verified", 0) == total else "open"]
    width = round(len(said) * _CHARACTER + _PAD)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABEL + width}" height="20" role="img" '
        f'aria-label="citations: {escape(said)}"><title>citations: {escape(said)}</title>'
        f'<rect width="{_LABEL + width}" height="20" rx="3" fill="{colour}"/>'
        f'<path d="M3 0h{_LABEL - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{_LABEL / 2:g}" y="14">citations</text><text x="{_LABEL + width / 2:g}" y="14">{escape(said)}</text>'
        f"</g></svg>\n"
    )


def history_line(report: Report) -> str:
    """A row of a Markdown table. Its day is that of the newest answer: a report holds no clock."""
    failing, total, verdicts = _counts(report)
    dates = (
        str(one.get("date") or "")[:10] for each in report.get("references") or () for one in each.get("evidence") or ()
    )
    names = ("verified", "undecided", "unfindable", "misdescribed", "fabricated")
    cells = [max(dates, default="") or "–", str(report.get("version", "")), str(total)]
    return f"| {' | '.join([*cells, *(str(verdicts.get(name, 0)) for name in names), str(failing)])} |\n"


def _counts(report: Report) -> tuple[int, int, Mapping[str, int]]:
    """References with a failing check, references, and how many have which verdict."""
    references = report.get("references") or ()
    failing = sum(
        any(
            report_severity(finding) in ("error", "demanded") and not finding.get("waived")
            for finding in (one.get("checks") or {}).values()
        )
        for one in references
    )
    return failing, len(references), (report.get("summary") or {}).get("verdicts") or {}
