"""Searches over HTTP: Tavily (https://docs.tavily.com), and servers that answer as SearXNG does (https://docs.searxng.org)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlencode, urlsplit

from pytest_citecheck.model import Found, Query, QueryResult, Record, Unavailable
from pytest_citecheck.models.chat.dialects.base import Post, string
from pytest_citecheck.models.chat.endpoint import DEPTHS, TAVILY, Depth, SearchOptions, ToolSpec, read_refusal
from pytest_citecheck.models.chat.spending import Amount
from pytest_citecheck.models.chat.tools import Tool, ToolError
from pytest_citecheck.net import (
    RETRIED_STATUSES,
    RETRIES,
    ExchangeError,
    Exchanger,
    Pacer,
    RawResponse,
    Secret,
    UnsearchableError,
    backoff,
    retry_after,
)
from pytest_citecheck.sources import LARGEST_RECORD, MalformedAnswerError, Rate, mapping, parse_json

if TYPE_CHECKING:
    from pytest_citecheck.models.chat.calls import Collaborators, Recordings
    from pytest_citecheck.sources import Source

MOST_HITS = 5
_LONGEST_CONTENT = 1_500
_NOTHING = "The search found nothing."


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    url: str
    content: str


class Search(Protocol):
    """A search engine."""

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The best hits first. Raises ToolError."""


_PARAMETERS: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to search for."},
        "search_depth": {"type": "string", "enum": list(DEPTHS), "description": "How thoroughly to search."},
    },
    "required": ["query"],
}
_SPEC = ToolSpec(
    "web_search",
    "Search for scholarly works, to find them and to confirm that they exist: titles, authors, years, venues, identifiers.",
    _PARAMETERS,
)


def search_tool(search: Search, most: Depth = "advanced") -> Tool:
    """The tool over a search. most: the depth of a search that names none, and the greatest that a model may choose."""

    async def run(arguments: Mapping[str, Any]) -> str:
        query, depth = arguments.get("query"), arguments.get("search_depth", most)
        if not isinstance(query, str) or not query.strip():
            raise ToolError("the argument 'query' must be a text")
        if depth not in DEPTHS:
            raise ToolError(f"the argument 'search_depth' must be one of {', '.join(DEPTHS)}")
        hits = await search.search(query.strip(), cast("Depth", min(depth, most, key=DEPTHS.index)))
        return "\n\n".join(_shown(number, hit) for number, hit in enumerate(hits[:MOST_HITS], start=1)) or _NOTHING

    return Tool(_SPEC, run)


def _shown(number: int, hit: Hit) -> str:
    content = hit.content if len(hit.content) <= _LONGEST_CONTENT else f"{hit.content[:_LONGEST_CONTENT]}…"
    return "\n".join(filter(None, (f"{number}. {hit.title}", hit.url, content)))


SEARCH_SECONDS = 30.0
"""Seconds for one request."""

# Tavily allows 100 requests a minute with a development key (https://docs.tavily.com/documentation/rate-limits).
_TAVILY_RATE = Rate(1.6, 5)
_RATE = Rate(10.0, 5)
_LONGEST_WAIT = 30.0
_CONTENT = ("content", "snippet", "description", "text")


def search_rate(options: SearchOptions) -> Rate:
    """Rate limit of all searches with these options together."""
    return _TAVILY_RATE if options.is_paid else _RATE


@dataclass(frozen=True, slots=True, repr=False)
class WebSearch:
    """A search of the provider ``tavily`` or ``json``.

    pacer: of all searches with its key. sends: False for a replay, and offline.
    """

    options: SearchOptions
    exchanger: Exchanger
    recordings: Recordings | None
    shared: Collaborators
    pacer: Pacer
    sends: bool

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The best hits first. Raises ToolError."""
        post = (_tavily if self.options.provider == "tavily" else _json)(self.options, query, depth)
        body = self.recordings.find(post, 0) if self.recordings is not None else None
        if body is None:
            if not self.sends:
                raise ToolError("the search is not available: it was not recorded")
            body = await self._persist(post)
        return list(_hits(body))

    async def _persist(self, post: Post) -> bytes:
        for attempt in range(1, RETRIES + 2):
            await self.pacer.enter()
            try:
                await self.pacer.turn()
                outcome = await self._booked(post)
            finally:
                self.pacer.leave()
            if isinstance(outcome, bytes):
                return outcome
            again, wait, problem = outcome
            if not again or attempt > RETRIES:
                raise ToolError(f"the search failed: {problem}")
            await self.pacer.pause(backoff(attempt, self.shared.jitter()) if wait is None else min(wait, _LONGEST_WAIT))
        raise AssertionError

    async def _booked(self, post: Post) -> bytes | tuple[bool, float | None, str]:
        """One request within the budget. Raises ToolError without room."""
        spending = self.shared.spending
        amount = Amount.of_money(self.options.price or 0.0, calls=0)
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
        """The body; or True to retry, with the delay in seconds and the error."""
        try:
            raw = await post.sent(self.exchanger, "search", LARGEST_RECORD)
            if not 200 <= raw.status <= 299:
                return self._refused(raw)
            body = self.shared.scrubber.body(raw.body)
            parse_json(body)
        except ExchangeError as error:
            return error.again, None, self.shared.scrubber.text(error.detail)
        except (MalformedAnswerError, UnsearchableError) as error:
            return False, None, f"the answer could not be read: {error}"
        if self.recordings is not None:
            self.recordings.record(post, 0, raw.status, raw.headers, body)
        return body

    def _refused(self, raw: RawResponse) -> tuple[bool, float | None, str]:
        said = self.shared.scrubber.text(read_refusal(raw.body).message)[:200]
        problem = f"HTTP status {raw.status}: {said}" if said else f"HTTP status {raw.status}"
        return raw.status in RETRIED_STATUSES, retry_after(raw.headers, self.shared.now()), problem


def _tavily(options: SearchOptions, query: str, depth: Depth) -> Post:
    asked = {"query": query, "search_depth": depth, "max_results": MOST_HITS}
    base = (options.url or TAVILY).rstrip("/")
    url = base if base.endswith("/search") else f"{base}/search"
    headers = {"authorization": Secret(f"Bearer {options.api_key}")} if options.api_key else {}
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True)
    return Post(Secret(url), headers, text.encode("utf-8", "backslashreplace"))


def _json(options: SearchOptions, query: str, _depth: Depth) -> Post:
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


_ASKED: Mapping[Depth, int] = {"basic": 1, "advanced": 4}
"""Number of sources to query."""

_MOST_AUTHORS = 10


class Asking(Protocol):
    """Interface for querying sources: `pytest_citecheck.net.client.Transport`."""

    async def ask(self, source: Source, queries: Iterable[Query]) -> Mapping[Query, QueryResult]:
        """Answers to all queries."""


class SourceSearch:
    """Queries the sources that cover most fields and types of works; duplicates count once."""

    def __init__(self, asking: Asking, sources: Iterable[Source]) -> None:
        self._asking = asking
        searched = [source for source in sources if "title" in source.batch and source.role and source.role.titles]
        self._sources = sorted(searched, key=_breadth, reverse=True)

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The records of all sources in turn. Raises ToolError if none answers."""
        title = Query("title", query)
        sources = [source for source in self._sources if source.accepts(title)][: _ASKED[depth]]
        asked = await asyncio.gather(*(self._asking.ask(source, [title]) for source in sources))
        answers = [answer[title].answer for answer in asked]
        silent = [answer.detail for answer in answers if isinstance(answer, Unavailable)]
        if len(silent) == len(answers):
            raise ToolError(f"the search failed: {'; '.join(silent) or 'no source can be searched'}")
        found = [answer.records for answer in answers if isinstance(answer, Found)]
        mixed = (record for record in chain.from_iterable(zip_longest(*found)) if record is not None)
        return [_hit(record) for record in _each_once(mixed)]


def _breadth(source: Source) -> tuple[int, float]:
    """Breadth of a source: number of fields and types of works its search covers, and searches it allows in a second."""
    searches = source.role.titles if source.role is not None else ()
    widest = max((len(search.disciplines) * len(search.works) for search in searches), default=0)
    return widest, source.rate.per_second


def _each_once(records: Iterable[Record]) -> Iterator[Record]:
    seen: set[str] = set()
    for record in records:
        marks = {record.doi.lower(), f"{record.title.casefold()} {record.year}"} - {""}
        if record.title and not marks & seen:
            yield record
        seen |= marks


def _hit(record: Record) -> Hit:
    people = [str(person) for person in record.authors[:_MOST_AUTHORS]]
    if len(record.authors) > _MOST_AUTHORS or not record.authors_complete:
        people.append("others")
    stated = {
        "Authors": "; ".join(people),
        "Year": str(record.year or ""),
        "Venue": record.venue,
        "DOI": record.doi,
        "arXiv": record.arxiv,
        "PMID": record.pmid,
        "Source": record.source,
    }
    title = f"{record.title}: {record.subtitle}" if record.subtitle else record.title
    return Hit(title, record.url, "\n".join(f"{name}: {value}" for name, value in stated.items() if value))
