"""Sorting more than fits into memory: chunks are sorted, written to disk as runs, and read back together part by part.

Needs numpy; the reading side of the index does not.
"""

from __future__ import annotations

import contextlib
import heapq
import sqlite3
from contextlib import ExitStack
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_citecheck.index.layout import IndexFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

try:
    import numpy as np
except ImportError as error:  # pragma: no cover  (numpy is there wherever the tests run)
    raise ImportError("building a local index needs numpy: pip install '.[index]' in a checkout") from error

if TYPE_CHECKING:
    Numbers = NDArray[np.uint64]


class Runs:
    """Rows of one or two unsigned 64-bit numbers, added in any order, read in the order of the first one.

    The order of rows with an equal first number is undefined, but they come in one part. Memory does not grow with the
    number of rows: at most ``limit`` rows wait to be written, and about as many are read back at a time.
    """

    def __init__(self, folder: Path, name: str, *, width: int, limit: int = 1 << 22) -> None:
        self._folder, self._name, self._width = folder, name, width
        self._limit = limit // width
        self._waiting: list[Numbers] = []
        self._rows = 0
        self.total = 0
        """All rows that were added."""
        self._paths: list[Path] = []

    def add(self, *columns: Numbers) -> None:
        """Add rows, given by their columns."""
        self._waiting.append(np.stack(columns))
        self._rows += len(columns[0])
        self.total += len(columns[0])
        if self._rows >= self._limit:
            self._write()

    def _write(self) -> None:
        path = self._folder / f"{self._name}-{len(self._paths)}.run"
        self._sorted(self._waiting).tofile(path)
        self._waiting.clear()
        self._rows = 0
        self._paths.append(path)

    def _mapped(self, path: Path) -> Numbers:
        return np.memmap(path, np.uint64, "r").reshape(self._width, -1)

    def _sorted(self, blocks: list[Numbers]) -> Numbers:
        rows = np.concatenate(blocks, axis=1) if len(blocks) > 1 else blocks[0]
        return np.sort(rows) if self._width == 1 else rows[:, np.argsort(rows[0])]

    def parts(self) -> Iterator[Numbers]:
        """All rows in order, in parts, as an array of columns. To be called once; nothing may be added afterwards."""
        if self._rows:
            if not self._paths:
                yield self._sorted(self._waiting)
                return
            self._write()
        cuts = self._cuts()
        # Read, not mapped: pages of a map count as memory of this process until it ends.
        bounds = []
        for path in self._paths:
            run = self._mapped(path)
            bounds.append(([0, *np.searchsorted(run[0], cuts).tolist(), run.shape[1]], run.shape[1]))
        for i in range(len(cuts) + 1):
            part = [
                self._read(path, ends[i], ends[i + 1], rows)
                for path, (ends, rows) in zip(self._paths, bounds, strict=True)
            ]
            part = [rows for rows in part if rows.shape[1]]
            if part:
                yield self._sorted(part)
        for path in self._paths:
            path.unlink()

    def _read(self, path: Path, start: int, end: int, rows: int) -> Numbers:
        columns = [
            np.fromfile(path, np.uint64, end - start, offset=8 * (column * rows + start))
            for column in range(self._width)
        ]
        return np.stack(columns)

    def _cuts(self) -> Numbers:
        """First numbers that part the rows into about equal parts."""
        parts = -(-self.total // self._limit)
        if parts < 2:
            return np.empty(0, np.uint64)
        runs = map(self._mapped, self._paths)
        # Few, because each one read maps its neighbourhood.
        sample = np.sort(np.concatenate([run[0, :: max(run.shape[1] // 64, 1)] for run in runs]))
        return np.unique(sample[np.arange(1, parts) * len(sample) // parts])


class LineRuns:
    """Lines of text, added in any order, read in order and each once, without holding all of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: list[Path] = []
        self.rows = 0  # including those in several runs

    def add(self, lines: Iterable[str]) -> None:
        """Add a run of lines, each without an end of line in it."""
        path = self._folder / f"lines-{len(self._paths)}.txt"
        run = sorted(lines)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in run)
        self._paths.append(path)
        self.rows += len(run)

    def lines(self) -> Iterator[str]:
        """All lines in the order of their code points."""
        with ExitStack() as stack:
            files = [stack.enter_context(path.open(encoding="utf-8", newline="\n")) for path in self._paths]
            for line, _ in groupby(heapq.merge(*files)):
                yield line[:-1]
        for path in self._paths:
            path.unlink()


_HELD = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@contextlib.contextmanager
def writing(out: Path, patience: float = 0) -> Iterator[None]:
    """Lock the index at ``out``, which need not exist yet. Raises IndexFileError if it is still locked after
    ``patience`` seconds.

    The lock is a file beside it, ``.works.index.lock``, locked as SQLite locks a database: the lock ends with its
    process. Readers need no lock. Raises OSError if the folder is not writable.
    """
    out = out.resolve()
    lock = out.with_name(f".{out.name}.lock")
    connection = _held(lock, out, patience)
    try:
        yield
    finally:
        # Before it is released where that can be done; elsewhere an empty file may stay, which locks nothing.
        with contextlib.suppress(OSError):
            lock.unlink()
        connection.close()


def _held(lock: Path, out: Path, patience: float) -> sqlite3.Connection:
    while True:
        lock.touch()
        with contextlib.suppress(FileNotFoundError):  # just removed: another process was done
            inode = lock.stat().st_ino
            connection = sqlite3.connect(lock, timeout=patience, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = OFF")  # the lock file stays empty
                connection.execute("BEGIN EXCLUSIVE")
                # It may have been removed, and made anew by a third process, between being opened and being locked.
                if lock.stat().st_ino == inode:
                    return connection
            except sqlite3.OperationalError as error:
                connection.close()
                if error.sqlite_errorcode not in _HELD:
                    raise
                raise IndexFileError(f"{out} is just being written by another process: try again afterwards") from error
            except FileNotFoundError:
                connection.close()
                raise
            connection.close()
