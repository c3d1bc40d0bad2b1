"""The two HTTP clients of a run: one that connects itself, one that goes through the proxy of the environment."""

from __future__ import annotations

import http.cookiejar
import typing
import urllib.request
from urllib.parse import urlsplit

import httpcore
import httpx

from pytest_citecheck.transport.http.addresses import is_local_name, is_private, literal_address
from pytest_citecheck.transport.http.network import NetworkBackend, certificates

if typing.TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator

__all__ = ["HttpClients", "proxy_host", "proxy_urls"]

# Most questions go to a dozen services; the pages that references cite are asked once each.
_MOST_IDLE = 20
_IDLE_SECONDS = 5.0


def proxy_urls() -> tuple[str, ...]:
    """All proxies that the environment sets, each with its scheme."""
    proxies = {name: url for name, url in urllib.request.getproxies().items() if url and name != "no"}
    return tuple(url if "://" in url else f"http://{url}" for url in proxies.values())


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


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: typing.AsyncIterable[bytes]) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


class _DirectTransport(httpx.AsyncBaseTransport):
    """httpx over httpcore's pool with an own `NetworkBackend`, which httpx does not let one choose."""

    def __init__(self, backend: NetworkBackend, context: ssl.SSLContext) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=None,  # who asks is counted before, where waiting does not count as the host's silence
            max_keepalive_connections=_MOST_IDLE,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=typing.cast("typing.AsyncIterable[bytes]", request.stream),
                extensions=request.extensions,
            )
        )
        stream = typing.cast("typing.AsyncIterable[bytes]", response.stream)
        return httpx.Response(response.status, headers=response.headers, stream=_Body(stream))

    async def aclose(self) -> None:
        await self._pool.aclose()


class HttpClients:
    """Makes each client when it is needed first. Close them with `aclose`."""

    def __init__(self, backend: NetworkBackend, limits: httpx.Timeout) -> None:
        self._backend = backend
        self._limits = limits
        self._clients: dict[str, httpx.AsyncClient] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()

    async def client(self, url: str) -> httpx.AsyncClient:
        """The client for this URL. Raises ContactError if its proxy has no address, ValueError if it cannot be read."""
        proxy = _proxy(url)
        if proxy:
            await self._backend.contact(urlsplit(proxy).hostname or "")
        client = self._clients.get(proxy)
        if client is None:
            client = self._clients[proxy] = self._new_client(proxy)
        return client

    def _new_client(self, proxy: str) -> httpx.AsyncClient:
        # The environment is read here only: were httpx to decide for itself what the proxy is not for, it would connect to
        # hosts whose addresses were not checked.
        return httpx.AsyncClient(
            transport=None if proxy else _DirectTransport(self._backend, certificates()),
            proxy=proxy or None,
            verify=certificates(),
            trust_env=False,
            cookies=_NoCookies(),
            timeout=self._limits,
            limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=_MOST_IDLE, keepalive_expiry=_IDLE_SECONDS
            ),
            follow_redirects=False,
        )
