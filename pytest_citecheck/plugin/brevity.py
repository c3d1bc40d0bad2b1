"""Failures in one line each where there are many of them: a terminal is no place for the evidence of a hundred references."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprTraceback

__all__ = ["MANY", "are_brief", "shorten_failures"]

MANY = 20
"""Up to this many failing checks are shown with their evidence."""


def are_brief(config: pytest.Config, failures: int) -> bool:
    """Whether failures are shown in one line each: there are many, and ``-v`` does not ask for more."""
    return failures > MANY and config.get_verbosity() < 1


def shorten_failures(reports: Sequence[pytest.TestReport]) -> None:
    """Leave the first line of each failure, which says what is wrong. JUnit XML has taken over the whole text by then."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            line, _, _ = str(report.longrepr.reprtraceback).partition("\n")
            short = ReprTraceback([ReprEntryNative([f"{line}\n"])], extraline=None, style="native")
            report.longrepr = ReprExceptionInfo(reprtraceback=short, reprcrash=report.longrepr.reprcrash)
