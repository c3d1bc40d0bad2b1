"""The transport: takes queries, returns answers, and does all network traffic in between."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Collection, Coroutine, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from pytest_citecheck.model import Query, QueryKind, QueryResult, Unavailable
from pytest_citecheck.net.budget import Budget, budget_path, hold_messages
from pytest_citecheck.net.cache import AnswerCache
from pytest_citecheck.net.cassettes import (
    Cassette,
    CassetteError,
    Interaction,
    Saving,
    as_response,
    is_readable,
    kept_headers,
    not_queried,
)
from pytest_citecheck.net.controls import ControlledDispatcher, read_recorded
from pytest_citecheck.net.delivery import (
    LONGEST_WAIT,
    Dispatcher,
    SourceClient,
    Tally,
    asked,
    build_request,
    is_overload,
    is_passing,
    more_telling,
)
from pytest_citecheck.net.http import (
    EXCHANGES_AT_ONCE,
    ExchangeError,
    demands_browser,
    proxy_urls,
    retry_after,
    without_identity,
)
from pytest_citecheck.net.logins import Identity, Logins
from pytest_citecheck.net.network import Deadline, Lookup, system_lookup
from pytest_citecheck.net.queues import HostQueues
from pytest_citecheck.net.secrets import Scrubber, UnsearchableError, scrubbed_logs
from pytest_citecheck.today import seconds

if TYPE_CHECKING:
    from types import TracebackType

    from pytest_citecheck.net.exchange import Exchanger
    from pytest_citecheck.net.queues import Clock, Sleep
    from pytest_citecheck.net.settings import TransportSettings
    from pytest_citecheck.sources import Response, Source


def by_host(source: Source, queries: list[Query]) -> dict[str, list[Query]]:
    """Group the queries by host: the service's host, not a mirror's, which may replace many services."""
    if source.base_url:
        return {urlsplit(source.base_url).netloc: queries}
    hosts: dict[str, list[Query]] = {}
    for query in queries:
        request = build_request(source, [query])
        host = "" if isinstance(request, Unavailable) else urlsplit(request.url).netloc
        hosts.setdefault(host, []).append(query)
    return hosts


def batches(source: Source, queries: Sequence[Query], alone: Collection[Query] = frozenset()) -> Iterator[list[Query]]:
    """The queries by kind and `Source.group`, in order, up to the batch size of the source; those in ``alone`` one by
    one.

    Queries whose answers were crowded out of a batch are sent alone.
    """
    yield from ([query] for query in queries if query in alone)
    queries = [query for query in queries if query not in alone]
    kinds: dict[tuple[QueryKind, Hashable], list[Query]] = {}
    for query in queries:
        kinds.setdefault((query.kind, source.group(query)), []).append(query)
    for (kind, _), group in kinds.items():
        size = max(1, source.batch.get(kind, 1))
        for start in range(0, len(group), size):
            yield from _apart(source, group[start : start + size])


def _apart(source: Source, batch: list[Query]) -> Iterator[list[Query]]:
    """Split a batch: the batch, and each query alone that its request leaves out, since some values cannot be combined."""
    request = build_request(source, batch)
    if len(batch) < 2 or isinstance(request, Unavailable):
        yield batch
        return
    asked_together = set(source.singles(request))
    if len(asked_together) == len(batch):
        yield batch
        return
    together: list[Query] = []
    alone: list[Query] = []
    for query in batch:
        single = build_request(source, [query])
        inside = isinstance(single, Unavailable) or single in asked_together
        (together if inside else alone).append(query)
    if together:
        yield together
    yield from ([query] for query in alone)


OnAnswer = Callable[[str, int], object]
"""Called with the name of a source and the number of queries that it has just answered (or will not answer)."""

_NOT_RECORDED = Unavailable("not-recorded", "not in the cassettes; record it with --citecheck-record=new")
_OFFLINE = Unavailable("offline", "not queried")

# Number of attempts for a failed query, each with `RETRIES`.
_ROUNDS = 3
_STATING = ("limit", "pool", "concurrency")  # words in the names of headers that state limits


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


class Transport:
    """Queries sources within their limits, and remembers each answer (or outage) for the run. Use as ``async with``.

    `ask` may run in many tasks at once; a repeated query is sent once. A run uses one event loop.

    on_answer reports progress. ``clock`` and ``sleep`` (seconds, monotonic), ``now`` (seconds since the epoch),
    ``lookup`` (host to addresses) and ``jitter`` (evenly from 0 to 1) can be replaced for tests.
    """

    def __init__(
        self,
        settings: TransportSettings,
        *,
        on_answer: OnAnswer | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        now: Clock = seconds,
        lookup: Lookup = system_lookup,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._on_answer = on_answer
        self._clock = clock
        self._sleep = sleep
        self._now = now
        self._jitter = jitter
        self._identity = Identity.of(settings)
        self._deadline = Deadline(settings.total_timeout, settings.silence_timeout)
        self._lookup = lookup
        self._made: list[Exchanger] = []
        self._scrubber = Scrubber([settings.contact, *settings.keys.values()])
        for url in (*settings.base_urls.values(), *proxy_urls()):
            self._scrubber.learn(url)
        self._logs = contextlib.ExitStack()
        self._logins = Logins(settings.logins, self._exchanger, self._scrubber, clock)
        self._tallies: dict[str, Tally] = {}
        self._queues = HostQueues(settings, self._identity, clock, sleep)
        self._deliveries: dict[tuple[str, str], ControlledDispatcher] = {}
        self._cassettes: dict[str, Cassette] = {}
        self._not_queried: set[str] = set()
        self._memory: dict[tuple[str, Query], asyncio.Future[QueryResult | None]] = {}
        self._saving = Saving(self._cassettes.values, clock)
        self._cache: AnswerCache | None = None
        self._budget: Budget | None = None

    def _exchanger(self) -> Exchanger:
        """The sender of requests, created on first use."""
        if not self._made:
            from pytest_citecheck.net.exchange import Exchanger  # noqa: PLC0415 - imports httpx

            self._logs.enter_context(scrubbed_logs(self._scrubber))  # the loggers that httpx and httpcore have made now
            settings = self._settings
            self._made.append(Exchanger(settings.timeout, settings.connect_timeout, self._lookup, self._deadline))
        return self._made[0]

    @property
    def statistics(self) -> Mapping[str, Tally]:
        """Statistics of requests so far, by source name."""
        return self._tallies

    async def __aenter__(self) -> Self:
        """Raises CassetteError if there is no folder to record into."""
        self._deadline.begin()
        settings = self._settings
        if settings.cache is not None:
            # Another mirror may hold other works.
            mirrors = sorted(f"{name}={without_identity(url)}" for name, url in settings.base_urls.items())
            self._cache = AnswerCache(settings.cache, str(mirrors or ""), now=self._now, refresh=settings.refresh)
            self._budget = self._queues.budget = Budget(budget_path(settings.cache))
        folder, record = settings.cassettes, settings.record
        if folder is not None and record is not None:
            try:
                if record != "none":
                    folder.mkdir(parents=True, exist_ok=True)
                elif folder.exists() and not folder.is_dir():
                    raise NotADirectoryError(20, "not a folder")
            except OSError as error:
                raise CassetteError(folder, error.strerror) from error
        self._logs.enter_context(scrubbed_logs(self._scrubber))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Save recordings, also after an interruption. Raises CassetteError if that is impossible."""
        try:
            if self._settings.drop_unasked and kind is None:
                for cassette in self._cassettes.values():
                    cassette.drop_unasked()
            self._saving.save()
        finally:
            for file in (self._cache, self._budget):
                if file is not None:
                    file.close()
            for exchanger in self._made:
                await exchanger.aclose()
            self._logs.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """Notes for the user: files that could not be used, and services on hold or given up."""
        files = (self._cache, self._budget, *self._cassettes.values())
        problems = [file.problem for file in files if file and file.problem] + not_queried(self._not_queried)
        if self._budget is not None:
            problems += hold_messages(self._budget, self._queues.hosts, LONGEST_WAIT)
        return (*problems, *self._queues.notes)

    def waiting(self) -> tuple[list[str], float | None]:
        """The names of the sources whose answers are awaited now, and the seconds that are left for them (None: no limit)."""
        awaited = {name for (name, _), future in self._memory.items() if not future.done()}
        return sorted(awaited), self._deadline.left()

    def admits(self, source: Source, kind: QueryKind) -> bool:
        """Return True if this source should be queried for this: it needs no key, or has one, a mirror or a recording; in a
        replay: a recording."""
        folder = self._settings.cassettes
        usable = self._identity.admitted(source, kind) or source.name in self._settings.base_urls
        if not usable and (folder is None or not (folder / f"{source.name}.json").exists()):
            return False
        cassette = self._cassette(source) if self._settings.record == "none" else None
        if cassette is None or not cassette.left_out:
            return True
        self._not_queried.add(source.label)
        return False

    def answerable(self, source: Source, queries: Iterable[Query]) -> list[Query]:
        """Queries with a recorded answer in a replay; none if offline without cassettes; otherwise all. For optional
        queries."""
        cassette = self._cassette(source) if self._settings.record == "none" else None
        if cassette is None:
            return [] if self._settings.offline else list(queries)
        return [query for query in queries if self._recorded(source, cassette, [query]) is not None]

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        """Return the source's answer to each distinct query, in order.

        Every failure is an `Unavailable` answer. Raises CassetteError for a cassette that cannot be read or written,
        and lets cancellation through.
        """
        wanted = list(dict.fromkeys(queries))
        cassette = self._cassette(source)
        results: dict[Query, QueryResult] = {}
        pending = wanted
        while pending:
            await self._claim(source, cassette, pending)
            abandoned = []
            for query in pending:
                future = self._memory.get((source.name, query))
                # Shielded: the cancellation of one waiting task must not cancel the answer of all others.
                answer = await asyncio.shield(future) if future is not None else None
                if answer is None:
                    abandoned.append(query)
                else:
                    results[query] = answer
            pending = abandoned
        return {query: results[query] for query in wanted}

    async def probe(self, source: Source, query: Query) -> Reply:
        """Send one query within the limits of the service, and return the response itself: not retried, cached or recorded.

        Raises only cancellation.
        """
        request = build_request(source, [query])
        if isinstance(request, Unavailable):
            return Reply("", request)
        self._scrubber.learn(request.url)
        reply = Reply(self._scrubber.url(request.url))
        host = next(iter(by_host(source, [query])))
        pacer = self._queues.queue(source, host, source.pool(query)).pacer
        client = self._source_client(source)
        await pacer.enter()
        try:
            async with self._deadline.limit():
                if await pacer.turn(LONGEST_WAIT) is None:
                    detail = f"{source.label} has asked to wait, for {pacer.held_for:.0f} s from now"
                    return replace(reply, failure=Unavailable("hold", detail))
                refused = await client.ready(query.kind)
                if refused is not None:
                    return replace(reply, failure=refused)
                raw = await client.exchange(request, lambda: None)
            headers = {name: self._scrubber.text(value) for name, value in raw.headers.items()}
            response = as_response(raw.status, kept_headers(headers), self._scrubber.body(raw.body))
        except ExchangeError as error:
            return replace(reply, failure=Unavailable(error.reason, self._scrubber.text(error.detail)))
        except UnsearchableError as error:
            return replace(reply, failure=Unavailable("malformed", f"the answer of {source.label} has {error}"))
        except TimeoutError:
            return replace(reply, failure=self._deadline.over())
        finally:
            pacer.leave()
        wait = retry_after(raw.headers, self._now())
        if wait and not is_readable(raw.status):
            pacer.hold(wait)
        limits = {name: value for name, value in headers.items() if any(word in name for word in _STATING)}
        walled = demands_browser(raw.headers, raw.body)
        return replace(reply, response=response, limits=limits, wait=wait, walled=walled)

    async def _claim(self, source: Source, cassette: Cassette | None, queries: Sequence[Query]) -> None:
        """Answer the queries that no other task is answering."""
        loop = asyncio.get_running_loop()
        unanswered = [query for query in queries if (source.name, query) not in self._memory]
        for query in unanswered:
            self._memory[source.name, query] = loop.create_future()
        try:
            left = self._remember(source, self._replay(source, cassette, unanswered))
            if left and self._settings.offline:
                self._settle(source, {q: asked(source, q, _OFFLINE, self._endpoint(source, q)) for q in left})
            elif left:
                await self._send(source, left)
        finally:
            for query in unanswered:
                future = self._memory[source.name, query]
                if not future.done():
                    # Interrupted: other tasks that wait for it have to ask again.
                    del self._memory[source.name, query]
                    future.set_result(None)

    def _replay(self, source: Source, cassette: Cassette | None, queries: list[Query]) -> list[Query]:
        """Answer from the cassette; return the queries to send."""
        if cassette is None or self._settings.record == "all":
            return queries
        recorded = {query: found for query in queries if (found := self._recorded(source, cassette, [query]))}
        for batch in batches(source, [query for query in queries if query not in recorded]):
            if len(batch) > 1 and (found := self._recorded(source, cassette, batch)):
                recorded |= dict.fromkeys(batch, found)
        groups: dict[int, list[Query]] = {}
        for query, interaction in recorded.items():
            groups.setdefault(id(interaction), []).append(query)
        missing = set(queries) - recorded.keys()
        live = self._settings.record == "new"
        for group in groups.values():
            replayed = self._read(source, cassette, recorded[group[0]], group)
            if live:
                # A recording without an answer, or an old one, is queried again.
                missing.update(q for q, a in replayed.items() if self._is_stale(a))
            self._settle(source, {q: a for q, a in replayed.items() if q not in missing})
        if live:
            return [query for query in queries if query in missing]
        self._settle(source, {q: asked(source, q, _NOT_RECORDED, self._endpoint(source, q)) for q in missing})
        return []

    def _is_stale(self, replayed: QueryResult) -> bool:
        return isinstance(replayed.answer, Unavailable) or replayed.date[:10] < self._settings.oldest

    def _remember(self, source: Source, queries: list[Query]) -> list[Query]:
        """Answer from the cache; return the queries to send."""
        if self._cache is None or not queries or not _is_ours(source):
            return queries
        known = self._cache.get_many(source.name, source.version, queries)
        if known:
            self._tally(source).cached += len(known)
            self._settle(source, known)
        return [query for query in queries if query not in known]

    def _recorded(self, source: Source, cassette: Cassette, batch: Sequence[Query]) -> Interaction | None:
        request = build_request(source, batch)
        return None if isinstance(request, Unavailable) else cassette.find(request)

    def _read(
        self, source: Source, cassette: Cassette, interaction: Interaction, group: list[Query]
    ) -> dict[Query, QueryResult]:
        self._tally(source).replayed += not interaction.damaged
        answers, date = read_recorded(source, group, interaction, cassette)
        endpoint = self._scrubber.url(interaction.request.uri)
        return {query: asked(source, query, answer, endpoint, date) for query, answer in answers.items()}

    async def _send(self, source: Source, queries: list[Query]) -> None:
        """Query until every query is answered, the service gives up, or the time is over."""
        try:
            async with self._deadline.limit():
                again: dict[Query, QueryResult] = {}
                for last in (*[False] * (_ROUNDS - 1), True):
                    again = await self._send_round(source, list(again) or queries, again, last=last)
                    if not again:
                        return
        except TimeoutError:
            late = self._deadline.over()
            assert late is not None  # noqa: S101 - nothing else ends it so
            left = [query for query in queries if not self._memory[source.name, query].done()]
            self._settle(source, {q: asked(source, q, late, self._endpoint(source, q)) for q in left})

    async def _send_round(
        self, source: Source, queries: list[Query], earlier: Mapping[Query, QueryResult], *, last: bool
    ) -> dict[Query, QueryResult]:
        """Send each query once; return the failures to retry, because the service answers others.

        A service that fails now and then gets another chance after everything else was queried. A service that has
        answered nothing twice gets no third chance, and one that is only overloaded gets no second.
        """
        failed: dict[Query, QueryResult] = {}
        queues = [(self._delivery(source, host), group) for host, group in by_host(source, queries).items()]
        crowded = {
            q for q, a in earlier.items() if isinstance(a.answer, Unavailable) and a.answer.reason == "not-asked"
        }

        async def work(delivery: ControlledDispatcher, left: Iterator[list[Query]]) -> None:
            for batch in left:
                fresh = await delivery.deliver(batch)
                if self._cache is not None and _is_ours(source):
                    # Before anything else: the answer is kept even if the process is killed now.
                    self._cache.put_many(source.version, fresh.values())
                answers = {q: more_telling(a, earlier.get(q)) for q, a in fresh.items()}
                passing = {q: a for q, a in answers.items() if not last and is_passing(a.answer)}
                failed.update(passing)
                self._settle(source, {q: a for q, a in answers.items() if q not in passing})
                if self._saving.due:
                    self._saving.save()

        # No more tasks than the host accepts at once, or thousands would only wait in line; and no more than the
        # maximum of exchanges, if each page has a different host.
        jobs: list[tuple[ControlledDispatcher, Iterator[list[Query]]]] = []
        for delivery, group in queues:
            left = batches(source, group, alone=crowded)
            jobs += [(delivery, left)] * min(delivery.concurrency, len(group))
        await _at_once(work(delivery, left) for delivery, left in jobs)
        hopeless = len(failed) == len(queries) and (bool(earlier) or all(map(is_overload, failed.values())))
        if failed and (hopeless or all(delivery.given_up for delivery, _ in queues)):
            self._settle(source, failed)
            return {}
        return failed

    def _settle(self, source: Source, answers: Mapping[Query, QueryResult]) -> None:
        tally = self._tally(source)
        for query, answer in answers.items():
            if isinstance(answer.answer, Unavailable):
                tally.unavailable[answer.answer.reason] += 1
            else:
                tally.answered += 1
            self._memory[source.name, query].set_result(answer)
        if answers and self._on_answer is not None:
            self._on_answer(source.name, len(answers))

    def _endpoint(self, source: Source, query: Query) -> str:
        request = build_request(source, [query])
        return "" if isinstance(request, Unavailable) else self._scrubber.url(request.url)

    def _tally(self, source: Source) -> Tally:
        return self._tallies.setdefault(source.name, Tally())

    def _cassette(self, source: Source) -> Cassette | None:
        folder, record = self._settings.cassettes, self._settings.record
        if folder is None or record is None:
            return None
        cassette = self._cassettes.get(source.name)
        if cassette is None:
            cassette = self._cassettes[source.name] = Cassette(folder, source, fresh=record == "all")
        return cassette

    def _delivery(self, source: Source, host: str) -> ControlledDispatcher:
        delivery = self._deliveries.get((source.name, host))
        if delivery is None:
            cassette = self._cassette(source)
            pools = {pool: self._sender(source, host, pool, cassette) for pool in ("", *source.pools)}
            delivery = self._deliveries[source.name, host] = ControlledDispatcher(pools, source, cassette, self._clock)
        return delivery

    def _source_client(self, source: Source) -> SourceClient:
        mirror = self._settings.base_urls.get(source.name, "")
        return SourceClient(source, mirror, self._identity, self._exchanger(), self._logins)

    def _sender(self, source: Source, host: str, pool: str, cassette: Cassette | None) -> Dispatcher:
        return Dispatcher(
            self._source_client(source),
            self._queues.queue(source, host, pool),
            self._tally(source),
            self._scrubber,
            cassette,
            self._clock,
            self._now,
            self._jitter,
        )


def _is_ours(source: Source) -> bool:
    """Return True if the source belongs to this package, which raises `Source.version` when its code changes."""
    return type(source).__module__.startswith("pytest_citecheck.")


async def _at_once(jobs: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run the jobs in order, at most `EXCHANGES_AT_ONCE` at the same time. If one raises, the others are cancelled."""
    waiting = list(jobs)
    queue = iter(waiting)

    async def work_through() -> None:
        for job in queue:
            await job

    tasks = [asyncio.create_task(work_through()) for _ in range(min(len(waiting), EXCHANGES_AT_ONCE))]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for job in queue:
            job.close()
        raise
