"""Which redirects may be followed: those that stay with the service and out of private networks."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from pytest_citecheck.transport.http.addresses import is_local_name, is_private, literal_address, reach

__all__ = [
    "MOST_REDIRECTS",
    "REDIRECT_STATUSES",
    "RedirectError",
    "redirect_target",
    "refuse_private",
    "refuse_private_host",
    "same_service",
]

MOST_REDIRECTS = 3
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})

_DEFAULT_PORTS = {"http": 80, "https": 443}


class RedirectError(Exception):
    """The redirect is not to be followed; the text says why."""


def _registrable(host: str) -> str:
    """The part of a name that one owner registers.

    An approximation without the Public Suffix List: the last two labels, three below a country's short second
    level (``ac.uk``, ``com.au``). Where it errs, it errs by taking two hosts of one owner for strangers, or
    two customers of a longer public suffix for one; services at such suffixes are not asked.
    """
    labels = host.rstrip(".").split(".")
    short_second_level = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if short_second_level else labels[-2:])


def same_service(host: str, other: str) -> bool:
    """Whether two hosts belong to one owner; addresses and single-label names only if they are equal."""
    host, other = host.lower(), other.lower()
    if host == other:
        return True
    if literal_address(host) or literal_address(other) or "." not in host or "." not in other:
        return False
    return _registrable(host) == _registrable(other)


def redirect_target(url: str, location: str, *, anywhere: bool = False) -> str:
    """The absolute URL that a redirect from ``url`` leads to.

    Raises RedirectError if it leaves the service or falls back from https to http (both allowed with ``anywhere``), or
    names an unusual port.
    Whether the target's addresses are public is for `refuse_private`, since it needs a look-up.
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
    """Raise RedirectError if a host that a reference names has a private address (RFC 6890), or a name that stands for one."""
    if is_local_name(host) or any(map(is_private, addresses)):
        raise RedirectError(f"{host} is a private address")


def refuse_private(host: str, addresses: tuple[str, ...], other: str, others: tuple[str, ...]) -> None:
    """Raise RedirectError if a host leads to one with a private address (RFC 6890) of a kind that it does not have itself.

    So a mirror on this machine may lead to another one here, but not into the local network or to the address at which
    clouds hand out credentials (169.254.169.254).
    """
    own = {reach(address) for address in addresses}
    if any(reach(address) not in {"public", *own} for address in others):
        raise RedirectError(f"redirect from {host} to {other}, which is a private address")
