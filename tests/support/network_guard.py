"""A pytest plugin that refuses every connection and name look-up outside this machine.

The suite loads it for itself and for the pytest processes that it starts, so that no test can reach the network.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Any


class NetworkForbiddenError(OSError):
    """A test tried to leave the machine."""


def _is_local(host: object) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


_getaddrinfo, _connect = socket.getaddrinfo, socket.socket.connect


def _guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    if not _is_local(host):
        raise socket.gaierror(socket.EAI_AGAIN, f"the network is out of bounds in tests: {host}")
    return _getaddrinfo(host, *args, **kwargs)


def _guarded_connect(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
        raise NetworkForbiddenError(f"the network is out of bounds in tests: {address}")
    _connect(self, address)


socket.getaddrinfo = _guarded_getaddrinfo
socket.socket.connect = _guarded_connect  # type: ignore[method-assign, assignment]
