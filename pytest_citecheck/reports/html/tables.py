"""The parts of the HTML report that need no script: tiles, outcomes, wrong verdicts, sources, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_citecheck.reports.coverage import coverage_of_report
from pytest_citecheck.reports.html.charts import stacked_bars
from pytest_citecheck.reports.html.markup import table, text
from pytest_citecheck.reports.model_rows import invention_text
from pytest_citecheck.reports.references import (
    WRONG_SHOWN,
    ReportSeverity,
    answer_of,
    codes_of,
    place_of,
    report_severity,
    verdict_text,
    wrong_verdicts,
)
from pytest_citecheck.reports.scores import number, share
from pytest_citecheck.reports.wording import TEXTS

__all__ = [
    "has_severities",
    "head",
    "notes_list",
    "outcome_charts",
    "sources_table",
    "tiles",
    "unread_list",
    "wrong_table",
]

_T = TEXTS["en"]
_VERDICTS = ("verified", "misdescribed", "fabricated", "unfindable", "undecided")
_SEVERITIES: Mapping[ReportSeverity, tuple[str, str]] = {
    "error": ("error", "errors"),
    "demanded": ("strict", "errors by --citecheck-strict"),
    "warning": ("warning", "warnings"),
}
_OUTCOMES = ("passed", "failed", "unverifiable")


def head(result: Mapping[str, Any]) -> str:
    """Which model invents references, coverage, dates of the answers and command, as far as the report states them."""
    coverage = coverage_of_report(result)
    dates = sorted(
        str(asked["date"])[:10]
        for reference in result.get("references") or ()
        for asked in reference.get("evidence") or ()
        if asked.get("date")
    )
    days = dates[0] if dates and dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}" if dates else ""
    answer = invention_text(result.get("arena") or {})
    lines = [f"<p><strong>{text(answer)}</strong></p>"] if answer else []
    if coverage is not None and coverage.sentence:
        lines.append(f'<p class="coverage {coverage.level}">{text(coverage.sentence)}</p>')
        lines.append(f'<p class="quiet">{f"Answers of {text(days)}" if days else "No service answered"}</p>')
    if result.get("command"):
        lines.append(f'<p class="quiet">Command: <code><bdi>{text(result["command"])}</bdi></code></p>')
    return "\n".join(lines)


def _check_name(check: str) -> str:
    return _T["check_title"] if check == "title" else _T.get(check, check)


def tiles(result: Mapping[str, Any]) -> str:
    """The number of references, of each verdict and, under a policy, of references with errors and warnings.

    All but the first are buttons that filter the list.
    """
    summary = result.get("summary") or {}
    verdicts = summary.get("verdicts") or {}
    count = summary.get("references", 0)
    noun = "reference" if count == 1 else "references"
    total = f'<li><span class="tile"><b>{text(count)}</b> {noun}</span></li>'
    buttons = "".join(_tile("verdict", name, verdicts.get(name, 0), _T[name]) for name in _VERDICTS)
    return f'<ul class="tiles">{total}{buttons}</ul>{_severities(result) if has_severities(result) else ""}'


def _tile(kind: str, name: str, count: object, label: str) -> str:
    """A button that filters the list by a value. label: markup."""
    return (
        f'<li><button type="button" class="tile {kind}-{name}" data-filter="{kind}" value="{name}" aria-pressed="false">'
        f"<b>{text(count)}</b> {label}</button></li>"
    )


def has_severities(result: Mapping[str, Any]) -> bool:
    """Whether a policy or an option changes the severity of findings: by default, each failed check is an error."""
    return bool(result.get("policy", "default") != "default" or result.get("strict"))


def _severities(result: Mapping[str, Any]) -> str:
    """How many references have errors and warnings, in the words of the policy."""
    counts = Counter(
        kind
        for reference in result.get("references") or ()
        for kind in {report_severity(one) for one in (reference.get("checks") or {}).values() if not one.get("waived")}
    )
    calls = result.get("calls") or {}
    items = ""
    for kind, (name, label) in _SEVERITIES.items():
        if kind != "demanded" or result.get("strict"):
            words = f"<small>{text(calls[kind])}</small>" if calls.get(kind) else ""
            items += _tile("severity", name, counts[kind], f"with {label}{words}")
    return f'<ul class="tiles">{items}</ul>'


def outcome_charts(result: Mapping[str, Any]) -> str:
    """Outcomes by check, as a chart and as a table."""
    checks = (result.get("summary") or {}).get("checks") or {}
    rows = [(check, {name: int(number(checks[check].get(name)) or 0) for name in _OUTCOMES}) for check in checks]
    if not rows:
        return ""
    chart = stacked_bars(_T["accuracy_by_check"], [(_check_name(check), counts) for check, counts in rows])
    head = [_T["check"], *(_T[name] for name in _OUTCOMES), _T["share_passed"]]
    lines = []
    for check, counts in rows:
        decided = counts["passed"] + counts["failed"]
        passed = share(counts["passed"] / decided if decided else None)
        lines.append([_check_name(check), *(str(counts[name]) for name in _OUTCOMES), passed])
    return f'<div class="charts">{chart}{table(_T["accuracy_note"], head, lines)}</div>'


def wrong_table(result: Mapping[str, Any]) -> str:
    """The labelled references with a wrong verdict; empty for a run without labels."""
    if not any(reference.get("gold") for reference in result.get("references") or ()):
        return ""
    wrong = wrong_verdicts(result)
    head = [_T[name] for name in ("reference", "label", "verdict", "finding")]
    content = f"<p>{_T['no_wrong']}</p>"
    if wrong:
        rows = [_wrong_row(reference) for reference in wrong[:WRONG_SHOWN]]
        content = f"<p>{_T['wrong_note']}</p>{table(_T['wrong'], head, rows, has_heading=True)}"
    if len(wrong) > WRONG_SHOWN:
        more = _T["more"].format(count=len(wrong) - WRONG_SHOWN)
        content += f'<p><a href="#decision=wrong">{more}</a></p>'
    return f"<section><h2>{_T['wrong']}</h2>{content}</section>"


def _wrong_row(reference: Mapping[str, Any]) -> list[str]:
    gold = reference["gold"]
    checks = (reference.get("checks") or {}).values()
    answer = answer_of(reference)
    place = [place_of(reference)]
    if answer is not None:
        place += [answer[0], _T["query"].format(query=answer[1])]
    return [
        f"{text(reference.get('key') or '–')}<small>{text(' · '.join(place))}</small>",
        _with_type(str(gold.get("label") or ""), str(gold.get("hallucination_type") or "")),
        _with_type(*verdict_text(reference)),
        ", ".join(text(code) for finding in checks if finding["outcome"] == "failed" for code in codes_of(finding)),
    ]


def _with_type(name: str, kind: str) -> str:
    return text(name) + (f"<small>{text(kind)}</small>" if kind else "")


def sources_table(result: Mapping[str, Any]) -> str:
    """Requests and answers of each source."""
    columns = ("requests", "replayed", "cached", "local", "answered")
    rows = []
    for source in result.get("sources") or ():
        missing = ", ".join(f"{reason} {count}" for reason, count in (source.get("unavailable") or {}).items())
        numbers = (text(source.get(name, 0)) for name in columns)
        rows.append([text(source.get("label") or source.get("name")), *numbers, text(missing or "0")])
    if not rows:
        return ""
    head = [_T["source"], *(_T[name] for name in columns), _T["unavailable"]]
    return f"<section><h2>{_T['sources']}</h2>{table(_T['sources'], head, rows, has_heading=True)}</section>"


def unread_list(result: Mapping[str, Any]) -> str:
    """The files that were not read, with the reason."""
    items = "".join(
        f'<li dir="auto"><bdi>{text(one["path"])}</bdi>: {text(one["reason"])}</li>'
        for one in result.get("unread") or ()
    )
    return f"<section><h2>Files that were not read</h2><ul>{items}</ul></section>" if items else ""


def notes_list(result: Mapping[str, Any]) -> str:
    """Notes about the files read."""
    items = "".join(f'<li dir="auto">{text(note)}</li>' for note in result.get("notes") or ())
    return f"<section><h2>{_T['notes']}</h2><ul>{items}</ul></section>" if items else ""
