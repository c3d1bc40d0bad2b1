"""Request budget of a host, shared by all processes of a user on one machine."""

from __future__ import annotations

import contextlib
import math
import os
import platform
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from pytest_citecheck.net.rate_limits import LEASE_SECONDS, Booking, Ledger, Line, check_layout, fault_of, reason_of

T = TypeVar("T")

REJOIN_SECONDS = 2.0
"""Pause of all requests after a file was lost: each process must write its state first, and checks for this every half
second (`pytest_citecheck.net.pacer`)."""

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
_PATIENCE = 0.03  # seconds that a call may wait for another process; the event loop is blocked meanwhile


class BudgetBusyError(Exception):
    """Another process is writing; nothing was changed, try again a little later."""


class BudgetFileError(Exception):
    """The file cannot be used."""


def budget_path(folder: Path) -> Path:
    """The file of this machine in a folder that machines may share."""
    return folder / f"budget-{platform.node()}.sqlite"


class BudgetFile:
    """One SQLite file for all processes (https://www.sqlite.org/wal.html): readers never wait, writers for
    microseconds.

    It is opened on first use; new folders and files are private to the user. A file of another version is emptied, a
    damaged one replaced, with the reason in `replaced`. It may be removed at any time: a process that finds a new file
    calls ``carry_over``, which writes the process's state and the time ``now`` (seconds since the epoch) into it, for
    `is_rejoined`. One object belongs to one process and one thread.
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
        # Before opening, so that a later replacement is noticed.
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
        # A second timestamp would make all others wait again.
        if not connection.execute("SELECT 1 FROM losses WHERE moment <= ?", (now,)).fetchone():
            connection.execute("DELETE FROM losses")
            connection.execute("INSERT INTO losses VALUES (?)", (now,))
        self._carry_over(connection)

    def _is_in_place(self) -> bool:
        """Return True if the open files are still those that other processes find."""
        identity = (_file_identity(self._path), *self._log_identity())
        # Nothing ever shortens the database, so a shorter one was cut off.
        return identity == self._identity and _size(self._path) >= self._size

    def _log_identity(self) -> Iterator[object]:
        # With different or missing pragmas, a process would no longer see what another one writes.
        return (_file_identity(f"{self._path}{suffix}") for suffix in ("-wal", "-shm"))

    def _is_of_another_version(self) -> bool:
        try:
            return self._connection is not None and _version(self._connection) not in {0, _VERSION}
        except Exception:  # noqa: BLE001 - it cannot be read
            return False

    def _remove(self) -> None:
        if self._identity is not None and _file_identity(self._path) != self._identity[0]:
            return  # another process was quicker
        # The database last: a process that finds it missing starts afresh, and not beside a log that is about to be
        # removed.
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
    # Emptied in place: processes with an open file get an error instead of continuing with a deleted one.
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    for (name,) in tables.fetchall():
        connection.execute('DROP TABLE "{}"'.format(name.replace('"', '""')))
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def load_ledger(connection: sqlite3.Connection, host: str, now: float) -> Ledger:
    """Return the current state of a host."""
    row = connection.execute("SELECT * FROM hosts WHERE host = ?", (host,)).fetchone()
    # SQLite does not enforce types: values of another type come from a broken file.
    known = Ledger(*row[1:]) if row and all(isinstance(value, float | int) for value in row[1:]) else Ledger()
    known = known.as_of(now)
    paused = _paused_until(connection, now)
    return replace(known, held=paused) if known.held < paused and now < paused else known


def save_ledger(connection: sqlite3.Connection, host: str, ledger: Ledger) -> None:
    """Store the state of a host."""
    values = (host, *astuple(ledger))
    connection.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def all_ledgers(connection: sqlite3.Connection, now: float) -> dict[str, Ledger]:
    """Return the current state of each host."""
    hosts = connection.execute("SELECT host FROM hosts WHERE typeof(host) = 'text' ORDER BY host").fetchall()
    return {host: load_ledger(connection, host, now) for (host,) in hosts}


def is_rejoined(connection: sqlite3.Connection, now: float) -> bool:
    """Return True if all processes of the replaced file have had the time to write their state."""
    return now >= _paused_until(connection, now)


def _paused_until(connection: sqlite3.Connection, now: float) -> float:
    # Only correct clocks show which loss is the latest, so a time in the future is ignored.
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


_STATEMENT_REPEAT = 60.0  # seconds before an unchanged statement is written again

_Change = Callable[[float, Ledger], tuple[Ledger, T]]
"""From the moment and a ledger to the changed ledger and a result."""


class Hold(NamedTuple):
    """End of a host's hold (seconds since the epoch), and seconds from now."""

    until: float
    seconds: float


class Budget:
    """The request budgets of all hosts in one file; without a ``path``, or with one that cannot be used, in memory.

    Nothing here sleeps, and a call takes some tens of microseconds if the file is free. If another process keeps it
    busy, `reserve` and `acquire` raise BudgetBusyError after 30 ms: nothing has changed; try again later. No other
    method raises; a failed write is repeated with the next change. ``now`` gives seconds since the epoch. One object
    belongs to one process and one thread; `close` it.
    """

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._given_up = ""
        self._path = path
        self._file = None if path is None else BudgetFile(path, now, self._carry_over)
        self._now = now
        self._line = Line(now)
        self._ledgers: dict[str, Ledger] = {}  # as seen last; without a file this is all there is
        self._bookings: dict[str, Booking] = {}
        self._stated: dict[str, tuple[float, float]] = {}
        self._waiting: dict[str, str] = {}
        self._leases: dict[str, str] = {}  # with their hosts
        self._renewed = -math.inf
        self._unwritten: list[tuple[str, _Change[None]]] = []
        self._returned: list[str] = []

    @property
    def is_shared(self) -> bool:
        """True if the state is shared with other processes; if a file was given and this is False, ``problem`` has the
        reason."""
        return self._file is not None

    @property
    def problem(self) -> str:
        """Notes for the user: why the budget is not shared, or that a damaged file was replaced; empty otherwise."""
        if self._file is None or not self._file.replaced:
            return self._given_up
        return f"the request budget in {self._path} was damaged and has been recreated ({self._file.replaced})"

    def close(self) -> None:
        """Give all leases back and close the file."""
        for token in (*self._leases, *self._waiting.values()):
            self.release(token)
        self._waiting.clear()
        if self._file is not None:
            self._file.close()

    def give_up(self, why: str) -> None:
        """From now on keep the budgets of this process only; ``why`` becomes the ``problem``."""
        if self._file is not None:
            self._given_up = f"the request budget in {self._path} is not shared: {why}"
            self._file.close()
            self._file = None

    def reserve(self, host: str, per_second: float) -> float:
        """Seconds until this process may send its next request to a host that allows ``per_second``; 0: now.

        Books the next slot. After the wait, call again until it returns 0; only then is the slot used. Until then a
        process has at most one slot, and gets a new one if it is late or a hold occurs. Raises BudgetBusyError.
        """
        booking = self._bookings.get(host)
        if booking is not None and not self._unwritten:
            now, ledger = self._look(host)
            if ledger.stands(booking, now, per_second):
                return self._booked(host, booking, booking.wait(now))

        def book(now: float, ledger: Ledger) -> tuple[Ledger, tuple[Booking | None, float]]:
            if booking is not None and ledger.stands(booking, now, per_second):
                return ledger, (booking, booking.wait(now))
            changed, new, wait = ledger.book(now, per_second, booking)
            return changed, (new, wait)

        return self._booked(host, *self._change(host, book))

    def per_second(self, host: str, rate: float) -> float:
        """Current requests per second to a host that allows ``rate``: less after a 429, or if the host stated so."""
        now, ledger = self._look(host)
        return ledger.per_second(now, rate)

    def held_for(self, host: str) -> float:
        """Seconds for which this host is on hold; 0 if it is not."""
        now, ledger = self._look(host)
        return max(0.0, ledger.held - now)

    def hold(self, host: str, seconds: float) -> None:
        """Let no process ask for so long (a Retry-After speaks to all), `LONGEST_HOLD` at most."""
        until = self._now() + seconds
        self._tell(host, lambda now, ledger: (ledger.hold(now, until), None))

    def holds(self) -> dict[str, Hold]:
        """The hosts on hold, by name."""
        ledgers = self._quietly(lambda file: file.read(lambda connection: all_ledgers(connection, self._now())))
        now = self._now()
        known = {
            host: ledger.as_of(now) for host, ledger in sorted((self._ledgers if ledgers is None else ledgers).items())
        }
        return {host: Hold(ledger.held, ledger.held - now) for host, ledger in known.items() if ledger.held > now}

    def end_holds(self) -> int:
        """Release all holds; return their number."""
        held = list(self.holds())
        for host in held:
            self._tell(host, lambda _, ledger: (replace(ledger, held=-math.inf), None))
        return len(held)

    def slow_down(self, host: str, sent_ago: float) -> None:
        """Halve the rate for a 429 to a request sent this many seconds ago, only once for concurrent requests."""
        seen = self._now()
        self._tell(host, lambda _, ledger: (ledger.slow_down(seen, seen - sent_ago), None))

    def note(self, host: str, per_second: float) -> None:
        """Keep everybody at or below the rate that the host names in its headers, for an hour."""
        seen = self._now()
        rate, at = self._stated.get(host, (0.0, 0.0))
        if rate == per_second and 0 <= seen - at < _STATEMENT_REPEAT:
            return
        self._stated[host] = (per_second, seen)
        self._tell(host, lambda _, ledger: (ledger.note(seen, per_second), None))

    def acquire(self, host: str, limit: int) -> str | None:
        """Return a lease for a connection to the host, or None (try again later). All processes share ``limit`` leases.

        Processes are served in the order of their calls. A process that receives None is queued, once for each host,
        until it gets the lease or calls `withdraw`. A lease ends with `release`, or
        `pytest_citecheck.net.rate_limits.LEASE_SECONDS` after the last `renew`. Raises BudgetBusyError.
        """
        token = self._waiting.get(host) or uuid.uuid4().hex
        file = self._file
        try:
            if file is not None and not self._is_next(file, host, token, limit):
                self._waiting[host] = token
                return None
        except BudgetFileError as error:
            self.give_up(str(error))
        self._waiting.pop(host, None)
        self._leases[token] = host
        return token

    def withdraw(self, host: str) -> None:
        """Leave the queue for a lease if this process is in it."""
        token = self._waiting.pop(host, None)
        if token is not None:
            self.release(token)

    def release(self, token: str) -> None:
        """Give a lease back."""
        self._leases.pop(token, None)
        if self._file is not None:
            self._returned.append(token)
            self._write_quietly(lambda _: None)

    def renew(self) -> None:
        """Keep the leases of this process for another `pytest_citecheck.net.rate_limits.LEASE_SECONDS`.

        Call it every `pytest_citecheck.net.budget.REJOIN_SECONDS` or more often: usually it only checks that the file
        still exists, and otherwise writes the leases to the new one.
        """
        if not self._leases:
            return
        now = self._now()
        if 0 <= now - self._renewed < LEASE_SECONDS / 3:
            self._quietly(lambda file: file.read(lambda _: None))
        else:
            self._renewed = now
            self._write_quietly(lambda connection: self._line.renew(connection, self._leases))

    def _booked(self, host: str, booking: Booking | None, wait: float) -> float:
        if booking is None or wait <= 0:
            self._bookings.pop(host, None)
        else:
            self._bookings[host] = booking
        return wait

    def _look(self, host: str) -> tuple[float, Ledger]:
        """Current time and ledger of a host, or its last known ledger."""
        if not self._unwritten:
            seen = self._quietly(lambda file: file.read(lambda connection: load_ledger(connection, host, self._now())))
            if seen is not None:  # otherwise the last known state is hardly older
                self._ledgers[host] = seen
        now = self._now()
        return now, self._ledgers.get(host, Ledger()).as_of(now)

    def _change(self, host: str, change: _Change[T]) -> T:
        """The result of a change that is written down. Raises BudgetBusyError."""
        if self._file is not None:
            try:
                return self._write(self._file, lambda connection: self._apply(connection, host, change))
            except BudgetFileError as error:
                self.give_up(str(error))
        return self._apply(None, host, change)

    def _tell(self, host: str, change: _Change[None]) -> None:
        """Change the ledger now for this process, and as soon as possible for the others."""
        try:
            self._change(host, change)
        except BudgetBusyError:
            self._apply(None, host, change)
            self._unwritten.append((host, change))

    def _apply(self, connection: sqlite3.Connection | None, host: str, change: _Change[T]) -> T:
        now = self._now()
        known = self._ledgers.get(host, Ledger())
        before = known.as_of(now) if connection is None else load_ledger(connection, host, now)
        ledger, result = change(now, before)
        if ledger != before:
            ledger = replace(ledger, written=now)
            if connection is not None:
                save_ledger(connection, host, ledger)
        self._ledgers[host] = ledger
        return result

    def _carry_over(self, connection: sqlite3.Connection) -> None:
        """Write the state of this process into a file that replaced the one it used."""
        now = self._now()
        for host, known in self._ledgers.items():
            save_ledger(connection, host, load_ledger(connection, host, now).joined(known.as_of(now), now))
        self._line.renew(connection, self._leases)

    def _write(self, file: BudgetFile, action: Callable[[sqlite3.Connection], T]) -> T:
        """Write delayed changes, and this one."""

        def everything(connection: sqlite3.Connection) -> T:
            for host, change in self._unwritten:
                self._apply(connection, host, change)
            self._line.remove(connection, self._returned)
            return action(connection)

        result = file.write(everything)
        self._unwritten.clear()
        self._returned.clear()
        return result

    def _write_quietly(self, action: Callable[[sqlite3.Connection], object]) -> None:
        # If the file is busy, returned leases go with the next change, and those to be renewed have time.
        self._quietly(lambda file: self._write(file, action))

    def _quietly(self, action: Callable[[BudgetFile], T]) -> T | None:
        """The result, or None where there is no file that can be used now."""
        if self._file is not None:
            try:
                return action(self._file)
            except BudgetFileError as error:
                self.give_up(str(error))
            except BudgetBusyError:
                pass
        return None

    def _is_next(self, file: BudgetFile, host: str, token: str, limit: int) -> bool:
        def look(connection: sqlite3.Connection) -> bool | None:
            turn = self._line.look(connection, host, token, limit)
            return turn and is_rejoined(connection, self._now())

        def step_up(connection: sqlite3.Connection) -> bool:
            turn = self._line.step_up(connection, host, token, limit)
            return turn and is_rejoined(connection, self._now())

        if host in self._waiting:
            turn = file.read(look)
            if turn is not None:
                return turn
        return self._write(file, step_up)
