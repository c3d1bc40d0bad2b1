"""The only writer to the terminal: text from files, databases and models is escaped (`matching.safe_lines`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from pytest_citecheck.matching import safe_lines


def show(text: str, *, error: bool = False) -> None:
    """Print lines on standard output, or on standard error."""
    print(safe_lines(text), file=sys.stderr if error else sys.stdout)


def redraw(text: str) -> None:
    """Replace the last line of standard error, without ending it."""
    sys.stderr.write(f"\r{safe_lines(text)}")
    sys.stderr.flush()


def send(pieces: Iterable[bytes]) -> None:
    """Write the output that a program may read: unchanged into a pipe or file, escaped on a terminal."""
    sys.stdout.flush()
    try:
        if sys.stdout.isatty():
            sys.stdout.write(safe_lines(b"".join(pieces).decode("utf-8", "backslashreplace")))
        else:
            sys.stdout.buffer.writelines(pieces)
        sys.stdout.flush()
    except BrokenPipeError:  # such as `| head`: the rest is discarded
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class SafeReporter:
    """A reporter of pytest that escapes every text."""

    def __init__(self, reporter: Any) -> None:
        self._reporter = reporter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reporter, name)

    def write(self, text: str, **markup: Any) -> None:
        self._reporter.write(safe_lines(text), **markup)

    def send(self, text: str) -> None:
        """Write the output that a program may read, as `send` does."""
        self._reporter.write(safe_lines(text) if self._reporter.isatty else text)

    def line(self, text: str, **markup: Any) -> None:
        self._reporter.line(safe_lines(text), **markup)

    def section(self, title: str, sep: str = "=", **markup: Any) -> None:
        self._reporter.section(safe_lines(title), sep, **markup)
