"""The run protocol of a check: the hooks of a test in one phase, and one report.

A check has no fixtures, so setup and teardown reports would only say "passed". Sending one report instead of three
saves a third of pytest's cost a test, and keeps pytest's failure summary from searching all setup and teardown reports
once a failure (pytest-dev/pytest#13360).
"""

from __future__ import annotations

import pytest
from _pytest.outcomes import Exit
from _pytest.runner import CallInfo, check_interactive_exception

__all__ = ["run_check"]


def run_check(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Run one item and emit its report."""
    ihook = item.ihook
    ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)

    def phases() -> None:
        try:
            ihook.pytest_runtest_setup(item=item)
            ihook.pytest_runtest_call(item=item)
        finally:
            ihook.pytest_runtest_teardown(item=item, nextitem=nextitem)

    reraise: tuple[type[BaseException], ...] = (Exit,)
    if not item.config.getoption("usepdb", False):
        reraise += (KeyboardInterrupt,)
    call = CallInfo.from_call(phases, when="call", reraise=reraise)
    report = ihook.pytest_runtest_makereport(item=item, call=call)
    ihook.pytest_runtest_logreport(report=report)
    if check_interactive_exception(call, report):
        ihook.pytest_exception_interact(node=item, call=call, report=report)
    ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
