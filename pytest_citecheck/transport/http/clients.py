"""The two HTTP clients of a run: one that connects itself, one that goes through the proxy of the environment."""

from __future__ import annotations

import base64
import contextlib
import http.cookiejar
import typing
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import httpcore
import httpx

from pytest_citecheck.transport.http.addresses import is_local_name, is_private, literal_address
from pytest_citecheck.transport.http.decoding import BLOCK
from pytest_citecheck.transport.http.network import NetworkBackend, certificates

__all__ = ["HttpClients", "StreamedResponse", "proxy_host"]

_MOST_HOSTS = 64
"""Hosts to which idle connections stay open. Most questions go to two dozen services; each cited page is asked for once."""
_IDLE_SECONDS = 5.0


def _proxy(url: str) -> str:
    """The proxy that the environment sets for this URL; empty for a direct connection."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_local_name(host) or (literal_address(host) is not None and is_private(host)):
        return ""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def proxy_host(url: str) -> str:
    """The host of the proxy that the environment sets for this URL; empty for a direct connection.

    Raises ValueError for a proxy that cannot be read.
    """
    return urlsplit(_proxy(url)).hostname or ""


class _NoCookies(http.cookiejar.CookieJar):
    """Neither reads nor sends any: to read them takes long if somebody means it to."""

    def extract_cookies(self, response: object, request: object) -> None: ...

    def add_cookie_header(self, request: object) -> None: ...


@dataclass(frozen=True, slots=True)
class StreamedResponse:
    """A response whose body comes in blocks. headers: names in lower case, repeated ones joined by commas. lines: how many
    lines of headers there are.
    """

    status: int
    headers: dict[str, str]
    lines: int
    blocks: AsyncIterator[bytes]


_Origin = tuple[bytes, bytes, int | None]
"""Scheme, host and port."""


def _is_idle(connection: httpcore.AsyncConnectionInterface) -> bool:
    return connection.is_idle() or connection.is_closed()


class _Target(typing.NamedTuple):
    """What a URL says to a client. identity: the value of the header that its user and password make; empty without them."""

    url: httpcore.URL
    host: bytes
    identity: bytes


@lru_cache(maxsize=256)
def _target(url: str) -> _Target:
    parsed = httpx.URL(url)
    who = f"{parsed.username}:{parsed.password}" if parsed.username or parsed.password else ""
    return _Target(
        httpcore.URL(scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path or b"/"),
        parsed.netloc,
        b"Basic " + base64.b64encode(who.encode()) if who else b"",
    )


def _decoded(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Header names are ASCII, values almost always."""
    found: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


class HttpClients:
    """Makes each client when it is needed first. Close them with `aclose`.

    Direct connections go straight to httpcore: httpx does not let one choose the `NetworkBackend`, and what it does around an
    exchange takes half as long as the exchange. Those through a proxy are httpx's.

    Each host has a pool of its own. In httpcore 1.0 each request of a pool goes through all its connections, and one with more
    connections than it may keep closes each that falls idle, also where the others are busy: every call connects anew.
    """

    def __init__(self, backend: NetworkBackend, limits: httpx.Timeout) -> None:
        self._backend = backend
        self._limits = limits
        self._pools: dict[_Origin, httpcore.AsyncConnectionPool] = {}
        self._proxied: dict[str, httpx.AsyncClient] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()
        clients = list(self._proxied.values())
        self._proxied.clear()
        for client in clients:
            await client.aclose()

    @contextlib.asynccontextmanager
    async def stream(
        self, url: str, headers: Mapping[str, str], body: bytes, extensions: Mapping[str, typing.Any]
    ) -> AsyncIterator[StreamedResponse]:
        """Send a POST with this body, a GET without one. Raises ContactError if the proxy has no address, ValueError if it
        cannot be read, and what httpcore and httpx raise.
        """
        proxy = _proxy(url)
        method = "POST" if body else "GET"
        if proxy:
            await self._backend.contact(urlsplit(proxy).hostname or "")
            client = self._client(proxy)
            async with client.stream(
                method, url, headers=dict(headers), content=body or None, extensions=dict(extensions)
            ) as response:
                raw = response.headers.raw
                yield StreamedResponse(response.status_code, _decoded(raw), len(raw), response.aiter_raw(BLOCK))
            return
        target = _target(url)
        sent = [(b"host", target.host), *((name.encode(), value.encode()) for name, value in headers.items())]
        if target.identity:
            sent = [*(one for one in sent if one[0].lower() != b"authorization"), (b"authorization", target.identity)]
        if body:
            sent.append((b"content-length", str(len(body)).encode()))
        pool = await self._pool((target.url.scheme, target.url.host, target.url.port))
        direct = await pool.handle_async_request(
            httpcore.Request(
                method,
                target.url,
                headers=sent,
                content=body,
                extensions={"timeout": self._limits.as_dict(), **extensions},
            )
        )
        try:
            yield StreamedResponse(direct.status, _decoded(direct.headers), len(direct.headers), direct.aiter_stream())
        finally:
            await direct.aclose()

    async def _pool(self, origin: _Origin) -> httpcore.AsyncConnectionPool:
        if origin not in self._pools and len(self._pools) >= _MOST_HOSTS:
            idle = [other for other, pool in self._pools.items() if all(map(_is_idle, pool.connections))]
            for pool in [self._pools.pop(other) for other in idle]:
                await pool.aclose()
        if origin not in self._pools:  # asked again: another task may have made it while these were closed
            self._pools[origin] = httpcore.AsyncConnectionPool(
                ssl_context=certificates(),
                max_connections=None,  # who asks is counted before, where waiting does not count as the host's silence
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=self._backend,
            )
        return self._pools[origin]

    def _client(self, proxy: str) -> httpx.AsyncClient:
        client = self._proxied.get(proxy)
        if client is None:
            # The environment is read here only: were httpx to decide for itself what the proxy is not for, it would connect to
            # hosts whose addresses were not checked.
            client = self._proxied[proxy] = httpx.AsyncClient(
                proxy=proxy,
                verify=certificates(),
                trust_env=False,
                cookies=_NoCookies(),
                timeout=self._limits,
                limits=httpx.Limits(
                    max_connections=None, max_keepalive_connections=None, keepalive_expiry=_IDLE_SECONDS
                ),
                follow_redirects=False,
            )
        return client
