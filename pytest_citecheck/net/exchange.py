"""One HTTP request from the first byte to the last, and the classification of its failures: the only module with httpx.

`Exchanger` follows redirects and limits size and time; `HttpClients` keeps the connections, which `NetworkBackend` opens.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import ssl
import typing
import urllib.request
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpcore
import httpx

from pytest_citecheck.net.cassettes import is_readable
from pytest_citecheck.net.http import (
    EXCHANGES_AT_ONCE,
    MOST_REDIRECTS,
    REDIRECT_STATUSES,
    USER_AGENT,
    ExchangeError,
    RawResponse,
    RedirectError,
    connected_host,
    is_local_name,
    is_private,
    literal_address,
    redirect_target,
    refuse_private,
    refuse_private_host,
    without_identity_of,
)
from pytest_citecheck.net.network import Lookup, Network, causes, unconnected
from pytest_citecheck.net.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_citecheck.net.network import Deadline
    from pytest_citecheck.sources import Request

ENCODINGS = "gzip, deflate"
"""Accepted encodings (RFC 9110, section 12.5.3)."""

BLOCK = 1 << 16
"""Bytes that are unpacked at a time: the most by which a limit on the unpacked body is exceeded in memory."""

# A gzip file may have several members, such as one for each block of 64 kB that `bgzip` writes: 125 in a body of 8 MB. Each
# costs some time however small it is, and the smallest takes 18 bytes.
_MOST_MEMBERS = 1_000

_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class DecodingError(Exception):
    """The body does not match its Content-Encoding; the text has the details."""


class BodyDecoder:
    """Decompresses one body. ``encoding``: the value of its Content-Encoding, empty for none.

    httpx unpacks without a limit and does not notice a truncated body. Raises DecodingError for more than one encoding (two
    of them multiply the decompressed size) and for unknown ones.
    """

    def __init__(self, encoding: str) -> None:
        named = [name for part in encoding.split(",") if (name := part.strip().lower()) not in ("", "identity")]
        if len(named) > 1:
            raise DecodingError(f"the body has {len(named)} nested encodings")
        if named and named[0] not in {"gzip", "x-gzip", "deflate"}:
            raise DecodingError(f"the body has the encoding {named[0][:20]!r}, which was not requested")
        self._encoding = named[0] if named else ""
        self._inflate: zlib._Decompress | None = None
        self._members = 0
        self._head = b""

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """The next of the unpacked bytes, at most `BLOCK` at a time. Raises DecodingError."""
        if not self._encoding:
            yield raw
            return
        raw, self._head = self._head + raw, b""
        if self._inflate is None:
            if len(raw) < 2:
                self._head = raw
                return
            plain = self._encoding == "deflate"
            self._inflate = zlib.decompressobj(_GZIP if not plain else _ZLIB if _is_zlib(raw) else _RAW)
        pending = False  # received data may be used up while more is to be unpacked
        while raw or pending:
            if self._inflate.eof:
                raw = raw.lstrip(b"\0")  # padding is allowed, and common on tapes
                if raw:
                    self._next_member(raw)
                continue
            try:
                part = self._inflate.decompress(raw, BLOCK)
            except zlib.error as error:
                raise DecodingError(f"the body cannot be decompressed: {error}") from None
            if part:
                yield part
            pending = len(part) == BLOCK and not self._inflate.eof
            raw = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail

    def finish(self) -> None:
        """Raise DecodingError if the body is not whole. No bytes at all are an empty body."""
        if self._head or (self._inflate is not None and not self._inflate.eof):
            raise DecodingError("the compressed body is truncated")

    def _next_member(self, raw: bytes) -> None:
        self._members += 1
        if self._encoding == "deflate" or raw[0] != 0x1F or self._members >= _MOST_MEMBERS:
            raise DecodingError("unexpected data after the compressed body")
        self._inflate = zlib.decompressobj(_GZIP)


def _is_zlib(raw: bytes) -> bool:
    """Return True if this has the header of RFC 1950; many servers leave it out, though "deflate" means the form that has it."""
    return raw[0] & 0x0F == 8 and raw[0] >> 4 <= 7 and (raw[0] << 8 | raw[1]) % 31 == 0


_MOST_HOSTS = 64
"""Maximum number of hosts with idle connections. Most queries go to two dozen services; each cited page is requested
once."""
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


@dataclass(frozen=True, slots=True)
class StreamedResponse:
    """A response whose body comes in blocks. headers: names in lower case, repeated ones joined by commas. lines: how many
    lines of headers there are.
    """

    status: int
    headers: dict[str, str]
    lines: int
    blocks: AsyncIterator[bytes]


class NetworkBackend(httpcore.AsyncNetworkBackend):
    """Connects to the addresses that the `Network` finds, at most one of each family."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._inner = httpcore.AnyIOBackend()
        self._good: dict[str, str] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[typing.Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        with self._network.connecting():
            candidates = self._candidates(host, await self._network.addresses(host))
            failures: list[ExchangeError] = []
            for address in candidates:
                try:
                    stream = await self._inner.connect_tcp(
                        address,
                        port,
                        timeout=self._network.connect_timeout / len(candidates),
                        local_address=local_address,
                        socket_options=socket_options,
                    )
                except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError) as error:
                    failures.append(self._explain(host, error))
                    continue
                self._network.reached = True
                self._good[host] = address
                return stream
            # One address family is often missing; the error of the other one is more informative.
            raise next((failure for failure in failures if not failure.offline), failures[-1])

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

    def _explain(self, host: str, error: Exception) -> ExchangeError:
        if not isinstance(error, httpcore.ConnectTimeout):
            return unconnected(error, host) or ExchangeError("connection", f"no connection to {host}", hopeless=True)
        # Without any host reached this is a firewall or a dead line, not a slow server: asking again only
        # takes time.
        alone = not self._network.reached
        detail = f"no connection to {host} within {self._network.connect_timeout:g} s"
        return ExchangeError("timeout", detail, again=not alone, hopeless=alone, offline=alone)


_Origin = tuple[bytes, bytes, int | None]
"""Scheme, host and port."""


def _is_idle(connection: httpcore.AsyncConnectionInterface) -> bool:
    return connection.is_idle() or connection.is_closed()


class _Target(typing.NamedTuple):
    """Parts of a URL that a client needs. identity: header value from user and password; empty without them."""

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


@lru_cache(maxsize=1)
def certificates() -> ssl.SSLContext:
    """Verifies servers by the certificates that httpx trusts; made once, because reading them takes longer than a small file."""
    return httpx.create_ssl_context()


class HttpClients:
    """HTTP clients, created on first use. Close them with `aclose`.

    Requests go straight to httpcore: httpx does not allow one to choose the `NetworkBackend`, and adds half the time of
    an exchange.

    Each host and each proxy has its own pool. In httpcore 1.0, each request of a pool iterates over all its connections, and a
    pool with more connections than it may keep closes each idle one, even if the others are busy: every call would connect
    anew.
    """

    def __init__(self, backend: NetworkBackend, limits: httpx.Timeout) -> None:
        self._backend = backend
        self._limits = limits
        self._pools: dict[_Origin | str, httpcore.AsyncConnectionPool] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    @contextlib.asynccontextmanager
    async def stream(
        self, url: str, headers: Mapping[str, str], body: bytes, extensions: Mapping[str, typing.Any]
    ) -> AsyncIterator[StreamedResponse]:
        """Send a POST with this body, a GET without one. Raises ValueError for a proxy that is invalid, ExchangeError, and
        exceptions of httpcore."""
        target = _target(url)
        sent = [(b"host", target.host), *((name.encode(), value.encode()) for name, value in headers.items())]
        if target.identity:
            sent = [
                *(pair for pair in sent if pair[0].lower() != b"authorization"),
                (b"authorization", target.identity),
            ]
        if body:
            sent.append((b"content-length", str(len(body)).encode()))
        pool = await self._pool(_proxy(url) or (target.url.scheme, target.url.host, target.url.port))
        response = await pool.handle_async_request(
            httpcore.Request(
                "POST" if body else "GET",
                target.url,
                headers=sent,
                content=body,
                extensions={"timeout": self._limits.as_dict(), **extensions},
            )
        )
        try:
            headers = _decoded(response.headers)
            yield StreamedResponse(response.status, headers, len(response.headers), response.aiter_stream())
        finally:
            await response.aclose()

    async def _pool(self, way: _Origin | str) -> httpcore.AsyncConnectionPool:
        if way not in self._pools and len(self._pools) >= _MOST_HOSTS:
            idle = [other for other, pool in self._pools.items() if all(map(_is_idle, pool.connections))]
            for pool in [self._pools.pop(other) for other in idle]:
                await pool.aclose()
        if way not in self._pools:  # asked again: another task may have made it while these were closed
            self._pools[way] = self._new_pool(way if isinstance(way, str) else "")
        return self._pools[way]

    def _new_pool(self, proxy: str) -> httpcore.AsyncConnectionPool:
        options: dict[str, typing.Any] = {
            "ssl_context": certificates(),
            "max_connections": None,  # the caller is counted earlier, where waiting does not count as the host's silence
            "keepalive_expiry": _IDLE_SECONDS,
            "network_backend": self._backend,
        }
        if not proxy:
            return httpcore.AsyncConnectionPool(**options)
        known = httpx.Proxy(proxy)
        kind = httpcore.AsyncSOCKSProxy if known.url.scheme.startswith("socks") else httpcore.AsyncHTTPProxy
        url = httpcore.URL(scheme=known.url.raw_scheme, host=known.url.raw_host, port=known.url.port, target=b"/")
        return kind(url, proxy_auth=known.raw_auth, **options)


_LOG = logging.getLogger(__name__)

_MOST_HEADERS = 200
"""Lines in the head of a response; services send up to 40. (h11 limits the size of head and trailers to 100 kB.)"""

# Limit for a body that no source reads, such as an error page, so that the connection can be reused.
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
    """Bytes of a body: more than ``largest`` are refused, more than ``enough`` are not read. errors: keep the beginning
    of a body that no source reads, regardless of its type."""

    largest: int
    enough: int | None
    errors: bool = False


async def _unpacked(response: StreamedResponse, limits: _Limits) -> AsyncIterator[bytes]:
    """The unpacked body in parts. At no time is there more of it than the limit and one `BLOCK`."""
    decoder = BodyDecoder(response.headers.get("content-encoding", ""))
    size = packed = 0
    async for raw in response.blocks:
        packed += len(raw)
        for part in decoder.feed(raw):
            size += len(part)
            yield part
            if limits.enough is not None and size >= limits.enough:
                return
            if size > limits.largest:
                break
        # Incompressible data grows a little when compressed.
        if max(size, packed - BLOCK) > limits.largest:
            raise ExchangeError("too-large", f"the answer is larger than {limits.largest:,} bytes")
    decoder.finish()


async def _drained(response: StreamedResponse, *, errors: bool) -> bytes:
    """The beginning of a page, as far as it can be decompressed; for other types only on request, as the status is
    enough."""
    parts = []
    with contextlib.suppress(DecodingError, ExchangeError):
        async for part in _unpacked(response, _Limits(_MOST_DRAINED, _MOST_DRAINED)):
            parts.append(part)  # noqa: PERF401 - those before an error are kept
    wanted = errors or response.headers.get("content-type", "").lower().startswith("text/html")
    return b"".join(parts) if wanted else b""


def _host(url: str) -> str:
    try:
        return connected_host(url)
    except ValueError as error:
        raise RedirectError(str(error)) from None


class Exchanger:
    """The HTTP client of one run. Close it with `aclose`.

    timeout: seconds for a whole exchange, redirects included. connect_timeout: seconds for a look-up, and again for a
    connection. deadline: after it, no request is sent and no response is returned; exchanges take place within its
    `limit`. at_once: exchanges at the same time.
    """

    def __init__(
        self,
        timeout: float,
        connect_timeout: float,
        lookup: Lookup,
        deadline: Deadline,
        at_once: int = EXCHANGES_AT_ONCE,
    ) -> None:
        self.network = Network(lookup, connect_timeout)
        self._timeout = timeout
        self._deadline = deadline
        self._clients = HttpClients(
            NetworkBackend(self.network), httpx.Timeout(timeout, connect=connect_timeout, pool=None)
        )
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
        """Return the final response to this request, with any status.

        largest: bytes of the body, compressed and decompressed. own_headers: sent to the host of the request only, not
        along redirects. follow: follow redirects to other services, but never to private addresses. public: refuse a
        private address of the request itself. enough: bytes of the body after which the rest is not read. errors:
        return the beginning of the body even if no source reads it (statuses from 300). on_connected: awaited when a
        new connection is open and the request is about to be sent; its time does not count. Raises ExchangeError.
        """
        limits = _Limits(largest, enough, errors)
        async with self._room:
            await self._deadline.heed()
            try:
                proxy = proxy_host(request.url)
            except ValueError as error:
                detail = f"the proxy in the environment variables cannot be used: {error}"
                raise ExchangeError("connection", detail) from None
            try:
                async with asyncio.timeout(self._timeout) as limit:
                    trace = None if on_connected is None else _at_connection(on_connected, limit)
                    if public:
                        name = _host(request.url)
                        refuse_private_host(name, await self._checked(name, proxy))
                    response = await self._follow(request, on_send, limits, own_headers or {}, trace, anywhere=follow)
            except ExchangeError as error:
                if proxy:
                    error.detail = error.detail.replace(proxy, f"the proxy {proxy}", 1)
                raise
            except Exception as error:
                host = f"the proxy {proxy}" if proxy else urlsplit(request.url).hostname or request.url
                raise self._explain(error, host) from error
            self.network.reached = True
            await self._deadline.heed()
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
            self.network.reached = True
            if request.body and response.status not in _KEEPS_METHOD:
                raise RedirectError("a redirect that would drop the query")
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
            own = await self.network.addresses(host)
        except ExchangeError:
            own = ()  # only the proxy knows it
        proxy = proxy_host(target)
        try:
            others = await self._checked(other, proxy)
        except RedirectError:
            # If everything goes through a proxy, only the proxy knows names within the service.
            if anywhere:
                raise
            return
        refuse_private(host, own, other, others)

    async def _checked(self, host: str, proxy: str) -> tuple[str, ...]:
        """Addresses of an untrusted host. A proxy resolves the name itself, so a host without an address here might
        have any address there."""
        try:
            return await self.network.addresses(host)
        except ExchangeError as error:
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
                body = b"".join([part async for part in _unpacked(response, limits)])
            else:
                body = await _drained(response, errors=limits.errors)
            return RawResponse(response.status, response.headers, body)

    def _explain(self, error: Exception, host: str) -> ExchangeError:
        if isinstance(error, RedirectError):
            return ExchangeError("redirect", str(error))
        if isinstance(error, (TimeoutError, httpcore.TimeoutException)):
            return ExchangeError("timeout", f"no full answer from {host} within {self._timeout:g} s", again=True)
        if isinstance(error, DecodingError):
            return ExchangeError("malformed", f"{host}: {error}", again=True)
        tls = tls_problem(error)
        if tls:
            return ExchangeError("tls", f"no secure connection to {host}: {tls}")
        failed = unconnected(error, host)
        if failed is not None:
            return failed
        again = isinstance(error, (httpcore.NetworkError, httpcore.RemoteProtocolError))
        detail = f"the connection to {host} broke: {error or type(error).__name__}"
        return ExchangeError("connection", detail, again=again)


def tls_problem(error: BaseException) -> str:
    for cause in causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message or "the certificate is not trusted"
        # An end of file is a broken connection, as without TLS.
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
            return cause.reason or str(cause)
    return ""
