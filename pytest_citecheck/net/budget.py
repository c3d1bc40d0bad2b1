"""Request budget of each host, shared by all processes of a user on one machine.

A row of a few numbers describes a host (`Ledger`): its last booked slot, the end of a hold, and its rate. A process locks the
file of the row for some tens of microseconds, books the next slot, writes the row back, and then waits in memory. Places for
connections are locked files. The system unlocks all files of a process that ends, however it ends.

The files may be damaged or removed at any time. Each process remembers its rows, and writes them into a file that it finds
in place of the one it knew. All requests then pause for `REJOIN_SECONDS`, so that every process has done so.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import json
import math
import os
import platform
import stat
import time
import uuid
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from pytest_citecheck.atomic_write import try_lock

T = TypeVar("T")

FARTHEST = 60.0
"""Seconds from now within which a slot can be booked. A request that would wait longer tries again later, so that no
process waits behind a much slower one."""

LONGEST_HOLD = 3600.0
"""Maximum seconds for which one answer can stop all requests. A longer Retry-After ends after an hour: a service that
means it repeats it, and a mistaken one, or a broken file, costs no more than that."""

REJOIN_SECONDS = 2.0
"""Pause of all requests after a file was lost."""

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
    60.0  # seconds between two requests, however little is stated; less often only on the user's request
)
_CLOCK_SLACK = 1.0  # seconds: clocks are not adjusted by less without a reason

_PATIENCE = 0.03  # seconds to wait for the lock of a file: the event loop is blocked meanwhile
_LONG_PATIENCE = 2.0
_BUSY_PAUSE = 0.02  # seconds until a request tries again after that
_MOST_BUSY = 40  # such pauses in a row until the budget of this process is no longer shared
_MOST_BYTES = 1 << 24


_encode = json.JSONEncoder(separators=(",", ":")).encode


class _Booking(NamedTuple):
    """A slot that was booked: its moment, when that was done, and which slot had been the last one before."""

    slot: float
    booked_at: float
    before: float


class Ledger(NamedTuple):
    """Shared state of all clients of one host. Times are seconds since the epoch.

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
        back = max(0.0, self.written - now) if self.written < math.inf else 0.0
        last, held, slowed, stated_at = (t - back for t in (self.last, self.held, self.slowed, self.stated_at))
        latest = now + _CLOCK_SLACK
        slowed_sound = 0 < self.share <= 1 and slowed <= latest
        stated_sound = self.stated > 0 and stated_at <= latest
        return Ledger(
            min(now, self.written),  # in this order: NaN is less than nothing
            last if last <= latest + FARTHEST else now,  # the host was queried: now, as far as known
            held if held <= latest + LONGEST_HOLD else -math.inf,
            *((self.share, slowed) if slowed_sound else (1.0, -math.inf)),
            *((self.stated, stated_at) if stated_sound else (math.inf, -math.inf)),
        )

    def share_at(self, now: float) -> float:
        """The share of the rate that is used, 1/16 to 1: each 30 seconds without a 429 double it."""
        calm_periods = int(min(4.0, max(0.0, now - self.slowed) / _CALM_SECONDS))
        return min(1.0, max(_SLOWEST, self.share) * float(2**calm_periods))

    def per_second(self, now: float, rate: float) -> float:
        """Requests a second at present, for a host to which ``rate`` is allowed."""
        stated = self.stated if now - self.stated_at < _STATEMENT_SECONDS else math.inf
        return max(min(rate, stated) * self.share_at(now), min(rate, 1 / _LONGEST_INTERVAL))

    def is_at_rest(self, now: float) -> bool:
        """Return True if the row no longer limits anybody."""
        quiet = max(self.last + _LONGEST_INTERVAL, self.held, self.stated_at + _STATEMENT_SECONDS) < now
        return quiet and self.share_at(now) == 1

    def slow_down(self, now: float, sent: float) -> Ledger:
        """Halve the rate for a 429 to a request of the moment ``sent``; once only for requests under way together."""
        if sent < self.slowed:
            return self
        return self._replace(share=max(_SLOWEST, self.share_at(now) / 2), slowed=now)

    def hold(self, now: float, until: float) -> Ledger:
        """Let no process send a request until then, or for `LONGEST_HOLD` if that is earlier."""
        return self._replace(held=max(self.held, min(until, now + LONGEST_HOLD))) if until > now else self

    def joined(self, other: Ledger, now: float) -> Ledger:
        """Return the combination of two states at this moment: the stricter value of each part."""
        slower = min(self, other, key=lambda ledger: ledger.share_at(now))
        current = [each for each in (self, other) if now - each.stated_at < _STATEMENT_SECONDS]
        stricter = min(current, key=lambda ledger: ledger.stated, default=self)
        last, held = max(self.last, other.last), max(self.held, other.held)
        return Ledger(now, last, held, slower.share, slower.slowed, stricter.stated, stricter.stated_at)

    def book(self, now: float, rate: float, booked: _Booking | None) -> tuple[Ledger, _Booking | None, float]:
        """Book the next slot: return the ledger, the booking, and the seconds until the next check.

        booked: an earlier booking, which is kept unless there is a hold at its moment, or it was missed by more than jitter
        explains. There is no booking if the slot is more than `FARTHEST` away, only the time at which it will be half as far.
        """
        last, interval = self.last, 1 / self.per_second(now, rate)
        if booked is not None:
            slot = booked.slot
            if booked.booked_at <= now <= slot + _LATE_SHARE * max(1.0, interval) and slot >= self.held:
                return self, booked, slot - now
            last = booked.before if slot == self.last else last
        slot = max(last + interval / _PACE, self.held, now)
        if slot - now > FARTHEST:
            return self._replace(last=last), None, slot - now - FARTHEST / 2
        return self._replace(last=slot), _Booking(slot, now, last), slot - now


@dataclass(slots=True)
class _Page:
    """The rows of one file. lost: when the file took the place of one that was lost, if it did."""

    identity: str = field(default_factory=lambda: uuid.uuid4().hex)
    lost: float = -math.inf
    rows: dict[str, Ledger] = field(default_factory=dict)

    @classmethod
    def read(cls, content: bytes, now: float) -> _Page:
        """Raises ValueError if the file is damaged."""
        if not content:
            return cls()
        try:
            identity, lost, rows = json.loads(content)
            ledgers = {host: Ledger(*map(float, row)).as_of(now) for host, row in rows.items()}
            return cls(str(identity), float(lost), ledgers)
        except (TypeError, AttributeError, RecursionError, MemoryError, OverflowError) as error:
            raise ValueError(str(error)) from error

    def written(self) -> bytes:
        return _encode([self.identity, self.lost, self.rows]).encode()

    def row(self, host: str, now: float) -> Ledger:
        """The state of a host, held while other processes may not have written theirs."""
        ledger, paused = self.rows.get(host, Ledger()), self.lost + REJOIN_SECONDS
        return ledger._replace(held=max(ledger.held, paused)) if self.lost <= now < paused else ledger


class Hold(NamedTuple):
    """End of a host's hold (seconds since the epoch), and seconds from now."""

    until: float
    seconds: float


class Place:
    """A connection to a host that this process may have. `release` gives it back."""

    def __init__(self, path: Path | None = None, handle: int = -1) -> None:
        self.path = path
        self.handle = handle

    def release(self) -> None:
        if self.path is not None:
            with contextlib.suppress(OSError):  # Windows does not remove an open file
                if os.path.samestat(
                    os.fstat(self.handle), self.path.stat()
                ):  # else others have removed and made it again
                    self.path.unlink()
            os.close(self.handle)
            self.path = None


def budget_path(folder: Path) -> Path:
    """The folder for the budgets of this machine in a cache that machines may share."""
    return folder / f"budgets-{platform.node()}"


class Budget:
    """The request budgets of all hosts in a folder; without a ``path``, or with one that cannot be used, in memory.

    Nothing here raises or waits for long: a call takes some tens of microseconds, and 30 ms if another process keeps the file
    locked. A request is then told to try again soon; other changes are written with the next one. ``now`` gives seconds
    since the epoch. One object belongs to one process and one thread; `close` it.
    """

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self.problem = ""
        """Note for the user: why the budget is not shared, or that a damaged file was replaced; empty otherwise."""
        self.is_shared = path is not None
        """True if the state is shared with other processes."""
        self._ledgers: dict[str, Ledger] = {}  # as seen last; without a file this is all there is
        self._unwritten: set[str] = set()
        self._pages: dict[Path, str] = {}  # the identity of each file when it was seen last
        self._bookings: dict[str, _Booking] = {}
        self._busy = 0
        self._places: dict[Path, Place] = {}
        self._doors: dict[str, Place] = {}

    def close(self) -> None:
        """Give all places back."""
        for place in (*self._places.values(), *self._doors.values()):
            place.release()
        self._places.clear()
        self._doors.clear()

    def reserve(self, host: str, rate: float) -> float:
        """Book a slot for a request if this process has none; return the seconds until the next call.

        0 means: send the request now, which uses the slot up. Otherwise call again after the returned time, when the slot
        has come, unless the host is on hold then.
        """

        def book(now: float, ledger: Ledger) -> tuple[Ledger, float]:
            ledger, booking, wait = ledger.book(now, rate, self._bookings.pop(host, None))
            wait = wait if wait > _AT_ONCE else 0.0
            if booking is not None and wait:
                self._bookings[host] = booking
            return ledger, wait

        try:
            wait = self._change(host, book)
        except BlockingIOError as error:
            self._busy += 1
            if self._busy <= _MOST_BUSY:
                return _BUSY_PAUSE
            self._stop_sharing(error)
            return self.reserve(host, rate)
        self._busy = 0
        return wait

    def per_second(self, host: str, rate: float) -> float:
        """Requests a second at present, for a host to which ``rate`` is allowed."""
        now, ledger = self._look(host)
        return ledger.per_second(now, rate)

    def held_for(self, host: str) -> float:
        """Seconds until the host may be queried again; 0 without a hold."""
        now, ledger = self._look(host)
        return max(0.0, ledger.held - now)

    def hold(self, host: str, seconds: float) -> None:
        """Stop all requests of all processes to the host for this time, at most `LONGEST_HOLD`."""
        self._tell(host, lambda now, ledger: ledger.hold(now, now + seconds))

    def slow_down(self, host: str, sent_ago: float) -> None:
        """Halve the rate for a 429 to a request sent this many seconds ago, only once for concurrent requests."""
        self._tell(host, lambda now, ledger: ledger.slow_down(now, now - sent_ago))

    def postpone(self, host: str, sent_ago: float) -> bool:
        """Count a request of this many seconds ago as sent now; False if a slot was booked since, or during a hold."""

        def move(now: float, ledger: Ledger) -> tuple[Ledger, bool]:
            latest = ledger.last <= now - sent_ago + _AT_ONCE and ledger.held <= now
            return (ledger._replace(last=now) if latest else ledger), latest

        with contextlib.suppress(BlockingIOError):
            return self._change(host, move)
        return False

    def note(self, host: str, per_second: float) -> None:
        """Keep everybody at or below the rate that the host states in its headers, for an hour."""
        self._tell(host, lambda now, ledger: ledger._replace(stated=per_second, stated_at=now))

    def holds(self) -> dict[str, Hold]:
        """The hosts on hold at present, by name."""
        self._end_or_look(end=False)
        now = self._now()
        ledgers = ((host, ledger.as_of(now)) for host, ledger in sorted(self._ledgers.items()))
        return {host: Hold(ledger.held, ledger.held - now) for host, ledger in ledgers if ledger.held > now}

    def end_holds(self) -> int:
        """End all holds, for all processes; return their number."""
        held = self.holds()
        self._end_or_look(end=True)
        return len(held)

    def acquire(self, host: str, limit: int) -> Place | None:
        """Return a place for a connection to the host, or None (try again later). All processes share ``limit`` places.

        A process that receives None stands at the door, so that no process that comes later, or has just left, passes it,
        until it gets a place or calls `withdraw`. One process at a time stands there; which of several is next is chance.
        """
        if self._path is None or not self.is_shared:
            return Place()
        name = self._path / _digest(host)
        try:
            if host not in self._doors:
                door = _locked(name.with_suffix(".door"))
                if door is None:
                    return None
                self._doors[host] = door
            for number in range(limit):
                path = name.with_suffix(f".{number}")
                known = self._places.get(path)
                place = _locked(path) if known is None or known.path is None else None
                if place is not None:
                    self._places[path] = place
                    self.withdraw(host)
                    return place
        except OSError as error:
            self._stop_sharing(error)
            return Place()
        return None

    def withdraw(self, host: str) -> None:
        """Stop waiting for a place at this host, so that another process can be the next."""
        door = self._doors.pop(host, None)
        if door is not None:
            door.release()

    def _look(self, host: str) -> tuple[float, Ledger]:
        """Current time and ledger of a host, or its last known ledger."""
        now = self._now()
        with contextlib.suppress(BlockingIOError):
            return now, self._change(host, lambda _, ledger: (ledger, ledger))
        return now, self._ledgers.get(host, Ledger()).as_of(now)

    def _tell(self, host: str, change: Callable[[float, Ledger], Ledger]) -> None:
        """Change the ledger now for this process, and as soon as possible for the others."""
        try:
            self._change(host, lambda now, ledger: (change(now, ledger), None))
        except BlockingIOError:
            now = self._now()
            self._ledgers[host] = change(now, self._ledgers.get(host, Ledger()).as_of(now))
            self._unwritten.add(host)

    def _change(self, host: str, change: Callable[[float, Ledger], tuple[Ledger, T]]) -> T:
        """Change the ledger of a host in its file; return the result. Raises BlockingIOError if the file is busy."""

        def apply(page: _Page, now: float) -> T:
            before = page.row(host, now)
            ledger, result = change(now, before)
            if ledger != before:
                ledger = ledger._replace(written=now)
                if host not in page.rows:
                    page.rows = {name: row for name, row in page.rows.items() if not row.is_at_rest(now)}
                page.rows[host] = ledger
            self._ledgers[host] = ledger
            return result

        if self._path is not None and self.is_shared:
            try:
                return self._transaction(self._path / _page_of(host), apply)
            except BlockingIOError:
                raise
            except OSError as error:
                self._stop_sharing(error)
        now = self._now()
        return apply(_Page(rows={host: self._ledgers.get(host, Ledger()).as_of(now)}), now)

    def _end_or_look(self, *, end: bool) -> None:
        """Read all rows, and end their holds if ``end``."""

        def read(page: _Page, _: float) -> None:
            if end:
                page.rows = {host: row._replace(held=-math.inf) for host, row in page.rows.items()}
            self._ledgers |= page.rows

        if end:
            self._ledgers = {host: row._replace(held=-math.inf) for host, row in self._ledgers.items()}
        try:
            for path in sorted(self._path.glob("?.json")) if self._path is not None and self.is_shared else ():
                self._transaction(path, read, _LONG_PATIENCE)
        except OSError as error:
            self._stop_sharing(error)

    def _transaction(self, path: Path, action: Callable[[_Page, float], T], patience: float = _PATIENCE) -> T:
        """Run an action on the page of a file, which is written back if it was changed. Raises OSError."""
        deadline = time.monotonic() + patience
        while (file := _locked(path)) is None:
            if time.monotonic() > deadline:
                raise BlockingIOError(errno.EAGAIN, "another process keeps it locked")
            time.sleep(0.001)
        handle = file.handle
        try:
            before = _content(handle)
            now = self._now()
            page = self._rejoined(path, before, now)
            result = action(page, now)
            after = page.written()
            if after != before:
                _overwrite(handle, after, longer=len(before) > len(after))
            return result
        finally:
            os.close(handle)

    def _rejoined(self, path: Path, content: bytes, now: float) -> _Page:
        """The page of a file, with the rows of this process if the file is not the one that it knew."""
        try:
            page = _Page.read(content, now)
        except ValueError:
            page = _Page(lost=now)
            self.problem = f"the request budget in {self._path} was damaged and has been recreated"
        lost = self._pages.get(path, page.identity) != page.identity
        if lost and not -math.inf < page.lost <= now:  # a second loss would make all others wait again
            page.lost = now
        for host in [host for host in (self._ledgers if lost else self._unwritten) if _page_of(host) == path.name]:
            page.rows[host] = self._ledgers[host].as_of(now).joined(page.rows.get(host, Ledger()), now)
            self._unwritten.discard(host)
        self._pages[path] = page.identity
        return page

    def _stop_sharing(self, error: OSError) -> None:
        """From now on keep the budgets of this process only; the reason becomes the ``problem``."""
        self.is_shared = False
        self.problem = f"the request budget in {self._path} is not shared: {error.strerror or error}"


def _digest(host: str) -> str:
    return hashlib.blake2b(host.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _page_of(host: str) -> str:
    """The file of a host. Several hosts share one, so that thousands of cited pages do not make thousands of files."""
    return f"{_digest(host)[0]}.json"


def _locked(path: Path) -> Place | None:
    """Open a file, which is created, and lock it; None if another process has it. Files and folders are private to the user.

    Raises OSError, also for a link, a pipe or a device.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        try:
            handle = os.open(path, flags, 0o600)
        except FileNotFoundError:
            for folder in (path.parent.parent, path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, flags, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, f"{path.name} is not a regular file")
            if not try_lock(handle):
                os.close(handle)
                return None
            if os.path.samestat(os.fstat(handle), path.stat()):
                return Place(path, handle)
        except FileNotFoundError:  # removed since it was opened, as by the process that had it
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _content(handle: int) -> bytes:
    content = b""
    while len(content) < _MOST_BYTES and (part := os.read(handle, _MOST_BYTES)):
        content += part
    return content


def _overwrite(handle: int, content: bytes, *, longer: bool) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    if os.write(handle, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if longer:
        os.truncate(handle, len(content))


def hold_messages(budget: Budget, hosts: Container[str] | None = None, shortest: float = 0.0) -> list[str]:
    """A sentence for each hold of more than ``shortest`` seconds from now; of these ``hosts`` only, if they are given."""
    return [
        f"{_printable(host)} requested a pause and is not queried until "
        f"{datetime.datetime.fromtimestamp(until, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC; run `citecheck cache clear "
        "--holds` to end the pause"
        for host, (until, seconds) in budget.holds().items()
        if seconds > shortest and (hosts is None or host in hosts)
    ]


def _printable(host: str) -> str:
    """A name from an untrusted file, safe for a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in host[:100])
