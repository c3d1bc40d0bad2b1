"""The file in which the processes of a machine keep their request budgets: SQLite, private, replaced when it is damaged."""

from __future__ import annotations

import contextlib
import os
import platform
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from typing import TypeVar

from pytest_citecheck.transport.database_faults import check_layout, fault_of, reason_of
from pytest_citecheck.transport.limits.ledger import Ledger

__all__ = [
    "REJOIN_SECONDS",
    "BudgetBusyError",
    "BudgetFile",
    "BudgetFileError",
    "all_ledgers",
    "budget_path",
    "is_rejoined",
    "load_ledger",
    "save_ledger",
]

T = TypeVar("T")

REJOIN_SECONDS = 2.0
"""After a file was lost no process sends requests for so long: each process has to write first what it knows, and looks every
half a second (`pytest_citecheck.transport.limits.pacer`) whether it has to.
"""

_VERSION = 3
# The columns of hosts are the fields of a Ledger in their order. The file took the place of one that was lost at the moment of
# losses, if there is one.
_SCHEMA = """
CREATE TABLE hosts (
    host TEXT PRIMARY KEY, written REAL NOT NULL, last REAL NOT NULL, held REAL NOT NULL, share REAL NOT NULL,
    slowed REAL NOT NULL, stated REAL NOT NULL, stated_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE leases (
    number INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, host TEXT NOT NULL, expires REAL NOT NULL
);
CREATE INDEX leases_of_host ON leases (host, number);
CREATE TABLE losses (moment REAL NOT NULL);
"""
_PATIENCE = 0.03  # seconds that a call may wait for another process; event loops stand still meanwhile


class BudgetBusyError(Exception):
    """Another process is writing; nothing was changed, try again a little later."""


class BudgetFileError(Exception):
    """The file cannot be used."""


def budget_path(folder: Path) -> Path:
    """The file of this machine in a folder that machines may share."""
    return folder / f"budget-{platform.node()}.sqlite"


class BudgetFile:
    """One SQLite file for all processes (https://www.sqlite.org/wal.html): readers never wait, writers for microseconds.

    It is opened on first use; a folder or file that has to be made is private to the user. A file of another version is
    emptied, a damaged one replaced, and then `replaced` says why. It may be removed at any time: a process that finds another
    file than the one it used calls ``carry_over``, which writes into the new one what the process knows, and leaves the moment of
    ``now`` (seconds since the epoch) there, for `is_rejoined`. One object belongs to one process and one thread.
    """

    def __init__(
        self, path: Path, now: Callable[[], float], carry_over: Callable[[sqlite3.Connection], object]
    ) -> None:
        self.replaced = ""
        self._path = path
        self._now = now
        self._carry_over = carry_over
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[object, ...] | None = None
        self._size = 0
        self._lost = False

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def read(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """The result of a query. Raises BudgetBusyError and BudgetFileError."""
        return self._run(action)

    def write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """The result of changes that are made together or not at all. Raises BudgetBusyError and BudgetFileError."""
        return self._run(lambda connection: _transaction(connection, action))

    def _run(self, action: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return action(self._opened())
        except Exception as error:  # noqa: BLE001 - what a damaged file makes SQLite and sqlite3 raise
            self._recover(error)
        try:
            return action(self._opened())
        except Exception as error:
            self._recover(error)
            raise BudgetFileError(reason_of(error)) from error

    def _recover(self, error: Exception) -> None:
        """Remove a file that is damaged. Raises BudgetBusyError and BudgetFileError if it is not."""
        fault = fault_of(error, self._path)
        if fault == "busy":
            raise BudgetBusyError(str(error)) from error
        foreign = self._is_of_another_version()
        self.close()
        if fault == "place" or foreign:
            raise BudgetFileError(reason_of(error)) from error
        self.replaced = reason_of(error)
        self._lost = True
        try:
            self._remove()
        except OSError as failure:
            raise BudgetFileError(reason_of(failure)) from failure

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._is_in_place():
            return self._connection
        self._lost = self._lost or self._connection is not None
        self.close()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            # SQLite would make it readable for everybody; its other files take over the mode of this one.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        # Before it is opened, so that a replacement from here on is noticed.
        file = _file_identity(self._path)
        connection = sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(connection)
            if self._lost:
                _transaction(connection, self._rejoin)
        except BaseException:
            connection.close()
            self._identity = (file,)  # for `_remove`
            raise
        self._lost = False
        self._connection = connection
        self._identity = (file, *self._log_identity())
        self._size = _size(self._path)
        return connection

    def _rejoin(self, connection: sqlite3.Connection) -> None:
        now = self._now()
        # A second moment would make all others wait again.
        if not connection.execute("SELECT 1 FROM losses WHERE moment <= ?", (now,)).fetchone():
            connection.execute("DELETE FROM losses")
            connection.execute("INSERT INTO losses VALUES (?)", (now,))
        self._carry_over(connection)

    def _is_in_place(self) -> bool:
        """Whether the open files are still those that other processes find."""
        identity = (_file_identity(self._path), *self._log_identity())
        # Nothing ever shortens the database, so a shorter one was cut off.
        return identity == self._identity and _size(self._path) >= self._size

    def _log_identity(self) -> Iterator[object]:
        # Without them, or with others, one process would no longer see what another one writes.
        return (_file_identity(f"{self._path}{suffix}") for suffix in ("-wal", "-shm"))

    def _is_of_another_version(self) -> bool:
        try:
            return self._connection is not None and _version(self._connection) not in {0, _VERSION}
        except Exception:  # noqa: BLE001 - it cannot be read
            return False

    def _remove(self) -> None:
        if self._identity is not None and _file_identity(self._path) != self._identity[0]:
            return  # another process was quicker
        # The database last: who finds it gone starts afresh, and not beside a log that is about to be removed.
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _transaction(connection: sqlite3.Connection, action: Callable[[sqlite3.Connection], T]) -> T:
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


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA journal_mode = WAL")
    # Nothing in here is worth waiting for a disk: it may be lost with the power.
    connection.execute("PRAGMA synchronous = OFF")
    if _version(connection) != _VERSION:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            if _version(connection) != _VERSION:
                _lay_out(connection)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
    check_layout(connection, _SCHEMA)


def _lay_out(connection: sqlite3.Connection) -> None:
    # Emptied in place: those who have it open get an error instead of going on with a file that is gone.
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    for (name,) in tables.fetchall():
        connection.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def load_ledger(connection: sqlite3.Connection, host: str, now: float) -> Ledger:
    """What is known of a host at this moment."""
    row = connection.execute("SELECT * FROM hosts WHERE host = ?", (host,)).fetchone()
    # SQLite keeps what it is given: values of another type are those of a broken file.
    known = Ledger(*row[1:]) if row and all(isinstance(value, float | int) for value in row[1:]) else Ledger()
    known = known.as_of(now)
    paused = _paused_until(connection, now)
    return replace(known, held=paused) if known.held < paused and now < paused else known


def save_ledger(connection: sqlite3.Connection, host: str, ledger: Ledger) -> None:
    """Keep what is known of a host."""
    values = (host, *astuple(ledger))
    connection.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def all_ledgers(connection: sqlite3.Connection, now: float) -> dict[str, Ledger]:
    """What is known of each host at this moment, by host."""
    hosts = connection.execute("SELECT host FROM hosts WHERE typeof(host) = 'text' ORDER BY host").fetchall()
    return {host: load_ledger(connection, host, now) for (host,) in hosts}


def is_rejoined(connection: sqlite3.Connection, now: float) -> bool:
    """Whether all who used the file that this one replaces have had the time to write what they know."""
    return now >= _paused_until(connection, now)


def _paused_until(connection: sqlite3.Connection, now: float) -> float:
    # Of the losses one is known to be the latest only if clocks were right: a moment ahead of now is none.
    (lost,) = connection.execute(
        "SELECT max(moment) FROM losses WHERE typeof(moment) = 'real' AND moment <= ?", (now,)
    ).fetchone()
    return float("-inf") if lost is None else lost + REJOIN_SECONDS


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - as below
    except OSError:
        return 0


def _file_identity(path: Path | str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - half the time of Path.stat
    except OSError:
        return None
    return status.st_dev, status.st_ino
