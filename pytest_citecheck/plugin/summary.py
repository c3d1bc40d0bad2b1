"""Terminal summary, most important references first: fabricated, unfindable, misdescribed, undecided."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprTraceback

from pytest_citecheck.checks import CODES, DEFAULT, HARMS, harm_of
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import REPORT_SEVERITIES, UNREADABLE, number_of, report_severity, shortened
from pytest_citecheck.rows import always
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.checks import Harm, Policy
    from pytest_citecheck.reports import FurtherFailure, ReferenceResult, ReportSeverity

SHOWN: Final = 30
"""Lines of a list before the rest is only counted."""

_VALUE = 70  # characters of a cited or a right value
_MESSAGE = 160
_LONG_MESSAGE = 600  # with the services that did not find a work, and their success with other works
_NEEDS_ATTENTION = ("fabricated", "unfindable", "misdescribed")
_SETTLED_BY: Final = (
    ("sources could not be queried", "run again when they answer"),
    ("no source queried has sufficient data", "add a DOI or another identifier, or look the work up by hand"),
    ("the cited identifier does not exist", "correct or remove the identifier"),
    ("the work exists", "compare the entry with the record in --citecheck-html=FILE"),
)
"""Beginning of the reason of an undecided reference, and the remedy."""


def checks_of(reference: ReferenceResult, kind: ReportSeverity) -> list[str]:
    """The checks whose findings have this severity and are not waived."""
    return [check for check, data in reference.findings.items() if report_severity(data) == kind and not data["waived"]]


@dataclass(frozen=True, slots=True)
class _Group:
    """A heading and its references. kind: the severity of the findings that the lines show."""

    heading: str
    kind: ReportSeverity
    belongs: Callable[[ReferenceResult], bool]


def _is(verdict: str) -> Callable[[ReferenceResult], bool]:
    return lambda one: _verdict(one) == verdict


def _is_misdescribed(harm: Harm) -> Callable[[ReferenceResult], bool]:
    return lambda one: _verdict(one) == "misdescribed" and _harm(one) == harm


def _is_open(one: ReferenceResult) -> bool:
    return _verdict(one) == "undecided" and not _BY_THEMSELVES.issuperset(checks_of(one, "error"))


_BY_THEMSELVES: Final = frozenset({"syntax", "completeness"})
"""Checks that need no source."""
_NOT_FOUND: Final = "unfindable: services that would almost certainly have it do not"

_GROUPS: Final = (
    _Group("not read", "error", lambda one: any(data["code"] == UNREADABLE for data in one.findings.values())),
    _Group("fabricated", "error", _is("fabricated")),
    _Group(_NOT_FOUND, "error", _is("unfindable")),
    _Group(_NOT_FOUND, "warning", _is("unfindable")),
    _Group("misdescribed, a different work or other authors", "error", _is_misdescribed("invented")),
    _Group("misdescribed, misleading", "error", _is_misdescribed("misleading")),
    _Group("misdescribed, minor", "error", _is_misdescribed("slip")),
    _Group("undecided, but with an error", "error", _is_open),
    _Group("badly written, with any verdict", "error", always),
    _Group("could not be verified (--citecheck-strict)", "demanded", always),
    _Group("with a warning", "warning", always),
)
"""The first group of its severity to which a reference belongs has its lines."""


def write_references(
    reporter: SafeReporter,
    by_severity: Mapping[ReportSeverity, list[ReferenceResult]],
    policy: Policy,
    further: Sequence[FurtherFailure] = (),
) -> None:
    """A line for each finding that fails or warns, worst first, below explanatory headings."""
    left = {kind: list(references) for kind, references in by_severity.items()}
    if not further and not any(left.values()):
        return
    reporter.line("")
    if policy.name != DEFAULT.name:
        called = ", ".join(
            f"{of} = {words}" for of, words in policy.names.items() if any(left[kind] for kind in left if kind == of)
        )
        reporter.line(safe_line(f"policy {policy.name}{f': {called}' if called else ''}"), bold=True)
    room = SHOWN if reporter.config.get_verbosity() < 1 else sys.maxsize
    for group in _GROUPS:
        members = [one for one in left.get(group.kind, ()) if group.belongs(one) and _lines(one, group.kind)]
        left[group.kind] = [one for one in left.get(group.kind, ()) if one not in members]
        lines = [line for one in _worst_first(members) for line in _lines(one, group.kind)]
        if members:
            reporter.line(f"{group.heading} ({number_of(len(members), 'reference')}):", bold=True)
        for line in lines[:room]:
            reporter.line(f"  {line}")
        if len(lines) > room:
            reporter.line(f"  and {len(lines) - room} more (-v or --citecheck-html=FILE shows them)")
        room = max(room - len(lines), 0)
    if further:
        reporter.line(f"of whole files ({len(further)}):", bold=True)
    for one in further[:SHOWN]:
        reporter.line(safe_line(f"  {one.path}:{one.line} {shortened(one.message, _MESSAGE)} [{one.code}]"))


def write_undecided(reporter: SafeReporter, references: Sequence[ReferenceResult]) -> None:
    """The undecided references by reason, with their keys and how to decide them. Those listed for a finding are counted."""
    reasons: dict[str, list[str]] = {}
    listed = 0
    for one in references:
        if one.verdict and _verdict(one) == "undecided" and one.gold is None:
            if any(checks_of(one, kind) for kind in REPORT_SEVERITIES):
                listed += 1
            else:
                reasons.setdefault(one.verdict["reason"].partition(":")[0], []).append(one.key or one.place)
    if not reasons:
        return
    reporter.line("")
    total = listed + sum(map(len, reasons.values()))
    reporter.line(f"undecided ({number_of(total, 'reference')}):", bold=True)
    if listed:
        reporter.line(f"  {number_of(listed, 'reference')}: listed above, with an error or a warning")
    room = SHOWN if reporter.config.get_verbosity() < 1 else sys.maxsize
    for reason, keys in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        settled = next((how for begin, how in _SETTLED_BY if reason.startswith(begin)), "")
        more = f" and {len(keys) - room} more (-v)" if len(keys) > room else ""
        reporter.line(f"  {number_of(len(keys), 'reference')}: {safe_line(reason)}{f' → {settled}' if settled else ''}")
        reporter.line(f"    {safe_line(', '.join(keys[:room]))}{more}")


def _worst_first(references: Sequence[ReferenceResult]) -> list[ReferenceResult]:
    rank = {name: position for position, name in enumerate(_NEEDS_ATTENTION)}
    return sorted(references, key=lambda item: rank.get(_verdict(item), len(rank)))


def _lines(reference: ReferenceResult, kind: ReportSeverity) -> list[str]:
    """A line for each finding of this severity. What several checks state has one line, with the worst of them."""
    where = f"{reference.place} {reference.key or '(no key)'}"
    found: dict[str, list[tuple[ReportSeverity, str, str]]] = {}
    for severity in REPORT_SEVERITIES:
        for check in checks_of(reference, severity):
            finding = reference.findings[check]
            mark = "warning " if severity == "warning" != kind else ""
            found.setdefault(_change(finding), []).append((severity, check, f"{mark}{_codes(finding)}"))
    return [
        safe_line(
            f"{where} {', '.join(one[1] for one in same)}: {said} [{', '.join(dict.fromkeys(one[2] for one in same))}]"
        )
        for said, same in found.items()
        if same[0][0] == kind
    ]


def line_of_payload(data: Mapping[str, Any]) -> str:
    """The line of one finding, from the data of its test report."""
    where = f"{data['file']}:{data['line']} {data['key'] or '(no key)'}"
    return safe_line(f"{where} {data['check']}: {_change(data)} [{_codes(data)}]")


def _codes(finding: Mapping[str, Any]) -> str:
    return ", ".join((finding["code"], *finding["also"]))


def _change(finding: Mapping[str, Any]) -> str:
    """``2017 → 2018``; the message if no correction is known."""
    fixes = finding["fixes"]
    changes = [
        f"{name}: {shortened(safe_line(value), _MESSAGE)}" if value else f"remove {name}"
        for name, value in fixes.items()
    ]
    right = finding["found"] or (next(iter(fixes.values())) if len(fixes) == 1 else "")
    if fixes and finding["cited"] and right:
        changes = [" → ".join(contrast(safe_line(finding["cited"]), safe_line(right), _VALUE))]
    most = _LONG_MESSAGE if finding["code"] == "title-unfindable" else _MESSAGE
    return "; ".join(changes) or shortened(safe_line(finding["message"] or CODES.get(finding["code"], "")), most)


def contrast(cited: str, right: str, most: int) -> tuple[str, str]:
    """Both texts, cut to this many characters around the first difference, which is always shown; lists between names."""
    pairs = enumerate(zip(cited, right, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(cited), len(right)))
    start = 0
    if max(len(cited), len(right)) > most:
        found = [(mark, cited.rfind(mark, 0, max(same - most // 5, 0))) for mark in (", ", " ")]
        starts = [place + len(mark) if place >= 0 else 0 for mark, place in found]
        start = next((place for place in starts if same - place <= most * 2 // 3), starts[-1])
    return _window(cited, start, same, most), _window(right, start, same, most)


def _window(text: str, start: int, same: int, most: int) -> str:
    """The text from the start to the last end of a name, or else of a word, behind the first difference."""
    before = "… " if start else ""
    if len(text) - start <= most:
        return before + text[start:].rstrip()
    ends = [text.rfind(mark, same + 1, start + most) for mark in (", ", " ")]
    end = next((place for place in ends if place > 0), start + most)
    return f"{before}{text[start:end].rstrip()} …"


def _harm(reference: ReferenceResult) -> Harm:
    """Return the worst harm among the errors of a reference."""
    if _verdict(reference) == "fabricated":
        return "invented"
    failed = [reference.findings[check] for check in checks_of(reference, "error")]
    return min((harm_of(code) for data in failed for code in (data["code"], *data["also"])), key=HARMS.index)


def _verdict(reference: ReferenceResult) -> str:
    return str(reference.verdict["name"]) if reference.verdict else "badly written"


Form = Literal["long", "short", "none"]


def form_of(config: pytest.Config) -> Form:
    """The form of failures."""
    style = config.getoption("tbstyle", "line")  # citecheck check has no such option
    if config.get_verbosity() >= 1 or style == "long":
        return "long"
    return "none" if style == "line" else "short"


def shorten_failures(
    reports: Sequence[pytest.TestReport], form: Form, line: Callable[[pytest.TestReport], str]
) -> None:
    """Leave as much of each failure as its form shows; pytest's short summary keeps the headline. line: the short form."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            text = [ReprEntryNative([f"{line(report)}\n"])] if form == "short" else []
            short = ReprTraceback(text, extraline=None, style="native")
            report.longrepr = ReprExceptionInfo(reprtraceback=short, reprcrash=report.longrepr.reprcrash)
