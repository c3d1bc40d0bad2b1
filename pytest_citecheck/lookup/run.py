"""The loop of asking: round by round over all references at once, so that a service gets whole batches and a work that is
cited twice is looked up once.
"""

from __future__ import annotations

import asyncio
import datetime
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pytest_citecheck.evidence import Calibration, CalibrationError, Controls
from pytest_citecheck.garbage import without_collecting
from pytest_citecheck.lookup.controls import ask_controls, weak_searches
from pytest_citecheck.lookup.planning import Asker, ExpectedAnswers, LookupState, Roles
from pytest_citecheck.lookup.profiles import PROFILES, Profile
from pytest_citecheck.lookup.rounds import ROUNDS, Round
from pytest_citecheck.model import Evidence, Query, QueryKind, QueryResult, Reference, Unavailable
from pytest_citecheck.net import Identity, Transport, batches

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.lookup.index_source import IndexSource
    from pytest_citecheck.net import Tally, TransportSettings
    from pytest_citecheck.sources import Source

_TICK = 1.0  # seconds
WAITING: Final = "waiting for "
"""Beginning of a line of the progress that states when the wait ends."""
_NAMED = 3  # sources in the progress line

Progress = Callable[[str, int, int], object]
"""Called with what is being asked, how many queries have been answered, and how many there are so far."""


_AT_ONCE = 200  # references looked up between two states of the progress line


@dataclass(frozen=True, slots=True)
class Gathered:
    """Evidence for each reference by its id, the effort by source, and problems to report to the user.

    ``states`` also contain the judgement of the answers, which was needed during planning. ``controls``: the counts
    that weigh an absence.
    """

    # Python formats the result of a coroutine when it puts back the handler of Ctrl-C, and drops the text.
    states: Mapping[str, LookupState] = field(repr=False)
    statistics: Mapping[str, Tally]
    problems: tuple[str, ...] = ()
    controls: Controls = field(default_factory=Controls)

    @property
    def evidence(self) -> dict[str, Evidence]:
        """The evidence by reference id."""
        return {name: state.evidence() for name, state in self.states.items()}


async def gather(
    references: Mapping[str, Reference],
    sources: Sequence[Source],
    settings: TransportSettings,
    today: datetime.date,
    progress: Progress | None = None,
    profile: Profile = PROFILES["default"],
    indexes: Sequence[IndexSource] = (),
    looked_up: Mapping[str, Evidence] | None = None,
) -> Gathered:
    """Ask the indexes, and the sources about what these did not settle, until the evidence suffices.

    looked_up: by reference id, what the indexes have answered already. Raises CassetteError for a broken cassette.
    """
    known = looked_up or {}
    states = {name: LookupState.of(reference, today, known.get(name)) for name, reference in references.items()}
    labels = {source.name: source.label for source in sources}
    done = total = 0

    def count(source: str, answered: int) -> None:
        nonlocal done, total
        done += answered
        total = max(total, done)  # queries that follow from answers are not planned
        if progress is not None:
            progress(labels[source], done, total)

    def expect(queries: int) -> None:
        nonlocal total
        total += queries

    # Replays must give the same result on every machine, so they ignore the calibration in the cache.
    calibration, complaints = _calibration(settings.cassettes or settings.cache)
    async with Transport(settings, on_answer=count) as transport:

        def tell_waiting() -> None:
            waiting, left = transport.waiting()
            if progress is not None and waiting:
                names = ", ".join(labels.get(name, name) for name in waiting[:_NAMED])
                more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
                progress(f"{WAITING}{names}{more}{'' if left is None else f', giving up in {left:.0f} s'}", done, total)

        with without_collecting(), _every_second(tell_waiting):
            for index in indexes:
                look_up(index, [state for name, state in states.items() if name not in known], progress)
            # Results of an index elsewhere may rest on files that are missing here, so they must not count.
            queried = [state for state in states.values() if not state.settled]
            queried.sort(key=_place)  # another order of the tests must not choose other controls
            await ask_all(states.values(), sources, transport, profile, expect=expect)
            as_of = max((state.as_of for state in states.values()), default=today)
            # Where services are not queried, no absence counts, and nothing needs to be controlled.
            if settings.offline and not settings.cassettes:
                queried.clear()
            further, trials = "author searches" in profile.rounds, calibration.trials(as_of)
            controls = await ask_controls(queried, sources, transport, as_of, trials, further=further)
        problems = (*complaints, *transport.problems, *weak_searches(controls, sources))
        return Gathered(states, transport.statistics, problems, controls)


def _place(state: LookupState) -> tuple[str, int, int]:
    location = state.reference.location
    return location.path, location.line, location.column


def _calibration(folder: Path | None) -> tuple[Calibration, tuple[str, ...]]:
    """The table of earlier trials, and what is wrong with it."""
    try:
        return Calibration.load(folder), ()
    except CalibrationError as error:
        return Calibration(), (str(error),)


def looked_up(
    references: Mapping[str, Reference], indexes: Sequence[IndexSource], today: datetime.date
) -> dict[str, LookupState]:
    """Evidence of the indexes for each reference."""
    states = {name: LookupState.of(reference, today) for name, reference in references.items()}
    with without_collecting():
        for index in indexes:
            look_up(index, list(states.values()))
    return states


@contextmanager
def _every_second(tell: Callable[[], object]) -> Iterator[None]:
    """Call this every second, in the block: while a service does not answer, nothing else happens."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK)
            tell()

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()


def look_up(index: IndexSource, states: Sequence[LookupState], progress: Progress | None = None) -> None:
    """Ask an index for every identifier and title, and then for the places of the works that were not found there."""
    for first in range(0, len(states), _AT_ONCE):
        if progress is not None:
            progress(index.label, first, len(states))
        _look_up_some(index, states[first : first + _AT_ONCE])


def _look_up_some(index: IndexSource, states: Sequence[LookupState]) -> None:
    for questions_of in (index.queries, index.citations, index.places, index.volumes):
        wanted = {id(state): list(questions_of(state)) for state in states}
        answers = index.ask(query for queries in wanted.values() for query in queries)
        for state in states:
            state.asked.update({(index.name, query): answers[query] for query in wanted[id(state)]})


async def ask_all(
    states: Collection[LookupState],
    sources: Sequence[Source],
    asker: Asker,
    profile: Profile,
    *,
    expect: Callable[[int], object] | None = None,
    ends: Callable[[LookupState], bool] | None = None,
) -> None:
    """Fill the look-up states, round by round.

    expect: called with the number of queries of a round. ends: whether gathering stops for a reference.
    """
    roles = Roles(sources, profile)
    # A reference that an index has settled needs no service, not even for a second opinion.
    unsettled = [state for state in states if not state.settled]
    asking: list[tuple[_Wanted, asyncio.Task[_Answers]]] = []
    for step in ROUNDS:
        if step.name not in profile.rounds:
            continue
        group = states if step.of_settled else unsettled
        while True:
            going = [state for state in group if ends is None or not ends(state)]
            wanted, planned = _planned(step, going, roles, asker)
            if step.optional:
                wanted = _answerable(wanted, roles, asker)
            if wanted and expect is not None:
                expect(sum(len(queries) for queries in wanted.values()))
            if step.with_next:
                asking.append((wanted, asyncio.create_task(_ask(wanted, roles, asker))))
                break
            _note(wanted, await _ask(wanted, roles, asker))
            if not (step.repeated and planned):
                while asking:  # in a fixed order, so that the evidence does not depend on who answers first
                    wanted, answers = asking.pop()
                    _note(wanted, await answers)
                break


_Wanted = dict[str, dict[Query, list[LookupState]]]
"""For each source the queries to ask, and for which references."""
_Answers = dict[str, dict[Query, QueryResult]]


def _planned(step: Round, states: Iterable[LookupState], roles: Roles, asker: Asker) -> tuple[_Wanted, bool]:
    """Queries of a round, and True if it planned anything at all, even for a source that cannot be queried."""
    wanted: _Wanted = {}
    planned = False
    for state in states:
        for name, query in step.plan(state, roles):
            planned = True
            state.planned.add((name, query))
            source = roles.sources.get(name)
            if (name, query) in state.asked or source is None or not source.accepts(query):
                continue
            alone = source.batch[query.kind] == 1
            if (alone and state.own_questions >= roles.profile.own_questions) or not asker.admits(source, query.kind):
                continue
            state.own_questions += alone
            wanted.setdefault(name, {}).setdefault(query, []).append(state)
    return wanted, planned


def _answerable(wanted: _Wanted, roles: Roles, asker: Asker) -> _Wanted:
    """Queries to send, without those that a replay has no answer to."""
    kept = {name: asker.answerable(roles.sources[name], queries) for name, queries in wanted.items()}
    return {name: {query: wanted[name][query] for query in kept[name]} for name in wanted if kept[name]}


async def _ask(wanted: _Wanted, roles: Roles, asker: Asker) -> _Answers:
    names = [name for name in roles.sources if name in wanted]
    answers = await asyncio.gather(*(asker.ask(roles.sources[name], wanted[name]) for name in names))
    return dict(zip(names, answers, strict=True))


def _note(wanted: _Wanted, answers: _Answers) -> None:
    for name, answered in answers.items():
        for query, answer in answered.items():
            for state in wanted[name][query]:
                state.asked[name, query] = answer


@dataclass(frozen=True, slots=True)
class Forecast:
    """Requests of one kind to one source: at ``least``, ``expected`` if all citations are right, and at ``most``; US
    dollars for each request that is charged, out of the requests of a day."""

    source: str
    label: str
    kind: QueryKind
    least: int
    expected: int
    most: int
    cost: float = 0.0
    dollars: float = math.inf


async def forecast(
    references: Mapping[str, Reference],
    sources: Sequence[Source],
    settings: TransportSettings,
    today: datetime.date,
    profile: Profile = PROFILES["default"],
    indexes: Sequence[IndexSource] = (),
) -> tuple[Forecast, ...]:
    """The requests that a run with these settings would send. Raises CassetteError for a broken cassette."""
    known = looked_up(references, indexes, today)
    least = await _count(known.values(), sources, settings, profile, settled=True)
    most = await _count(known.values(), sources, settings, profile)
    expected = await _count(known.values(), sources, settings, profile, found=True)
    return tuple(
        Forecast(
            source.name,
            source.label,
            kind,
            least[source.name, kind],
            expected[source.name, kind],
            max(most[source.name, kind], expected[source.name, kind]),
            source.costs.get(kind, 0.0),
            Identity(keys=settings.keys).dollars(source),
        )
        for source in sources
        for kind in source.batch
        if most[source.name, kind] or expected[source.name, kind]
    )


async def expected_requests(
    references: Mapping[str, Reference],
    sources: Sequence[Source],
    settings: TransportSettings,
    today: datetime.date,
    profile: Profile = PROFILES["default"],
    looked_up: Mapping[str, Evidence] | None = None,
) -> Counter[str]:
    """The requests to each source if all citations are right. looked_up: as in `gather`."""
    known = looked_up or {}
    states = [LookupState.of(reference, today, known.get(name)) for name, reference in references.items()]
    requests: Counter[str] = Counter()
    for (source, _), number in (await _count(states, sources, settings, profile, found=True)).items():
        requests[source] += number
    return requests


def seconds_at_limits(
    requests: Mapping[str, int], sources: Iterable[Source], settings: TransportSettings
) -> tuple[float, str]:
    """The seconds that these requests take at the limits of the services, and the label of the slowest service."""
    identity = Identity(contact=settings.contact, keys=settings.keys)
    seconds = (
        (requests.get(one.name, 0) / (settings.rates.get(one.name) or identity.rate(one)).per_second, one.label)
        for one in sources
    )
    return max(seconds, key=itemgetter(0), default=(0.0, ""))


async def _count(
    known: Iterable[LookupState],
    sources: Sequence[Source],
    settings: TransportSettings,
    profile: Profile,
    *,
    settled: bool = False,
    found: bool = False,
) -> Counter[tuple[str, QueryKind]]:
    states = [replace(state, asked=dict(state.asked), planned=set()) for state in known]
    async with Transport(replace(settings, offline=True)) as transport:
        counting = _Counting(transport, ExpectedAnswers(states if found else ()))
        await ask_all(states, sources, counting, profile, ends=counting.has_sent_for if settled else None)
    return counting.requests


class _Counting:
    """Takes the place of the transport: counts what would be sent, and answers each query as expected, or with an absence."""

    def __init__(self, transport: Transport, expected: ExpectedAnswers) -> None:
        self._transport = transport
        self._expected = expected
        self._sent: set[tuple[str, Query]] = set()
        self.requests: Counter[tuple[str, QueryKind]] = Counter()

    def has_sent_for(self, state: LookupState) -> bool:
        """Return True if something would have been sent for this reference."""
        return not self._sent.isdisjoint(state.asked)

    def admits(self, source: Source, kind: QueryKind) -> bool:
        return self._transport.admits(source, kind)

    def answerable(self, _: Source, queries: Iterable[Query]) -> list[Query]:
        return list(queries)

    async def ask(self, source: Source, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        answers = await self._transport.ask(source, queries)
        unsent = {query: one.answer for query, one in answers.items() if isinstance(one.answer, Unavailable)}
        new = [query for query, answer in unsent.items() if answer.reason == "offline"]
        for batch in batches(source, new):
            self.requests[source.name, batch[0].kind] += 1
        self._sent.update((source.name, query) for query in new)
        return answers | {query: replace(answers[query], answer=self._expected.answer(source, query)) for query in new}
