"""The run protocol of a check: the hooks of a test in one phase, and one report.

A check has no fixtures, so setup and teardown reports would only say "passed". Sending one report instead of three
saves a third of pytest's cost a test, and keeps pytest's failure summary from searching all setup and teardown reports
once a failure (pytest-dev/pytest#13360).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pytest
from _pytest.outcomes import Exit
from _pytest.runner import CallInfo, check_interactive_exception

__all__ = ["Parameters", "add_parameters", "needs_phases", "run_check"]

_PHASELESS = frozenset(
    {"_pytest", "pytest_citecheck", "xdist", "pytest_timeout", "hypothesis", "_hypothesis_pytestplugin", "pytest_cov"}
)
"""Packages whose hooks take a test with a single report."""
_HOOKS = ("pytest_runtest_protocol", "pytest_runtest_makereport", "pytest_runtest_logreport")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Stand-in for a ``callspec``: reporters use it to tell the checks of a reference apart."""

    params: Mapping[str, str]
    id: str


def add_parameters(item: pytest.Item) -> None:
    """Give an item of this package its parameters. Only while it runs: at collection, pytest expects more of a ``callspec``."""
    if type(item).__module__.partition(".")[0] == "pytest_citecheck":
        check = str(getattr(item, "check", item.name))
        item.callspec = _parameters(item.nodeid.partition("::")[0], check)  # type: ignore[attr-defined]


@lru_cache(maxsize=1 << 10)
def _parameters(file: str, check: str) -> Parameters:
    return Parameters({"file": file, "check": check}, check)


def needs_phases(manager: pytest.PytestPluginManager) -> bool:
    """Return True if a plugin or conftest.py handles test reports and may rely on setup and teardown."""
    return any(
        implementation.function.__module__.partition(".")[0] not in _PHASELESS
        for name in _HOOKS
        for implementation in getattr(manager.hook, name).get_hookimpls()
    )


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
