"""The hooks of a run that checks citations; registered only for such runs."""

from __future__ import annotations

import gc
import os
import signal
import threading
import warnings
from collections.abc import Generator, Iterable
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck import ClaimWarning, DuplicateWarning, SelfcheckWarning, __version__
from pytest_citecheck.exit_codes import UNCHECKED
from pytest_citecheck.plugin import junit, terminal
from pytest_citecheck.plugin.collection import SYNTAX, CheckItem, collect_file, project_files, register_markers
from pytest_citecheck.plugin.documents import add_arguments, may_name_elsewhere, take_standard_input
from pytest_citecheck.plugin.extensions import call_hook, collect_extensions
from pytest_citecheck.plugin.gathering import progress_line
from pytest_citecheck.plugin.items import (
    add_parameters,
    bracketed_paths,
    needs_phases,
    run_check,
    split_nodeid,
    typed_nodeid,
)
from pytest_citecheck.plugin.junit import shared_text
from pytest_citecheck.plugin.outputs import (
    Scores,
    further_failures,
    has_verdict,
    refuse_to_overwrite,
    score_run,
    write_lines,
    write_reports,
)
from pytest_citecheck.plugin.results import IN_PHASES, LINES, PAYLOAD, lines_of, payload, run_result
from pytest_citecheck.plugin.session import KEY, CitecheckSession
from pytest_citecheck.plugin.settings import has_prose, is_plain, resolve_settings
from pytest_citecheck.plugin.summary import form_of, line_of_payload, shorten_failures
from pytest_citecheck.reports import corrected_text
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from types import FrameType

    from pytest_citecheck.lookup import Forecast
    from pytest_citecheck.models.arena import Arena
    from pytest_citecheck.reports import RunResult

_OWN_FROZEN = 1000  # more objects than CPython freezes at its start: 375 in version 3.12, none in others

_OWN_WARNINGS = (ClaimWarning, DuplicateWarning, SelfcheckWarning)


def activate(config: pytest.Config) -> None:
    """Register the hooks. Raises pytest.UsageError if a file to check does not exist or cannot be understood."""
    take_standard_input(config)
    config.args[:] = map(typed_nodeid, config.args)
    extensions = collect_extensions(config)
    settings = resolve_settings(config, extensions)
    if may_name_elsewhere(config):
        from pytest_citecheck.plugin.fetching import take_fetched  # noqa: PLC0415 - rarely needed

        if take_fetched(config, settings):
            settings = resolve_settings(config, extensions)
    arenas: tuple[Arena, ...] = ()
    if _named(config, settings.files, (".yaml", ".yml")):
        from pytest_citecheck.models.arena import ArenaReader, open_arenas, with_services  # noqa: PLC0415

        arenas = open_arenas(config, settings, os.environ)
        settings = with_services(settings, arenas)
        extensions = replace(extensions, readers=(ArenaReader(arenas), *extensions.readers))
    try:
        settings.transport(())
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    if settings.plan:
        # Nothing is run, so there is nothing to distribute.
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None
    claims, readers = None, extensions.readers
    if _named(config, settings.files, (".json", ".csv", ".jsonl", ".tex", ".md")):
        from pytest_citecheck.models.claims import ClaimsReader, open_claims  # noqa: PLC0415

        claims = open_claims(config, settings, os.environ, extensions.judges)
        readers = (ClaimsReader(claims.files), *readers) if claims is not None else readers
    arguments = add_arguments(config, settings, readers)
    citecheck = CitecheckSession(config, settings, extensions, arguments)
    citecheck.arenas, citecheck.claims = arenas, claims
    refuse_to_overwrite(citecheck)
    register_markers(config, {check.name: check.description for check in extensions.checks})
    config.stash[KEY] = citecheck
    config.pluginmanager.register(CitecheckHooks(citecheck), "citecheck-run")
    if settings.selfcheck is not None:
        _add_selfchecks(config, citecheck)
    if any(map(config.pluginmanager.hasplugin, ("xdist", "xdist.plugin"))):  # the latter with -p xdist.plugin
        from pytest_citecheck.plugin.xdist_hooks import ControllerHooks, WorkerHooks  # noqa: PLC0415

        hooks = WorkerHooks(citecheck, config) if hasattr(config, "workerinput") else ControllerHooks(citecheck)
        config.pluginmanager.register(hooks, "citecheck-xdist")
    if claims is not None:  # last: its scheduler is asked before the controller's hands out items
        from pytest_citecheck.models.claims import ClaimHooks  # noqa: PLC0415

        config.pluginmanager.register(ClaimHooks(citecheck, claims), "citecheck-claims")


def _add_selfchecks(config: pytest.Config, citecheck: CitecheckSession) -> None:
    """Raises pytest.UsageError for a configuration that cannot be used."""
    from pytest_citecheck.models.selfcheck import SelfcheckRun, items_of, open_selfchecks  # noqa: PLC0415

    settings = citecheck.settings
    replays = settings.offline or (settings.cassettes is not None and settings.record == "none")
    replays = replays or settings.arena.ask == "none"
    asks = not (replays or settings.plan or config.getoption("collectonly"))
    run = SelfcheckRun(open_selfchecks(settings, citecheck.arenas, os.environ, asks=asks), citecheck)
    citecheck.selfchecks = partial(items_of, run=run)
    config.addinivalue_line("markers", "selfcheck: a self-check of a language model about a reference")
    config.pluginmanager.register(run, "citecheck-selfcheck")


def _named(config: pytest.Config, files: Iterable[str], suffixes: tuple[str, ...]) -> bool:
    return any(name.split("::", 1)[0].lower().endswith(suffixes) for name in (*files, *config.args))


class CitecheckHooks:
    """Collection, gathering, the run protocol, and the final reports."""

    def __init__(self, citecheck: CitecheckSession) -> None:
        self.citecheck = citecheck
        self.forecast: tuple[Forecast, ...] | None = None
        self.scores = Scores()
        self.unwritten: list[str] = []
        self.failures: list[pytest.TestReport] = []  # of checks
        self.listed: list[pytest.TestReport] = []  # failures of whole files
        self.failed_otherwise = False  # a test that is no check, or a check without a finding
        self.is_worker = hasattr(citecheck.config, "workerinput")
        self.asked: list[str] = []  # queries to models of arenas
        self.told: set[str] = set()  # references whose answers have been reported
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not self.is_worker and in_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _interrupt)

    @cached_property
    def in_phases(self) -> bool:
        """Return True if checks report setup, call and teardown, as test functions do."""
        return needs_phases(self.citecheck.config.pluginmanager)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Ask the models of arenas: before pytest-xdist starts its workers, which read the answers."""
        if not self.citecheck.arenas:
            return
        from pytest_citecheck.models.arena import ask_models, may_ask, planned, said_of  # noqa: PLC0415

        config, settings = session.config, self.citecheck.settings
        for arena in self.citecheck.arenas:
            outcome = None
            if settings.plan:
                self.citecheck.plans += planned(arena, settings)
            if may_ask(config, settings):
                outcome, notes = ask_models(arena, config, settings)
                self.citecheck.asking_notes += notes
            self.asked.append(said_of(arena, outcome))
            self.asked += outcome.spent if outcome is not None else ()

    def pytest_report_header(self) -> list[str]:
        described = f"{__version__}, {terminal.describe(self.citecheck.settings)}"
        return [f"citecheck: {line}" for line in (described, *self.asked)]

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with bracketed_paths():
            return (yield)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return collect_file(file_path, parent, self.citecheck)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add code and documentation below the session: below their packages, pytest would import these."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result = [*report.result, *project_files(collector, self.citecheck)]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the checks of a reference together in a random order: apart, each of them would evaluate it anew."""
        together: dict[object, list[pytest.Item]] = {}
        for item in items:
            together.setdefault(item.reference_id if isinstance(item, CheckItem) else item, []).append(item)
        items[:] = chain.from_iterable(together.values())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        config = session.config
        distributed = self.is_worker or config.pluginmanager.hasplugin("dsession")
        broken = session.testsfailed and not config.getoption("continue_on_collection_errors")
        if self.citecheck.settings.plan and not broken:
            self.forecast = self.citecheck.forecast([item.nodeid for item in session.items])
            session.items.clear()
        elif not distributed and not broken and not config.getoption("collectonly"):
            with progress_line(config) as progress:
                self.citecheck.gather([item.nodeid for item in session.items], progress)
        if gc.get_freeze_count() > _OWN_FROZEN:
            return (yield)  # the program that runs pytest froze objects: unfreezing would release those too
        # Items and evidence stay until the end: to search them for garbage takes a quarter of the run. A worker ends with its
        # run, and pytest searches for garbage five times before that.
        gc.freeze()
        try:
            return (yield)
        finally:
            if not self.is_worker:
                gc.unfreeze()

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        add_parameters(item)
        if not isinstance(item, CheckItem) or self.in_phases:
            return None
        run_check(item, nextitem)
        item.forget()
        if item.check != SYNTAX:
            self.citecheck.gathering.checked(item.reference_id)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        if not isinstance(item, CheckItem) or item.finding is None or call.when != "call":
            return (yield)
        data = payload(item, self.citecheck)
        if self.in_phases or not self.is_worker:
            others = [
                one for one in item.user_properties if not one[0].startswith("citecheck.")
            ]  # of an earlier run of it
            item.user_properties[:] = [*others, *junit.case_properties(data)]
        report = yield
        data["waived"] = item.waived or (report.skipped and hasattr(report, "wasxfail"))
        if report.skipped and isinstance(report.longrepr, tuple):
            path, line, reason = report.longrepr
            report.longrepr = (
                path,
                line,
                shared_text(reason),
            )  # usually the same reason for five checks of the reference
        setattr(report, PAYLOAD, data)
        setattr(report, IN_PHASES, self.in_phases)
        if item.check != SYNTAX and item.reference_id not in self.told:
            self.told.add(item.reference_id)
            evaluation = self.citecheck.evaluation(item.reference_id, item.reference)
            setattr(report, LINES, lines_of(evaluation.case.evidence))
            data["corrected"] = corrected_text(item.reference, evaluation.findings.values())
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        # Else pytest shows the line of the file, and keeps it: in JSON that may be the whole file, for each of its warnings.
        if issubclass(warning_message.category, _OWN_WARNINGS):
            warning_message.line = ""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = getattr(report, PAYLOAD, None)
        if data is not None:
            self._keep(report, data)
            if report.failed:
                self.failures.append(report)
        elif report.failed and "[selfcheck" not in report.nodeid:
            # Where scores of claims decide, a verdict is no failure, but a failed call is.
            scored = "claims_" in self.citecheck.settings.gates and has_verdict(report)
            self.failed_otherwise = self.failed_otherwise or not scored
            further = further_failures(report)
            if further:
                self.listed.append(report)
            self.citecheck.further += further
        if data is not None and not getattr(report, IN_PHASES, False):
            junit.close_case(self.citecheck.config, report)

    def _keep(self, report: pytest.TestReport, data: dict[str, Any]) -> None:
        """Put the finding where the reports of the run find it: pytest keeps all test reports to the end."""
        lines: bytes | None = getattr(report, LINES, None)
        if not self.is_worker:
            self.citecheck.payloads.put(data)
            if lines is not None:
                self.citecheck.answers.put(data["id"], lines)
        delattr(report, PAYLOAD)
        if lines is not None:
            delattr(report, LINES)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.is_worker or session.config.getoption("collectonly"):
            return
        if exitstatus == pytest.ExitCode.INTERRUPTED and not self.citecheck.payloads:
            return  # interrupted during queries: keep the previous report instead of writing an empty one
        if (form := form_of(session.config)) != "long":
            shorten_failures([*self.failures, *(self.listed if is_plain(session.config) else ())], form, self._line)
        failed = self._score()
        result = replace(run_result(self.citecheck), scores=self.scores.splits, arena=self.scores.arena)
        if self.citecheck.claims_report is not None:
            result = replace(result, claims=self.citecheck.claims_report())
        if self.citecheck.selfcheck_report is not None:
            result = replace(result, selfcheck=self.citecheck.selfcheck_report())
        junit.add_run_properties(session.config, result, self.citecheck.settings.shard)
        self.unwritten = write_reports(self.citecheck, result)
        if self.forecast is None:
            failed += self._hand_over(result)
        self.citecheck.answers.release()
        session.exitstatus = self._ended(session.exitstatus, result)
        if failed:
            self.unwritten += failed
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _ended(self, status: int, result: RunResult) -> int:
        """Return the exit status of the run, given the one of pytest."""
        settings = self.citecheck.settings
        if settings.gates and status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            # A benchmark is full of references that must fail, so the scores decide.
            good = self.scores.passed and not self.failed_otherwise and not self.unwritten
            status = pytest.ExitCode.OK if good else pytest.ExitCode.TESTS_FAILED
        if status != pytest.ExitCode.OK:
            return status
        if self.unwritten:
            return pytest.ExitCode.TESTS_FAILED
        short = result.coverage is not None and not result.coverage.is_enough
        open_claims = self.citecheck.claims_are_open is not None and self.citecheck.claims_are_open()
        return UNCHECKED if short or ((result.unanswered or open_claims) and not settings.gates) else status

    def _line(self, report: pytest.TestReport) -> str:
        """The line of a failed check."""
        named = split_nodeid(report.nodeid)
        found = self.citecheck.payloads.get(f"{named[0]}::{named[1]}", {}).get(named[2]) if named else None
        if found and not self.citecheck.settings.expect_truth:
            return line_of_payload(found)
        return str(getattr(report.longrepr, "reprtraceback", "")).partition("\n")[0]  # how it contradicts the label

    def _score(self) -> list[str]:
        """Compute the scores; return the errors of metrics from hooks."""
        extensions, settings = self.citecheck.extensions, self.citecheck.settings
        try:
            claims = self.citecheck.claims_report() if settings.gates and self.citecheck.claims_report else {}
            self.scores = score_run(
                self.citecheck.payloads,
                settings.gates,
                extensions.metrics,
                settings.min_checked or None,
                claims.get("judges"),
            )
            if self.scores.arena is not None and len(self.citecheck.arenas) == 1:
                self.scores.arena["scope"]["of"] = dict(self.citecheck.arenas[0].whole)
        except _metric_error() as error:
            self.scores = Scores(problem=str(error))
            return [f"pytest_citecheck_metrics: {error}"]
        return []

    def _hand_over(self, result: RunResult) -> list[str]:
        """Pass the result to the hook; return its errors."""
        try:
            call_hook(self.citecheck.config.hook.pytest_citecheck_results, result=result)
        except pytest.UsageError as error:
            return [str(error)]
        return []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        config, reporter = terminalreporter.config, SafeReporter(terminalreporter)
        if exitstatus == pytest.ExitCode.INTERRUPTED and not self.citecheck.payloads:
            if "error" in reporter.stats:  # a file could not be collected, which was reported
                return
            terminal.write_interruption(reporter, self.citecheck.settings)
            return
        if self.forecast is not None:
            terminal.write_forecast(reporter, self.forecast, self.citecheck)
        elif not self.is_worker and not config.getoption("collectonly"):
            result = run_result(self.citecheck)
            if has_prose(config):
                terminal.write_summary(reporter, result, self.citecheck)
                if self.scores != Scores():
                    from pytest_citecheck.plugin.scorecard import write_scores  # noqa: PLC0415 - of labels

                    selftest = bool(self.citecheck.settings.selftest)
                    write_scores(reporter, self.scores, result, selftest=selftest)
            else:
                terminal.write_troubles(reporter, result, self.citecheck)
            write_lines(reporter, result, self.citecheck)
            for note in self.citecheck.late_notes:
                reporter.line(f"citecheck: {note}", yellow=True)
            for problem in self.unwritten:
                reporter.line(f"citecheck: {problem}", red=True)

    def pytest_unconfigure(self) -> None:
        if signal.getsignal(signal.SIGTERM) is _interrupt:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.citecheck.close()


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """End a terminated run like Ctrl-C: it reports what it has found."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # such as in the background of a shell
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _metric_error() -> type[Exception]:
    from pytest_citecheck.benchmark import MetricError  # noqa: PLC0415 - only where there are labels

    return MetricError
