"""Canonical request URLs: fixed order of parameters, one way of percent-encoding (RFC 3986)."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

__all__ = ["parameter", "path_url", "query_url"]


def query_url(base: str, *parameters: tuple[str, str | int]) -> str:
    """The URL with the parameters in the given order; all but unreserved characters is encoded."""
    return base + "?" + "&".join(f"{quote(name, safe='.-')}={quote(str(value), safe='')}" for name, value in parameters)


def path_url(base: str, name: str) -> str:
    """The URL of a resource whose name may hold slashes (a DOI); slashes stay, all else is encoded."""
    return f"{base}/{quote(name, safe='/')}"


def parameter(url: str, name: str) -> str:
    """The decoded value of a query parameter of the URL, empty if it has none."""
    values = parse_qs(urlsplit(url).query, keep_blank_values=True).get(name)
    return values[0] if values else ""
