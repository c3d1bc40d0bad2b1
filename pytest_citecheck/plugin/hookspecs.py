"""The hooks that a conftest.py or a plugin can implement; docs/hooks.md has an example of each.

All types in the signatures are importable from `pytest_citecheck.api`. An implementation may take fewer arguments. If one raises,
the run ends with a usage error that names the hook and the plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.api import Check, Judge, Metric, Policy, Reader, Report, RunResult, Source

__all__ = [
    "pytest_citecheck_checks",
    "pytest_citecheck_judges",
    "pytest_citecheck_metrics",
    "pytest_citecheck_policies",
    "pytest_citecheck_readers",
    "pytest_citecheck_reports",
    "pytest_citecheck_results",
    "pytest_citecheck_sources",
]


@pytest.hookspec
def pytest_citecheck_sources(config: pytest.Config, sources: list[Source]) -> None:
    """Add, replace or remove bibliographic sources by changing the list in place, before anything is asked.

    Called once a run, on the controller under pytest-xdist. A source of your own inherits from `Source`. It is asked for the
    identifiers that it takes, and for titles while evidence is missing; its answers are not kept in the cache.
    """


@pytest.hookspec
def pytest_citecheck_checks(config: pytest.Config, checks: list[Check]) -> None:
    """Add checks by appending to the list, which is empty at first.

    Called once a process, in each worker under pytest-xdist, when the plugin is configured. Each check becomes one more
    item per reference, with a marker of its name. Its findings are in all reports and obey policies and waivers; the
    verdict rests on the built-in checks alone.
    """


@pytest.hookspec
def pytest_citecheck_readers(config: pytest.Config, readers: list[Reader]) -> None:
    """Add file formats by appending to the list, which is empty at first. These readers take precedence over the
    package's.

    Called once a process, in each worker under pytest-xdist, when the plugin is configured.
    """


@pytest.hookspec
def pytest_citecheck_policies(config: pytest.Config, policies: list[Policy]) -> None:
    """Add policies for ``--citecheck-policy=NAME`` by appending to the list, which is empty at first.

    Called once a process when the plugin is configured, after `pytest_citecheck_checks`: a policy may name their codes.
    """


@pytest.hookspec
def pytest_citecheck_metrics(config: pytest.Config, metrics: list[Metric]) -> None:
    """Add metrics over labelled references by appending to the list, which is empty at first.

    Called once a run when the plugin is configured, and by ``citecheck score junit``. The scores contain the value
    under ``further``, and ``--citecheck-fail-under`` takes its name.
    """


@pytest.hookspec
def pytest_citecheck_reports(config: pytest.Config, reports: list[Report]) -> None:
    """Add report files by appending to the list, which is empty at first.

    Called once a process when the plugin is configured; the controller renders and writes the files at the end of the run.
    """


@pytest.hookspec
def pytest_citecheck_judges(config: pytest.Config, judges: list[Judge]) -> None:
    """Add judges of claims by appending to the list, which is empty at first.

    Called once a process, in each worker under pytest-xdist, when the plugin is configured. Each judge becomes one more item
    per claim. An exception of a judge is an error of its item.
    """


@pytest.hookspec
def pytest_citecheck_results(result: RunResult) -> None:
    """Receive the result of the whole run, once, at its end.

    Called after the reports have been written, on the controller under pytest-xdist, whether or not references failed; also
    by ``citecheck score junit`` with what the JUnit files of several shards say together. Not called by ``--collect-only``,
    by ``--citecheck-plan``, or when the run is interrupted before its first check. Read what you need before you return: the
    references and their evidence are made anew each time that you go through them, from data that the run then releases.
    """
