"""The line in which processes stand for the few places that a host has: who comes first, and who has gone."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

__all__ = ["LEASE_SECONDS", "Line"]

LEASE_SECONDS = 60.0
"""A lease that is not renewed for so long ends."""


_MOST_PIDS = 2**31  # a pid_t has 32 bits
# SQLite keeps what it is given: values of another type are those of a damaged file.
_COLUMNS = {"token": "text", "machine": "text", "pid": "integer", "started": "integer", "expires": "real"}
_WRONG = " OR ".join(f"typeof({column}) <> '{kind}'" for column, kind in _COLUMNS.items())
_REMOVE_WRONG = f"DELETE FROM leases WHERE {_WRONG}"  # noqa: S608 - constants
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM leases WHERE host = ? AND NOT ({_WRONG}) ORDER BY number"  # noqa: S608


class _Ticket(NamedTuple):
    token: str
    machine: str
    pid: int
    started: int
    expires: float


class Line:
    """The tickets for all hosts, in the database of a `pytest_citecheck.transport.limits.budget_file.BudgetFile`.

    The first ``limit`` tickets of a host are leases, the others wait. A ticket ends when it is removed or expires, and at
    once when its process is gone, if that ran on this machine and the system can tell. Times are seconds since the epoch.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._machine = _this_machine()
        self._started = _state_of(os.getpid()).started

    def look(self, connection: sqlite3.Connection, host: str, token: str, limit: int) -> bool | None:
        """Whether it is the turn of a ticket; None if that takes a `step_up`. Only reads, and so disturbs nobody."""
        tickets = _tickets(connection, host)
        place = next((place for place, ticket in enumerate(tickets) if ticket.token == token), None)
        now = self._now()
        # One that was removed, is about to expire, or expires too late because the clock was set back, is written anew.
        if place is None or not LEASE_SECONDS / 2 < tickets[place].expires - now <= LEASE_SECONDS:
            return None
        if place < limit:
            return True
        return False if sum(self._is_alive(ticket, now) for ticket in tickets[:place]) >= limit else None

    def step_up(self, connection: sqlite3.Connection, host: str, token: str, limit: int) -> bool:
        """Whether it is the turn of a ticket, which joins the line if it is not in it; removes those that ended."""
        now = self._now()
        latest = now + LEASE_SECONDS
        connection.execute(_REMOVE_WRONG)
        connection.execute("UPDATE leases SET expires = ?1 WHERE host = ?2 AND expires > ?1", (latest, host))
        connection.execute(
            "INSERT INTO leases (token, host, machine, pid, started, expires) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (token) DO UPDATE SET expires = excluded.expires",
            (token, host, self._machine, os.getpid(), self._started, latest),
        )
        living: list[str] = []
        ended: list[str] = []
        for ticket in _tickets(connection, host):
            (living if self._is_alive(ticket, now) else ended).append(ticket.token)
        self.remove(connection, ended)
        return living.index(token) < limit

    def renew(self, connection: sqlite3.Connection, leases: Mapping[str, str]) -> None:
        """Let these leases, tokens with their hosts, last for another `LEASE_SECONDS`.

        Those that are not in the line, because the file was lost, come first in it: their processes are with the host already.
        """
        expires = self._now() + LEASE_SECONDS
        connection.executemany(
            "INSERT INTO leases (number, token, host, machine, pid, started, expires) "
            "SELECT min(coalesce(min(number), 1), 1) - 1, ?, ?, ?, ?, ?, ? FROM leases WHERE true "
            "ON CONFLICT (token) DO UPDATE SET expires = excluded.expires",
            [(token, host, self._machine, os.getpid(), self._started, expires) for token, host in leases.items()],
        )

    def remove(self, connection: sqlite3.Connection, tokens: Iterable[str]) -> None:
        """Take these tickets out of the line."""
        connection.executemany("DELETE FROM leases WHERE token = ?", [(token,) for token in tokens])

    def _is_alive(self, ticket: _Ticket, now: float) -> bool:
        if ticket.expires <= now:
            return False
        return ticket.machine != self._machine or _is_running(ticket.pid, ticket.started)


def _tickets(connection: sqlite3.Connection, host: str) -> list[_Ticket]:
    """All tickets for a host in the order in which they were taken."""
    rows = connection.execute(_SELECT, (host,))
    return [_Ticket(*row) for row in rows.fetchall()]


class _State(NamedTuple):
    """Whether a process runs, and when it was started in ticks since the machine was; 0 if the system does not say."""

    runs: bool
    started: int = 0


def _is_running(pid: int, started: int) -> bool:
    if not 0 < pid < _MOST_PIDS:
        return False
    state = _state_of(pid)
    # Another start is another process, to which the number came next.
    return state.runs and (state.started == started or 0 in {state.started, started})


def _state_of(pid: int) -> _State:
    try:
        # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the third field is the state, the 22nd the start. The second
        # is the name in brackets, which may hold any sign.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        # A process that has ended keeps its number until its parent has heard of it.
        return _State(fields[0] not in {b"Z", b"X"}, int(fields[19]))
    except (OSError, ValueError, IndexError):
        pass  # not Linux, or no such process, or one that is hidden
    if os.name != "posix":
        return _State(runs=True)  # there os.kill would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return _State(runs=False)
    except OSError:
        pass  # it runs as somebody else
    return _State(runs=True)


def _this_machine() -> str:
    """Where a process id means the same process: this host, since it was started; a container has ids of its own."""
    parts = [platform.node()]
    for path in (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")):
        try:
            parts.append(str(path.readlink()) if path.is_symlink() else path.read_text(encoding="ascii").strip())
        except OSError:
            continue  # not Linux: there a lease of before a restart ends when it expires
    return " ".join(parts)
