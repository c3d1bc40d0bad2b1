"""Opens connections, and knows whether the network is there at all."""

from __future__ import annotations

import asyncio
import errno
import typing
from functools import lru_cache

import httpcore
import httpx

from pytest_citecheck.net.resolver import ResolutionError, Resolver

if typing.TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable


# A later look-up waits so long where an earlier one hung and nothing was reached yet: a run without a network
# pays for one dead name server once, not once for each service.
_SECOND_DEADLINE = 0.03

_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.EADDRNOTAVAIL}


@lru_cache(maxsize=1)
def certificates() -> ssl.SSLContext:
    """Verifies servers by the certificates that httpx trusts; made once, because reading them takes longer than a small file."""
    return httpx.create_ssl_context()


class ContactError(Exception):
    """No connection to a host: ``reason`` is ``dns``, ``connection`` or ``timeout``.

    ``conclusive``: a retry within this run is useless. ``offline``: the failure looks like a missing network.
    """

    def __init__(self, reason: str, detail: str, *, conclusive: bool, offline: bool) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.conclusive = conclusive
        self.offline = offline


class Contacts:
    """State of the network in this run: True if any host was reached, and the connections being opened."""

    def __init__(self) -> None:
        self.reached = False
        self.hung = False
        self._under_way = 0
        self._settled = asyncio.Event()
        self._settled.set()

    def begin(self) -> None:
        self._under_way += 1
        if not self.reached:
            self._settled.clear()

    def end(self, *, reached: bool) -> None:
        self._under_way -= 1
        self.reached = self.reached or reached
        if self.reached or not self._under_way:
            self._settled.set()

    async def offline(self) -> bool:
        """Return True if no host can be reached; waits for the contacts under way, each of which has its own
        deadline.
        """
        await self._settled.wait()
        return not self.reached


def contact_error(error: BaseException, host: str) -> ContactError | None:
    """Return the reason of a failed connection attempt; None for later errors (TLS, the exchange)."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return ContactError("connection", f"{host} is unreachable", conclusive=True, offline=True)
        if isinstance(cause, ConnectionRefusedError):
            return ContactError("connection", f"{host} refused the connection", conclusive=True, offline=False)
        cause = cause.__cause__ or cause.__context__
    return None


class NetworkBackend(httpcore.AsyncNetworkBackend):
    """Connects to the addresses that the `Resolver` finds, at most one of each family, and reports to
    `Contacts`.
    """

    def __init__(self, resolver: Resolver, contacts: Contacts, connect_timeout: float) -> None:
        self._resolver = resolver
        self._contacts = contacts
        self._connect_timeout = connect_timeout
        self._inner = httpcore.AnyIOBackend()
        self._good: dict[str, str] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The addresses of a host. Raises ContactError."""
        second = self._contacts.hung and not self._contacts.reached
        try:
            return await self._resolver.resolve(host, _SECOND_DEADLINE if second else self._connect_timeout)
        except ResolutionError as error:
            self._contacts.hung = self._contacts.hung or error.hung
            raise ContactError("dns", str(error), conclusive=True, offline=True) from None

    async def contact(self, host: str) -> None:
        """Make sure that the host has an address, before somebody else opens the connection."""
        self._contacts.begin()
        try:
            await self.addresses(host)
        finally:
            self._contacts.end(reached=False)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[typing.Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._contacts.begin()
        reached = False
        try:
            candidates = self._candidates(host, await self.addresses(host))
            failures: list[ContactError] = []
            for address in candidates:
                try:
                    stream = await self._inner.connect_tcp(
                        address,
                        port,
                        timeout=self._connect_timeout / len(candidates),
                        local_address=local_address,
                        socket_options=socket_options,
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError) as error:
                    failures.append(self._explain(host, error))
                    continue
                reached = True
                self._good[host] = address
                return stream
            # One address family is often missing; the error of the other one is more informative.
            raise next((failure for failure in failures if not failure.offline), failures[-1])
        finally:
            self._contacts.end(reached=reached)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _candidates(self, host: str, addresses: tuple[str, ...]) -> list[str]:
        good = self._good.get(host)
        if good is not None:
            return [good]
        families: dict[bool, str] = {}
        for address in addresses:
            families.setdefault(":" in address, address)
        return list(families.values())

    def _explain(self, host: str, error: Exception) -> ContactError:
        if not isinstance(error, httpcore.ConnectTimeout):
            known = contact_error(error, host)
            return known or ContactError("connection", f"no connection to {host}", conclusive=True, offline=False)
        # Without any host reached this is a firewall or a dead line, not a slow server: asking again only
        # takes time.
        alone = not self._contacts.reached
        seconds = f"{self._connect_timeout:g} s"
        return ContactError("timeout", f"no connection to {host} within {seconds}", conclusive=alone, offline=alone)
