"""The hooks of a run that checks citations; registered only for such runs."""

from __future__ import annotations

import gc
import signal
import threading
import warnings
from collections import ChainMap
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import cached_property
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
from pytest_citecheck.plugin.features import Opening, Scores, register_features
from pytest_citecheck.plugin.gathering import progress_line
from pytest_citecheck.plugin.items import (
    PHASE_HOOKS,
    REPORT_HOOKS,
    add_parameters,
    bracketed_paths,
    others_implement,
    run_check,
    split_nodeid,
    typed_nodeid,
)
from pytest_citecheck.plugin.junit import shared_text
from pytest_citecheck.plugin.outputs import further_failures, refuse_to_overwrite, write_lines, write_reports
from pytest_citecheck.plugin.results import IN_PHASES, LINES, PAYLOAD, lines_of, payload, run_result
from pytest_citecheck.plugin.session import KEY, CitecheckSession
from pytest_citecheck.plugin.settings import has_prose, is_plain, resolve_settings
from pytest_citecheck.plugin.summary import form_of, line_of_payload, shorten_failures
from pytest_citecheck.reports import corrected_text
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from types import FrameType

    from pytest_citecheck.lookup import Forecast
    from pytest_citecheck.reports import RunResult

_OWN_FROZEN = 1000  # more objects than CPython freezes at its start: 375 in version 3.12, none in others

_OWN_WARNINGS = (ClaimWarning, DuplicateWarning, SelfcheckWarning)


def activate(config: pytest.Config) -> None:
    """Register the hooks. Raises pytest.UsageError if a file to check does not exist or cannot be understood."""
    register_features(config)
    take_standard_input(config)
    config.args[:] = map(typed_nodeid, config.args)
    extensions = collect_extensions(config)
    settings = resolve_settings(config, extensions)
    if may_name_elsewhere(config):
        from pytest_citecheck.plugin.fetching import take_fetched  # noqa: PLC0415 - rarely needed

        if take_fetched(config, settings):
            settings = resolve_settings(config, extensions)
    opening = Opening(settings, extensions)
    config.hook.pytest_citecheck_open(config=config, opening=opening)
    settings, extensions = opening.settings, opening.extensions
    try:
        settings.transport(())
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    if settings.plan:
        # Nothing is run, so there is nothing to distribute.
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None
    arguments = add_arguments(config, settings, (*opening.readers, *extensions.readers))
    citecheck = CitecheckSession(config, settings, extensions, arguments)
    refuse_to_overwrite(citecheck, opening.outputs)
    register_markers(config, {check.name: check.description for check in extensions.checks})
    config.stash[KEY] = citecheck
    hooks = CitecheckHooks(citecheck)
    config.pluginmanager.register(hooks, "citecheck-run")
    config.add_cleanup(hooks.unfreeze)  # pytest searches for garbage in later cleanups, which run first
    if any(map(config.pluginmanager.hasplugin, ("xdist", "xdist.plugin"))):  # the latter with -p xdist.plugin
        from pytest_citecheck.plugin.xdist_hooks import ControllerHooks, WorkerHooks  # noqa: PLC0415

        distribution = WorkerHooks(citecheck, config) if hasattr(config, "workerinput") else ControllerHooks(citecheck)
        config.pluginmanager.register(distribution, "citecheck-xdist")
    for start in opening.starts:
        config.pluginmanager.register(start(citecheck))


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
        self.told: set[str] = set()  # references whose answers have been reported
        self.has_frozen = False  # objects, which the garbage collection then passes over
        self.result: RunResult | None = None  # without scores
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not self.is_worker and in_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _interrupt)

    @cached_property
    def in_phases(self) -> bool:
        """Return True if checks report setup, call and teardown, as test functions do."""
        told = getattr(self.citecheck.config, "workerinput", {}).get("citecheck_in_phases", False)
        return told or others_implement(self.citecheck.config.pluginmanager, REPORT_HOOKS)

    @cached_property
    def in_hooks(self) -> bool:
        """Return True if every check must run in the hooks of its phases."""
        return others_implement(self.citecheck.config.pluginmanager, PHASE_HOOKS)

    def pytest_report_header(self) -> str:
        return f"citecheck: {__version__}, {terminal.describe(self.citecheck.settings)}"

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
        # Items and evidence stay until the end: to search them for garbage takes a quarter of the run.
        gc.freeze()
        self.has_frozen = True
        return (yield)

    def unfreeze(self) -> None:
        """Let the garbage collection see the objects of the run again. A worker ends with its run."""
        if self.has_frozen and not self.is_worker:
            gc.unfreeze()

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        add_parameters(item)
        if isinstance(item, CheckItem) and item.check != SYNTAX:
            self.citecheck.gathering.look_up_group(item.reference_id)  # before the time of the check is taken
        if not isinstance(item, CheckItem) or self.in_phases:
            return None
        run_check(item, nextitem, alone=not self.in_hooks and item.is_decided(nextitem))
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
        elif report.failed:
            excused = any(self.citecheck.config.hook.pytest_citecheck_excuses(report=report))
            self.failed_otherwise = self.failed_otherwise or not excused
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
        sections = dict(ChainMap(*self.citecheck.config.hook.pytest_citecheck_sections()))
        failed = self._score(sections)
        self.result = run_result(self.citecheck)
        result = replace(self.result, scores=self.scores.splits, arena=self.scores.arena, **sections)
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
        decides = bool(self.scores.gates)
        if decides and status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            # A benchmark is full of references that must fail, so the scores decide.
            good = self.scores.passed and not self.failed_otherwise and not self.unwritten
            status = pytest.ExitCode.OK if good else pytest.ExitCode.TESTS_FAILED
        if status != pytest.ExitCode.OK:
            return status
        if self.unwritten:
            return pytest.ExitCode.TESTS_FAILED
        short = result.coverage is not None and not result.coverage.is_enough
        is_open = result.unanswered or any(self.citecheck.config.hook.pytest_citecheck_is_open())
        return UNCHECKED if short or (is_open and not decides) else status

    def _line(self, report: pytest.TestReport) -> str:
        """The line of a failed check."""
        named = split_nodeid(report.nodeid)
        found = self.citecheck.payloads.get(f"{named[0]}::{named[1]}", {}).get(named[2]) if named else None
        if found and not self.citecheck.compares:
            return line_of_payload(found)
        return str(getattr(report.longrepr, "reprtraceback", "")).partition("\n")[0]  # how it contradicts the label

    def _score(self, sections: Mapping[str, Any]) -> list[str]:
        """Compute the scores; return the errors of metrics from hooks."""
        hook = self.citecheck.config.hook
        self.scores = hook.pytest_citecheck_scores(sections=sections) or Scores()
        if self.scores.arena is not None:
            hook.pytest_citecheck_scope(scores=self.scores.arena)
        return [self.scores.failed] if self.scores.failed else []

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
            result = self.result or run_result(self.citecheck)
            if has_prose(config):
                terminal.write_summary(reporter, result, self.citecheck)
                if self.scores != Scores():
                    config.hook.pytest_citecheck_write_scores(reporter=reporter, scores=self.scores, result=result)
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
