"""One HTTP request from the first byte to the last, and what its failures mean."""

from __future__ import annotations

import asyncio
import http.cookiejar
import ssl
import typing
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import httpcore
import httpx

from pytest_citecheck.transport.network import ContactError, Contacts, NetworkBackend, certificates, contact_error
from pytest_citecheck.transport.redirects import (
    MOST_REDIRECTS,
    REDIRECT_STATUSES,
    RedirectError,
    redirect_target,
    refuse_private,
    refuse_private_host,
)
from pytest_citecheck.transport.resolver import Lookup, Resolver, is_private, literal_address

if typing.TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pytest_citecheck.sources.base import Request

__all__ = ["LARGEST_BODY", "ExchangeError", "Exchanger", "RawResponse", "tls_problem"]

LARGEST_BODY = 50_000_000
"""Bytes, after decompression."""

_KEEPS_METHOD = frozenset({307, 308})


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Any final response; header names in lower case, repeated headers joined by commas."""

    status: int
    headers: dict[str, str]
    body: bytes


class ExchangeError(Exception):
    """No response: ``reason`` as in `pytest_citecheck.model.Unavailable`.

    ``again``: another try may help. ``hopeless``: the host need not be asked again in this run. ``offline``:
    this is what it looks like without a network.
    """

    def __init__(
        self, reason: str, detail: str, *, again: bool = False, hopeless: bool = False, offline: bool = False
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.again = again
        self.hopeless = hopeless
        self.offline = offline


_Trace = Callable[[str, Mapping[str, object]], Awaitable[None]]
"""What httpcore tells each step of an exchange (https://www.encode.io/httpcore/extensions/, "trace")."""


def _at_connection(action: Callable[[], Awaitable[object]], limit: asyncio.Timeout) -> _Trace:
    """Do this before the first request on a new connection, and put the time limit off for as long."""
    new = False

    async def trace(step: str, _: Mapping[str, object]) -> None:
        nonlocal new
        if step == "connection.connect_tcp.complete":
            new = True
        elif new and step == "http11.send_request_headers.started":
            new = False
            start = asyncio.get_running_loop().time()
            await action()
            when = limit.when()
            if when is not None:
                limit.reschedule(when + asyncio.get_running_loop().time() - start)

    return trace


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
            max_connections=None,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
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


def _proxy_host(url: str) -> str:
    """The host of the proxy that the environment sets for this URL; empty for a direct connection."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or (literal_address(host) is not None and is_private(host)):
        return ""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass(host):
        return ""
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}").hostname or ""


class Exchanger:
    """The HTTP client of one run. Close it with `aclose`.

    timeout: seconds for a whole exchange, redirects included. connect_timeout: seconds for a look-up, and
    again for a connection.
    """

    def __init__(
        self,
        user_agent: str,
        timeout: float,
        connect_timeout: float,
        lookup: Lookup,
    ) -> None:
        self.contacts = Contacts()
        self._user_agent = user_agent
        self._timeout = timeout
        self._limits = httpx.Timeout(timeout, connect=connect_timeout, pool=None)
        self._backend = NetworkBackend(Resolver(lookup), self.contacts, connect_timeout)
        self._direct: httpx.AsyncClient | None = None
        self._proxied: httpx.AsyncClient | None = None

    async def aclose(self) -> None:
        for client in (self._direct, self._proxied):
            if client is not None:
                await client.aclose()
        self._direct = self._proxied = None

    async def exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        *,
        secret_headers: Mapping[str, str] | None = None,
        follow: bool = False,
        public: bool = False,
        enough: int | None = None,
        on_connected: Callable[[], Awaitable[object]] | None = None,
    ) -> RawResponse:
        """The final response to this request, whatever its status.

        secret_headers: sent to the host of the request only, not along redirects. follow: also to other services, but
        never to private addresses. public: not to a private address in the first place. enough: bytes of the body after
        which the rest is left. on_connected: awaited when a new connection is there and the request is about to go out;
        the time it takes does not count. Raises ExchangeError.
        """
        url = request.url
        try:
            proxy = _proxy_host(url)
        except ValueError as error:
            raise ExchangeError("connection", f"the proxy of the environment cannot be used: {error}") from None
        host = f"the proxy {proxy}" if proxy else urlsplit(url).hostname or url
        try:
            async with asyncio.timeout(self._timeout) as limit:
                trace = None if on_connected is None else _at_connection(on_connected, limit)
                if public and not proxy:
                    refuse_private_host(urlsplit(url).hostname or "", await self._addresses(url))
                response = await self._follow(request, on_send, secret_headers or {}, enough, trace, anywhere=follow)
        except ExchangeError:
            raise
        except Exception as error:
            raise self._explain(error, host) from error
        self.contacts.reached = True
        return response

    async def _follow(
        self,
        request: Request,
        on_send: Callable[[], object],
        secrets: Mapping[str, str],
        enough: int | None,
        trace: _Trace | None,
        *,
        anywhere: bool,
    ) -> RawResponse:
        url = request.url
        for _ in range(MOST_REDIRECTS + 1):
            on_send()
            own = urlsplit(url)[:2] == urlsplit(request.url)[:2]
            response = await self._send(replace(request, url=url), secrets if own else {}, enough, trace)
            location = response.headers.get("location", "")
            if response.status not in REDIRECT_STATUSES or not location:
                return response
            self.contacts.reached = True
            if request.body and response.status not in _KEEPS_METHOD:
                raise RedirectError("a redirect that would lose the question")
            target = redirect_target(url, location, anywhere=anywhere)
            await self._check_privacy(url, target)
            url = target
        raise RedirectError(f"more than {MOST_REDIRECTS} redirects")

    async def _check_privacy(self, url: str, target: str) -> None:
        host, other = urlsplit(url).hostname or "", urlsplit(target).hostname or ""
        # Behind a proxy names are looked up elsewhere; strangers and bare addresses were refused already.
        if host != other and not _proxy_host(target):
            refuse_private(host, await self._backend.addresses(host), other, await self._backend.addresses(other))

    async def _addresses(self, url: str) -> tuple[str, ...]:
        return await self._backend.addresses(urlsplit(url).hostname or "")

    async def _send(
        self, request: Request, secrets: Mapping[str, str], enough: int | None, trace: _Trace | None
    ) -> RawResponse:
        client = await self._client(request.url)
        headers = {"accept": request.accept, "user-agent": self._user_agent, "accept-encoding": "gzip, deflate"}
        headers |= secrets
        if request.body:
            headers["content-type"] = "application/json"
        method, content = ("POST", request.body) if request.body else ("GET", None)
        extensions = {} if trace is None else {"trace": trace}
        async with client.stream(
            method, request.url, headers=headers, content=content, extensions=extensions
        ) as response:
            parts = []
            size = 0
            async for part in response.aiter_bytes():
                parts.append(part)
                size += len(part)
                if enough is not None and size >= enough:
                    break
                if size > LARGEST_BODY:
                    raise ExchangeError("too-large", f"the answer is larger than {LARGEST_BODY:,} bytes")
            names = {name.lower(): value for name, value in response.headers.items()}
            return RawResponse(response.status_code, names, b"".join(parts))

    async def _client(self, url: str) -> httpx.AsyncClient:
        proxy = _proxy_host(url)
        if proxy:
            await self._backend.contact(proxy)
            if self._proxied is None:
                self._proxied = self._new_client(None)
            return self._proxied
        if self._direct is None:
            self._direct = self._new_client(_DirectTransport(self._backend, certificates()))
        return self._direct

    def _new_client(self, transport: httpx.AsyncBaseTransport | None) -> httpx.AsyncClient:
        no_cookies = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
        return httpx.AsyncClient(
            transport=transport,
            trust_env=transport is None,
            cookies=no_cookies,
            timeout=self._limits,
            follow_redirects=False,
        )

    def _explain(self, error: Exception, host: str) -> ExchangeError:
        if isinstance(error, ContactError):
            again = error.reason == "timeout" and not error.conclusive
            return ExchangeError(
                error.reason, error.detail, again=again, hopeless=error.conclusive, offline=error.offline
            )
        if isinstance(error, RedirectError):
            return ExchangeError("redirect", str(error))
        if isinstance(error, (TimeoutError, httpx.TimeoutException, httpcore.TimeoutException)):
            return ExchangeError("timeout", f"no full answer from {host} within {self._timeout:g} s", again=True)
        if isinstance(error, httpx.DecodingError):
            return ExchangeError("malformed", f"{host} sent a body that cannot be decompressed", again=True)
        tls = tls_problem(error)
        if tls:
            return ExchangeError("tls", f"no secure connection to {host}: {tls}")
        contact = contact_error(error, host)
        if contact is not None:
            return self._explain(contact, host)
        broken = (
            httpx.NetworkError,
            httpx.RemoteProtocolError,
            httpcore.NetworkError,
            httpcore.RemoteProtocolError,
        )
        again = isinstance(error, broken)
        detail = f"the connection to {host} broke: {error or type(error).__name__}"
        return ExchangeError("connection", detail, again=again)


def tls_problem(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message or "the certificate is not trusted"
        # An end of file is a broken line, as it would be without TLS.
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
            return cause.reason or str(cause)
        cause = cause.__cause__ or cause.__context__
    return ""
