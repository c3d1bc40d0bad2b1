"""The HTML report: a single file that works offline.

Its Content Security Policy allows only the page's own script and style, by their hashes (W3C, "Content Security Policy
Level 3"). Markup that got in through a title could not do anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import CODES
from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import safe_line, safe_lines
from pytest_citecheck.reports.document import Data, Inline, Layout, Note, Row, Section, Span, Table
from pytest_citecheck.reports.explanation import (
    WRONG_SHOWN,
    ReportSeverity,
    answer_of,
    report_severity,
    verdict_is_right,
    verdict_text,
)
from pytest_citecheck.reports.renderers import html_blocks, text
from pytest_citecheck.reports.results import coverage_of_report
from pytest_citecheck.reports.run_sections import (
    check_name,
    check_section,
    note_sections,
    notice_section,
    source_section,
    where,
    wrong_section,
)
from pytest_citecheck.reports.wording import TEXTS
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS

_T = TEXTS["en"]
_VERDICTS = ("verified", "misdescribed", "fabricated", "unfindable", "undecided")
_SEVERITIES: Mapping[ReportSeverity, tuple[str, str]] = {
    "error": ("error", "errors"),
    "demanded": ("strict", "errors by --citecheck-strict"),
    "warning": ("warning", "warnings"),
}


def head(result: Data, further: Sequence[Section]) -> str:
    """Head of the page: answers of the sections, coverage, dates of the answers and command, if the report has them."""
    coverage = coverage_of_report(result)
    dates = sorted(
        str(asked["date"])[:10]
        for reference in result.get("references") or ()
        for asked in reference.get("evidence") or ()
        if asked.get("date")
    )
    days = dates[0] if dates and dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}" if dates else ""
    lines = [f"<p><strong>{text(section.answer)}</strong></p>" for section in further if section.answer]
    if coverage is not None and coverage.sentence:
        lines.append(f'<p class="coverage {coverage.level}">{text(coverage.sentence)}</p>')
        lines.append(f'<p class="quiet">{f"Answers of {text(days)}" if days else "No service answered"}</p>')
    if result.get("command"):
        lines.append(f'<p class="quiet">Command: <code><bdi>{text(result["command"])}</bdi></code></p>')
    return "\n".join(lines)


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
    rest = count - sum(verdicts.values())
    without = (
        f'<li><span class="tile"><b>{text(rest)}</b> without a verdict</span></li>' if rest > 0 < count - rest else ""
    )
    return f'<ul class="tiles">{total}{buttons}{without}</ul>{_severities(result) if has_severities(result) else ""}'


def _tile(kind: str, name: str, count: object, label: str) -> str:
    """A button that filters the list by a value. label: markup."""
    return (
        f'<li><button type="button" class="tile {kind}-{name}" data-filter="{kind}" value="{name}" aria-pressed="false">'
        f"<b>{text(count)}</b> {label}</button></li>"
    )


def has_severities(result: Mapping[str, Any]) -> bool:
    """Return True if a policy or an option changes the severity of findings: by default, each failed check is an error."""
    return bool(result.get("policy", "default") != "default" or result.get("strict"))


def _severities(result: Mapping[str, Any]) -> str:
    """Number of references with errors and warnings, in the words of the policy."""
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


def findings_section(result: Data) -> Section:
    """Errors, then warnings, in sentences; labelled references are left out, as their errors are intended."""
    rows: dict[str, list[Row]] = {"error": [], "warning": []}
    for reference in result.get("references") or ():
        for check, finding in ({} if reference.get("gold") else reference.get("checks") or {}).items():
            severity = "" if finding.get("waived") else report_severity(finding)
            if severity:
                kind = "warning" if severity == "warning" else "error"
                rows[kind].append([*_finding_row(reference, check, finding), kind])
    found = [*rows["error"], *rows["warning"]]
    more = len(found) - WRONG_SHOWN
    head = [_T[name] for name in ("reference", "check", "reason", "severity")]
    rest = Note(Span(_T["more"].format(count=more), "link", "outcome=failed") if more > 0 else "")
    return Section(_T["findings"], [Table("", head, found[:WRONG_SHOWN]), rest], "of-findings")


def _finding_row(reference: Data, check: str, finding: Data) -> list[Inline]:
    sentence = finding.get("message") or CODES.get(finding.get("code", ""), finding.get("code", ""))
    change = " → ".join(filter(None, (str(finding.get("cited") or ""), str(finding.get("found") or ""))))
    place = Span(" · ".join(where(reference, _T)), "small")
    return [[reference.get("key") or "–", place], check_name(check, _T), [sentence, change and Span(change, "small")]]


_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


_sorted = json.JSONEncoder(sort_keys=True).encode


class _Table:
    """Numbered values, each stored once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: object) -> int:
        key = _sorted(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


class _Tables:
    """Values that several references share; a reference contains their numbers."""

    def __init__(self) -> None:
        self.findings = _Table()
        self.records = _Table()
        self.questions = _Table()
        self.answers = _Table()
        self.endpoints = _Table()
        self.tails = _Table()

    def finding(self, finding: Mapping[str, Any]) -> int:
        shown = _filled(finding)
        if finding.get("record"):
            shown["record"] = self.records.number(_filled(_named(finding["record"], "source")))
        return self.findings.number(shown)

    def asked(self, asked: Mapping[str, Any]) -> list[int | str]:
        """Source, date, query, answer, endpoint. Many requests have the same parameters after the first one."""
        head, ampersand, tail = str(asked.get("endpoint") or "").partition("&")
        answer = {name: asked[name] for name in ("answer", "reason", "detail", "scope", "records") if asked.get(name)}
        return [
            source_name(str(asked.get("source", ""))),
            str(asked.get("date") or ""),
            self.questions.number(asked.get("question") or {}),
            self.answers.number(answer),
            self.endpoints.number([head, self.tails.number(ampersand + tail)]),
        ]


def payload_json(result: Mapping[str, Any]) -> str:
    """``{"references": […], "severities": …, "findings": […], …}`` for a script element of type application/json.

    result: the JSON report of a run (docs/json-report.md). Empty values are omitted. Control and direction characters are
    visible (``safe_text``), and characters that an HTML parser treats specially are escaped.
    """
    tables = _Tables()
    references = [_reference(reference, tables) for reference in result.get("references") or ()]
    data = {
        "references": references,
        "severities": has_severities(result),
        **{name: table.values for name, table in vars(tables).items()},
    }
    shown = _visible(data)
    for reference, of_page in zip(result.get("references") or (), shown["references"], strict=True):
        if reference.get("corrected"):
            of_page["corrected"] = safe_lines(str(reference["corrected"]))
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).translate(_MARKUP)


def _reference(reference: Mapping[str, Any], tables: _Tables) -> dict[str, Any]:
    shown = {
        name: value for name, value in _filled(reference).items() if name not in ("id", "end_line", "corrected")
    } | {
        "checks": {name: tables.finding(finding) for name, finding in (reference.get("checks") or {}).items()},
        "title": _title(reference),
        "evidence": [tables.asked(asked) for asked in reference.get("evidence") or ()],
    }
    if reference.get("notices"):
        shown["notices"] = [_named(notice, "stated_by") for notice in reference["notices"]]
    answer = answer_of(reference)
    if answer is not None:
        shown["model"], shown["query"] = answer
    name, kind = verdict_text(reference)
    if name and not kind:
        shown["verdict"] = {part: value for part, value in reference["verdict"].items() if part != "type"}
    if reference.get("gold"):
        right = verdict_is_right(reference)
        shown["decision"] = "undecided" if right is None else "right" if right else "wrong"
    return shown


def _title(reference: Mapping[str, Any]) -> str:
    """The cited title, or the title found if the check passed; otherwise that title belongs to another work."""
    check = (reference.get("checks") or {}).get("title") or {}
    found = check.get("found") if check.get("outcome") == "passed" else ""
    return str(reference.get("title") or check.get("cited") or found or "")


def _named(data: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """The data with the display name of the source in this field instead of its id."""
    return {**data, field: source_name(str(data[field]))} if data.get(field) else data


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data without empty values; zero is not empty."""
    return {
        name: value
        for name, value in data.items()
        if value is not None and value is not False and value not in ("", [], {}, ())
    }


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return safe_line(value)
    if isinstance(value, Mapping):
        return {safe_line(str(name)): _visible(part) for name, part in value.items()}
    return [_visible(part) for part in value] if isinstance(value, list | tuple) else value


# Joined into one script in this order; the last part draws the page.
_SCRIPTS = ("elements.js", "details.js", "list.js")


def write_html(result: Data, path: Path, layouts: Sequence[Layout] = ()) -> None:
    """Write the HTML report. result: the JSON report as data (docs/json-report.md). Raises OSError."""
    write_whole(path, html_page(result, layouts))


def html_page(result: Data, layouts: Sequence[Layout] = ()) -> str:
    """The whole page; the same result always gives the same page. layouts: of the features, for further sections."""
    further = [section for layout in layouts for section in layout(result, "en")]
    style = page_style()
    script = "\n".join(map(_part, _SCRIPTS))
    policy = f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    named = [f"policy {result['policy']}"] if result.get("policy", "default") != "default" else []
    named += ["--citecheck-strict"] if result.get("strict") else []
    paths = dict.fromkeys(str(reference.get("path", "")) for reference in result.get("references") or ())
    return Template(_part("page.html")).substitute(
        policy=policy,
        style=style,
        script=script,
        files=text(", ".join(filter(None, paths)) or "no file"),
        version=text(" · ".join([str(result.get("version", "")), *named])),
        head=head(result, further),
        prior=f"{PRIOR_OF_PAPERS:.2%} of the references in papers are invented, and {PRIOR_OF_MODELS:.0%} in answers of "
        "language models (--citecheck-prior)",
        tiles=tiles(result),
        findings=html_blocks([findings_section(result)]),
        outcomes=html_blocks([check_section(result, _T)]),
        further=html_blocks(further),
        wrong=html_blocks([notice_section(result, _T), wrong_section(result, _T)]),
        notes=html_blocks([source_section(result, _T), *note_sections(result, _T, "en")]),
        payload=payload_json(result),
    )


def page_style() -> str:
    """The style sheet of the report."""
    return _part("page.css")


def _part(name: str) -> str:
    return (files(__package__) / "page" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
