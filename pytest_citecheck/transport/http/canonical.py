"""One name for one request: URLs that ask the same thing of a service get the same key.

Follows the syntax-based normalisation of RFC 3986, section 6.2.2 (case, percent-encoding), goes further where
services do not care (order of the query, escaped or plain slashes in a DOI), and drops what identifies the
asker.
"""

from __future__ import annotations

from urllib.parse import quote, unquote_plus, unquote_to_bytes, urlsplit, urlunsplit

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["IDENTIFYING_PARAMETERS", "relocate", "request_key", "without_identity", "without_identity_of"]

IDENTIFYING_PARAMETERS = frozenset(
    {"mailto", "email", "tool", "api_key", "apikey", "api-key", "key", "token", "access_token"}
)
"""Query parameters that say who asks, not what is asked."""

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
    user information: a service that leads elsewhere must not hand on who asks.
    """
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
    """The URL with the service's ``base_url`` replaced by that of a mirror; unchanged if it does not start
    with it. Without a base URL, host and path follow the mirror's path.
    """
    if not base_url:
        return f"{mirror.rstrip('/')}/{url.partition('://')[2]}"
    base_url = base_url.rstrip("/")
    if not url.startswith(base_url) or url[len(base_url) : len(base_url) + 1] not in {"", "/", "?"}:
        return url
    return mirror.rstrip("/") + url[len(base_url) :]
