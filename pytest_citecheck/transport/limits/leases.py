"""The line in which processes stand for the few places that a host has: who comes first, and whose lease has expired.

Both are needed, measured with `python -m benchmarks.shared_budget`: without leases eight processes are with a host that lets
one in, and without their order one of them gets 244 places while six others get one each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

__all__ = ["LEASE_SECONDS", "Line"]

LEASE_SECONDS = 5.0
"""A lease that is not renewed for so long ends: a process that was killed keeps others out no longer."""

# SQLite keeps what it is given: values of another type are those of a damaged file.
_SOUND = "typeof(token) = 'text' AND typeof(expires) = 'real'"
_REMOVE_WRONG = f"DELETE FROM leases WHERE NOT ({_SOUND})"  # noqa: S608 - constants
_SELECT = f"SELECT token, expires FROM leases WHERE host = ? AND {_SOUND} ORDER BY number"  # noqa: S608


class _Ticket(NamedTuple):
    token: str
    expires: float


class Line:
    """The tickets for all hosts, in the database of a `pytest_citecheck.transport.limits.budget_file.BudgetFile`.

    The first ``limit`` tickets of a host are leases, the others wait. A ticket ends when it is removed or expires. Times are
    seconds since the epoch.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def look(self, connection: sqlite3.Connection, host: str, token: str, limit: int) -> bool | None:
        """Whether it is the turn of a ticket; None if that takes a `step_up`. Only reads, so it blocks no other process."""
        tickets = _tickets(connection, host)
        place = next((place for place, ticket in enumerate(tickets) if ticket.token == token), None)
        now = self._now()
        # One that was removed, is about to expire, or expires too late because the clock was set back, is written anew.
        if place is None or not LEASE_SECONDS / 2 < tickets[place].expires - now <= LEASE_SECONDS:
            return None
        if place < limit:
            return True
        return False if sum(ticket.expires > now for ticket in tickets[:place]) >= limit else None

    def step_up(self, connection: sqlite3.Connection, host: str, token: str, limit: int) -> bool:
        """Whether it is the turn of a ticket, which joins the line if it is not in it; removes those that ended."""
        now = self._now()
        latest = now + LEASE_SECONDS
        connection.execute(_REMOVE_WRONG)
        connection.execute("UPDATE leases SET expires = ? WHERE host = ? AND expires > ?", (latest, host, latest))
        connection.execute(
            "INSERT INTO leases (token, host, expires) VALUES (?, ?, ?) "
            "ON CONFLICT (token) DO UPDATE SET expires = excluded.expires",
            (token, host, latest),
        )
        connection.execute("DELETE FROM leases WHERE host = ? AND expires <= ?", (host, now))
        return [ticket.token for ticket in _tickets(connection, host)].index(token) < limit

    def renew(self, connection: sqlite3.Connection, leases: Mapping[str, str]) -> None:
        """Let these leases, tokens with their hosts, last for another `LEASE_SECONDS`.

        Those that are not in the line, because the file was lost, come first in it: their processes are with the host already.
        """
        expires = self._now() + LEASE_SECONDS
        connection.executemany(
            "INSERT INTO leases (number, token, host, expires) "
            "SELECT min(coalesce(min(number), 1), 1) - 1, ?, ?, ? FROM leases WHERE true "
            "ON CONFLICT (token) DO UPDATE SET expires = excluded.expires",
            [(token, host, expires) for token, host in leases.items()],
        )

    def remove(self, connection: sqlite3.Connection, tokens: Iterable[str]) -> None:
        """Take these tickets out of the line."""
        connection.executemany("DELETE FROM leases WHERE token = ?", [(token,) for token in tokens])


def _tickets(connection: sqlite3.Connection, host: str) -> list[_Ticket]:
    """All tickets for a host in the order in which they were taken."""
    return [_Ticket(*row) for row in connection.execute(_SELECT, (host,))]
