"""Which address a host is, in whatever notation it is written, and from where that address can be reached."""

from __future__ import annotations

import ipaddress
import re
import socket
from functools import lru_cache
from typing import Literal

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["connected_host", "is_local_name", "is_private", "literal_address", "reach"]

# RFC 4291, section 2.4: what is handed out today. Everything else in IPv6 is of this machine, this cable, this network,
# of many receivers, reserved, or holds an IPv4 address (deprecated "IPv4-compatible" ones among them).
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052; 64:ff9b:1::/48 (RFC 8215) is for one's own network
_6TO4 = ipaddress.IPv6Network("2002::/16")  # RFC 3056
_TEREDO = ipaddress.IPv6Network("2001::/32")  # RFC 4380: a tunnel to the host that the address names

# The forms that `inet_aton` reads, and with it every resolver: up to four parts, decimal, octal or hexadecimal.
_IPV4_PARTS = lazy_pattern(r"(?:(?:0x[0-9a-f]*|[0-9]+)(?:\.|\Z)){1,4}", re.IGNORECASE | re.ASCII)


def connected_host(url: str) -> str:
    """The host of a URL as a connection is made to it: in ASCII (IDNA), lower case, without brackets.

    The one that is checked has to be this one: full-width digits or a soft hyphen make another name of it. Raises
    ValueError if there is none.
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
    """Whether a name stands for this machine, whatever a resolver says (RFC 6761, section 6.3)."""
    labels = host.lower().rstrip(".").split(".")
    return labels[-1] == "localhost"


def is_private(address: str) -> bool:
    """Whether an address is anything but a public one: loopback, link-local, private, reserved, of many receivers, or a
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


def _wrapped(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
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
