"""The result of an exchange, without the client that makes it: a run that sends nothing does not import httpx."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_citecheck import __version__

__all__ = ["EXCHANGES_AT_ONCE", "USER_AGENT", "ExchangeError", "RawResponse", "proxy_urls"]

USER_AGENT = f"pytest-citecheck/{__version__}"

EXCHANGES_AT_ONCE = 32
"""Over all hosts: more than all services together let in, and few enough for the 256 files that some systems let a process
open (a connection each, 20 idle ones, the names being looked up, files of the user's own tests)."""


@dataclass(frozen=True, slots=True)
class RawResponse:
    """Any final response; header names in lower case, repeated headers joined by commas. Services may repeat in it what
    they were sent, so it is never shown.

    body: unpacked; of a status that no source reads (`is_readable`) only the beginning of a page, which may be none.
    """

    status: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


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


def proxy_urls() -> tuple[str, ...]:
    """All proxies that the environment sets, each with its scheme."""
    import urllib.request  # noqa: PLC0415 - slow to import, and only for requests

    proxies = {name: url for name, url in urllib.request.getproxies().items() if url and name != "no"}
    return tuple(url if "://" in url else f"http://{url}" for url in proxies.values())
