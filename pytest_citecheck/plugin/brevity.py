"""How much of a failure pytest shows: all of it, three lines (``--tb=short``), or one (``--tb=line``, or many failures).

JUnit XML has taken over the whole text by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprTraceback

__all__ = ["MANY", "Form", "are_brief", "drop_headlines", "form_of", "shorten_failures"]

MANY = 20
"""Up to this many failing checks are shown with their evidence."""

Form = Literal["long", "short", "first line", "line"]
"""``short``: what is wrong and what to do, below pytest's heading. ``line``: only the line that pytest makes of the headline."""


def are_brief(config: pytest.Config, failures: int) -> bool:
    """Whether failures are shown in a line or two: there are many, or ``--tb`` says so, and ``-v`` does not ask for more."""
    return form_of(config, failures) != "long"


def form_of(config: pytest.Config, failures: int) -> Form:
    """The form of failures."""
    if config.get_verbosity() >= 1:
        return "long"
    style = config.getoption("tbstyle", "auto")
    if style in ("short", "line"):
        return "short" if style == "short" else "line"
    return "first line" if failures > MANY else "long"


def shorten_failures(
    reports: Sequence[pytest.TestReport], form: Form, advice: Callable[[pytest.TestReport], str]
) -> None:
    """Leave as much of each failure as its form shows. advice: the second line of the short form."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            lines = {
                "short": [f"{report.longrepr.reprcrash}", f"  {advice(report)}"],
                "first line": [str(report.longrepr.reprtraceback).partition("\n")[0]],
                "line": [],
            }[form]
            text = [ReprEntryNative(["".join(f"{line}\n" for line in lines)])] if lines else []
            short = ReprTraceback(text, extraline=None, style="native")
            report.longrepr = ReprExceptionInfo(reprtraceback=short, reprcrash=report.longrepr.reprcrash)


def drop_headlines(reports: Sequence[pytest.TestReport]) -> None:
    """Leave the node ids of failures for pytest's short summary, where the evidence and the overview are already printed."""
    for report in reports:
        if isinstance(report.longrepr, ReprExceptionInfo):
            report.longrepr = ReprExceptionInfo(reprtraceback=report.longrepr.reprtraceback, reprcrash=None)
