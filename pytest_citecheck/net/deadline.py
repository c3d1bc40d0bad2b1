"""The end of querying: after the time that the user allows, or sooner if no service answers."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from pytest_citecheck.model import Unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Deadline:
    """Deadline for all requests of a run, in event loop time.

    total: seconds from `begin`; None: unlimited. silence: seconds from the first request (`sent`), unless something has
    `answered` by then: on a connection that swallows everything, the timeouts of all services would add up; None:
    unlimited. A deadline that has passed stays passed.
    """

    def __init__(self, total: float | None, silence: float | None) -> None:
        self._total = total
        self._silence = silence
        self._total_end: float | None = None
        self._silence_end: float | None = None
        self._heard = False
        self._ended: Unavailable | None = None
        self._limits: set[asyncio.Timeout] = set()

    def begin(self) -> None:
        """Start the time of the user."""
        if self._total is not None:
            self._total_end = asyncio.get_running_loop().time() + self._total

    def sent(self) -> None:
        """A request goes out."""
        if self._silence is not None and self._silence_end is None and not self._heard:
            self._silence_end = asyncio.get_running_loop().time() + self._silence
            self._reschedule()

    def answered(self) -> None:
        """Note the start of any response, which proves that the network works."""
        if not self._heard and self.over() is None:
            self._heard = True
            self._silence_end = None
            self._reschedule()

    def left(self) -> float | None:
        """Seconds until asking ends; None if there is no limit."""
        when = self._when()
        return None if when is None else max(when - asyncio.get_running_loop().time(), 0.0)

    def over(self) -> Unavailable | None:
        """Reason to stop all requests; None while there is time left."""
        when = self._when()
        if self._ended is None and when is not None and asyncio.get_running_loop().time() >= when:
            self._end()
        return self._ended

    @contextlib.asynccontextmanager
    async def limit(self) -> AsyncIterator[None]:
        """Cancel what is inside when the time is over. Raises TimeoutError then; `over` says why."""
        try:
            async with asyncio.timeout_at(self._when()) as limit:
                self._limits.add(limit)
                try:
                    yield
                finally:
                    self._limits.discard(limit)
        except TimeoutError:
            self._end()
            raise

    async def heed(self) -> None:
        """Go no further if the time is over, but be cancelled by `limit`: what made the loop late may have kept it from that."""
        if self.over() is not None:
            await asyncio.get_running_loop().create_future()

    def _when(self) -> float | None:
        return min((end for end in (self._total_end, self._silence_end) if end is not None), default=None)

    def _end(self) -> None:
        if self._ended is not None:
            return
        if self._silence_end is not None and self._when() == self._silence_end:
            self._ended = Unavailable("silent", f"no service answered anything within {self._silence:g} s")
        else:
            self._ended = Unavailable("deadline", f"timed out after {self._total:g} s (--citecheck-timeout)")

    def _reschedule(self) -> None:
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(self._when())
