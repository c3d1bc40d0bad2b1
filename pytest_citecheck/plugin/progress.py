"""A progress line while evidence is gathered, on a terminal only. It disappears when the tests start."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.gather import Progress

__all__ = ["progress_line"]


@contextmanager
def progress_line(config: pytest.Config) -> Generator[Progress | None]:
    """Yield a callback that shows the progress, or None if the output is no terminal or is quiet."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None or not reporter.isatty or config.get_verbosity() < 0:
        yield None
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
