"""The queue of requests to one host: spacing, concurrency, circuit breaker and daily budget."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.net.budget import Budget, Place
from pytest_citecheck.net.http import stated_rate

if TYPE_CHECKING:
    from pytest_citecheck.net.logins import Identity
    from pytest_citecheck.net.settings import TransportSettings
    from pytest_citecheck.sources import Rate, Source

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]

_LOOK = 0.05  # seconds between two looks at whether another process has made room


class Pacer:
    """Sends requests to one host evenly spaced, with limited concurrency.

    With a shared ``budget``, the limits hold for all processes together. Each has one waiting request at a time, so
    they get equal shares. Without one, the limits hold for this process.

    A 429 halves the rate (down to 1/16); each 30 seconds without one double it again. Unless the rate is ``fixed``,
    ``x-rate-limit-*`` headers replace the rate that the source declares, but never exceed a `limit`, and
    ``x-concurrency-limit`` lowers the concurrency. `hold` stops all requests; `close` ends all waiting at once, until
    `reopen`. Waiting here blocks no other host.
    """

    def __init__(self, rate: Rate, clock: Clock, sleep: Sleep, budget: Budget | None = None, host: str = "") -> None:
        self._full_rate = rate.per_second
        self._most = math.inf
        self.fixed = False
        self.concurrency = max(1, rate.concurrency)
        """Tasks that may be with the host at the same time."""
        self._clock = clock
        self._sleep = sleep
        self._budget = Budget(None, clock) if budget is None else budget
        self._host = host
        self._places: list[Place] = []
        self._door = asyncio.Lock()
        self._gate = asyncio.Lock()
        self._freed = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def per_second(self) -> float:
        """Requests a second at present."""
        return self._budget.per_second(self._host, self._full_rate)

    @property
    def held_for(self) -> float:
        """Seconds until the host may be queried again, as this or another process was told."""
        return self._budget.held_for(self._host)

    def tighten(self, rate: Rate) -> None:
        """Keep the stricter of two rates, for services that share a host."""
        self._full_rate = min(self._full_rate, rate.per_second)
        self.concurrency = min(self.concurrency, max(1, rate.concurrency))

    def limit(self, per_second: float) -> None:
        """Keep to this rate even if the host allows more: the user may share an address with others."""
        self._most = min(self._most, per_second)

    async def enter(self) -> bool:
        """Wait until the host has fewer tasks than allowed; False if it was closed. Pair with `leave`.

        A task keeps its place during all its tries. If retries queued up behind other tasks, a host that is down would
        get one request for every query before this is noticed.
        """
        async with self._door:
            while len(self._places) >= self.concurrency and not self._closed.is_set():
                self._freed.clear()
                await self._freed.wait()
            try:
                while not self._closed.is_set():
                    place = self._budget.acquire(self._host, self.concurrency)
                    if place is not None:
                        self._places.append(place)
                        return True
                    await self.pause(_LOOK)
                return False
            finally:
                self._budget.withdraw(self._host)

    async def turn(self, longest_hold: float = math.inf) -> float | None:
        """Wait until a request may go out; return the seconds of waiting, or None if the host was closed.

        Also None if the host is held for more than ``longest_hold`` seconds, possibly because of another process.
        """
        waited = 0.0
        async with self._gate:
            while not self._closed.is_set():
                pause = self._budget.reserve(self._host, self._full_rate)
                if pause <= 0:
                    return waited
                if pause > longest_hold and self.held_for > longest_hold:
                    return None
                waited += await self.pause(pause)
        return None

    def postpone(self, sent_at: float) -> bool:
        """Count the request sent at this moment as sent now, since its connection took long; False if it needs another turn."""
        return self._budget.postpone(self._host, self._clock() - sent_at)

    def leave(self) -> None:
        """Make room for the next task, of this process or another one."""
        self._places.pop().release()
        self._freed.set()

    def hold(self, seconds: float) -> None:
        """Let no task through for so long: a Retry-After applies to all tasks, not only to the one that received it."""
        self._budget.hold(self._host, seconds)

    def close(self) -> None:
        """Refuse all tasks, also waiting ones."""
        self._closed.set()
        self._freed.set()

    def reopen(self) -> None:
        """Let tasks in again."""
        self._closed.clear()

    def slow_down(self, sent_at: float) -> None:
        """Halve the rate for a 429 to a request sent at ``sent_at``; once only for requests under way together."""
        self._budget.slow_down(self._host, self._clock() - sent_at)

    def note(self, headers: Mapping[str, str]) -> None:
        """Apply the headers of a successful response, unless the rate is fixed."""
        if self.fixed:
            return
        rate = stated_rate(headers)
        if rate is not None:
            self._full_rate = min(rate, self._most)
            self._budget.note(self._host, rate)
        limit = headers.get("x-concurrency-limit", "")
        if limit.isascii() and limit.isdigit() and int(limit[:9]) > 0:
            self.concurrency = min(self.concurrency, int(limit[:9]))

    async def pause(self, seconds: float) -> float:
        """Sleep for so long, or until the host is closed; the seconds that it took."""
        start = self._clock()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        closing = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait({sleeping, closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            closing.cancel()
        return self._clock() - start


class Allowance:
    """Daily budget of a service: ``dollars`` at the beginning; infinite for a service that costs nothing."""

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
        if self._clock() < self._next_probe:
            return False
        self._probing = True
        # A probe that is interrupted never reports: the next one must not wait for it.
        self._next_probe = self._clock() + self._cool_down
        return True

    def succeeded(self) -> None:
        """Count a success; a successful probe closes the breaker."""
        if self.is_open and not self._probing:
            return
        self.cause = ""
        self._failures = 0
        self._probing = False
        self._cool_down = _FIRST_COOL_DOWN

    def failed(self, cause: str) -> None:
        """Count a failure. The third in a row opens the breaker; a failed probe keeps it open for longer."""
        if self.is_open and not self._probing:
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
        if self._next_probe < math.inf:
            self.cause = cause
            self.offline = offline
            self._probing = False
            self._next_probe = math.inf


class HostQueue:
    """Connection state of one host, shared by all tasks; all processes share its budget."""

    def __init__(self, host: str, rate: Rate, clock: Clock, sleep: Sleep, budget: Budget | None) -> None:
        self.host = host
        self.pacer = Pacer(rate, clock, sleep, budget, host)
        self.breaker = Breaker(clock)
        self.note = ""
        self.crowded_out = 0
        self.allowance = Allowance()

    def allows(self) -> bool:
        """Return True if a task may ask now; a host that failed is tried again by one task when it has had time to recover."""
        allowed = self.breaker.allows()
        if allowed and self.breaker.is_open:
            self.pacer.reopen()
        return allowed

    def succeeded(self) -> None:
        self.breaker.succeeded()
        if not self.breaker.is_open:
            self.pacer.reopen()

    def failed(self, cause: str) -> None:
        self.breaker.failed(cause)
        if self.breaker.is_open:
            self.pacer.close()

    def give_up(self, cause: str, *, offline: bool = False, note: str = "") -> None:
        """Send no more requests to the host in this run; the user sees ``note`` once."""
        self.breaker.open(cause, offline=offline)
        self.note = self.note or note
        self.pacer.close()


class HostQueues:
    """Creates each queue once. ``budget`` is shared by all processes; None before the run and without a cache."""

    def __init__(self, settings: TransportSettings, identity: Identity, clock: Clock, sleep: Sleep) -> None:
        self._settings = settings
        self._identity = identity
        self._clock = clock
        self._sleep = sleep
        self._queues: dict[str, HostQueue] = {}
        self.budget: Budget | None = None

    @property
    def hosts(self) -> set[str]:
        """The names of the queues in the budget."""
        return {queue.host for queue in self._queues.values()}

    @property
    def notes(self) -> list[str]:
        """Notes for the user about abandoned queues."""
        return [queue.note for queue in self._queues.values() if queue.note]

    def queue(self, source: Source, host: str, pool: str = "") -> HostQueue:
        """The queue to this host for requests of this pool; services that share it keep the stricter of their rates."""
        settings = self._settings
        wanted = settings.rates.get(source.name)
        rate = wanted or self._identity.rate(source, pool)
        name = f"{host} {pool}".rstrip()
        queue = self._queues.get(name)
        if queue is None:
            mirror = settings.base_urls.get(source.name)
            # A mirror has a separate budget, but its neighbours on the same machine share it.
            shared = f"{name} at {urlsplit(mirror).hostname}:{urlsplit(mirror).port or ''}" if mirror else name
            # The rate of the user's own mirror is the user's. Limits that runs without this rate noted do not apply to it.
            fixed = wanted is not None and mirror is not None
            shared += " at a fixed rate" * fixed
            queue = self._queues[name] = HostQueue(shared, rate, self._clock, self._sleep, self.budget)
            queue.pacer.fixed = fixed
            queue.allowance = Allowance(self._identity.dollars(source))
        else:
            queue.pacer.tighten(rate)
        if wanted is not None:
            queue.pacer.limit(wanted.per_second)
        return queue
