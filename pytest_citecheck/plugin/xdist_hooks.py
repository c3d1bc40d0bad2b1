"""Under pytest-xdist workers look up their shares of the references on this machine. After they have reported their
collection, the controller queries the network for the rest. Then workers check."""

from __future__ import annotations

import marshal
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.plugin import junit
from pytest_citecheck.plugin.collection import CheckItem
from pytest_citecheck.plugin.gathering import progress_line
from pytest_citecheck.plugin.items import REPORT_HOOKS, others_implement
from pytest_citecheck.plugin.results import IN_PHASES, MARSHAL, PAYLOAD
from pytest_citecheck.plugin.xdist import (
    NOBODY,
    SharedFolder,
    bundles_of,
    by_entry,
    read_evidence,
    read_shares,
    share_of,
    unbundle,
    write_evidence,
    write_share,
)

if TYPE_CHECKING:
    from pytest_citecheck.plugin.session import CitecheckSession


class ControllerHooks:
    """Hooks of pytest-xdist in the process that the user started; registered only where pytest-xdist is installed."""

    def __init__(self, citecheck: CitecheckSession) -> None:
        self.citecheck = citecheck
        self.folder: SharedFolder | None = None
        self.workers = 0  # with a share

    def pytest_configure_node(self, node: Any) -> None:
        self.folder = self.folder or SharedFolder()
        self.citecheck.documents.shared = self.folder.path
        first = self.workers < node.workerinput["workercount"]
        node.workerinput["citecheck_folder"] = str(self.folder.path)
        node.workerinput["citecheck_share"] = self.workers if first else NOBODY
        node.workerinput["citecheck_bundles"] = unbundle(node)
        # A reporter may register its hooks in this process only.
        node.workerinput["citecheck_in_phases"] = others_implement(node.config.pluginmanager, REPORT_HOOKS)
        self.workers += first

    @pytest.hookimpl(wrapper=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Generator[None, Any, Any]:
        """Let the scheduler of any ``--dist`` mode hand out its first items after the evidence is there."""
        scheduler = by_entry(config, log, (yield))
        schedule = scheduler.schedule
        gathered = False

        def gather_then_schedule() -> None:
            nonlocal gathered
            if not gathered:
                gathered = True
                self._gather(config, _collected(scheduler))
            schedule()

        scheduler.schedule = gather_then_schedule
        return scheduler

    def _gather(self, config: pytest.Config, nodeids: list[str]) -> None:
        gathering, folder = self.citecheck.gathering, self.folder
        selected = self.citecheck.selected(nodeids)
        assert folder is not None  # noqa: S101 - there is one for each worker
        if gathering.local:
            gathering.open()
        elif selected:
            with progress_line(config) as progress:
                gathering.gather(selected, progress, read_shares(folder.path, self.workers))
        write_evidence(folder.path, gathering.published())

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Complete a worker's report before it is read."""
        data = getattr(report, PAYLOAD, None) if self.folder is not None else None
        if isinstance(data, bytes):
            data = marshal.loads(data)  # noqa: S302 - a worker of this run wrote it
            setattr(report, PAYLOAD, data)
        in_phases = getattr(report, IN_PHASES, False)  # then the worker has added the properties to all of its reports
        if data is not None and not in_phases:
            report.user_properties.extend(junit.case_properties(data))

    def pytest_testnodedown(self, node: Any) -> None:
        report = getattr(node, "workeroutput", {}).get("citecheck")
        if report is not None:
            self.citecheck.gathering.add_worker_report(report)

    def pytest_unconfigure(self) -> None:
        if self.folder is not None:
            self.folder.close()


class WorkerHooks:
    def __init__(self, citecheck: CitecheckSession, config: Any) -> None:
        self.citecheck = citecheck
        given = config.workerinput
        self.folder = citecheck.documents.shared = Path(given["citecheck_folder"])
        self.number, self.workers = given["citecheck_share"], given["workercount"]
        self.bundles = bundles_of(config) if given["citecheck_bundles"] else None
        self.started = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Look up the share of this worker; afterwards, report its collection to the controller."""
        if session.testsfailed and not session.config.getoption("continue_on_collection_errors"):
            return
        selected = self.citecheck.selected(item.nodeid for item in session.items)
        share = {name: selected[name] for name in share_of(self.number, self.workers, selected)}
        # The controller reports faults in the options.
        with suppress(pytest.UsageError):
            if self.citecheck.gathering.local:
                self.citecheck.gathering.look_up_later(share)
            elif share:
                write_share(self.folder, self.number, self.citecheck.gathering.look_up(share))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if not self.started:
            self.started = True
            self.citecheck.gathering.receive(read_evidence(self.folder))
        if self.bundles is not None:
            self.bundles.enter(item.reference_id if isinstance(item, CheckItem) else "")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Pack the finding where no bundle does: pytest-xdist would turn it into bytes piece by piece, in Python."""
        data = getattr(report, PAYLOAD, None)
        if data is not None and self.bundles is None:
            setattr(report, PAYLOAD, marshal.dumps(data, MARSHAL))

    def pytest_sessionfinish(self, session: Any) -> None:
        session.config.workeroutput["citecheck"] = self.citecheck.gathering.worker_report()


def _collected(scheduler: Any) -> list[str]:
    # The schedulers of "load", "worksteal" and "each" call it node2collection, those by scope registered_collections.
    collections = getattr(scheduler, "node2collection", None) or scheduler.registered_collections
    return [str(nodeid) for nodeid in next(iter(collections.values()))]
