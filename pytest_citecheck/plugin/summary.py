"""Terminal summary, most important references first: fabricated, unfindable, misdescribed, undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Final, Literal

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprTraceback

from pytest_citecheck.checks import CODES, DEFAULT, HARMS, harm_of
from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import HARM_NAMES, report_severity
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.checks import Harm, Policy
    from pytest_citecheck.reports import FindingData, FurtherFailure, ReferenceResult, ReportSeverity

SHOWN: Final = 30
"""Lines of a list before the rest is only counted."""

_CHANGES = 3  # of a reference
_VALUE = 70  # characters of a cited or a right value
_MESSAGE = 160
_LONG_MESSAGE = 600  # with the services that did not find a work, and their success with other works
_UNFINDABLE = "not found by services that would almost certainly have it"
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


def write_references(
    reporter: SafeReporter,
    by_severity: Mapping[ReportSeverity, list[ReferenceResult]],
    policy: Policy,
    further: Sequence[FurtherFailure] = (),
) -> None:
    """A line for each reference with findings that fail or warn, worst first, below explanatory headings."""
    errors, warnings = by_severity.get("error", []), by_severity.get("warning", [])
    unfindable = [reference for reference in warnings if _verdict(reference) == "unfindable"]
    groups: list[tuple[str, ReportSeverity, list[ReferenceResult]]] = [
        (HARM_NAMES[harm], "error", [reference for reference in errors if _harm(reference) == harm]) for harm in HARMS
    ]
    groups.insert(1, (_UNFINDABLE, "warning", unfindable))
    groups.append(("could not be verified (--citecheck-strict)", "demanded", by_severity.get("demanded", [])))
    groups.append(("warnings", "warning", [reference for reference in warnings if reference not in unfindable]))
    if not further and not any(references for _, _, references in groups):
        return
    reporter.line("")
    if policy.name != DEFAULT.name:
        shown = [kind for kind, references in by_severity.items() if references]
        called = ", ".join(f"{of} = {words}" for of, words in policy.calls.items() if of in shown)
        reporter.line(safe_line(f"policy {policy.name}{f': {called}' if called else ''}"), bold=True)
    left = SHOWN if reporter.config.get_verbosity() < 1 else sum(len(references) for _, _, references in groups)
    for heading, kind, references in groups:
        if references:
            reporter.line(f"{heading} ({len(references)}):", bold=True)
        for reference in _worst_first(references)[:left]:
            colour = {"red": True} if _verdict(reference) == "fabricated" else {}
            reporter.line(f"  {_line(reference, checks_of(reference, kind))}", **colour)
        if len(references) > left:
            reporter.line(f"  and {len(references) - left} more (-v or --citecheck-html=FILE shows them)")
        left = max(left - len(references), 0)
    if further:
        reporter.line(f"of whole files ({len(further)}):", bold=True)
    for one in further[:SHOWN]:
        reporter.line(safe_line(f"  {one.path}:{one.line} {_cut(one.message, _MESSAGE)} [{one.code}]"))


def write_undecided(reporter: SafeReporter, references: Sequence[ReferenceResult]) -> None:
    """Return the number of undecided references by reason, and how to decide them."""
    reasons = Counter(
        reference.verdict["reason"].partition(":")[0]
        for reference in references
        if reference.verdict and _verdict(reference) == "undecided" and reference.gold is None
    )
    if not reasons:
        return
    reporter.line("")
    reporter.line(f"undecided ({reasons.total()}):", bold=True)
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        settled = next((how for begin, how in _SETTLED_BY if reason.startswith(begin)), "")
        noun = "reference" if count == 1 else "references"
        reporter.line(f"  {count} {noun}: {safe_line(reason)}{f' → {settled}' if settled else ''}")


def _worst_first(references: Sequence[ReferenceResult]) -> list[ReferenceResult]:
    rank = {name: position for position, name in enumerate(_NEEDS_ATTENTION)}
    return sorted(references, key=lambda item: rank.get(_verdict(item), len(rank)))


def _line(reference: ReferenceResult, checks: list[str]) -> str:
    """Place, key, wrong field, correction, and the source of the correction."""
    data = [reference.findings[check] for check in checks]
    changes = list(dict.fromkeys(_change(check, one) for check, one in zip(checks, data, strict=True)))
    sources = dict.fromkeys(source_name(one["record"]["source"]) for one in data if one["record"])
    if len(changes) > _CHANGES:
        changes[_CHANGES:] = [f"and {len(changes) - _CHANGES} more"]
    by = f" ({', '.join(sources)})" if sources else ""
    return safe_line(f"{reference.place} {reference.key or '(no key)'} {'; '.join(changes)}{by}")


def _change(check: str, finding: FindingData) -> str:
    """``year: 2017 → 2018``; the message if no correction is known."""
    changes = []
    for name, value in finding["fixes"].items():
        old = _cut(finding["cited"], _VALUE) if len(finding["fixes"]) == 1 and finding["cited"] else ""
        changes.append(f"{name}: {old} → {_cut(value, _VALUE)}" if value else f"{name}: remove {old}")
    most = _LONG_MESSAGE if finding["code"] == "title-unfindable" else _MESSAGE
    said = "; ".join(changes) or f"{check}: {_cut(finding['message'] or CODES.get(finding['code'], ''), most)}"
    return f"{said} [{', '.join((finding['code'], *finding['also']))}]"


def _cut(text: str, most: int) -> str:
    return shorten(safe_line(text), most, placeholder=" …")


def _harm(reference: ReferenceResult) -> Harm:
    """Return the worst harm among the errors of a reference."""
    if _verdict(reference) == "fabricated":
        return "invented"
    failed = [reference.findings[check] for check in checks_of(reference, "error")]
    return min((harm_of(code) for data in failed for code in (data["code"], *data["also"])), key=HARMS.index)


def _verdict(reference: ReferenceResult) -> str:
    return str(reference.verdict["name"]) if reference.verdict else "badly written"


# Lines shown per failure: all, three (``--tb=short``), or one (``--tb=line``, or many failures).


MANY = 20
"""Up to this many failing checks are shown with their evidence."""

Form = Literal["long", "short", "first line", "line"]
"""``short``: problem and remedy, below pytest's heading. ``line``: only pytest's line with the headline."""


def are_brief(config: pytest.Config, failures: int) -> bool:
    """Return True if failures are shown in a line or two: there are many, or ``--tb`` requests it, and ``-v`` is not
    set."""
    return form_of(config, failures) != "long"


def form_of(config: pytest.Config, failures: int) -> Form:
    """The form of failures."""
    if config.get_verbosity() >= 1:
        return "long"
    style = config.getoption("tbstyle", "auto")
    if style in ("short", "line"):
        return "short" if style == "short" else "line"
    return "first line" if failures > MANY else "long"


def shorten_failures(
    reports: Sequence[pytest.TestReport], form: Form, advice: Callable[[pytest.TestReport], str]
) -> None:
    """Leave as much of each failure as its form shows. advice: the second line of the short form."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            lines = {
                "short": [f"{report.longrepr.reprcrash}", f"  {advice(report)}"],
                "first line": [str(report.longrepr.reprtraceback).partition("\n")[0]],
                "line": [],
            }[form]
            text = [ReprEntryNative(["".join(f"{line}\n" for line in lines)])] if lines else []
            short = ReprTraceback(text, extraline=None, style="native")
            report.longrepr = ReprExceptionInfo(reprtraceback=short, reprcrash=report.longrepr.reprcrash)


def drop_headlines(reports: Sequence[pytest.TestReport]) -> None:
    """Leave the node ids of failures for pytest's short summary, where the evidence and the overview are already printed."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            report.longrepr = ReprExceptionInfo(reprtraceback=report.longrepr.reprtraceback, reprcrash=None)
