"""Output of ``citecheck check``: the plugin's output without pytest's frame.

It replaces pytest's terminal reporter, with the few methods that the plugin uses. Prose goes to standard output, or to
standard error if standard output contains a document or a list for programs.
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any, TextIO

import pytest
from _pytest._io import TerminalWriter

from pytest_citecheck.matching import safe_lines
from pytest_citecheck.plugin.settings import FULL
from pytest_citecheck.screen import show

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_citecheck.lookup import Progress

_PREFIX = "--citecheck-"


class PlainOutput:
    """A plugin for `pytest.main`, with ``-p no:terminal``. formats: the values of ``--citecheck-format``. progress: called
    while sources are queried, in place of a line on the screen."""

    def __init__(self, formats: Sequence[str] = (), progress: Progress | None = None) -> None:
        on_screen = [name for name in formats if "=" not in name]
        self._reporter = _Reporter(progress, prose=not on_screen or FULL in on_screen)

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        pluginmanager.register(self._reporter, "terminalreporter")  # early: settings depend on it

    @property
    def deselected(self) -> list[str]:
        """The node ids that -k, -m and --select left out."""
        return [item.nodeid for item in self._reporter.stats.get("deselected", ())]

    @property
    def unreadable(self) -> bool:
        """True if a file could not be checked."""
        return "error" in self._reporter.stats

    @property
    def broken(self) -> bool:
        """True after an internal error."""
        return self._reporter.broken

    @property
    def interrupted(self) -> bool:
        """True after Ctrl-C."""
        return self._reporter.interrupted


class OwnFlags(io.TextIOBase):
    """A stream on which the flags of the plugin have the names that they have for ``citecheck``."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(safe_lines(text.replace(_PREFIX, "--")))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


class _Reporter:
    """The part of pytest's reporter interface that the plugin and pytest use.

    prose: whether standard output is for people.
    """

    is_plain = True
    config: pytest.Config

    def __init__(self, progress: Progress | None, *, prose: bool) -> None:
        self.progress, self.prose = progress, prose
        self.stats: dict[str, list[Any]] = {}
        self.interrupted = self.broken = False
        stream = sys.stdout if prose else sys.stderr
        self.isatty = stream.isatty()
        self._tw = TerminalWriter(stream)

    # --- called by the plugin

    def write(self, text: str, *, flush: bool = False, **markup: bool) -> None:
        self._tw.write(safe_lines(text.replace(_PREFIX, "--")), flush=flush, **markup)

    def line(self, text: str, **markup: bool) -> None:
        self._tw.line(safe_lines(text.replace(_PREFIX, "--")), **markup)

    def section(self, title: str, sep: str = "=", **markup: bool) -> None:
        """Nothing: there are no frames."""

    # --- called by pytest

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        parser.addoption("--verbose", type=int, default=0, dest="verbose", metavar="N", help="from -1 (quiet) to 1")

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.stats.setdefault("error", []).append(report)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.stats.setdefault("deselected", []).extend(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.stats.setdefault("failed", []).append(report)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.interrupted = not isinstance(excinfo.value, pytest.Session.Interrupted)

    def pytest_internalerror(self, excrepr: object) -> bool:
        self.broken = True
        show(f"internal error: {excrepr}", error=True)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, exitstatus: int) -> Generator[None]:
        yield
        for report in self.stats.get("error", ()):
            show(report.longreprtext, error=True)
        failed = self.stats.get("failed", [])
        for text in (report.longreprtext.rstrip() for report in failed):
            if self.prose and text and self.config.get_verbosity() >= 0:  # without -v, the summary has a line for each
                self.line(text)
                self.line("")
        if not self.broken:
            self.config.hook.pytest_terminal_summary(terminalreporter=self, exitstatus=exitstatus, config=self.config)
