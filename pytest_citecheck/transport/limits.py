"""Keeps the rate of one host: spacing, concurrency, and what the host says about both while it is asked."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from pytest_citecheck.transport.retry import stated_rate

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Rate

__all__ = ["Clock", "Pacer", "Sleep"]

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]

_SLOWEST = 1 / 16
_CALM_SECONDS = 30.0


class Pacer:
    """Lets requests to one host go one by one, evenly spaced, and only so many at a time.

    A 429 halves the rate (down to 1/16); each 30 seconds without one double it again. ``x-rate-limit-*``
    headers replace the rate that the source declares, ``x-concurrency-limit`` lowers the concurrency. `hold`
    stops everybody, `close` lets everybody go home at once. Waiting here blocks no other host.
    """

    def __init__(self, rate: Rate, clock: Clock, sleep: Sleep) -> None:
        self._full_rate = rate.per_second
        self._concurrency = max(1, rate.concurrency)
        self._clock = clock
        self._sleep = sleep
        self._share = 1.0
        self._slowed_at = -math.inf
        self._last = -math.inf
        self._held_until = -math.inf
        self._active = 0
        self._door = asyncio.Lock()
        self._gate = asyncio.Lock()
        self._freed = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def per_second(self) -> float:
        """Requests a second at present."""
        return self._full_rate * self._share

    @property
    def concurrency(self) -> int:
        """Tasks that may be with the host at the same time."""
        return self._concurrency

    def tighten(self, rate: Rate) -> None:
        """Keep the stricter of two rates, for services that share a host."""
        self._full_rate = min(self._full_rate, rate.per_second)
        self._concurrency = min(self._concurrency, max(1, rate.concurrency))

    async def enter(self) -> bool:
        """Wait until fewer tasks than allowed are with the host; False if it was closed. Pair with `leave`.

        A task keeps its place over all its tries: if those who have to ask again queued up behind the others, a host
        that is down would get one request for every question before anybody noticed.
        """
        async with self._door:
            while self._active >= self._concurrency and not self._closed.is_set():
                self._freed.clear()
                await self._freed.wait()
            if self._closed.is_set():
                return False
            self._active += 1
            return True

    async def turn(self) -> float | None:
        """Wait until a request may go out; the seconds of waiting, or None if the host was closed."""
        waited = 0.0
        async with self._gate:
            while not self._closed.is_set():
                pause = max(self._last + 1 / self.per_second, self._held_until) - self._clock()
                if pause <= 0:
                    self._last = self._clock()
                    return waited
                waited += await self.pause(pause)
        return None

    def leave(self) -> None:
        self._active -= 1
        self._freed.set()

    def hold(self, seconds: float) -> None:
        """Let nobody through for so long (a Retry-After speaks to all tasks, not only to the one that met
        it).
        """
        self._held_until = max(self._held_until, self._clock() + seconds)

    def close(self) -> None:
        """Turn away everybody, also those who wait."""
        self._closed.set()
        self._freed.set()

    def slow_down(self, sent_at: float) -> None:
        """Halve the rate for a 429 to a request sent at ``sent_at``; once only for requests under way
        together.
        """
        if sent_at >= self._slowed_at:
            self._share = max(_SLOWEST, self._share / 2)
            self._slowed_at = self._clock()

    def note(self, headers: Mapping[str, str]) -> None:
        """Take up what the headers of a good answer say; recover from an earlier slow-down."""
        rate = stated_rate(headers)
        if rate is not None:
            self._full_rate = rate
        limit = headers.get("x-concurrency-limit", "")
        if limit.isascii() and limit.isdigit() and int(limit[:9]) > 0:
            self._concurrency = min(self._concurrency, int(limit[:9]))
        if self._share < 1 and self._clock() - self._slowed_at >= _CALM_SECONDS:
            self._share = min(1.0, self._share * 2)
            self._slowed_at = self._clock()

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
