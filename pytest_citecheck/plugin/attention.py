"""Which references a reader of the terminal looks at first: the fabricated, the unfindable, the misdescribed, the undecided."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from pytest_citecheck.checks.codes import HARMS, SHARED_CODES, harm_of
from pytest_citecheck.reports.ci.problems import fix_text
from pytest_citecheck.reports.references import report_severity
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.verdict.policies import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pytest_citecheck.checks.codes import Harm
    from pytest_citecheck.reports.references import ReportSeverity
    from pytest_citecheck.reports.results import ReferenceResult
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["SHOWN", "checks_of", "write_references", "write_undecided"]

SHOWN: Final = 20
"""Lines of a list before the rest is only counted."""

_MESSAGE = 200
_WHOLE_MESSAGE = 600
_HARMS: Mapping[Harm, str] = {
    "invented": "invented, or another work",
    "misleading": "wrong in a way that misleads",
    "slip": "slips",
}
_NOT_FOUND = "not found, although the sources that answered hold nearly all such works"
_NEEDS_ATTENTION = ("fabricated", "unfindable", "misdescribed")


def checks_of(reference: ReferenceResult, kind: ReportSeverity) -> list[str]:
    """The checks whose findings have this severity and are not waived."""
    return [check for check, data in reference.findings.items() if report_severity(data) == kind and not data["waived"]]


def write_references(
    reporter: pytest.TerminalReporter,
    by_severity: Mapping[ReportSeverity, list[ReferenceResult]],
    policy: Policy,
    *,
    brief: bool,
) -> None:
    """The references with findings that fail or warn. Those that nobody has follow the invented ones at once.

    A warning fails nothing: what it says stands here alone. brief: whether the failures were shown in one line each.
    """
    errors = by_severity["error"]
    unfindable = [reference for reference in by_severity["warning"] if _verdict(reference) == "unfindable"]
    if errors or unfindable:
        _write_heading(reporter, "error", policy)
    for harm in HARMS:
        harmed = [reference for reference in errors if _harm(reference) == harm]
        if harmed:
            reporter.line(f" {_HARMS[harm]} ({len(harmed)}):")
            _write_lines(reporter, harmed, "error", brief=brief)
        if harm == "invented" and unfindable:
            reporter.line(f" {_NOT_FOUND} ({len(unfindable)}):")
            _write_lines(reporter, unfindable, "warning", brief=False)
    for kind, references in by_severity.items():
        rest = [reference for reference in references if kind != "warning" or _verdict(reference) != "unfindable"]
        if kind != "error" and rest:
            _write_heading(reporter, kind, policy)
            _write_lines(reporter, rest, kind, brief=False)


def write_undecided(reporter: pytest.TerminalReporter, references: Sequence[ReferenceResult]) -> None:
    """The undecided references, those that are most probably wrong first: they fail nothing, and nothing confirms them."""
    open_ones = [
        reference
        for reference in references
        if _verdict(reference) == "undecided"
        and not any(checks_of(reference, kind) for kind in ("error", "demanded", "warning"))
        and reference.gold is None
    ]
    if not open_ones:
        return
    reporter.line("")
    reporter.line(f"undecided ({len(open_ones)}), by the probability that they are wrong:", bold=True)
    open_ones.sort(key=_probability, reverse=True)
    for reference in open_ones[:SHOWN]:
        where = f"{reference.place} {safe_line(reference.key) or '(no key)'}"
        reason = reference.verdict["reason"] if reference.verdict else ""
        said = shorten(safe_line(reason), _MESSAGE, placeholder="…")
        reporter.line(f"  {_probability(reference):.2f} {where} ({said})")
    if len(open_ones) > SHOWN:
        reporter.line(f"  and {len(open_ones) - SHOWN} more (--citecheck-json, --citecheck-html)")


def _write_heading(reporter: pytest.TerminalReporter, kind: ReportSeverity, policy: Policy) -> None:
    reporter.line("")
    reporter.line(safe_line(f"{_heading(kind, policy)}:"), bold=True)


def _heading(kind: ReportSeverity, policy: Policy) -> str:
    """The heading for references with such findings, in the words of the policy."""
    if kind == "demanded":
        return "references that could not be verified (--citecheck-strict)"
    heading, severity = ("warnings", "warning") if kind == "warning" else ("references that need attention", "error")
    called = [words for of, words in policy.calls.items() if of == severity]
    return f"{heading} ({': '.join((f'policy {policy.name}', *called))})" if policy.name != DEFAULT.name else heading


def _codes(reference: ReferenceResult, checks: list[str]) -> str:
    """The codes of these checks, each once, with the checks where the code does not imply them."""
    by_code: dict[str, list[str]] = {}
    for check in checks:
        for code in (reference.findings[check]["code"], *reference.findings[check]["also"]):
            by_code.setdefault(code, []).append(check)
    return ", ".join(
        f"{code} ({', '.join(of)})" if len(of) > 1 or code in SHARED_CODES else code for code, of in by_code.items()
    )


def _harm(reference: ReferenceResult) -> Harm:
    """What the errors of a reference mean for a reader; the worst of them counts."""
    if _verdict(reference) == "fabricated":
        return "invented"
    failed = [reference.findings[check] for check in checks_of(reference, "error")]
    return min((harm_of(code) for data in failed for code in (data["code"], *data["also"])), key=HARMS.index)


def _write_lines(
    reporter: pytest.TerminalReporter, references: list[ReferenceResult], kind: ReportSeverity, *, brief: bool
) -> None:
    rank = {name: position for position, name in enumerate(_NEEDS_ATTENTION)}
    for reference in sorted(references, key=lambda item: rank.get(_verdict(item), len(rank))):
        checks = checks_of(reference, kind)
        colour = {"red": True} if _verdict(reference) == "fabricated" else {}
        where = reference.place
        reporter.line(
            f"  {_verdict(reference):<14} {where} {safe_line(reference.key) or '(no key)'}: {_codes(reference, checks)}"
            f"{_changes(reference, checks) if brief else ''}",
            **colour,
        )
        for check in checks if kind == "warning" else ():
            finding = reference.findings[check]
            message = safe_line(f"{finding['code']}: {finding['message']}")
            most = _WHOLE_MESSAGE if finding["code"] == "title-unfindable" else _MESSAGE
            reporter.line(f"{'':<17}{shorten(message, most, placeholder='…')}")


def _changes(reference: ReferenceResult, checks: list[str]) -> str:
    """What to write instead, in so many words as fit a line; empty if nothing is known."""
    fixes: dict[str, str] = {}
    for check in checks:
        fixes = {**reference.findings[check]["fixes"], **fixes}
    return f" → {fix_text(fixes)}" if fixes else ""


def _verdict(reference: ReferenceResult) -> str:
    return str(reference.verdict["name"]) if reference.verdict else "badly written"


def _probability(reference: ReferenceResult) -> float:
    return reference.verdict["probability"] if reference.verdict else 0.0
