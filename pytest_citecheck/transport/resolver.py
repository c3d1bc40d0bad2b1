"""Looks up host names with a deadline that holds even when the resolver of the system hangs.

`socket.getaddrinfo` cannot be interrupted. The event loop would run it in a pool whose threads are waited for
when the loop closes, so one dead name server would hold a run for half a minute. Daemon threads are simply
left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Literal

__all__ = ["Lookup", "ResolutionError", "Resolver", "is_private", "literal_address", "reach", "system_lookup"]

Lookup = Callable[[str], Sequence[str]]
"""From a host name to its addresses, the preferred first; raises OSError."""


class ResolutionError(Exception):
    """The name could not be looked up; ``hung`` means that nobody answered in time."""

    def __init__(self, message: str, *, hung: bool) -> None:
        super().__init__(message)
        self.hung = hung


def system_lookup(host: str) -> list[str]:
    """The addresses that the system's resolver knows, in its order (RFC 6724)."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address if the host is written as one, else None."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def is_private(address: str) -> bool:
    """Whether an address is anything but a public one: loopback, link-local, private, reserved."""
    parsed = literal_address(address)
    if parsed is None:
        return True
    mapped = getattr(parsed, "ipv4_mapped", None)
    return not (mapped or parsed).is_global


def reach(address: str) -> Literal["public", "private", "loopback", "link-local"]:
    """From where an address can be reached: everywhere, the own network, this machine, this cable."""
    if not is_private(address):
        return "public"
    parsed = literal_address(address)
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if parsed is not None and parsed.is_loopback:
        return "loopback"
    return "link-local" if parsed is not None and parsed.is_link_local else "private"


class Resolver:
    """Resolves each name once a run; simultaneous callers share one look-up."""

    def __init__(self, lookup: Lookup = system_lookup) -> None:
        self._lookup = lookup
        self._running: dict[str, asyncio.Future[tuple[str, ...]]] = {}

    async def resolve(self, host: str, deadline: float) -> tuple[str, ...]:
        """The addresses of the host, at least one. Raises ResolutionError, at the latest after ``deadline``
        seconds.
        """
        if literal_address(host) is not None:
            return (host.strip("[]"),)
        future = self._running.get(host)
        if future is None:
            future = self._running[host] = self._start(host)
        done, _ = await asyncio.wait({future}, timeout=deadline)
        if not done:
            raise ResolutionError(f"no answer to the look-up of {host} within {deadline:g} s", hung=True)
        error = future.exception()
        if error is not None:
            raise ResolutionError(f"{host} could not be looked up: {error}", hung=False)
        addresses = future.result()
        if not addresses:
            raise ResolutionError(f"{host} has no address", hung=False)
        return addresses

    def _start(self, host: str) -> asyncio.Future[tuple[str, ...]]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[str, ...]] = loop.create_future()

        def settle(addresses: tuple[str, ...], error: OSError | None) -> None:
            if error is not None:
                future.set_exception(error)
                # Marks the exception as seen: whoever asked may have gone already.
                future.exception()
            else:
                future.set_result(addresses)

        def work() -> None:
            addresses: tuple[str, ...] = ()
            error: OSError | None = None
            try:
                addresses = tuple(self._lookup(host))
            except OSError as problem:
                error = problem
            except UnicodeError:
                error = OSError("not a valid host name")
            # The loop is closed when nobody waited for a resolver that hung.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, addresses, error)

        threading.Thread(target=work, name=f"look-up of {host}", daemon=True).start()
        return future
