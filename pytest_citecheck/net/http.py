"""The result of an exchange, without the client that makes it: a run that sends nothing does not import httpx."""

from __future__ import annotations

import ipaddress
import math
import re
import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, unquote_plus, unquote_to_bytes, urljoin, urlsplit, urlunsplit

from pytest_citecheck import __version__
from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

USER_AGENT = f"pytest-citecheck/{__version__}"

EXCHANGES_AT_ONCE = 32
"""Over all hosts: more than all services together let in, and few enough for the 256 files that some systems let a process
open (a connection each, 20 idle ones, the names being looked up, files of the user's own tests)."""


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Any final response; header names in lower case, repeated headers joined by commas. Services may repeat the
    request in it, so it is never shown.

    body: unpacked; of a status that no source reads (`is_readable`) only the beginning of a page, which may be none.
    """

    status: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class ExchangeError(Exception):
    """No response: ``reason`` as in `pytest_citecheck.model.Unavailable`.

    ``again``: another try may help. ``hopeless``: the host need not be queried again in this run. ``offline``: the
    failure looks like a missing network.
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


def proxy_urls() -> tuple[str, ...]:
    """All proxies that the environment sets, each with its scheme."""
    import urllib.request  # noqa: PLC0415 - slow to import, and only for requests

    proxies = {name: url for name, url in urllib.request.getproxies().items() if url and name != "no"}
    return tuple(url if "://" in url else f"http://{url}" for url in proxies.values())


# RFC 4291, section 2.4: addresses in use today. All other IPv6 addresses are for this machine, link or network, for
# multicast, reserved, or contain an IPv4 address (including deprecated "IPv4-compatible" ones).
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052; 64:ff9b:1::/48 (RFC 8215) is for one's own network
_6TO4 = ipaddress.IPv6Network("2002::/16")  # RFC 3056
_TEREDO = ipaddress.IPv6Network("2001::/32")  # RFC 4380: a tunnel to the host that the address names

# The forms that `inet_aton` reads, and with it every resolver: up to four parts, decimal, octal or hexadecimal.
_IPV4_PARTS = lazy_pattern(r"(?:(?:0x[0-9a-f]*|[0-9]+)(?:\.|\Z)){1,4}", re.IGNORECASE | re.ASCII)


def connected_host(url: str) -> str:
    """Host of a URL as used for the connection: in ASCII (IDNA), lower case, without brackets.

    Always check this form: full-width digits or a soft hyphen change the name. Raises ValueError without a host.
    """
    import httpx  # noqa: PLC0415 - slow to import, and a replay of recordings needs only the other functions

    try:
        host = httpx.URL(url).raw_host.decode("ascii")
    except httpx.InvalidURL as error:
        raise ValueError(f"no host can be read in {url!r}") from error
    if not host:
        raise ValueError(f"no host can be read in {url!r}")
    return host.lower()


@lru_cache(maxsize=1024)
def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address if the host is written as one, also as ``2130706433``, ``0x7f.1`` or ``0177.0.0.1``; else None."""
    host = host.strip("[]").partition("%")[0]
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if not _IPV4_PARTS.fullmatch(host):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host.rstrip(".")))
    except OSError:
        return None


def is_local_name(host: str) -> bool:
    """Return True if a name refers to this machine regardless of DNS (RFC 6761, section 6.3)."""
    labels = host.lower().rstrip(".").split(".")
    return labels[-1] == "localhost"


def is_private(address: str) -> bool:
    """Return True if an address is anything but a public one: loopback, link-local, private, reserved, of many receivers, or a
    wrapping of such an IPv4 address.
    """
    parsed = literal_address(address)
    if parsed is None:
        return True
    inner = _wrapped(parsed)
    if isinstance(inner, ipaddress.IPv4Address):
        return not inner.is_global or inner.is_multicast or inner.is_reserved
    return not inner.is_global or inner not in _GLOBAL_UNICAST or inner in _TEREDO


def reach(address: str) -> Literal["public", "private", "loopback", "link-local"]:
    """From where an address can be reached: everywhere, the own network, this machine, this cable."""
    if not is_private(address):
        return "public"
    parsed = literal_address(address)
    if parsed is None:
        return "private"
    inner = _wrapped(parsed)
    if inner.is_loopback:
        return "loopback"
    return "link-local" if inner.is_link_local else "private"


def _wrapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The IPv4 address to which packets for this one go in the end; itself if it wraps none."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _6TO4 and address.sixtofour is not None:
        return address.sixtofour
    return address


_MARKERS = (b'id="anubis_challenge"', b'id="anubis_version"')
_BEGINNING = 1 << 16


def demands_browser(headers: Mapping[str, str], body: bytes) -> bool:
    """Return True if a response with any status is such a page; header names are in lower case."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/html" and any(marker in body[:_BEGINNING] for marker in _MARKERS)


IDENTIFYING_PARAMETERS = frozenset(
    {"mailto", "email", "tool", "api_key", "apikey", "api-key", "key", "token", "access_token"}
)
"""Query parameters that identify the user, not the query."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PLAIN = lazy_pattern(r"[A-Za-z0-9_.\-~/:]*\Z")


def _one_way(text: str, *, query: bool) -> str:
    """The text with every byte percent-encoded that is not unreserved, a slash or a colon."""
    if _PLAIN.match(text):
        return text
    if query:
        text = text.replace("+", " ")
    return quote(unquote_to_bytes(text), safe="/:")


def _host(url_host: str | None, port: int | None, scheme: str) -> str:
    host = (url_host or "").lower()
    if ":" in host:
        host = f"[{host}]"
    return host if port is None or port == _DEFAULT_PORTS.get(scheme) else f"{host}:{port}"


def request_key(url: str, body: bytes = b"") -> str:
    """The key under which the answer to this URL (with this body, if it is posted) is recorded and found again.

    Scheme and host are lower-case, the default port, user information and fragment are gone, path and query
    are percent-encoded one way (``%2F`` and ``/`` are the same), the query is sorted,
    `IDENTIFYING_PARAMETERS` are dropped. Idempotent for a URL alone. Raises ValueError for a URL whose host or port cannot be
    read.
    """
    return f"POST {_url_key(url)} {body.decode('utf-8', 'backslashreplace')}" if body else _url_key(url)


@lru_cache(maxsize=4096)
def _url_key(url: str) -> str:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    head = f"{scheme}://{_host(parts.hostname, parts.port, scheme)}{_one_way(parts.path or '/', query=False)}"
    if not parts.query:
        return head
    pairs = []
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        name = _one_way(name, query=True)
        if pair and name.lower() not in IDENTIFYING_PARAMETERS:
            pairs.append(f"{name}={_one_way(value, query=True)}")
    return f"{head}?{'&'.join(sorted(pairs))}" if pairs else head


def without_identity(url: str) -> str:
    """The URL as written, but without user information, fragment and `IDENTIFYING_PARAMETERS`."""
    parts = urlsplit(url)
    kept = [
        pair
        for pair in parts.query.split("&")
        if pair and _one_way(pair.partition("=")[0], query=True).lower() not in IDENTIFYING_PARAMETERS
    ]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "&".join(kept), ""))


def without_identity_of(own: str, url: str) -> str:
    """The URL without those `IDENTIFYING_PARAMETERS` that it has from the URL ``own``, with name and value, and without
    user information: a redirecting service must not pass on the user's identity."""
    told = {pair for pair in _pairs(own) if pair[0] in IDENTIFYING_PARAMETERS}
    parts = urlsplit(url)
    if not told and "@" not in parts.netloc:
        return url
    kept = [text for text in parts.query.split("&") if not told.intersection(_pairs(f"?{text}"))]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "&".join(kept), ""))


def _pairs(url: str) -> list[tuple[str, str]]:
    pairs = (pair.partition("=") for pair in urlsplit(url).query.split("&"))
    return [(unquote_plus(name).lower(), unquote_plus(value)) for name, _, value in pairs]


def relocate(url: str, base_url: str, mirror: str) -> str:
    """Replace the service's ``base_url`` in a URL by a mirror's; unchanged if it does not start with it. Without a base
    URL, host and path follow the mirror's path."""
    if not base_url:
        return f"{mirror.rstrip('/')}/{url.partition('://')[2]}"
    base_url = base_url.rstrip("/")
    if not url.startswith(base_url) or url[len(base_url) : len(base_url) + 1] not in {"", "/", "?"}:
        return url
    return mirror.rstrip("/") + url[len(base_url) :]


MOST_REDIRECTS = 3
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})


class RedirectError(Exception):
    """The redirect must not be followed; the text has the reason."""


def _registrable(host: str) -> str:
    """The part of a name that one owner registers.

    An approximation without the Public Suffix List: the last two labels, three below a country's short second level
    (``ac.uk``, ``com.au``). Errors: two hosts of one owner may count as strangers, and two customers of a longer public
    suffix as one; no service uses such a suffix.
    """
    labels = host.rstrip(".").split(".")
    short_second_level = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if short_second_level else labels[-2:])


def same_service(host: str, other: str) -> bool:
    """Return True if two hosts belong to one owner; addresses and single-label names only if they are equal."""
    host, other = host.lower(), other.lower()
    if host == other:
        return True
    if literal_address(host) or literal_address(other) or "." not in host or "." not in other:
        return False
    return _registrable(host) == _registrable(other)


def redirect_target(url: str, location: str, *, anywhere: bool = False) -> str:
    """The absolute URL that a redirect from ``url`` leads to.

    Raises RedirectError if it leaves the service or falls back from https to http (both allowed with ``anywhere``), or
    names an unusual port. `refuse_private` checks the target's addresses, since that needs a look-up.
    """
    try:
        target = urljoin(url, location)
        origin, goal = urlsplit(url), urlsplit(target)
        old_port, new_port = origin.port, goal.port
    except ValueError:
        raise RedirectError("redirect to an unreadable address") from None
    host, other = origin.hostname or "", goal.hostname or ""
    if goal.scheme not in _DEFAULT_PORTS or not other:
        raise RedirectError(f"redirect to a {goal.scheme or 'nameless'} address")
    if origin.scheme == "https" and goal.scheme != "https" and not anywhere:
        raise RedirectError(f"redirect from https to http at {other}")
    if not anywhere and not same_service(host, other):
        raise RedirectError(f"redirect from {host} to {other}, which is another service")
    if new_port not in {None, old_port, _DEFAULT_PORTS[goal.scheme]}:
        raise RedirectError(f"redirect to port {new_port} of {other}")
    return target


def refuse_private_host(host: str, addresses: tuple[str, ...]) -> None:
    """Raise RedirectError if a host from a reference is a private address (RFC 6890) or a name for one."""
    if is_local_name(host) or any(map(is_private, addresses)):
        raise RedirectError(f"{host} is a private address")


def refuse_private(host: str, addresses: tuple[str, ...], other: str, others: tuple[str, ...]) -> None:
    """Raise RedirectError if a host redirects to a private address (RFC 6890) of a kind that it does not have itself.

    So a mirror on this machine may redirect to another one here, but not into the local network or to the address of
    cloud credentials (169.254.169.254).
    """
    own = {reach(address) for address in addresses}
    if any(reach(address) not in {"public", *own} for address in others):
        raise RedirectError(f"redirect from {host} to {other}, which is a private address")


RETRIES = 2
"""Tries after the first."""

RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# Maximum requests per second: Crossref states most of all services, 50. A statement of more than twice as much is a
# mistake, and would remove all spacing.
_MOST_STATED = 100.0
_LEAST_STATED = 0.1  # a service that states less is mistaken, or wants us to wait for ever
_INTERVAL = lazy_pattern(r"\s*+(\d++(?:\.\d++)?)\s*+([smhd]?)[a-z]*+\s*+\Z", re.IGNORECASE)
_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def backoff(attempt: int, jitter: float, first: float = _FIRST_PAUSE, longest: float = _LONGEST_PAUSE) -> float:
    """Seconds to wait before try number ``attempt`` + 1, for ``jitter`` drawn evenly from 0 to 1.

    first, longest: seconds after the first try, and the most, before jitter.

    "Full jitter" of M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
    """
    return min(longest, first * 2.0 ** (attempt - 1)) * jitter


@lru_cache(maxsize=1024)
def _retry_moment(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
        # A time zone may shift a time beyond the supported years.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def http_date(value: str) -> str:
    """An HTTP date (RFC 9110, section 5.6.7) as ISO 8601 in UTC (``2026-11-21T08:00:00Z``); empty if
    unreadable.
    """
    moment = _retry_moment(value) if value else None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else ""


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a Retry-After header (RFC 9110, section 10.2.3) asks to wait; None without a readable one.

    A date is measured against the response's own Date, else against ``now`` (seconds since the epoch). Header
    names are in lower case.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    moment = _retry_moment(value) if value else None
    if moment is None:
        return None
    sent = _retry_moment(headers["date"]) if headers.get("date") else None
    return max(0.0, moment.timestamp() - (sent.timestamp() if sent else now))


def stated_rate(headers: Mapping[str, str]) -> float | None:
    """Requests a second that ``x-rate-limit-limit`` and ``x-rate-limit-interval`` allow, _LEAST_STATED at least; None if
    they are missing or implausible.

    Crossref sends both (https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and- authentication/),
    some services spell them ``x-ratelimit-``. A limit without an interval may be per day, and is ignored.
    """
    for prefix in ("x-rate-limit-", "x-ratelimit-"):
        interval = _INTERVAL.match(headers.get(f"{prefix}interval", ""))
        try:
            limit = float(headers.get(f"{prefix}limit", ""))
        except ValueError:
            continue
        if interval is None or not math.isfinite(limit) or limit <= 0:
            continue
        seconds = float(interval[1]) * _UNIT_SECONDS[interval[2].lower()]
        if seconds > 0 and limit / seconds <= _MOST_STATED:
            return max(_LEAST_STATED, limit / seconds)
    return None
