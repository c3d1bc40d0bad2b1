"""Arithmetic of one host's request budget: slots, holds, and the rate after a 429. Pure, without files and clocks."""

from __future__ import annotations

import datetime
import functools
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC
from datetime import datetime as datetime_datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from pytest_citecheck.net.budget import Budget
    from pytest_citecheck.net.pacer import Clock

FARTHEST = 60.0
"""Seconds from now within which a slot can be booked. A request that would wait longer tries again later, so that no
process waits behind a much slower one."""

LONGEST_HOLD = 3600.0
"""Maximum seconds for which one answer can stop all requests. A longer Retry-After ends after an hour: a service that
means it repeats it, and a mistaken one, or a broken file, costs no more than that."""

LEAST_STATED = 0.1
"""Requests a second: a service that states less is mistaken, or wants us to wait for ever."""

# Slots use this share of what a service allows. It counts arrivals, and they come a little later or earlier than they were
# sent: with 5 % to spare it never sees one too many in a second, even if they are shifted by 50 ms against each other.
_PACE = 0.95
# Part of these 5% that a process may use up here if it wakes up late; the rest is for the network.
_LATE_SHARE = 0.025
_AT_ONCE = 1e-6  # seconds: shorter waits are below what a wall clock resolves

_SLOWEST = 1 / 16
_CALM_SECONDS = 30.0
_STATEMENT_SECONDS = 3600.0
_LONGEST_INTERVAL = (
    60.0  # seconds between two requests, however little is stated and often slowed; less often only by request
)
_CLOCK_SLACK = (
    1.0  # tolerance in seconds for times that are too far ahead; clocks are not adjusted by less without a reason
)


class Booking(NamedTuple):
    """A slot that was booked: its moment, when that was done, and which slot had been the last one before."""

    slot: float
    booked_at: float
    before: float

    def wait(self, now: float) -> float:
        """Seconds until the slot; 0 if it has come."""
        return _rounded(self.slot - now)


@dataclass(frozen=True, slots=True)
class Ledger:
    """Shared state of all clients of one host. Times are seconds on a common clock.

    written: time of writing. last: the latest booked slot. held: end of the hold. share: of the rate, at the time
    ``slowed`` of the last 429. stated: requests per second that the service stated at ``stated_at``.
    """

    written: float = -math.inf
    last: float = -math.inf
    held: float = -math.inf
    share: float = 1.0
    slowed: float = -math.inf
    stated: float = math.inf
    stated_at: float = -math.inf

    def as_of(self, now: float) -> Ledger:
        """Adjust the state to this moment: if the clock was set back meanwhile, all times go back with it.

        Impossible values are dropped: a slot, a hold or a 429 that is too far ahead, and values that are not numbers.
        They come from a broken file, or from a clock that was wrong for a while.
        """
        jump = self.written - now
        if math.isnan(jump) or jump == math.inf:
            return replace(self, written=now).as_of(now)
        if jump > 0:
            return replace(
                self,
                written=now,
                last=self.last - jump,
                held=self.held - jump,
                slowed=self.slowed - jump,
                stated_at=self.stated_at - jump,
            ).as_of(now)
        latest = now + _CLOCK_SLACK
        # The host was queried: now, as far as known.
        last = self.last if self.last <= latest + FARTHEST else now
        held = self.held if self.held <= latest + LONGEST_HOLD else -math.inf
        share, slowed = self.share, self.slowed
        if not (0 < share <= 1 and slowed <= latest):
            share, slowed = 1.0, -math.inf
        stated, stated_at = self.stated, self.stated_at
        if not (stated > 0 and stated_at <= latest):
            stated, stated_at = math.inf, -math.inf
        sound = Ledger(self.written, last, held, share, slowed, stated, stated_at)
        return self if sound == self else sound

    def share_at(self, now: float) -> float:
        """The share of the rate that is used, 1/16 to 1: each 30 seconds without a 429 double it."""
        if self.share >= 1:
            return 1.0
        calm_periods = int(min(4.0, max(0.0, now - self.slowed) / _CALM_SECONDS))
        return min(1.0, max(_SLOWEST, self.share) * float(2**calm_periods))

    def per_second(self, now: float, rate: float) -> float:
        """Requests a second at present, for a host to which ``rate`` is allowed."""
        stated = max(self.stated, LEAST_STATED) if now - self.stated_at < _STATEMENT_SECONDS else math.inf
        return max(min(rate, stated) * self.share_at(now), min(rate, 1 / _LONGEST_INTERVAL))

    def slow_down(self, now: float, sent: float) -> Ledger:
        """Halve the rate for a 429 to a request of the moment ``sent``; once only for requests under way together."""
        if sent < self.slowed:
            return self
        return replace(self, share=max(_SLOWEST, self.share_at(now) / 2), slowed=now)

    def hold(self, now: float, until: float) -> Ledger:
        """Let no process send a request until then, or for `LONGEST_HOLD` if that is earlier."""
        return replace(self, held=max(self.held, min(until, now + LONGEST_HOLD))) if until > now else self

    def note(self, now: float, rate: float) -> Ledger:
        """Take up the rate that the service names; it counts for an hour."""
        return replace(self, stated=rate, stated_at=now)

    def joined(self, other: Ledger, now: float) -> Ledger:
        """Return the combination of two states at this moment: the stricter value of each part."""
        slower = min(self, other, key=lambda ledger: ledger.share_at(now))
        current = [each for each in (self, other) if now - each.stated_at < _STATEMENT_SECONDS]
        stricter = min(current, key=lambda ledger: ledger.stated, default=self)
        return Ledger(
            now,
            max(self.last, other.last),
            max(self.held, other.held),
            slower.share,
            slower.slowed,
            stricter.stated,
            stricter.stated_at,
        )

    def stands(self, booking: Booking, now: float, rate: float) -> bool:
        """Return True if a slot booked earlier can still be used: not held, and not missed by more than jitter explains."""
        tolerance = _LATE_SHARE * max(1.0, 1 / self.per_second(now, rate))
        return booking.booked_at <= now <= booking.slot + tolerance and booking.slot >= self.held

    def book(self, now: float, rate: float, instead: Booking | None) -> tuple[Ledger, Booking | None, float]:
        """Book the next slot: return the ledger, the booking, and the seconds until the next check.

        ``instead``: return this unused booking. There is no booking if the slot is more than `FARTHEST` away, only the
        time at which it will be half as far.
        """
        last = instead.before if instead is not None and instead.slot == self.last else self.last
        slot = max(last + 1 / (_PACE * self.per_second(now, rate)), self.held, now)
        if slot - now > FARTHEST:
            return replace(self, last=last), None, slot - now - FARTHEST / 2
        booking = Booking(slot, now, last)
        return replace(self, last=slot), booking, booking.wait(now)


def _rounded(seconds: float) -> float:
    return seconds if seconds > _AT_ONCE else 0.0


LEASE_SECONDS = 5.0
"""A lease ends if it is not renewed for this long, so that a killed process does not block others."""

# SQLite does not enforce types: values of another type come from a damaged file.
_SOUND = "typeof(token) = 'text' AND typeof(expires) = 'real'"
_REMOVE_WRONG = f"DELETE FROM leases WHERE NOT ({_SOUND})"  # noqa: S608 - constants
_SELECT = f"SELECT token, expires FROM leases WHERE host = ? AND {_SOUND} ORDER BY number"  # noqa: S608


class _Ticket(NamedTuple):
    token: str
    expires: float


class Line:
    """The tickets for all hosts, in the database of a `pytest_citecheck.net.budget.BudgetFile`.

    The first ``limit`` tickets of a host are leases, the others wait. A ticket ends when it is removed or expires. Times are
    seconds since the epoch.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def look(self, connection: sqlite3.Connection, host: str, token: str, limit: int) -> bool | None:
        """Return True if it is the turn of a ticket; None if that takes a `step_up`. Only reads, so it blocks no other
        process."""
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
        """Return True if it is the turn of a ticket, which joins the line if it is not in it; removes those that ended."""
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
        """Extend these leases, tokens with their hosts, by `LEASE_SECONDS`.

        Leases that are missing because the file was lost come first in the queue: their processes are already connected
        to the host.
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


class Allowance:
    """``dollars`` at the beginning; infinite for a service that costs nothing."""

    def __init__(self, dollars: float = math.inf) -> None:
        self.left = dollars

    def take(self, cost: float) -> bool:
        """Return True if a request of this price may be sent; it counts as sent then."""
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def note(self, headers: Mapping[str, str]) -> None:
        """Store the remaining budget of this address or key for all runs, from ``x-ratelimit-remaining-usd``."""
        try:
            stated = float(headers.get("x-ratelimit-remaining-usd", ""))
        except ValueError:
            return
        if math.isfinite(stated):
            self.left = min(self.left, stated)


FAILURES_IN_A_ROW = 3

_FIRST_COOL_DOWN = 30.0
_LONGEST_COOL_DOWN = 300.0


class Breaker:
    """Opens after `FAILURES_IN_A_ROW`, or at once and for good; ``cause`` is the reason, ``offline`` is True if the
    failure looks like a missing network.

    One that opened for failures lets a single probe through after 30 seconds: its success closes the breaker, its
    failure doubles the time until the next (5 minutes at most). Other tasks are refused without waiting. ``clock``
    counts seconds and never goes back. (M. Nygard, *Release It!*, 2nd edition, 2018, "Circuit Breaker".)
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.cause = ""
        self.offline = False
        self._clock = clock
        self._failures = 0
        self._for_good = False
        self._probing = False
        self._cool_down = _FIRST_COOL_DOWN
        self._next_probe = 0.0

    @property
    def is_open(self) -> bool:
        """True if the host counts as one that does not answer; during a probe it still does."""
        return bool(self.cause)

    def allows(self) -> bool:
        """Return True if a task may ask now. Each True of an open breaker is one probe: ask, and report how it went."""
        if not self.is_open:
            return True
        if self._for_good or self._clock() < self._next_probe:
            return False
        self._probing = True
        # A probe that is interrupted never reports: the next one must not wait for it.
        self._next_probe = self._clock() + self._cool_down
        return True

    def succeeded(self) -> None:
        """Count a success; a successful probe closes the breaker."""
        if self._for_good or (self.is_open and not self._probing):
            return
        self.cause = ""
        self._failures = 0
        self._probing = False
        self._cool_down = _FIRST_COOL_DOWN

    def failed(self, cause: str) -> None:
        """Count a failure. The third in a row opens the breaker; a failed probe keeps it open for longer."""
        if self._for_good or (self.is_open and not self._probing):
            return  # it was sent before the breaker opened, and is no new evidence
        self._failures += 1
        if self._failures < FAILURES_IN_A_ROW:
            return
        if self._probing:
            self._cool_down = min(_LONGEST_COOL_DOWN, 2 * self._cool_down)
        self._probing = False
        self.cause = f"{self._failures} failures in a row, the last: {cause}"
        self._next_probe = self._clock() + self._cool_down

    def open(self, cause: str, *, offline: bool = False) -> None:
        """Open at once and for the rest of the run; the first such cause is kept. ``offline``: the host was never
        reached, nor perhaps any other.
        """
        if not self._for_good:
            self.cause = cause
            self.offline = offline
            self._for_good = True


def hold_messages(budget: Budget, hosts: Container[str] | None = None, shortest: float = 0.0) -> list[str]:
    """A sentence for each hold of more than ``shortest`` seconds from now; of these ``hosts`` only, if they are given."""
    return [
        f"{_printable(host)} requested a pause and is not queried until {_moment(until)}; run `citecheck cache clear "
        "--holds` to end the pause"
        for host, (until, seconds) in budget.holds().items()
        if seconds > shortest and (hosts is None or host in hosts)
    ]


def _moment(until: float) -> str:
    return f"{datetime.datetime.fromtimestamp(until, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _printable(host: str) -> str:
    """A name from an untrusted file, safe for a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in host[:100])


RETRIES = 2
"""Tries after the first."""

RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# Maximum requests per second: Crossref states most of all services, 50. A statement of more than twice as much is a
# mistake, and would remove all spacing.
_MOST_STATED = 100.0
_INTERVAL = lazy_pattern(r"\s*+(\d++(?:\.\d++)?)\s*+([smhd]?)[a-z]*+\s*+\Z", re.IGNORECASE)
_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def backoff(attempt: int, jitter: float, first: float = _FIRST_PAUSE, longest: float = _LONGEST_PAUSE) -> float:
    """Seconds to wait before try number ``attempt`` + 1, for ``jitter`` drawn evenly from 0 to 1.

    first, longest: seconds after the first try, and the most, before jitter.

    "Full jitter" of M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
    """
    return min(longest, first * 2.0 ** (attempt - 1)) * jitter


@lru_cache(maxsize=1024)
def _retry_moment(value: str) -> datetime_datetime | None:
    try:
        moment = parsedate_to_datetime(value)
        # A time zone may shift a time beyond the supported years.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def http_date(value: str) -> str:
    """An HTTP date (RFC 9110, section 5.6.7) as ISO 8601 in UTC (``2026-11-21T08:00:00Z``); empty if
    unreadable.
    """
    moment = _retry_moment(value) if value else None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else ""


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a Retry-After header (RFC 9110, section 10.2.3) asks to wait; None without a readable one.

    A date is measured against the response's own Date, else against ``now`` (seconds since the epoch). Header
    names are in lower case.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    moment = _retry_moment(value) if value else None
    if moment is None:
        return None
    sent = _retry_moment(headers["date"]) if headers.get("date") else None
    return max(0.0, moment.timestamp() - (sent.timestamp() if sent else now))


def stated_rate(headers: Mapping[str, str]) -> float | None:
    """Requests a second that ``x-rate-limit-limit`` and ``x-rate-limit-interval`` allow, LEAST_STATED at least; None if
    they are missing or implausible.

    Crossref sends both (https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and- authentication/),
    some services spell them ``x-ratelimit-``. A limit without an interval may be per day, and is ignored.
    """
    for prefix in ("x-rate-limit-", "x-ratelimit-"):
        interval = _INTERVAL.match(headers.get(f"{prefix}interval", ""))
        try:
            limit = float(headers.get(f"{prefix}limit", ""))
        except ValueError:
            continue
        if interval is None or not math.isfinite(limit) or limit <= 0:
            continue
        seconds = float(interval[1]) * _UNIT_SECONDS[interval[2].lower()]
        if seconds > 0 and limit / seconds <= _MOST_STATED:
            return max(LEAST_STATED, limit / seconds)
    return None


Fault = Literal["busy", "place", "damage"]
"""``busy``: ask again later. ``place``: the file system refuses (rights, a full disk). ``damage``: it needs a new file."""

# https://www.sqlite.org/rescode.html, the primary codes. PROTOCOL is a lost race for the locks of the WAL.
_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_PLACE_CODES = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)
# Extended codes: the file ends before what it contains, or its log does.
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})
# https://www.sqlite.org/fileformat.html, "File format version numbers": SQLite does not write a file of a later version.
_WRITE_VERSION = 18
_LATEST_FORMAT = 2
_LONGEST_REASON = 200  # characters: an error may quote the content of the file


class DamagedError(Exception):
    """The file is a database, but not of the form in which it was made."""


def fault_of(error: Exception, path: Path) -> Fault:
    """Classify an exception from the database at ``path``. Close the database unless it is only busy.

    An unknown exception means damage: depending on the bytes, sqlite3 raises anything from UnicodeDecodeError to
    MemoryError.
    """
    if isinstance(error, OSError):
        return "place"
    if not isinstance(error, sqlite3.Error):
        return "damage"
    detailed = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if detailed in _DAMAGE_CODES:
        return "damage"
    code = detailed & 0xFF
    if code in _BUSY_CODES:
        return "busy"
    if code == sqlite3.SQLITE_READONLY and _is_of_later_format(path):
        return "damage"
    return "place" if code in _PLACE_CODES else "damage"


def reason_of(error: Exception) -> str:
    """The exception in words, on one line of printable characters."""
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST_REASON])


def check_layout(connection: sqlite3.Connection, layout: str) -> None:
    """Raises DamagedError unless the database has the tables and indexes that these statements make, and nothing else."""
    if _objects(connection) != _made_by(layout):
        raise DamagedError("its tables have been changed")


@functools.cache
def _made_by(layout: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(layout)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    # Skip the tables that SQLite creates for itself.
    return sorted(row for row in found.fetchall() if row[3] is not None and not str(row[1]).startswith("sqlite_"))


def _is_of_later_format(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header = file.read(_WRITE_VERSION + 1)
    except OSError:
        return False
    return len(header) > _WRITE_VERSION and header[_WRITE_VERSION] > _LATEST_FORMAT
