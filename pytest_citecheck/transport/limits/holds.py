"""Which services are not queried at present, and until when, in words."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from pytest_citecheck.transport.limits.budget import Budget

__all__ = ["hold_messages"]


def hold_messages(budget: Budget, hosts: Container[str] | None = None, shortest: float = 0.0) -> list[str]:
    """A sentence for each hold of more than ``shortest`` seconds from now; of these ``hosts`` only, if they are given."""
    return [
        f"{_printable(host)} asked clients to wait: it is not queried until {_moment(until)}; "
        "citecheck cache clear --holds ends the wait"
        for host, (until, seconds) in budget.holds().items()
        if seconds > shortest and (hosts is None or host in hosts)
    ]


def _moment(until: float) -> str:
    return f"{datetime.datetime.fromtimestamp(until, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def _printable(host: str) -> str:
    """The name in a file that somebody may have changed, fit for a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in host[:100])
