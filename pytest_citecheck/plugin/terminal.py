"""Terminal output of a run: the header line and the summary at the end."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.checks import DEFAULT
from pytest_citecheck.inputs import BIBTEX, reader_for, why_empty
from pytest_citecheck.matching import safe_line
from pytest_citecheck.plugin.answering import answer_arguments
from pytest_citecheck.plugin.settings import is_plain
from pytest_citecheck.plugin.summary import SHOWN, checks_of, write_references, write_undecided
from pytest_citecheck.reports import (
    REPORT_SEVERITIES,
    codes_of,
    in_words,
    listed,
    number_of,
    report_severity,
    submission_totals,
)
from pytest_citecheck.rows import always
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.lookup import Forecast
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.plugin.settings import Settings
    from pytest_citecheck.plugin.waivers import Waiver
    from pytest_citecheck.reports import ReferenceResult, ReportSeverity, RunResult, SourceUse

_COLUMNS = {"error": "failed", "demanded": "failed", "warning": "warning"}
_ALWAYS = ("passed", "failed", "unverifiable")
_COLOURS = {"passed": "green", "failed": "red", "warning": "yellow", "unverifiable": "yellow", "waived": "yellow"}
"""Columns of the table and their colours. Empty columns are hidden, except those in `_ALWAYS`."""
_UNPLUGGED = frozenset({"offline", "dns", "connection", "breaker", "timeout", "silent"})


def describe(settings: Settings) -> str:
    """Return a short description of the answer sources and the policy."""
    policy = f", policy {safe_line(settings.policy.name)}" if settings.policy.name != DEFAULT.name else ""
    policy += ", unverifiable checks fail (--citecheck-strict)" if settings.strict else ""
    if settings.cassettes is not None:
        mode = {"none": "replay only", "new": "recording missing answers", "all": "recording every answer again"}
        return f"cassettes {settings.cassettes} ({mode[settings.record]}){policy}"
    cached = f", cache {settings.cache}" if settings.cache else ", no cache"
    return ("offline" if settings.offline else "live sources") + cached + policy


class _Screen:
    """What the rows of the summary need to know about a run."""

    def __init__(self, reporter: SafeReporter, result: RunResult, citecheck: CitecheckSession) -> None:
        self.reporter, self.result, self.citecheck = reporter, result, citecheck
        self.plain = is_plain(reporter.config)
        self.verbosity = reporter.config.get_verbosity()
        self.quiet = self.verbosity < 0
        self.terse = self.quiet or (self.plain and self.verbosity < 1)
        # Labelled references are not corrected; the scores show their errors (`scorecard`).
        self.by_severity: dict[ReportSeverity, list[ReferenceResult]] = {kind: [] for kind in REPORT_SEVERITIES}
        for one in result.references:
            for kind in REPORT_SEVERITIES if one.gold is None else ():
                if checks_of(one, kind):
                    self.by_severity[kind].append(one)
        self.outdated = _outdated(result, citecheck)
        self.outages: list[str] = _outages(result, citecheck.settings.timeout)
        self.short: bool = result.coverage is not None and not result.coverage.is_enough

    @property
    def has_failures(self) -> bool:
        return bool(self.by_severity["error"] or self.by_severity["demanded"])

    @property
    def is_silent(self) -> bool:
        """True if a quiet run has nothing to report."""
        needed = (self.result.further, self.outdated, self.outages, self.short, self.result.unanswered)
        return self.quiet and not any(self.by_severity.values()) and not any(needed)

    @property
    def listed(self) -> Mapping[ReportSeverity, list[ReferenceResult]]:
        """The references to list: pytest has shown the failures, and ``-v`` their evidence."""
        shown_above = not self.plain or self.verbosity > 0
        return {**self.by_severity, "error": [], "demanded": []} if shown_above else self.by_severity


def write_summary(reporter: SafeReporter, result: RunResult, citecheck: CitecheckSession) -> None:
    """Write the references that need attention, the sources and their outages."""
    for bibliography in citecheck.bibliographies:
        if not bibliography.references:
            why = why_empty(citecheck.config.rootpath / bibliography.path)
            reporter.line(f"citecheck: no entry in {bibliography.path}{why}", yellow=True)
    if not result.references:
        _write_passed_over(reporter, result)
        return
    screen = _Screen(reporter, result, citecheck)
    if screen.is_silent:
        return
    reporter.section("citecheck")
    for is_wanted, write in _PARTS:
        if is_wanted(screen):
            write(screen)


def _write_unanswered(screen: _Screen) -> None:
    what = "only the entries themselves were checked" if screen.has_failures else "nothing was checked"
    screen.reporter.line(f"{what}: {screen.result.unanswered}", red=True)


def _write_coverage(screen: _Screen) -> None:
    if screen.result.coverage is not None and screen.result.coverage.sentence:
        rest = len(screen.result.references) - screen.result.coverage.references
        more = f"; {rest} more without a verdict" if rest else ""
        screen.reporter.line(f"{screen.result.coverage.sentence}{more}", **({"red": True} if screen.short else {}))


def _write_outdated(screen: _Screen) -> None:
    for waiver, why in screen.outdated:
        where = f"{waiver.where}: " if waiver.where else ""
        said = f"{waiver.key} {','.join(waiver.checks) or '*'} ({waiver.reason})"
        screen.reporter.line(f"outdated waiver: {where}{said}: {why}", yellow=True)


def _write_notes(screen: _Screen) -> None:
    notes = screen.result.notes
    shown = notes if screen.verbosity > 0 else notes[:SHOWN]
    for note in shown:
        screen.reporter.line(f"note: {safe_line(note)}")
    if len(notes) > len(shown):
        screen.reporter.line(f"note: and {len(notes) - len(shown)} more (-v, --citecheck-json)")


def _write_sources(screen: _Screen) -> None:
    screen.reporter.line("")
    for source in screen.result.sources:
        screen.reporter.line(f"  {_source_line(source, screen.citecheck.settings.timeout)}")


def _write_references(screen: _Screen) -> None:
    further = screen.result.further if screen.plain else ()
    write_references(screen.reporter, screen.listed, screen.citecheck.settings.policy, further)


def _write_outages(screen: _Screen) -> None:
    for line in screen.outages:
        screen.reporter.line(line, yellow=True)


def _write_next(screen: _Screen) -> None:
    reporter, plain = screen.reporter, screen.plain
    evidence = screen.citecheck.settings.html or ("--html=FILE" if plain else "--citecheck-html=FILE")
    reporter.line("")
    rerun = "" if plain else "; rerun failures: --lf"
    reporter.line(f"next: correct or remove the entries; evidence and corrected entries: -v or {evidence}{rerun}")
    if command := _fix_command(screen.result, reporter.config):
        reporter.line(f"corrections: {command}")


_PARTS: tuple[tuple[Callable[[_Screen], object], Callable[[_Screen], object]], ...] = (
    (lambda one: one.result.unanswered, _write_unanswered),
    (lambda one: not one.terse, lambda one: _write_table(one.reporter, one.result)),
    (lambda one: not one.result.unanswered and (not one.plain or (one.quiet and one.short)), _write_coverage),
    (always, lambda one: _write_submissions(one.reporter, one.result)),
    (always, lambda one: _write_passed_over(one.reporter, one.result)),
    (always, _write_references),
    (always, lambda one: _write_hints(one.reporter, one.result)),
    (
        lambda one: not (one.quiet or one.result.unanswered),
        lambda one: write_undecided(one.reporter, one.result.references),
    ),
    (always, _write_outdated),
    (always, _write_notes),
    (
        lambda one: (
            one.result.sources and (one.verbosity > 0 or not (one.terse or one.outages or one.result.unanswered))
        ),
        _write_sources,
    ),
    (always, _write_outages),
    (lambda one: not one.quiet and one.has_failures, _write_next),
    (
        lambda one: one.short,
        lambda one: one.reporter.line(
            f"FAILED: too few references were checked: {one.result.coverage and one.result.coverage.shortfall}",
            red=True,
        ),
    ),
)
"""The parts of the summary in their order: when a part is wanted, and how to write it."""


def _outdated(result: RunResult, citecheck: CitecheckSession) -> list[tuple[Waiver, str]]:
    known = citecheck.references()
    if not citecheck.waivers.may_concern(known.values()):
        return []
    outcomes = [
        (known[reference.id], check, _needing(data), tuple(codes_of(data)))
        for reference in result.references
        if reference.id in known
        for check, data in reference.findings.items()
    ]
    return citecheck.waivers.outdated(list(known.values()), outcomes)


def write_troubles(reporter: SafeReporter, result: RunResult, citecheck: CitecheckSession) -> None:
    """Return the outages and notes that limited the run, for runs that print findings elsewhere."""
    if result.unanswered:
        reporter.line(f"nothing was checked: {result.unanswered}", red=True)
    elif result.coverage is not None and not result.coverage.is_enough:
        reporter.line(result.coverage.gap, red=True)
    for note in result.notes[:SHOWN]:
        reporter.line(f"note: {safe_line(note)}")
    for line in filter(None, _outages(result, citecheck.settings.timeout)):
        reporter.line(line, yellow=True)


def _fix_command(result: RunResult, config: pytest.Config) -> str:
    """The command that shows the corrections of this run; empty if nothing in a BibTeX file can be corrected."""
    files = dict.fromkeys(
        reference.path
        for reference in result.references
        if reference.gold is None
        and any(data["outcome"] == "failed" and data["fixes"] for data in reference.findings.values())
        and reader_for(reference.path) is BIBTEX
    )
    if not files:
        return ""
    return safe_line(shlex.join(["citecheck", "fix", "--diff", *files, *answer_arguments(config)]))


def write_interruption(reporter: SafeReporter, settings: Settings) -> None:
    """Report the stored results of a run that was interrupted before its first check."""
    kept = settings.cache is not None and settings.cassettes is None
    then = (
        "the answers so far are cached, and the next run continues from there"
        if kept
        else "without a cache, no answers are kept"
    )
    reporter.line(f"citecheck: interrupted before the first check; {then}")


def write_forecast(reporter: SafeReporter, lines: Sequence[Forecast], citecheck: CitecheckSession) -> None:
    """Print the minimum, expected and maximum number of requests to each source, without sending any."""
    reporter.section("citecheck plan")
    count = len(citecheck.order)
    unknown = filter(None, citecheck.config.hook.pytest_citecheck_plan(config=citecheck.config, reporter=reporter))
    if not lines:
        service = "".join(f" to services; {what}" for what in unknown)
        reporter.line(f"{number_of(count, 'reference')}: nothing would be sent{service}")
        return
    reporter.line(f"{'source':<32}{'query':<15}{'at least':>10}{'expected':>10}{'at most':>10}", bold=True)
    for line in lines:
        price = f"  ${line.most * line.cost:.4f} of ${line.dollars:.2f} a day" if line.cost else ""
        counts = f"{line.least:>10}{line.expected:>10}{line.most:>10}"
        reporter.line(f"{line.label:<32}{line.kind.replace('_', ' '):<15}{counts}{price}")
    least, expected, most = (sum(getattr(line, name) for line in lines) for name in ("least", "expected", "most"))
    reporter.line(f"{'requests':<47}{least:>10}{expected:>10}{most:>10}", bold=True)
    reporter.line(
        f"{number_of(count, 'reference')}: at least if the first query decides each, expected if all are correct, at "
        "most if no source has any; nothing was sent"
    )
    requests = Counter({line.source: 0 for line in lines})
    for line in lines:
        requests[line.source] += line.expected
    with_contact, without = (citecheck.gathering.duration_of(requests, contact=contact) for contact in (True, False))
    reporter.line(f"at the services' limits: {with_contact} with a contact address, {without} without one")


def _needing(data: Mapping[str, Any]) -> str:
    """The outcome of a finding, or ``warning``, to decide whether its waiver is needed."""
    return "warning" if data["outcome"] == "passed" and report_severity(data) else str(data["outcome"])


def _column(data: Mapping[str, Any]) -> str:
    """The column of a finding: each finding is in one, so a row adds up to the references with this check."""
    if data["waived"]:
        return "waived"
    return _COLUMNS.get(report_severity(data)) or ("unverifiable" if data["outcome"] == "unverifiable" else "passed")


def _write_table(reporter: SafeReporter, result: RunResult) -> None:
    counts = {check: Counter[str]() for check in result.checks}
    for reference in result.references:
        for check, data in reference.findings.items():
            counts[check][_column(data)] += 1
    used = {column for row in counts.values() for column in row}
    shown = {column: colour for column, colour in _COLOURS.items() if column in used or column in _ALWAYS}
    reporter.line(f"{'findings of':<14}{''.join(f'{column:>14}' for column in shown)}", bold=True)
    for check, row in counts.items():
        if row:
            reporter.write(f"{check:<14}")
            for column, colour in shown.items():
                reporter.write(f"{row[column] or '.':>14}", **({colour: True} if row[column] else {}))
            reporter.line("")
    reporter.line(f"{number_of(len(result.references), 'reference')}: {result.counts() or 'no verdict'}")


def _write_submissions(reporter: SafeReporter, result: RunResult) -> None:
    """Each submission of a folder, the worst first."""
    totals = submission_totals(result.references)
    if not totals:
        return
    shown = totals if reporter.config.get_verbosity() > 0 else totals[:SHOWN]
    reporter.line("")
    reporter.line(f"submissions ({len(totals)}), the worst first:", bold=True)
    for total in shown:
        reporter.line(f"  {safe_line(str(total))}", **({"red": True} if total.errors or total.unread else {}))
    if len(totals) > len(shown):
        reporter.line(f"  and {len(totals) - len(shown)} more (-v, --citecheck-html, --citecheck-csv)")


def _write_passed_over(reporter: SafeReporter, result: RunResult) -> None:
    """The files of folders that were not read, by reason."""
    if not result.passed_over:
        return
    verbose = reporter.config.get_verbosity() > 0
    by_reason: dict[str, list[str]] = {}
    for path, reason in sorted(result.passed_over.items()):
        by_reason.setdefault(reason, []).append(path)
    reporter.line("")
    reporter.line(f"not read ({number_of(len(result.passed_over), 'file')}):", bold=True)
    for reason, paths in by_reason.items():
        shown = paths if verbose else paths[:SHOWN]
        more = f" and {len(paths) - len(shown)} more (-v, --citecheck-json)" if len(paths) > len(shown) else ""
        reporter.line(f"  {safe_line(', '.join(shown))}{more}: {safe_line(reason)}")


def _write_hints(reporter: SafeReporter, result: RunResult) -> None:
    """The hints by code, with the first entries."""
    keys: dict[str, list[str]] = {}
    for reference in result.references:
        for data in reference.findings.values() if reference.gold is None else ():
            for code in codes_of(data) if data["severity"] == "info" else ():
                keys.setdefault(code, []).append(reference.key or reference.place)
    if keys:
        most = sorted(keys.items(), key=lambda item: -len(item[1]))
        said = ", ".join(f"{len(names)} {code} ({listed(names)})" for code, names in most)
        prefix = "--" if is_plain(reporter.config) else "--citecheck-"
        reporter.line(safe_line(f"hints (all are in {prefix}json and {prefix}html): {said}"))


def _outages(result: RunResult, timeout: float | None) -> list[str]:
    """Sources that did not answer, with reasons; not if the user wanted it so, or if none answered, which is said first."""
    reasons = {reason for source in result.sources for reason in source.unavailable}
    if reasons <= {"offline"} or (result.unanswered and reasons <= _UNPLUGGED):
        return []
    by_reason: dict[str, Counter[str]] = {}
    for source in result.sources:
        for reason, count in source.unavailable.items():
            by_reason.setdefault(_meaning(reason, timeout), Counter())[source.label] += count
    said = [
        f"{number_of(counts.total(), 'query', 'queries')} unanswered: {why} ({listed([*dict(counts.most_common())])})"
        for why, counts in sorted(by_reason.items(), key=lambda item: -item[1].total())
    ]
    lines = ["", f"{'; '.join(said)}; details: -v"]
    missing = sum(source.unavailable.get("not-recorded", 0) for source in result.sources)
    if missing:
        lines.append(
            f"{number_of(missing, 'query', 'queries')} not in the cassettes: record with --citecheck-record=new"
        )
    return lines


def _meaning(reason: str, timeout: float | None) -> str:
    if reason == "deadline" and timeout is not None:
        return f"timed out after {timeout:g} s (--citecheck-timeout)"
    return in_words(reason)


def _source_line(source: SourceUse, timeout: float | None) -> str:
    words = [number_of(source.requests, "request")] if source.requests else []
    words += [f"{source.replayed} replayed"] if source.replayed else []
    words += [f"{number_of(source.cached, 'answer')} from the cache"] if source.cached else []
    words += [number_of(source.local, "look-up")] if source.local else []
    words += [
        f"{number_of(count, 'query', 'queries')} unanswered ({_meaning(reason, timeout)})"
        for reason, count in sorted(source.unavailable.items())
    ]
    return f"{source.label}: {', '.join(words) or 'nothing'}"
