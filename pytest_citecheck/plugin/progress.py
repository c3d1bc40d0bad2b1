"""A progress line while evidence is gathered. On a terminal it disappears when the tests start; elsewhere there is one every ten
seconds, so that nobody takes the run for dead."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.gather import Progress

__all__ = ["PAUSE", "plain_lines", "progress_line"]


PAUSE = 10.0
"""Seconds between two lines where there is no terminal."""


def plain_lines(write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> Progress:
    """A callback that writes a line at most every ten seconds, the first after ten."""
    due = clock() + PAUSE

    def show(what: str, done: int, total: int) -> None:
        nonlocal due
        if clock() >= due:
            due = clock() + PAUSE
            write(f"citecheck: {what} {done}/{total}")

    return show


@contextmanager
def progress_line(config: pytest.Config) -> Generator[Progress | None]:
    """Yield a callback that shows the progress, or None if the output is quiet."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None or config.get_verbosity() < 0:
        yield None
        return
    if not reporter.isatty:
        yield plain_lines(lambda line: reporter.line(line, flush=True))
        return
    try:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    except ImportError:
        width = 0

        def show(what: str, done: int, total: int) -> None:
            nonlocal width
            line = f"citecheck: {what} {done}/{total}"
            reporter.write(f"\r{line.ljust(width)}", flush=True)
            width = len(line)

        try:
            yield show
        finally:
            reporter.write("\r" + " " * width + "\r")
        return
    columns = (
        TextColumn("citecheck: {task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(file=reporter._tw._file), transient=True) as bar:  # noqa: SLF001
        task = bar.add_task("querying", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
