"""One HTTP request from the first byte to the last, and what its failures mean."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpcore
import httpx

from pytest_citecheck.transport.cassettes.cassette import is_readable
from pytest_citecheck.transport.http.addresses import connected_host
from pytest_citecheck.transport.http.canonical import without_identity_of
from pytest_citecheck.transport.http.clients import HttpClients, StreamedResponse, proxy_host
from pytest_citecheck.transport.http.decoding import BLOCK, ENCODINGS, BodyDecoder, DecodingError
from pytest_citecheck.transport.http.network import ContactError, Contacts, NetworkBackend, contact_error
from pytest_citecheck.transport.http.redirects import (
    MOST_REDIRECTS,
    REDIRECT_STATUSES,
    RedirectError,
    redirect_target,
    refuse_private,
    refuse_private_host,
)
from pytest_citecheck.transport.http.resolver import Lookup, Resolver
from pytest_citecheck.transport.http.response import EXCHANGES_AT_ONCE, USER_AGENT, ExchangeError, RawResponse
from pytest_citecheck.transport.secrets.scrub import Secret

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Request
    from pytest_citecheck.transport.http.deadline import Deadline

__all__ = ["Exchanger", "tls_problem"]

_LOG = logging.getLogger(__name__)

_MOST_HEADERS = 200
"""Lines in the head of a response; services send up to 40. (h11 limits its size to 100 kB, and that of trailers.)"""

# What is read of a body that no source reads, such as a page about an error, so that the connection can be used again.
_MOST_DRAINED = 1 << 16

_KEEPS_METHOD = frozenset({307, 308})


_Trace = Callable[[str, Mapping[str, object]], Awaitable[None]]
"""The steps of an exchange that httpcore reports (https://www.encode.io/httpcore/extensions/, "trace")."""


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


@dataclass(frozen=True, slots=True)
class _Limits:
    """Bytes of a body: more than ``largest`` are refused, more than ``enough`` are left. errors: whether the beginning of a
    body that no source reads is kept, whatever its type."""

    largest: int
    enough: int | None
    errors: bool = False


async def _body(response: StreamedResponse, limits: _Limits) -> bytes:
    """The unpacked body. At no time is there more of it than the limit and one `BLOCK`."""
    decoder = BodyDecoder(response.headers.get("content-encoding", ""))
    too_large = ExchangeError("too-large", f"the answer is larger than {limits.largest:,} bytes")
    parts = []
    size = packed = 0
    async for raw in response.blocks:
        # What does not shrink when it is packed grows a little.
        packed += len(raw)
        if packed - BLOCK > limits.largest:
            raise too_large
        for part in decoder.feed(raw):
            parts.append(part)
            size += len(part)
            if limits.enough is not None and size >= limits.enough:
                return b"".join(parts)
            if size > limits.largest:
                raise too_large
    decoder.finish()
    return b"".join(parts)


async def _drained(response: StreamedResponse, *, errors: bool) -> bytes:
    """The beginning of a page, as far as it can be unpacked; of anything else only on request: the status says it all."""
    raw = b""
    async for block in response.blocks:
        raw += block
        if len(raw) > _MOST_DRAINED:
            break
    parts: list[bytes] = []
    if errors or response.headers.get("content-type", "").lower().startswith("text/html"):
        with contextlib.suppress(DecodingError):
            for part in BodyDecoder(response.headers.get("content-encoding", "")).feed(raw):
                parts.append(part)
                if len(parts) * BLOCK > _MOST_DRAINED:
                    break
    return b"".join(parts)


def _host(url: str) -> str:
    try:
        return connected_host(url)
    except ValueError as error:
        raise RedirectError(str(error)) from None


class Exchanger:
    """The HTTP client of one run. Close it with `aclose`.

    timeout: seconds for a whole exchange, redirects included. connect_timeout: seconds for a look-up, and
    again for a connection. deadline: after it nothing is sent, and nothing that has come is handed on; exchanges take place
    within its `limit`. at_once: exchanges at the same time.
    """

    def __init__(
        self,
        timeout: float,
        connect_timeout: float,
        lookup: Lookup,
        deadline: Deadline,
        at_once: int = EXCHANGES_AT_ONCE,
    ) -> None:
        self.contacts = Contacts()
        self._timeout = timeout
        self._deadline = deadline
        self._backend = NetworkBackend(Resolver(lookup), self.contacts, connect_timeout)
        self._clients = HttpClients(self._backend, httpx.Timeout(timeout, connect=connect_timeout, pool=None))
        self._room = asyncio.Semaphore(at_once)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._clients.aclose()

    async def exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        *,
        largest: int,
        own_headers: Mapping[str, str] | None = None,
        follow: bool = False,
        public: bool = False,
        enough: int | None = None,
        errors: bool = False,
        on_connected: Callable[[], Awaitable[object]] | None = None,
    ) -> RawResponse:
        """The final response to this request, whatever its status.

        largest: bytes of the body, packed and unpacked. own_headers: sent to the host of the request only, not along
        redirects. follow: also to other services, but never to private addresses. public: not to a private address in the
        first place. enough: bytes of the body after which the rest is left. errors: the beginning of the
        body too where no source reads it (statuses from 300). on_connected: awaited when a new connection is
        there and the request is about to go out; the time it takes does not count. Raises ExchangeError.
        """
        async with self._room:
            await self._deadline.heed()
            response = await self._exchange(
                request,
                on_send,
                _Limits(largest, enough, errors),
                own_headers or {},
                on_connected,
                follow=follow,
                public=public,
            )
            await self._deadline.heed()
            return response

    async def _exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        limits: _Limits,
        own_headers: Mapping[str, str],
        on_connected: Callable[[], Awaitable[object]] | None,
        *,
        follow: bool,
        public: bool,
    ) -> RawResponse:
        url = request.url
        try:
            proxy = proxy_host(url)
        except ValueError as error:
            raise ExchangeError("connection", f"the proxy of the environment cannot be used: {error}") from None
        host = f"the proxy {proxy}" if proxy else urlsplit(url).hostname or url
        try:
            async with asyncio.timeout(self._timeout) as limit:
                trace = None if on_connected is None else _at_connection(on_connected, limit)
                if public:
                    name = _host(url)
                    refuse_private_host(name, await self._checked(name, proxy))
                response = await self._follow(request, on_send, limits, own_headers, trace, anywhere=follow)
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
        limits: _Limits,
        own_headers: Mapping[str, str],
        trace: _Trace | None,
        *,
        anywhere: bool,
    ) -> RawResponse:
        url: str = request.url
        for _ in range(MOST_REDIRECTS + 1):
            on_send()
            self._deadline.sent()
            own = urlsplit(url)[:2] == urlsplit(request.url)[:2]
            response = await self._send(replace(request, url=url), limits, own_headers if own else {}, trace)
            location = response.headers.get("location", "")
            if response.status not in REDIRECT_STATUSES or not location:
                return response
            self.contacts.reached = True
            if request.body and response.status not in _KEEPS_METHOD:
                raise RedirectError("a redirect that would lose the question")
            target = redirect_target(url, location, anywhere=anywhere)
            if urlsplit(target)[:2] != urlsplit(request.url)[:2]:
                target = without_identity_of(request.url, target)
            await self._check_privacy(url, target, anywhere=anywhere)
            url = Secret(target)
        raise RedirectError(f"more than {MOST_REDIRECTS} redirects")

    async def _check_privacy(self, url: str, target: str, *, anywhere: bool) -> None:
        host, other = _host(url), _host(target)
        if host == other:
            return
        try:
            own = await self._backend.addresses(host)
        except ContactError:
            own = ()  # only the proxy knows it
        proxy = proxy_host(target)
        try:
            others = await self._checked(other, proxy)
        except RedirectError:
            # A name within the service is known to the proxy alone where everything goes through it.
            if anywhere:
                raise
            return
        refuse_private(host, own, other, others)

    async def _checked(self, host: str, proxy: str) -> tuple[str, ...]:
        """The addresses of a stranger. A proxy looks the name up itself, so what has no address here might have any there."""
        try:
            return await self._backend.addresses(host)
        except ContactError as error:
            if not proxy:
                raise
            raise RedirectError(f"{host} may be a private address behind the proxy: {error.detail}") from None

    async def _send(
        self, request: Request, limits: _Limits, own_headers: Mapping[str, str], trace: _Trace | None
    ) -> RawResponse:
        headers = {"accept": request.accept, "user-agent": USER_AGENT, "accept-encoding": ENCODINGS, **own_headers}
        if request.body:
            headers["content-type"] = request.body_type
        extensions = {} if trace is None else {"trace": trace}
        async with self._clients.stream(request.url, headers, request.body, extensions) as response:
            self._deadline.answered()
            _LOG.info("HTTP Request: %s %s %s", "POST" if request.body else "GET", request.url, response.status)
            if response.lines > _MOST_HEADERS:
                raise ExchangeError("malformed", f"the answer has more than {_MOST_HEADERS} headers")
            if is_readable(response.status) and not (limits.errors and response.status >= 300):
                body = await _body(response, limits)
            else:
                body = await _drained(response, errors=limits.errors)
            return RawResponse(response.status, response.headers, body)

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
        if isinstance(error, DecodingError):
            return ExchangeError("malformed", f"{host}: {error}", again=True)
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
