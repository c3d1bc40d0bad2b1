"""Looks up host names with a deadline that holds even when the resolver of the system hangs.

`socket.getaddrinfo` cannot be interrupted. The event loop would run it in a pool, and wait for its threads at the end,
so one dead name server would delay the end of a run by half a minute. Daemon threads are abandoned instead.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_citecheck.net.http import literal_address

Lookup = Callable[[str], Sequence[str]]
"""From a host name to its addresses, the preferred first; raises OSError."""

LOOKUPS_AT_ONCE = 16
"""Number of threads: more than the services that a run queries first, and half of the maximum number of exchanges, as
most names are known already. One thread for each of 3,000 cited hosts would exhaust the system."""


class ResolutionError(Exception):
    """The name could not be looked up; ``hung`` means that no answer came in time."""

    def __init__(self, message: str, *, hung: bool) -> None:
        super().__init__(message)
        self.hung = hung


def system_lookup(host: str) -> list[str]:
    """The addresses that the system's resolver knows, in its order (RFC 6724)."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class _Task:
    host: str
    loop: asyncio.AbstractEventLoop
    started: asyncio.Future[None]
    addresses: asyncio.Future[tuple[str, ...]]


class Resolver:
    """Resolves each name once a run; simultaneous callers share one look-up."""

    def __init__(self, lookup: Lookup = system_lookup) -> None:
        self._lookup = lookup
        self._tasks: dict[str, _Task] = {}
        self._lock = threading.Lock()
        self._waiting: deque[_Task] = deque()
        self._threads = 0

    async def resolve(self, host: str, deadline: float) -> tuple[str, ...]:
        """The addresses of the host, at least one. Raises ResolutionError ``deadline`` seconds after the look-up has
        begun, or if it cannot begin within this time because others hang."""
        literal = literal_address(host)
        if literal is not None:
            return (str(literal) if literal.version == 4 else host.strip("[]"),)
        task = self._tasks.get(host)
        if task is None:
            task = self._tasks[host] = self._start(host)
        await asyncio.wait({task.started}, timeout=deadline)
        if not task.started.done():
            raise ResolutionError(
                f"the look-up of {host} could not start within {deadline:g} s, because {LOOKUPS_AT_ONCE} others are blocked",
                hung=True,
            )
        done, _ = await asyncio.wait({task.addresses}, timeout=deadline)
        if not done:
            raise ResolutionError(f"no DNS answer for {host} within {deadline:g} s", hung=True)
        error = task.addresses.exception()
        if error is not None:
            raise ResolutionError(f"{host} could not be looked up: {error}", hung=False)
        addresses = task.addresses.result()
        if not addresses:
            raise ResolutionError(f"{host} has no address", hung=False)
        return addresses

    def _start(self, host: str) -> _Task:
        loop = asyncio.get_running_loop()
        task = _Task(host, loop, loop.create_future(), loop.create_future())
        with self._lock:
            self._waiting.append(task)
            more = self._threads < LOOKUPS_AT_ONCE
            self._threads += more
        if more:
            threading.Thread(target=self._work, daemon=True).start()
        return task

    def _work(self) -> None:
        """Look names up until none is waiting."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                task = self._waiting.popleft()
            try:
                threading.current_thread().name = f"look-up of {task.host}"
                task.loop.call_soon_threadsafe(task.started.set_result, None)
                task.loop.call_soon_threadsafe(_settle, task.addresses, *self._look_up(task.host))
            except RuntimeError:
                # The loop is closed if no task waited for a resolver that hung.
                with self._lock:
                    self._waiting.clear()

    def _look_up(self, host: str) -> tuple[tuple[str, ...], OSError | None]:
        try:
            return tuple(self._lookup(host)), None
        except OSError as error:
            return (), error
        except ValueError:  # also UnicodeError: no label may be empty, or longer than 63 bytes
            return (), OSError("not a valid host name")


def _settle(future: asyncio.Future[tuple[str, ...]], addresses: tuple[str, ...], error: OSError | None) -> None:
    if error is None:
        future.set_result(addresses)
    else:
        future.set_exception(error)
        # Marks the exception as retrieved: the task that asked may be gone.
        future.exception()
