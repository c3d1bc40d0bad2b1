"""The line in which processes stand for the few places that a host has: who comes first, and who has gone."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

__all__ = ["LEASE_SECONDS", "Line"]

LEASE_SECONDS = 60.0
"""A lease that is not renewed for so long ends."""


class _Ticket(NamedTuple):
    token: str
    machine: str
    pid: int
    expires: float


class Line:
    """The tickets for all hosts, in the database of a `pytest_citecheck.transport.budget_file.BudgetFile`.

    The first ``limit`` tickets of a host are leases, the others wait. A ticket ends when it is removed or expires, and at
    once when its process is gone, if that ran on this machine and the system can tell (os.kill with signal 0 asks on
    POSIX; elsewhere it would end the process). Times are seconds since the epoch.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._machine = _this_machine()

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
        connection.execute("UPDATE leases SET expires = ?1 WHERE host = ?2 AND expires > ?1", (latest, host))
        connection.execute(
            "INSERT INTO leases (token, host, machine, pid, expires) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (token) DO UPDATE SET expires = excluded.expires",
            (token, host, self._machine, os.getpid(), latest),
        )
        living: list[str] = []
        ended: list[str] = []
        for ticket in _tickets(connection, host):
            (living if self._is_alive(ticket, now) else ended).append(ticket.token)
        self.remove(connection, ended)
        return living.index(token) < limit

    def renew(self, connection: sqlite3.Connection, tokens: Iterable[str]) -> None:
        """Let these tickets last for another `LEASE_SECONDS`."""
        expires = self._now() + LEASE_SECONDS
        connection.executemany("UPDATE leases SET expires = ? WHERE token = ?", [(expires, token) for token in tokens])

    def remove(self, connection: sqlite3.Connection, tokens: Iterable[str]) -> None:
        """Take these tickets out of the line."""
        connection.executemany("DELETE FROM leases WHERE token = ?", [(token,) for token in tokens])

    def _is_alive(self, ticket: _Ticket, now: float) -> bool:
        return ticket.expires > now and (ticket.machine != self._machine or _is_running(ticket.pid))


def _tickets(connection: sqlite3.Connection, host: str) -> list[_Ticket]:
    """All tickets for a host in the order in which they were taken."""
    rows = connection.execute("SELECT token, machine, pid, expires FROM leases WHERE host = ? ORDER BY number", (host,))
    return [_Ticket(*row) for row in rows.fetchall()]


def _is_running(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # as somebody else
    return True


def _this_machine() -> str:
    """Where a process id means the same process: this host, since it was started; a container has ids of its own."""
    parts = [platform.node()]
    for path in (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")):
        try:
            parts.append(str(path.readlink()) if path.is_symlink() else path.read_text(encoding="ascii").strip())
        except OSError:
            continue  # not Linux: there a lease of before a restart ends when it expires
    return " ".join(parts)
