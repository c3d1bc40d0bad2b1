"""Delivers a batch of queries to one service: rate limits, retries, parsing, recording. Every query gets an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_citecheck.model import Answer, Found, Query, QueryResult, Unavailable
from pytest_citecheck.net.cassettes import Cassette, Interaction, as_response, is_readable, kept_headers
from pytest_citecheck.net.http import (
    RETRIED_STATUSES,
    RETRIES,
    ExchangeError,
    RawResponse,
    backoff,
    demands_browser,
    relocate,
    retry_after,
)
from pytest_citecheck.net.logins import Identity
from pytest_citecheck.net.network import in_thread
from pytest_citecheck.net.secrets import Secret, UnsearchableError
from pytest_citecheck.sources import MalformedAnswerError, Request, Response, Source, within_lengths

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from pytest_citecheck.model import QueryKind
    from pytest_citecheck.net.exchange import Exchanger
    from pytest_citecheck.net.logins import Logins
    from pytest_citecheck.net.queues import Clock, HostQueue
    from pytest_citecheck.net.secrets import Scrubber

_PASSING = frozenset({"timeout", "connection", "malformed", "not-asked", "uncontrolled"})


def is_passing(answer: Answer) -> bool:
    """Return True if this is a failure that may be gone when all else has been asked."""
    return isinstance(answer, Unavailable) and (
        answer.reason in _PASSING or answer.reason in {f"http-{status}" for status in RETRIED_STATUSES}
    )


def is_overload(asked: QueryResult) -> bool:
    """Return True if this is the behaviour of an overloaded service."""
    return isinstance(asked.answer, Unavailable) and asked.answer.reason in {"http-429", "timeout"}


def more_telling(answer: QueryResult, earlier: QueryResult | None) -> QueryResult:
    """The answer, or the earlier failure if the query has now been refused without being sent."""
    turned_away = isinstance(answer.answer, Unavailable) and answer.answer.reason == "breaker"
    return earlier if turned_away and earlier is not None else answer


@dataclass(slots=True)
class Tally:
    """Request statistics of one source.

    requests: HTTP requests sent, redirects and retries included. replayed: recorded responses that were read. cached:
    queries answered from earlier runs. local: queries answered by an index.
    retries: requests sent again after a failure. waited: seconds spent waiting for the rate limit, a Retry-
    After or a retry, added up over concurrent tasks. answered: queries with an answer. unavailable:
    queries without, by reason.
    recorded: responses taken into the cassette. unrecordable: answers that a cassette cannot hold (not
    UTF-8).
    """

    requests: int = 0
    replayed: int = 0
    cached: int = 0
    local: int = 0
    retries: int = 0
    waited: float = 0.0
    answered: int = 0
    recorded: int = 0
    unrecordable: int = 0
    unavailable: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class SourceClient:
    """The way to one source; ``mirror`` is empty if there is none."""

    source: Source
    mirror: str
    identity: Identity
    exchanger: Exchanger
    logins: Logins

    async def ready(self, kind: QueryKind) -> Unavailable | None:
        """Log in if queries of this kind need the key of a login; return the reason if there is no key."""
        if Identity().admitted(self.source, kind) or self.identity.keys.get(self.source.name):
            return None
        return await self.logins.log_in(self.source, self.mirror)

    async def exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        on_connected: Callable[[], Awaitable[object]] | None = None,
    ) -> RawResponse:
        """Return the final response, with any status; see `Exchanger.exchange`. Raises ExchangeError."""
        source = self.source
        token = self.logins.known_token(source, self.mirror)
        signed, own_headers = self.identity.signed(source, request, mirrored=bool(self.mirror), token=token)
        if self.mirror:
            signed = replace(signed, url=Secret(relocate(signed.url, source.base_url, self.mirror)))
        return await self.exchanger.exchange(
            signed,
            on_send,
            largest=source.largest_body,
            own_headers=own_headers,
            follow=source.follows,
            public=not source.base_url and not self.mirror,
            enough=source.enough_bytes,
            on_connected=on_connected,
        )


LONG_BODY = 100_000
"""Bytes of an answer that is parsed in a thread: the slowest form, a list of papers in BibTeX, takes 0.17 s for this
size (4,400 papers, 2.9 MB, take 5 s; ``python -m benchmarks.venue_lists``)."""

LONGEST_WAIT = 30.0
"""Seconds of a Retry-After that are waited for; a host that asks for more is skipped for the rest of the
run.
"""

# Maximum time for a connection before the request counts as sent later: seconds, or a share of the time between two requests if
# that is more than a second.
_LATE = 0.02

# Statuses that may mean that one of these queries, or their number, is too much.
_REFUSED_STATUSES = frozenset({400, 404, 410, 413, 414})
_ABSENT_STATUSES = frozenset({404, 410})
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed attempt. ``retries``: maximum number of further attempts; ``wait``: a Retry-After. ``ends``: note to the
    user if the host is given up after the last attempt."""

    unavailable: Unavailable
    retries: int = 0
    wait: float | None = None
    refused: bool = False
    ends: str = ""


def asked(source: Source, query: Query, answer: Answer, endpoint: str, date: str = "") -> QueryResult:
    """One line of evidence; ``date`` is the date of the response.

    Records of a source without first-hand fields are always compiled.
    """
    compiled = not source.authoritative_for
    if compiled and isinstance(answer, Found):
        answer = replace(answer, records=tuple(replace(record, compiled=True) for record in answer.records))
    return QueryResult(source.name, query, answer, endpoint, date, compiled=compiled)


def build_request(source: Source, queries: Sequence[Query]) -> Request | Unavailable:
    """The source's request, or the reason for its absence: an unusual reference must not end the run."""
    try:
        return source.request(queries)
    except Exception as error:  # noqa: BLE001 - any bug in a source costs its answer, not the run
        return Unavailable("malformed", f"cannot build a request for this query: {type(error).__name__}: {error}")


def read_response(source: Source, queries: Sequence[Query], response: Response) -> dict[Query, Answer] | Unavailable:
    """Return the parsed answers to these queries only."""
    try:
        answers = source.parse(queries, response)
    except MalformedAnswerError as error:
        return Unavailable("malformed", f"the answer of {source.label} could not be read: {error}")
    except Exception as error:  # noqa: BLE001 - an unforeseen body is an outage, never an absence
        problem = f"{type(error).__name__}: {error}"
        return Unavailable("malformed", f"the answer of {source.label} could not be parsed: {problem}")
    missing = Unavailable("malformed", f"the answer of {source.label} has no result for this query")
    return {query: within_lengths(answers.get(query, missing)) for query in queries}


def _is_unasked_page(request: Request, response: Response) -> bool:
    """Return True if a successful response is a web page that was not requested (an error may be a page)."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return response.status < 300 and kind in _PAGES and not any(word in request.accept for word in ("html", "*/*"))


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Sends queries to one source. It uses the collaborators of the run; ``cassette`` is None unless recording."""

    client: SourceClient
    queue: HostQueue
    tally: Tally
    scrubber: Scrubber
    cassette: Cassette | None
    clock: Clock
    now: Clock
    jitter: Callable[[], float]

    @property
    def concurrency(self) -> int:
        """Maximum number of concurrent batches."""
        return self.queue.pacer.concurrency

    @property
    def given_up(self) -> bool:
        """True if the service is not asked any more."""
        return self.queue.breaker.is_open

    async def deliver(self, queries: Sequence[Query]) -> dict[Query, QueryResult]:
        """Answer each query of a batch. Raises only cancellation."""
        request = build_request(self.client.source, queries)
        if isinstance(request, Unavailable):
            failure, endpoint = _Failure(request), ""
        else:
            self.scrubber.learn(request.url)
            endpoint = self.scrubber.url(request.url)
            outcome = await self._converse(queries, request)
            if not isinstance(outcome, _Failure):
                response, answers = outcome
                self._record(queries, request, endpoint, response, answers)
                return {
                    query: asked(self.client.source, query, answer, endpoint, response.date)
                    for query, answer in answers.items()
                }
            failure = outcome
        if failure.refused and len(queries) > 1 and not self.queue.breaker.is_open:
            # One bad query must not take the others down.
            half = len(queries) // 2
            return {**await self.deliver(queries[:half]), **await self.deliver(queries[half:])}
        reason, detail = failure.unavailable.reason, self.scrubber.text(failure.unavailable.detail)
        answer = Unavailable(reason, detail)
        return {query: asked(self.client.source, query, answer, endpoint) for query in queries}

    async def _converse(
        self, queries: Sequence[Query], request: Request
    ) -> tuple[Response, dict[Query, Answer]] | _Failure:
        refused = await self.client.ready(queries[0].kind)
        if refused is not None:
            return _Failure(refused)
        pacer = self.queue.pacer
        cost = 0.0 if self.client.mirror else self.client.source.costs.get(queries[0].kind, 0.0)
        if not self.queue.allowance.take(cost):
            detail = f"the daily budget of {self.client.source.label} is spent"
            return _Failure(Unavailable("allowance", detail))
        self._leave_alone()
        if not self.queue.allows() or not await pacer.enter():
            return await self._turned_away()
        try:
            return await self._persist(queries, request)
        finally:
            pacer.leave()

    def _leave_alone(self) -> None:
        """Give up a host that has asked this process, or another one, to wait for a long time."""
        held = self.queue.pacer.held_for
        if held > LONGEST_WAIT:
            self.queue.give_up(f"{self.client.source.label} asked to wait {held:.0f} s")

    async def _persist(
        self, queries: Sequence[Query], request: Request
    ) -> tuple[Response, dict[Query, Answer]] | _Failure:
        queue, tally = self.queue, self.tally
        tries = 0
        while True:
            waited = await queue.pacer.turn(LONGEST_WAIT)
            if waited is None:
                self._leave_alone()
                return await self._turned_away()
            tally.waited += waited
            tally.retries += tries > 0
            tries += 1
            outcome = await self._try(queries, request)
            if not isinstance(outcome, _Failure):
                queue.succeeded()
                return outcome
            # Each time-out counts: three of them take a minute.
            each_try_counts = outcome.unavailable.reason == "timeout"
            last = tries > outcome.retries or queue.breaker.is_open
            alone = not (outcome.refused and len(queries) > 1)
            if each_try_counts or (last and alone):
                queue.failed(outcome.unavailable.detail)
            if last and outcome.ends:
                queue.give_up(outcome.unavailable.detail, note=outcome.ends)
            if last or queue.breaker.is_open:
                return outcome
            if outcome.wait:
                queue.pacer.hold(outcome.wait)
            else:
                tally.waited += await queue.pacer.pause(backoff(tries, self.jitter()))

    async def _try(self, queries: Sequence[Query], request: Request) -> tuple[Response, dict[Query, Answer]] | _Failure:
        sent_at = self.clock()

        async def connected() -> None:
            pacer = self.queue.pacer
            late = self.clock() - sent_at > _LATE * max(1.0, 1 / pacer.per_second)
            # It would arrive together with those that found a connection, and be one too many.
            if late and not pacer.postpone(sent_at):
                self.tally.waited += await pacer.turn(LONGEST_WAIT) or 0.0

        try:
            raw = await self.client.exchange(request, self._count_request, connected)
        except ExchangeError as error:
            return await self._no_response(error)
        if demands_browser(raw.headers, raw.body):
            detail = f"{self.client.source.label} demands a browser"
            self.queue.give_up(detail, note=f"{detail}, so it is not queried again in this run")
            return _Failure(Unavailable("browser", detail))
        if not is_readable(raw.status):
            return self._bad_status(raw, sent_at)
        self.queue.pacer.note(raw.headers)
        self.queue.allowance.note(raw.headers)
        headers = {name: self.scrubber.text(value) for name, value in kept_headers(raw.headers).items()}
        try:
            response = as_response(raw.status, headers, self.scrubber.body(raw.body))
        except UnsearchableError as error:
            return _Failure(
                Unavailable("malformed", f"the answer of {self.client.source.label} has {error}"), refused=True
            )
        if _is_unasked_page(request, response):
            # A page would parse only by chance, and comes from a portal or proxy instead of the service.
            return _Failure(Unavailable("malformed", f"{self.client.source.label} answered with a web page"), retries=1)
        if len(response.body) < LONG_BODY:
            answers = read_response(self.client.source, queries, response)
        else:
            answers = await in_thread(
                partial(read_response, self.client.source, queries, response), "citecheck reading"
            )
        if isinstance(answers, Unavailable):
            if raw.status in _REFUSED_STATUSES:
                if self.queue.breaker.is_open:
                    self.queue.succeeded()  # the host answers again: it rejects the query
                # A proxy may have answered a query that the service itself would have rejected.
                retries = 1 if raw.status in _ABSENT_STATUSES and len(queries) == 1 else 0
                return _Failure(Unavailable(f"http-{raw.status}", answers.detail), retries, refused=True)
            return _Failure(answers, retries=1)
        return response, answers

    async def _no_response(self, error: ExchangeError) -> _Failure:
        reason = error.reason
        if error.hopeless:
            self.queue.give_up(error.detail, offline=error.offline)
        if error.offline and await self.client.exchanger.network.offline():
            return _Failure(Unavailable("offline", f"no network: {error.detail}"))
        retries = 0
        if error.again:
            retries = 1 if reason in {"timeout", "malformed"} else RETRIES
        # Half a batch may be half as large.
        return _Failure(Unavailable(reason, error.detail), retries, refused=reason == "too-large")

    def _bad_status(self, raw: RawResponse, sent_at: float) -> _Failure:
        detail = f"{self.client.source.label} answered with HTTP status {raw.status}"
        wait = None
        retries = RETRIES if raw.status in RETRIED_STATUSES else 0
        ends = self.client.identity.crowded_out(self.client.source) if raw.status == 429 else ""
        if ends:
            # The pool is full of other clients, so fewer requests do not help. One retry for the whole run.
            self.queue.crowded_out += 1
            retries = int(self.queue.crowded_out == 1)
        elif raw.status == 429:
            self.queue.pacer.slow_down(sent_at)
        if retries:
            wait = retry_after(raw.headers, self.now())
            if wait is not None and wait > LONGEST_WAIT:
                detail += f" and requests a wait of {wait:.0f} s, which is too long"
                self.queue.pacer.hold(wait)
                self.queue.give_up(detail)
        refused = raw.status in _REFUSED_STATUSES
        return _Failure(Unavailable(f"http-{raw.status}", detail), retries, wait, refused, ends)

    async def _turned_away(self) -> _Failure:
        breaker = self.queue.breaker
        if breaker.offline and await self.client.exchanger.network.offline():
            return _Failure(Unavailable("offline", f"no network: {breaker.cause}"))
        detail = f"{self.client.source.label} was skipped: {breaker.cause}"
        return _Failure(Unavailable("breaker", detail))

    def _count_request(self) -> None:
        self.tally.requests += 1

    def _record(
        self, queries: Sequence[Query], request: Request, uri: str, response: Response, answers: dict[Query, Answer]
    ) -> None:
        if self.cassette is None or all(isinstance(answer, Unavailable) for answer in answers.values()):
            return
        if not self.client.source.terms.raw:
            response = replace(response, body=self.client.source.kept(response.body))
            if read_response(self.client.source, queries, response) != answers:
                self.tally.unrecordable += 1
                return
        interaction = Interaction.of(replace(request, url=uri), response.status, response.headers, response.body)
        try:
            self.cassette.record(interaction)
        except UnicodeDecodeError:
            self.tally.unrecordable += 1
        else:
            self.tally.recorded += 1
