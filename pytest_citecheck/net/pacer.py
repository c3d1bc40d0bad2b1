"""Rate limits of one host: spacing, concurrency, and the limits that the host states during the run."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from pytest_citecheck.net.budget import REJOIN_SECONDS, Budget, BudgetBusyError
from pytest_citecheck.net.rate_limits import stated_rate

if TYPE_CHECKING:
    from pytest_citecheck.sources import Rate

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]
T = TypeVar("T")

# Seconds between two looks at whether another process has made room: a quarter of the time that was waited already.
_SHORTEST_LOOK = 0.01
_LONGEST_LOOK = 0.25
# Attempts before a process stops using a shared budget that another one keeps busy: about two seconds.
_BUSY_TRIES = 40
_BUSY_PAUSE = 0.02


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
        self._concurrency = max(1, rate.concurrency)
        self._clock = clock
        self._sleep = sleep
        self._budget = Budget(None, clock) if budget is None else budget
        self._host = host
        self._active = 0
        self._leases: list[str] = []
        self._renewal: asyncio.TimerHandle | None = None
        self._door = asyncio.Lock()
        self._gate = asyncio.Lock()
        self._freed = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def per_second(self) -> float:
        """Requests a second at present."""
        return self._budget.per_second(self._host, self._full_rate)

    @property
    def concurrency(self) -> int:
        """Tasks that may be with the host at the same time."""
        return self._concurrency

    @property
    def held_for(self) -> float:
        """Seconds until the host may be queried again, as this or another process was told."""
        return self._budget.held_for(self._host)

    def tighten(self, rate: Rate) -> None:
        """Keep the stricter of two rates, for services that share a host."""
        self._full_rate = min(self._full_rate, rate.per_second)
        self._concurrency = min(self._concurrency, max(1, rate.concurrency))

    def limit(self, per_second: float) -> None:
        """Keep to this rate even if the host allows more: the user may share an address with others."""
        self._most = min(self._most, per_second)

    async def enter(self) -> bool:
        """Wait until the host has fewer tasks than allowed; False if it was closed. Pair with `leave`.

        A task keeps its place during all its tries. If retries queued up behind other tasks, a host that is down would
        get one request for every query before this is noticed.
        """
        async with self._door:
            while self._active >= self._concurrency and not self._closed.is_set():
                self._freed.clear()
                await self._freed.wait()
            lease = await self._lease()
            if lease is None:
                return False
            self._active += 1
            self._leases.append(lease)
            if self._renewal is None and self._budget.is_shared:
                self._renew()
            return True

    async def turn(self, longest_hold: float = math.inf) -> float | None:
        """Wait until a request may go out; return the seconds of waiting, or None if the host was closed.

        Also None if the host is held for more than ``longest_hold`` seconds, possibly because of another process.
        """
        waited = 0.0
        async with self._gate:
            while not self._closed.is_set():
                pause = await self._patiently(lambda: self._budget.reserve(self._host, self._full_rate))
                if pause <= 0:
                    return waited
                if pause > longest_hold and self.held_for > longest_hold:
                    return None
                waited += await self.pause(pause)
        return None

    def leave(self) -> None:
        """Make room for the next task, of this process or another one."""
        self._active -= 1
        self._budget.release(self._leases.pop())
        if not self._leases and self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        self._freed.set()

    def hold(self, seconds: float) -> None:
        """Let no task through for so long (a Retry-After speaks to all tasks, not only to the one that met
        it).
        """
        self._budget.hold(self._host, seconds)

    def close(self) -> None:
        """Refuse all tasks, also waiting ones."""
        self._closed.set()
        self._freed.set()

    def reopen(self) -> None:
        """Let tasks in again."""
        self._closed.clear()

    def slow_down(self, sent_at: float) -> None:
        """Halve the rate for a 429 to a request sent at ``sent_at``; once only for requests under way
        together.
        """
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
            self._concurrency = min(self._concurrency, int(limit[:9]))

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

    async def _lease(self) -> str | None:
        """Wait until all processes together leave room for one more task; None if the host was closed."""
        waited = 0.0
        try:
            while not self._closed.is_set():
                lease = await self._patiently(lambda: self._budget.acquire(self._host, self._concurrency))
                if lease is not None:
                    return lease
                waited += await self.pause(min(_LONGEST_LOOK, max(_SHORTEST_LOOK, waited / 4)))
            return None
        finally:
            self._budget.withdraw(self._host)

    async def _patiently(self, action: Callable[[], T]) -> T:
        for _ in range(_BUSY_TRIES):
            try:
                return action()
            except BudgetBusyError:
                await self.pause(_BUSY_PAUSE)
        self._budget.give_up("another process keeps it locked")
        return action()

    def _renew(self) -> None:
        self._budget.renew()
        self._renewal = asyncio.get_running_loop().call_later(REJOIN_SECONDS / 4, self._renew)
