"""The file in which the processes of a machine keep their request budgets: SQLite, private, replaced when it is broken."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import TypeVar

from pytest_citecheck.transport.ledger import Ledger

__all__ = ["BudgetBusyError", "BudgetFile", "BudgetFileError", "load_ledger", "save_ledger"]

T = TypeVar("T")

_VERSION = 1
# The columns of hosts are the fields of a Ledger in their order.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS hosts (
    host TEXT PRIMARY KEY, written REAL NOT NULL, last REAL NOT NULL, held REAL NOT NULL, share REAL NOT NULL,
    slowed REAL NOT NULL, stated REAL NOT NULL, stated_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (
    number INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, host TEXT NOT NULL, machine TEXT NOT NULL,
    pid INTEGER NOT NULL, expires REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS leases_of_host ON leases (host, number);
"""
_PATIENCE = 0.03  # seconds that a call may wait for another process; event loops stand still meanwhile

# https://www.sqlite.org/rescode.html, the primary codes. PROTOCOL is a lost race for the locks of the WAL.
_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_BROKEN_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class BudgetBusyError(Exception):
    """Another process is writing; nothing was changed, try again a little later."""


class BudgetFileError(Exception):
    """The file cannot be used."""


class BudgetFile:
    """One SQLite file for all processes (https://www.sqlite.org/wal.html): readers never wait, writers for microseconds.

    It is opened on first use; a folder or file that has to be made is private to the user. A file of another version is
    emptied, one that is no database replaced. It may be removed at any time. One object belongs to one process and one
    thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._identity = (0, 0)

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def read(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """The result of a query. Raises BudgetBusyError and BudgetFileError."""
        return self._run(action)

    def write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """The result of changes that are made together or not at all. Raises BudgetBusyError and BudgetFileError."""

        def transaction(connection: sqlite3.Connection) -> T:
            # Taken for writing at once: a transaction that starts as a reader cannot wait for its turn to write.
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = action(connection)
                connection.execute("COMMIT")
            except BaseException:
                # An error of SQLite may have ended the transaction already.
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            return result

        return self._run(transaction)

    def _run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with _explained():
                try:
                    return action(self._opened())
                except sqlite3.DatabaseError as error:
                    if _code(error) not in _BROKEN_CODES:
                        raise
                    self._remove()
                return action(self._opened())
        except BudgetFileError:
            self.close()
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._is_in_place():
            return self._connection
        self.close()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            # SQLite would make it readable for everybody; its other files take over the mode of this one.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        # Before it is opened: whoever replaces it from here on is noticed.
        self._identity = _identity(self._path)
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _is_in_place(self) -> bool:
        """Whether the open file is still the one that other processes find."""
        try:
            return _identity(self._path) == self._identity
        except OSError:
            return False

    def _remove(self) -> None:
        self.close()
        # The database last: who finds it gone starts afresh, and not beside a log that is about to be removed.
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # Nothing in here is worth waiting for a disk: it may be lost with the power.
    connection.execute("PRAGMA synchronous = OFF")
    if connection.execute("PRAGMA user_version").fetchone() == (_VERSION,):
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        if connection.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            # Emptied in place: those who have it open get an error instead of going on with a file that is gone.
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
            )
            for (name,) in tables.fetchall():
                connection.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def load_ledger(connection: sqlite3.Connection, host: str) -> Ledger:
    """What is known of a host."""
    row = connection.execute("SELECT * FROM hosts WHERE host = ?", (host,)).fetchone()
    # SQLite keeps what it is given: values of another type are those of a broken file.
    return Ledger(*row[1:]) if row and all(isinstance(value, float | int) for value in row[1:]) else Ledger()


def save_ledger(connection: sqlite3.Connection, host: str, ledger: Ledger) -> None:
    """Keep what is known of a host."""
    values = (host, *astuple(ledger))
    connection.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def _identity(path: Path) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat
    return status.st_dev, status.st_ino


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) in _BUSY_CODES:
            raise BudgetBusyError(str(error)) from error
        raise BudgetFileError(str(error)) from error
    except OSError as error:
        raise BudgetFileError(error.strerror or str(error)) from error
