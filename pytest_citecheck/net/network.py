"""The network in a run: time limits, look-ups of host names, and whether anything can be reached at all.

`socket.getaddrinfo` cannot be interrupted. The event loop would run it in a pool, and wait for its threads at the end,
so one dead name server would delay the end of a run by half a minute. Daemon threads are abandoned instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from pytest_citecheck.model import Unavailable
from pytest_citecheck.net.http import ExchangeError, literal_address

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

T = TypeVar("T")

_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.EADDRNOTAVAIL}


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


Lookup = Callable[[str], Sequence[str]]
"""From a host name to its addresses, the preferred first; raises OSError."""

LOOKUPS_AT_ONCE = 16
"""Number of threads: more than the services that a run queries first, and half of the maximum number of exchanges, as
most names are known already. One thread for each of 3,000 cited hosts would exhaust the system."""

# A later look-up waits so long where an earlier one hung and nothing was reached yet: a run without a network
# pays for one dead name server once, not once for each service.
_SECOND_DEADLINE = 0.03


def system_lookup(host: str) -> list[str]:
    """The addresses that the system's resolver knows, in its order (RFC 6724)."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Network:
    """The network as a run sees it: look-ups of names, each once, the connections being opened, and whether one was.

    connect_timeout: seconds for a look-up, and again for a connection.
    """

    def __init__(self, lookup: Lookup, connect_timeout: float) -> None:
        self.connect_timeout = connect_timeout
        self.reached = False
        """True if any host was reached."""
        self._lookup = lookup
        self._hung = False
        self._room = asyncio.Semaphore(LOOKUPS_AT_ONCE)
        self._tasks: dict[str, tuple[asyncio.Event, asyncio.Task[tuple[str, ...]]]] = {}
        self._under_way = 0
        self._settled = asyncio.Event()
        self._settled.set()

    @contextlib.contextmanager
    def connecting(self) -> Iterator[None]:
        """Open a connection inside, and set `reached` if it succeeds."""
        self._under_way += 1
        if not self.reached:
            self._settled.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if self.reached or not self._under_way:
                self._settled.set()

    async def offline(self) -> bool:
        """Return True if no host can be reached; waits for the connections being opened, each of which has its own
        deadline.
        """
        await self._settled.wait()
        return not self.reached

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of the host, at least one. Raises ExchangeError when the look-up has taken too long, or if it cannot
        begin within this time because others hang."""
        literal = literal_address(host)
        if literal is not None:
            return (str(literal) if literal.version == 4 else host.strip("[]"),)
        if host not in self._tasks:
            started = asyncio.Event()
            self._tasks[host] = started, asyncio.create_task(self._look_up(host, started))
            self._tasks[host][1].add_done_callback(
                lambda task: task.cancelled() or task.exception()
            )  # nobody may wait for it
        started, task = self._tasks[host]
        deadline = _SECOND_DEADLINE if self._hung and not self.reached else self.connect_timeout
        problem = (
            f"the look-up of {host} could not start within {deadline:g} s, because {LOOKUPS_AT_ONCE} others are blocked"
        )
        try:
            await asyncio.wait_for(started.wait(), deadline)
            problem = f"no DNS answer for {host} within {deadline:g} s"
            addresses = await asyncio.wait_for(asyncio.shield(task), deadline)
            if addresses:
                return addresses
            problem = f"{host} has no address"
        except TimeoutError:
            self._hung = True
        except OSError as error:
            problem = f"{host} could not be looked up: {error}"
        except ValueError:  # also UnicodeError: no label may be empty, or longer than 63 bytes
            problem = f"{host} could not be looked up: not a valid host name"
        raise ExchangeError("dns", problem, hopeless=True, offline=True)

    async def _look_up(self, host: str, started: asyncio.Event) -> tuple[str, ...]:
        async with self._room:
            started.set()
            return await in_thread(lambda: tuple(self._lookup(host)), f"look-up of {host}")


def unconnected(error: BaseException, host: str) -> ExchangeError | None:
    """Return the reason of a failed connection attempt; None for later errors (TLS, the exchange)."""
    for cause in causes(error):
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return ExchangeError("connection", f"{host} is unreachable", hopeless=True, offline=True)
        if isinstance(cause, ConnectionRefusedError):
            return ExchangeError("connection", f"{host} refused the connection", hopeless=True)
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


async def in_thread(work: Callable[[], T], name: str) -> T:
    """Call the function in a thread; return its result or raise its exception. Nobody waits for the thread of a task that is
    cancelled."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def settle(found: T | None, error: BaseException | None) -> None:
        if result.done():  # nobody waits any more
            return
        if error is not None:
            result.set_exception(error)
        else:
            result.set_result(typing.cast("T", found))

    def run() -> None:
        outcome: tuple[T | None, BaseException | None]
        try:
            outcome = work(), None
        except BaseException as error:  # noqa: BLE001 - raised in the task that waits
            outcome = None, error
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await result
