"""One writer at a time: a process that rewrites an index holds the lock from the reading of the old file to its replacement."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

from pytest_citecheck.index.storage.layout import IndexFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["writing"]

_HELD = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@contextlib.contextmanager
def writing(out: Path) -> Iterator[None]:
    """Hold the index at ``out``, which need not be there yet. Raises IndexFileError if it is held already.

    What is held is a file beside it, ``.works.index.lock``, as SQLite locks a database: the lock of a process that died is
    gone. Readers are not concerned. Raises OSError if nothing can be written there.
    """
    out = out.resolve()
    lock = out.with_name(f".{out.name}.lock")
    connection = _held(lock, out)
    try:
        yield
    finally:
        # Before it is released where that can be done; elsewhere an empty file may stay, which locks nothing.
        with contextlib.suppress(OSError):
            lock.unlink()
        connection.close()


def _held(lock: Path, out: Path) -> sqlite3.Connection:
    while True:
        lock.touch()
        with contextlib.suppress(FileNotFoundError):  # just removed: another process was done
            there = lock.stat().st_ino
            connection = sqlite3.connect(lock, timeout=0, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = OFF")  # nothing is ever written
                connection.execute("BEGIN EXCLUSIVE")
                # It may have been removed, and made anew by a third process, between being opened and being locked.
                if lock.stat().st_ino == there:
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
