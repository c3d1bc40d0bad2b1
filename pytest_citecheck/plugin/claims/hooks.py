"""The hooks of a run that judges claims; registered only for such runs."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.plugin.claims.asking import ask_judges, planned
from pytest_citecheck.plugin.claims.items import PREFIX, ClaimItem, collect_claims, selected_pairs
from pytest_citecheck.plugin.claims.summary import Judged, write_summary

if TYPE_CHECKING:
    from pytest_citecheck.arena.asking import Outcome
    from pytest_citecheck.plugin.claims.opening import ClaimRun
    from pytest_citecheck.plugin.session import CitecheckSession

__all__ = ["ClaimHooks"]


class ClaimHooks:
    """Collection, asking after collection, and what is reported at the end."""

    def __init__(self, citecheck: CitecheckSession, run: ClaimRun) -> None:
        self.citecheck = citecheck
        self.run = run
        self.is_worker = hasattr(citecheck.config, "workerinput")
        self.judged = Judged(run)
        citecheck.claims_report = self.judged.data
        citecheck.config.addinivalue_line("markers", "claim: whether the source supports the claim")

    def pytest_report_header(self) -> list[str]:
        lines = []
        for file in self.run.files.values():
            runs = sum(pair.runs for pair in file.pairs)
            unfit = "".join(f"; {count} not judged: {reason}" for reason, count in file.unfit().items())
            lines.append(f"citecheck: {file.path}: {runs} claims, judged by {', '.join(self.run.judges)}{unfit}")
        return lines

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return collect_claims(file_path, parent, self.run, self.citecheck)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        config = session.config
        distributed = self.is_worker or config.pluginmanager.hasplugin("dsession")
        broken = session.testsfailed and not config.getoption("continue_on_collection_errors")
        if not distributed and not broken and not config.getoption("collectonly"):
            nodeids = [item.nodeid for item in session.items if isinstance(item, ClaimItem)]
            settings = self.citecheck.settings
            if settings.plan:
                self.citecheck.plans += planned(self.run, selected_pairs(self.run, nodeids, config.rootpath), settings)
            else:
                self.ask(nodeids)
        return (yield)

    @pytest.hookimpl(wrapper=True, optionalhook=True)
    def pytest_xdist_make_scheduler(self) -> Generator[None, Any, Any]:
        """Ask before the first items are handed out: the workers read the answers."""
        scheduler = yield
        schedule = scheduler.schedule
        asked = False

        def ask_then_schedule() -> None:
            nonlocal asked
            if not asked:
                asked = True
                known = getattr(scheduler, "node2collection", None) or scheduler.registered_collections
                self.ask([str(nodeid) for nodeid in next(iter(known.values()))])
            schedule()

        scheduler.schedule = ask_then_schedule
        return scheduler

    def ask(self, nodeids: list[str]) -> None:
        """Ask the judges of these items."""
        config, settings = self.citecheck.config, self.citecheck.settings
        selected = selected_pairs(self.run, nodeids, config.rootpath)
        outcome, notes = ask_judges(self.run, selected, config, settings)
        self.citecheck.asking_notes += notes
        self.judged.outcome = outcome
        reporter = config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None and outcome.cells and config.get_verbosity() >= 0:
            for line in (_said(outcome), *outcome.spent):
                reporter.line(f"citecheck: {line}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self.is_worker and (report.when == "call" or (report.when == "setup" and not report.passed)):
            stated = {
                name.removeprefix(PREFIX): str(value)
                for name, value in report.user_properties
                if name.startswith(PREFIX)
            }
            if "judge" in stated:
                self.judged.add(stated)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        if report.when == "setup" and report.failed and (f"{PREFIX}verdict", "PARSE_ERROR") in report.user_properties:
            return "unparsed", "U", "UNPARSED"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.is_worker and not self.citecheck.config.getoption("collectonly"):
            write_summary(terminalreporter, self.judged)


def _said(outcome: Outcome) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in outcome.failures.items())
    failed = f", {outcome.failed} failed ({reasons}; the next run asks again)" if reasons else ""
    return f"claims: {outcome.asked} verdicts asked for now{failed}, {outcome.kept} kept"
