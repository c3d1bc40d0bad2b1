"""Controls for absences: an absence counts only if the service finds its control at the same time.

An overloaded service may return "nothing found" in the same form as a real absence. So each source has, for each kind
of query, a control with a known answer (`Source.control`). A request with several queries includes the control at no
cost. A request with one query is followed, after an absence, by the control and then by the same query again. An
absence that would fail a check (it has a scope) must be confirmed in any case, as a single entry may be missing from an
otherwise complete answer: two answers are needed, or three if the control is a separate request, and it has its own
control. For other absences, anything that the service found in the same `MOMENT` is enough; when recording, only the control,
which is recorded. An absence that decides nothing (`Query.confirm`) is not queried again.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, QueryResult, Unavailable
from pytest_citecheck.net.cassettes import Cassette, read_back
from pytest_citecheck.net.delivery import build_request, read_response

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pytest_citecheck.net.cassettes import Interaction
    from pytest_citecheck.net.delivery import Dispatcher
    from pytest_citecheck.net.queues import Clock
    from pytest_citecheck.sources import Response, Source

MOMENT = 30.0
"""Seconds for which a service that found something counts as at work.

Services that are overloaded are so for minutes. Asking a control beside every search that finds nothing would make of
two requests to DBLP three, at one a second.
"""

ONE_RECORDING = datetime.timedelta(days=1)
"""Maximum time between the recordings of an absence and its control.

Each control is recorded over the one before, so that the last one speaks for a whole session of recording; a day is
more than any takes.
"""

_NOT_RECORDED = Unavailable(
    "not-recorded", "the cassettes contain no control for this absence; record it with --citecheck-record=new"
)
_DAMAGED = Unavailable("damaged-recording", "its recording was edited; record it again with --citecheck-record=new")


class ControlledDispatcher:
    """Delivers to one source, and accepts no absence without a control.

    pools: one dispatcher for each pool of the source, by name; the one without a name is for all other requests. cassette: where
    they record to, None if they do not. clock: seconds, monotonic.
    """

    def __init__(
        self, pools: Mapping[str, Dispatcher], source: Source, cassette: Cassette | None, clock: Clock
    ) -> None:
        self._pools = pools
        self._source = source
        self._cassette = cassette
        self._clock = clock
        self._caught = False
        self._last_found: dict[QueryKind, float] = {}

    @property
    def concurrency(self) -> int:
        """Maximum number of concurrent batches."""
        return max(pool.concurrency for pool in self._pools.values())

    @property
    def given_up(self) -> bool:
        """True if the service is not asked any more."""
        return all(pool.given_up for pool in self._pools.values())

    async def deliver(self, queries: Sequence[Query]) -> dict[Query, QueryResult]:
        """The answer to each query of a batch, `Absent` only with a control. Raises nothing but cancellation."""
        control = self._source.control(queries[0])
        if control is None:
            answers = await self._pools[self._source.pool(queries[0])].deliver(queries)
            return {  # an absence without a control is no evidence, so it has no scope
                query: replace(asked, answer=Absent()) if isinstance(asked.answer, Absent) else asked
                for query, asked in answers.items()
            }
        # A title alone is asked in another way than several: it is crowded out by nothing that the others find. So is what a
        # source confirms alone: of a single one it says more.
        differs = control.kind == "title" or self._source.confirms_alone
        alone = self._source.batch.get(control.kind, 1) == 1 or (differs and len(queries) == 1)
        first = queries if alone else _company(self._source, queries, control)
        answers = await self._ask(first)
        controlled = _endpoints_that_found(answers.values())
        answers = {query: answers[query] for query in queries}
        again = _doubtful(answers, controlled)
        if again and self._source.confirms_alone and not alone and control in first:
            return answers | {query: await self._confirmed_alone(answers[query], controlled) for query in again}
        if again and control in (company := _company(self._source, again, control)):
            second = await self._ask(company)
            controlled = _endpoints_that_found(second.values())
            crowded_out = alone and isinstance(second[queries[0]].answer, Unavailable)
            if not crowded_out:
                return answers | {query: self._judged(second[query], controlled) for query in again}
        return answers | {query: await self._denied_alone(answers[query], control) for query in again}

    def _judged(self, asked: QueryResult, controlled: Collection[str]) -> QueryResult:
        """The answer; one without evidence if it is a denial where nothing was found."""
        denied = isinstance(asked.answer, Absent) and asked.endpoint not in controlled
        return self._uncontrolled(asked) if denied else asked

    async def _denied_alone(self, denied: QueryResult, control: Query) -> QueryResult:
        """The answer to a denied query when it is asked once more after the control.

        The two are different requests, so that chance may give the one and take the other: a service that once denied
        what it has is not asked for a control any more, and no denial of it counts for the rest of the run.
        """
        query, again = denied.query, self._uncontrolled(denied)
        if not self._caught:
            known = await self._known(control, denied)
            if known is None and not query.confirm and self._cassette is None:
                again = denied  # a recording may be replayed for another reference, for which it counts
            elif known is None:
                again = (await self._ask([query]))[query]
                if isinstance(again.answer, Absent) and again.answer.scope:
                    again = (await self._ask([query]))[query]  # it would convict, and chance may deny twice
                self._caught = isinstance(again.answer, Found)
            elif isinstance(known, Unavailable):
                again = replace(denied, answer=replace(known, detail=f"its absence has no control: {known.detail}"))
            else:
                self._caught = True
        request = build_request(self._source, [query])
        if isinstance(again.answer, Unavailable) and self._cassette and not isinstance(request, Unavailable):
            self._cassette.forget(request)  # a replay would believe it
        return again

    async def _confirmed_alone(self, denied: QueryResult, controlled: frozenset[str]) -> QueryResult:
        """Return the answer of a single-query request to an absence that a batch with its control reported."""
        if denied.endpoint not in controlled:
            return self._uncontrolled(denied)
        return (await self._ask([denied.query]))[denied.query]

    async def _known(self, control: Query, denied: QueryResult) -> Absent | Unavailable | None:
        """None if the service shows that it is at work, by this control or otherwise; else what it says of the control."""
        assert isinstance(denied.answer, Absent)  # noqa: S101 - narrows the type
        if not denied.answer.scope and self._clock() - self._last_found.get(control.kind, -math.inf) <= MOMENT:
            return None
        answer = (await self._ask([control]))[control].answer
        return None if isinstance(answer, Found) else answer

    async def _ask(self, queries: Sequence[Query]) -> dict[Query, QueryResult]:
        answers = await self._pools[self._source.pool(queries[0])].deliver(queries)
        # A replay has no other find of the same moment, only the recorded control.
        shown = [
            one for one in answers.values() if self._cassette is None or one.query == self._source.control(queries[0])
        ]
        if any(isinstance(asked.answer, Found) for asked in shown):
            self._last_found[queries[0].kind] = self._clock()
        return answers

    def _uncontrolled(self, denied: QueryResult) -> QueryResult:
        detail = f"{self._source.label} did not find its control, so its absences are not evidence"
        return replace(denied, answer=Unavailable("uncontrolled", detail))


def read_recorded(
    source: Source, queries: Sequence[Query], interaction: Interaction, cassette: Cassette
) -> tuple[dict[Query, Answer], str]:
    """The recorded answer to each query, `Absent` only with a recorded control, and its date in ISO 8601 (or empty).

    The control, or any other query, may have been found in the same interaction; the control also in another one of
    the cassette, within `ONE_RECORDING`.
    """
    if interaction.damaged:
        return dict.fromkeys(queries, _DAMAGED), ""
    response = read_back(interaction)
    answers = read_response(source, queries, response)
    if isinstance(answers, Unavailable):
        return dict.fromkeys(queries, answers), response.date
    absent = [query for query, answer in answers.items() if isinstance(answer, Absent)]
    if absent:
        control = source.control(absent[0])
        if control is None:
            answers |= {query: Absent() for query in absent}
        elif not any(isinstance(answer, Found) for answer in answers.values()) and not _is_found(
            source, control, response, cassette
        ):
            answers |= dict.fromkeys(absent, _NOT_RECORDED)
    return answers, response.date


def _is_found(source: Source, control: Query, denial: Response, cassette: Cassette) -> bool:
    """Return True if the control was found in the response that denies something, or beside it."""
    if _shows(source, control, denial):
        return True
    request = build_request(source, [control])
    recorded = None if isinstance(request, Unavailable) else cassette.find(request)
    if recorded is None or recorded.damaged:
        return False
    response = read_back(recorded)
    return _of_one_recording(denial, response) and _shows(source, control, response)


def _shows(source: Source, query: Query, response: Response) -> bool:
    answers = read_response(source, [query], response)
    return not isinstance(answers, Unavailable) and isinstance(answers[query], Found)


def _company(source: Source, queries: Sequence[Query], control: Query) -> Sequence[Query]:
    """The queries with the control among them; as they are where one request cannot ask for all."""
    company = list(dict.fromkeys([*queries, control]))
    request = build_request(source, company)
    if isinstance(request, Unavailable):
        return queries
    together = set(source.singles(request))
    return company if all(build_request(source, [one]) in together for one in company) else queries


def _doubtful(answers: Mapping[Query, QueryResult], controlled: Collection[str]) -> list[Query]:
    """Queries that were denied where nothing was found, or that a denial would convict."""
    return [
        query
        for query, asked in answers.items()
        if isinstance(asked.answer, Absent) and (asked.answer.scope or asked.endpoint not in controlled)
    ]


def _endpoints_that_found(answers: Iterable[QueryResult]) -> frozenset[str]:
    """The requests that found something: a batch may have been taken apart on the way."""
    return frozenset(asked.endpoint for asked in answers if isinstance(asked.answer, Found))


def _of_one_recording(one: Response, other: Response) -> bool:
    if not one.date or not other.date:
        return True
    moments = [datetime.datetime.fromisoformat(response.date) for response in (one, other)]
    return abs(moments[0] - moments[1]) <= ONE_RECORDING
