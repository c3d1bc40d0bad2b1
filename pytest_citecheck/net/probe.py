"""A single raw request that shows the response itself: not retried, cached or recorded."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from pytest_citecheck.model import Query, Unavailable
from pytest_citecheck.net.budget import Budget, budget_path
from pytest_citecheck.net.cassettes import as_response, is_readable, kept_headers
from pytest_citecheck.net.deadline import Deadline
from pytest_citecheck.net.delivery import LONGEST_WAIT, HostQueues, SourceClient, build_request
from pytest_citecheck.net.exchange import Exchanger
from pytest_citecheck.net.http import ExchangeError, demands_browser, proxy_urls
from pytest_citecheck.net.logins import Identity, Logins
from pytest_citecheck.net.rate_limits import retry_after
from pytest_citecheck.net.resolver import Lookup, system_lookup
from pytest_citecheck.net.secrets import Scrubber, UnsearchableError, scrubbed_logs
from pytest_citecheck.today import seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from pytest_citecheck.net.pacer import Clock, Sleep
    from pytest_citecheck.net.settings import TransportSettings
    from pytest_citecheck.sources import Response, Source

_STATING = ("limit", "pool", "concurrency")


@dataclass(frozen=True, slots=True)
class Reply:
    """The response, with all secrets replaced.

    url: canonical, without user data. failure: reason for a missing response; None if there is one. response: with any
        status; its body is empty unless a source would read it. limits: headers with limits and pools.
    wait: seconds of a requested pause, or None. walled: True if it demands a browser.
    """

    url: str
    failure: Unavailable | None = None
    response: Response | None = field(default=None, repr=False)
    limits: dict[str, str] = field(default_factory=dict)
    wait: float | None = None
    walled: bool = False


class Probe:
    """Sends queries one by one, within the limits of the services. Use as ``async with``.

    ``clock``, ``sleep``, ``now`` and ``lookup`` as in `Transport`.
    """

    def __init__(
        self,
        settings: TransportSettings,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        now: Callable[[], float] = seconds,
        lookup: Lookup = system_lookup,
    ) -> None:
        self._settings = settings
        self._now = now
        self._identity = Identity.of(settings)
        self._deadline = Deadline(settings.total_timeout, settings.silence_timeout)
        self._exchanger = Exchanger(settings.timeout, settings.connect_timeout, lookup, self._deadline)
        self._scrubber = Scrubber([settings.contact, *settings.keys.values()])
        for url in (*settings.base_urls.values(), *proxy_urls()):
            self._scrubber.learn(url)
        self._logs = scrubbed_logs(self._scrubber)
        self._logins = Logins(settings.logins, lambda: self._exchanger, self._scrubber, clock)
        self._queues = HostQueues(settings, self._identity, clock, sleep)

    async def __aenter__(self) -> Self:
        self._deadline.begin()
        if self._settings.cache is not None:
            self._queues.budget = Budget(budget_path(self._settings.cache))
        self._logs.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._queues.budget is not None:
            self._queues.budget.close()
        await self._exchanger.aclose()
        self._logs.__exit__(None, None, None)

    async def ask(self, source: Source, query: Query) -> Reply:
        """Response of this source to this query alone. Raises only cancellation."""
        request = build_request(source, [query])
        if isinstance(request, Unavailable):
            return Reply("", request)
        self._scrubber.learn(request.url)
        reply = Reply(self._scrubber.url(request.url))
        mirror = self._settings.base_urls.get(source.name, "")
        host = urlsplit(source.base_url or request.url).netloc
        pacer = self._queues.queue(source, host, source.pool(query)).pacer
        client = SourceClient(source, mirror, self._identity, self._exchanger, self._logins)
        await pacer.enter()
        try:
            async with self._deadline.limit():
                if await pacer.turn(LONGEST_WAIT) is None:
                    detail = f"{source.label} has asked to wait, for {pacer.held_for:.0f} s from now"
                    return _failed(reply, "hold", detail)
                refused = await client.ready(query.kind)
                if refused is not None:
                    return replace(reply, failure=refused)
                raw = await client.exchange(request, lambda: None)
        except ExchangeError as error:
            return _failed(reply, error.reason, self._scrubber.text(error.detail))
        except TimeoutError:
            over = self._deadline.over()
            return _failed(reply, "deadline", over.detail if over else "")
        finally:
            pacer.leave()
        wait = retry_after(raw.headers, self._now())
        if wait and not is_readable(raw.status):
            pacer.hold(wait)
        headers = {name: self._scrubber.text(value) for name, value in raw.headers.items()}
        try:
            body = self._scrubber.body(raw.body)
        except UnsearchableError as error:
            return _failed(reply, "malformed", f"the answer of {source.label} has {error}")
        return Reply(
            reply.url,
            None,
            as_response(raw.status, kept_headers(headers), body),
            {name: value for name, value in headers.items() if any(word in name for word in _STATING)},
            wait,
            demands_browser(raw.headers, raw.body),
        )


def _failed(reply: Reply, reason: str, detail: str) -> Reply:
    return Reply(reply.url, Unavailable(reason, detail))
