"""Under pytest-xdist the controller gathers, once, when the workers have reported what they collected."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.plugin.progress import progress_line
from pytest_citecheck.plugin.xdist.distribution import by_entry

if TYPE_CHECKING:
    from pytest_citecheck.plugin.session import CitecheckSession

__all__ = ["XdistHooks"]


class XdistHooks:
    """Hooks of pytest-xdist; registered only where it is installed."""

    def __init__(self, citecheck: CitecheckSession) -> None:
        self.citecheck = citecheck

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["citecheck_evidence"] = str(self.citecheck.share_evidence())

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
                with progress_line(config) as progress:
                    self.citecheck.gather(_collected(scheduler), progress)
                self.citecheck.publish_evidence()
            schedule()

        scheduler.schedule = gather_then_schedule
        return scheduler


def _collected(scheduler: Any) -> list[str]:
    # The schedulers of "load", "worksteal" and "each" call it node2collection, those by scope registered_collections.
    collections = getattr(scheduler, "node2collection", None) or scheduler.registered_collections
    return [str(nodeid) for nodeid in next(iter(collections.values()))]
