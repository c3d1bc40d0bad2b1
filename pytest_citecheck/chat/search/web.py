"""Searches over HTTP: Tavily (https://docs.tavily.com), and servers that answer as SearXNG does (https://docs.searxng.org)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from pytest_citecheck.chat.dialects.base import Post, string
from pytest_citecheck.chat.refusals import read_refusal
from pytest_citecheck.chat.search.options import TAVILY, Depth, SearchOptions
from pytest_citecheck.chat.search.tool import MOST_HITS, Hit
from pytest_citecheck.chat.spending import Amount
from pytest_citecheck.chat.tools import ToolError
from pytest_citecheck.services.base import LARGEST_RECORD, MalformedAnswerError, Rate, Request
from pytest_citecheck.services.parsing.json_body import mapping, parse_json
from pytest_citecheck.transport.http.exchange import Exchanger
from pytest_citecheck.transport.http.response import ExchangeError, RawResponse
from pytest_citecheck.transport.limits.pacer import Pacer
from pytest_citecheck.transport.limits.retry import RETRIED_STATUSES, RETRIES, backoff, retry_after
from pytest_citecheck.transport.secrets.scrub import Secret
from pytest_citecheck.transport.secrets.secret_encodings import UnsearchableError

if TYPE_CHECKING:
    from pytest_citecheck.chat.calls import Collaborators
    from pytest_citecheck.chat.recordings import Recordings

__all__ = ["SEARCH_SECONDS", "WebSearch", "search_rate"]

SEARCH_SECONDS = 30.0
"""Seconds for one request."""

# Tavily allows 100 requests a minute with a development key (https://docs.tavily.com/documentation/rate-limits).
_TAVILY_RATE = Rate(1.6, 5)
_RATE = Rate(10.0, 5)
_LONGEST_WAIT = 30.0
_CONTENT = ("content", "snippet", "description", "text")


def search_rate(options: SearchOptions) -> Rate:
    """What all searches of these options together keep to."""
    return _TAVILY_RATE if options.provider == "tavily" and not options.url else _RATE


class WebSearch:
    """A search of the provider ``tavily`` or ``json``.

    pacer: of all searches with its key. sends: False for a replay, and offline.
    """

    def __init__(
        self,
        options: SearchOptions,
        exchanger: Exchanger,
        recordings: Recordings | None,
        with_: Collaborators,
        pacer: Pacer,
        *,
        sends: bool,
    ) -> None:
        self._options = options
        self._exchanger = exchanger
        self._recordings = recordings
        self._with = with_
        self._sends = sends
        self._pacer = pacer

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The best hits first. Raises ToolError."""
        post = (
            _tavily(self._options, query, depth) if self._options.provider == "tavily" else _json(self._options, query)
        )
        body = self._recordings.find(post, 0) if self._recordings is not None else None
        if body is None:
            if not self._sends:
                raise ToolError("the search is not available: it was not recorded")
            body = await self._persist(post)
        return list(_hits(body))

    async def _persist(self, post: Post) -> bytes:
        for attempt in range(1, RETRIES + 2):
            await self._pacer.enter()
            try:
                await self._pacer.turn()
                outcome = await self._booked(post)
            finally:
                self._pacer.leave()
            if isinstance(outcome, bytes):
                return outcome
            again, wait, problem = outcome
            if not again or attempt > RETRIES:
                raise ToolError(f"the search failed: {problem}")
            await self._pacer.pause(backoff(attempt, self._with.jitter()) if wait is None else min(wait, _LONGEST_WAIT))
        raise AssertionError

    async def _booked(self, post: Post) -> bytes | tuple[bool, float | None, str]:
        """One request with room in the budget. Raises ToolError if there is none."""
        spending = self._with.spending
        amount = Amount.of_money(self._options.price or 0.0, calls=0)
        booking = await spending.reserve(amount, "search")
        if isinstance(booking, str):
            raise ToolError(f"no search: {booking}")
        try:
            outcome = await self._try(post)
            if isinstance(outcome, bytes):
                booking.billed = amount
            return outcome
        finally:
            spending.close(booking)

    async def _try(self, post: Post) -> bytes | tuple[bool, float | None, str]:
        """The body, or whether to try again, after how many seconds, and what went wrong."""
        try:
            raw = await self._exchanger.exchange(
                Request("search", post.url, body=post.body),
                lambda: None,
                largest=LARGEST_RECORD,
                own_headers=post.headers,
                errors=True,
            )
            if not 200 <= raw.status <= 299:
                return self._refused(raw)
            body = self._with.scrubber.body(raw.body)
            parse_json(body)
        except ExchangeError as error:
            return error.again, None, self._with.scrubber.text(error.detail)
        except (MalformedAnswerError, UnsearchableError) as error:
            return False, None, f"the answer could not be read: {error}"
        if self._recordings is not None:
            self._recordings.record(post, 0, raw.status, raw.headers, body)
        return body

    def _refused(self, raw: RawResponse) -> tuple[bool, float | None, str]:
        said = self._with.scrubber.text(read_refusal(raw.body).message)[:200]
        problem = f"HTTP status {raw.status}: {said}" if said else f"HTTP status {raw.status}"
        return raw.status in RETRIED_STATUSES, retry_after(raw.headers, self._with.now()), problem


def _tavily(options: SearchOptions, query: str, depth: Depth) -> Post:
    asked = {"query": query, "search_depth": depth, "max_results": MOST_HITS}
    base = (options.url or TAVILY).rstrip("/")
    url = base if base.endswith("/search") else f"{base}/search"
    headers = {"authorization": Secret(f"Bearer {options.api_key}")} if options.api_key else {}
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True)
    return Post(Secret(url), headers, text.encode("utf-8", "backslashreplace"))


def _json(options: SearchOptions, query: str) -> Post:
    base = options.url.rstrip("/")
    # A server is named by its address alone, or by the whole path of its search.
    url = f"{base}/search" if not urlsplit(base).path else base
    asked = urlencode({"q": query.encode("utf-8", "replace"), "format": "json"})
    headers = {"authorization": Secret(f"Bearer {options.api_key}")} if options.api_key else {}
    return Post(Secret(f"{url}{'&' if '?' in url else '?'}{asked}"), headers, b"")


def _hits(body: bytes) -> Iterator[Hit]:
    """The hits of a body that is JSON: a list, or an object with one under ``results``."""
    whole: Any = parse_json(body)
    listed = whole if isinstance(whole, list) else mapping(whole).get("results")
    for stated in listed if isinstance(listed, list) else ():
        hit: Mapping[str, Any] = mapping(stated)
        url = string(hit.get("url")) or string(hit.get("link"))
        content = next(filter(None, (string(hit.get(name)) for name in _CONTENT)), "")
        if url or content:
            yield Hit(string(hit.get("title")), url, content)
