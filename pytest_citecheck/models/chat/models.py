"""The models of one run, behind the endpoints that a user configures."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from pytest_citecheck.models.chat.calls import CalledModel, Collaborators, Recordings, cassette_name
from pytest_citecheck.models.chat.endpoint import CallFailure, Endpoint, SearchOptions, dropped_parameters
from pytest_citecheck.models.chat.search import SEARCH_SECONDS, Search, WebSearch, search_rate, search_tool
from pytest_citecheck.models.chat.spending import Ledger, Prices, Spending, SpendingLimits
from pytest_citecheck.net import (
    CassetteError,
    Deadline,
    Exchanger,
    Lookup,
    Pacer,
    Saving,
    Scrubber,
    proxy_urls,
    scrubbed_logs,
    system_lookup,
)
from pytest_citecheck.today import seconds

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from pytest_citecheck.models.chat.tools import Tool
    from pytest_citecheck.net import Clock, RecordMode, Sleep

_CONNECT_SECONDS = 10.0


_NOT_RECORDED = CallFailure("not-recorded", "not in the cassettes; record it with --citecheck-record=new", 0)
_OFFLINE = CallFailure("offline", "no model is called in this run (--citecheck-offline or --citecheck-ask=none)", 0)


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """User settings for the calls of a run.

    limits: maximum amounts. total_timeout: seconds for all calls together; None: unlimited. cassettes and record: as in
    `TransportSettings`. offline: send nothing. prices: None for those of the package. ledger: the file in which all
    processes and runs book their spending; None: this process only.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    total_timeout: float | None = None
    cassettes: Path | None = None
    record: RecordMode | None = None
    offline: bool = False
    prices: Prices | None = None
    ledger: Path | None = None


class ChatModels:
    """Calls models, each within the limits of its endpoint. Use as ``async with``.

        async with ChatModels([endpoint], ChatSettings()) as models:
            said = await models[endpoint.name].ask(request)

    ``clock`` and ``sleep`` (seconds, monotonic), ``now`` (seconds since the epoch), ``lookup`` (host to addresses) and ``jitter``
    (evenly from 0 to 1) can be replaced for tests. sources: the search of endpoints with the provider ``sources``.

    Raises ValueError for an invalid endpoint, if there is nothing to search, or if a limit of money cannot be kept;
    CassetteError for a broken cassette, also when it ends.
    """

    def __init__(
        self,
        endpoints: Iterable[Endpoint],
        settings: ChatSettings,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        now: Clock = seconds,
        lookup: Lookup = system_lookup,
        jitter: Callable[[], float] = random.random,
        sources: Search | None = None,
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._settings = settings
        self._prices = settings.prices or Prices.read()
        self._sources = sources
        self._check()
        self._scrubber = Scrubber(secret for endpoint in self._endpoints for secret in endpoint.all_secrets())
        searches = [endpoint.search.url for endpoint in self._endpoints if endpoint.search is not None]
        for url in (*(endpoint.base_url for endpoint in self._endpoints), *searches, *proxy_urls()):
            self._scrubber.learn(url)
        self._logs = scrubbed_logs(self._scrubber)
        self._deadline = Deadline(settings.total_timeout, None)
        self._with = Collaborators(
            self._deadline,
            self._scrubber,
            Spending(settings.limits, Ledger(settings.ledger)),
            self._prices,
            self._save_now_and_then,
            clock,
            sleep,
            now,
            jitter,
        )
        self._exchangers = {
            endpoint.name: Exchanger(
                endpoint.timeout, min(_CONNECT_SECONDS, endpoint.timeout), lookup, self._deadline, endpoint.concurrency
            )
            for endpoint in self._endpoints
        }
        self._recordings: dict[str, Recordings] = {}
        self._models: dict[str, CalledModel] = {}
        self._tools: dict[str, tuple[Tool, ...]] = {}
        self._paces: dict[tuple[str, str], Pacer] = {}
        self._searching = Exchanger(SEARCH_SECONDS, _CONNECT_SECONDS, lookup, self._deadline)
        self._saving = Saving(self._recordings.values, clock)

    async def __aenter__(self) -> Self:
        self._deadline.begin()
        folder, record = self._settings.cassettes, self._settings.record
        if folder is not None and record is not None:
            if record != "none":
                try:
                    folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise CassetteError(folder, error.strerror) from error
            names = [cassette_name(endpoint.name) for endpoint in self._endpoints]
            searching = [endpoint.name for endpoint in self._endpoints if endpoint.search is not None]
            names += [cassette_name(name, "search") for name in searching]
            for name in names:
                self._recordings[name] = Recordings(folder, name, self._scrubber, fresh=record == "all")
        unsent = _NOT_RECORDED if record == "none" else _OFFLINE if self._settings.offline else None
        for endpoint in self._endpoints:
            name, known = endpoint.name, self._recordings.get(cassette_name(endpoint.name))
            self._models[name] = CalledModel(endpoint, self._exchangers[name], known, self._with, unsent=unsent)
            if endpoint.search is not None:
                search = self._search(endpoint, endpoint.search, sends=unsent is None)
                self._tools[name] = (search_tool(search, endpoint.search.depth),)
        self._logs.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._saving.save()
        finally:
            for exchanger in (*self._exchangers.values(), self._searching):
                await exchanger.aclose()
            self._logs.__exit__(None, None, None)

    def __getitem__(self, name: str) -> CalledModel:
        """The model behind the endpoint of this name. Raises KeyError."""
        return self._models[name]

    def tools(self, name: str) -> tuple[Tool, ...]:
        """The tools that the model behind this endpoint may call."""
        return self._tools.get(name, ())

    def _search(self, endpoint: Endpoint, options: SearchOptions, *, sends: bool) -> Search:
        if options.provider == "sources" and self._sources is not None:
            return self._sources
        known = self._recordings.get(cassette_name(endpoint.name, "search"))
        place = (options.url, options.api_key)
        pacer = self._paces.setdefault(place, Pacer(search_rate(options), self._with.clock, self._with.sleep))
        return WebSearch(options, self._searching, known, self._with, pacer, sends=sends)

    @property
    def notes(self) -> tuple[str, ...]:
        """Parameters that are not sent, endpoints that refuse all, the state of the budget, recordings that were changed."""
        notes = []
        for endpoint in self._endpoints:
            for parameter, reason in dropped_parameters(endpoint.parameters).items():
                notes.append(f"endpoint {endpoint.name}: the parameter {parameter} is not sent: {reason}")
        for name, model in self._models.items():
            if model.stopped is not None:
                notes.append(f"endpoint {name}: no longer called in this run: {model.stopped.detail}")
        return (
            *notes,
            *self.spent,
            *(recordings.problem for recordings in self._recordings.values() if recordings.problem),
        )

    @property
    def spent(self) -> tuple[str, ...]:
        """The state of the budget, and the number of requests repeated after a killed run."""
        return tuple(self._with.spending.notes)

    def _check(self) -> None:
        for endpoint in self._endpoints:
            endpoint.check()
            if endpoint.search is not None and endpoint.search.provider == "sources" and self._sources is None:
                raise ValueError(f"endpoint {endpoint.name}: no sources are available for search")
        if self._settings.limits.dollars is None or self._settings.record == "none":
            return
        for endpoint in self._endpoints:
            if self._prices.of(endpoint) is None:
                raise ValueError(
                    f"endpoint {endpoint.name}: the spending limit needs a price for the model {endpoint.model}; add "
                    "it to a price file"
                )
            if endpoint.search is not None and endpoint.search.is_paid and endpoint.search.price is None:
                raise ValueError(
                    f"endpoint {endpoint.name}: the spending limit needs a price for its search; set price.search of "
                    "the endpoint"
                )

    def _save_now_and_then(self) -> None:
        if self._saving.due:
            # The end of the run tries again, and reports the failure.
            with contextlib.suppress(CassetteError):
                self._saving.save()
