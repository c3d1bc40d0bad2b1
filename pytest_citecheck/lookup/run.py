"""The loop of asking: round by round over all references at once, so that a service gets whole batches and a work that is
cited twice is looked up once.
"""

from __future__ import annotations

import asyncio
import datetime
import gc
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_citecheck.evidence.control_counts import Calibration, CalibrationError, Controls
from pytest_citecheck.evidence.provenance import is_compiler, is_own_library, source_name
from pytest_citecheck.index.keys import IDENTIFIERS, author, family, identifier_text, read_title, title_text
from pytest_citecheck.index.layout import IndexFileError
from pytest_citecheck.index.reader import LocalIndex
from pytest_citecheck.index.scopes import Coverage, venue_id, venue_ids
from pytest_citecheck.index.search import reason_to_skip
from pytest_citecheck.lookup.controls import ask_controls, weak_searches
from pytest_citecheck.lookup.planning import PROFILES, Asker, ExpectedAnswers, LookupState, Profile, Roles
from pytest_citecheck.lookup.rounds import ROUNDS, Round
from pytest_citecheck.model import (
    Absent,
    Answer,
    Evidence,
    Found,
    Query,
    QueryKind,
    QueryResult,
    Record,
    Reference,
    Unavailable,
)
from pytest_citecheck.net.client import Transport, batches
from pytest_citecheck.net.logins import Identity
from pytest_citecheck.sources.parsing import within_lengths
from pytest_citecheck.thresholds import FEW_WORKS, MANY_WORKS, YEARS_TOGETHER

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.net.delivery import Tally
    from pytest_citecheck.net.settings import TransportSettings
    from pytest_citecheck.sources.base import Source

__all__ = [
    "Asker",
    "Forecast",
    "Gathered",
    "IndexSource",
    "Progress",
    "ask_all",
    "forecast",
    "gather",
    "look_up",
    "looked_up",
]

_TICK = 1.0  # seconds
_NAMED = 3  # sources in the progress line

Progress = Callable[[str, int, int], object]
"""Called with what is being asked, how many questions have been answered, and how many there are so far."""


_AT_ONCE = 200  # references looked up between two states of the progress line


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is known of each reference, by its id, what asking took by source, and problems that the user should hear of.

    ``states`` also say what the answers amount to, which had to be found out on the way. ``controls``: how much an absence says.
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
        nonlocal done
        done += answered
        if progress is not None:
            progress(labels[source], done, total)

    def expect(questions: int) -> None:
        nonlocal total
        total += questions

    # Replays must give the same result on every machine, so they ignore the calibration in the cache.
    calibration, complaints = _calibration(settings.cassettes or settings.cache)
    async with Transport(settings, on_answer=count) as transport:

        def tell_waiting() -> None:
            waiting, left = transport.waiting()
            if progress is not None and waiting:
                names = ", ".join(labels.get(name, name) for name in waiting[:_NAMED])
                more = f" and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
                progress(f"waiting for {names}{more}{'' if left is None else f', {left:.0f} s left'}", done, total)

        with _undisturbed(), _every_second(tell_waiting):
            for index in indexes:
                look_up(index, [state for name, state in states.items() if name not in known], progress)
            # What an index has settled is not here where others looked it up, and must not count where it is.
            queried = [state for state in states.values() if not state.settled]
            await ask_all(states.values(), sources, transport, profile, expect=expect)
            controls = await ask_controls(
                queried,
                sources,
                transport,
                today,
                calibration.trials(today),
                further="author searches" in profile.rounds,
            )
        problems = (*complaints, *transport.problems, *weak_searches(controls, sources))
        return Gathered(states, transport.statistics, problems, controls)


def _calibration(folder: Path | None) -> tuple[Calibration, tuple[str, ...]]:
    """The table of earlier trials, and what is wrong with it."""
    try:
        return Calibration.load(folder), ()
    except CalibrationError as error:
        return Calibration(), (str(error),)


def looked_up(
    references: Mapping[str, Reference], indexes: Sequence[IndexSource], today: datetime.date
) -> dict[str, LookupState]:
    """What the indexes know of each reference."""
    states = {name: LookupState.of(reference, today) for name, reference in references.items()}
    with _undisturbed():
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


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep the garbage collector from searching, again and again, evidence that grows and does not go."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def look_up(index: IndexSource, states: Sequence[LookupState], progress: Progress | None = None) -> None:
    """Ask an index for every identifier and title, and then for the places of the works that were not found there."""
    for first in range(0, len(states), _AT_ONCE):
        if progress is not None:
            progress(index.label, first, len(states))
        _look_up_some(index, states[first : first + _AT_ONCE])


def _look_up_some(index: IndexSource, states: Sequence[LookupState]) -> None:
    for questions_of in (index.questions, index.citations, index.places):
        wanted = {id(state): list(questions_of(state)) for state in states}
        answers = index.ask(question for questions in wanted.values() for question in questions)
        for state in states:
            state.asked.update({(index.name, question): answers[question] for question in wanted[id(state)]})


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

    expect: called with the number of questions of a round. ends: whether gathering stops for a reference.
    """
    roles = Roles(sources, profile)
    # What an index has settled needs no service, not even for a second opinion.
    unsettled = [state for state in states if not state.settled]
    for step in ROUNDS:
        if step.name not in profile.rounds:
            continue
        group = states if step.of_settled else unsettled
        while True:
            going = [state for state in group if ends is None or not ends(state)]
            wanted, planned = _planned(step, going, roles, asker)
            if step.optional:
                wanted = _answerable(wanted, roles, asker)
            if wanted:
                if expect is not None:
                    expect(sum(len(questions) for questions in wanted.values()))
                await _ask(wanted, roles, asker)
            if not (step.repeated and planned):
                break


_Wanted = dict[str, dict[Query, list[LookupState]]]
"""For each source the questions to ask, and for which references."""


def _planned(step: Round, states: Iterable[LookupState], roles: Roles, asker: Asker) -> tuple[_Wanted, bool]:
    """What a round is to ask, and whether it has planned anything at all, be it of a source that cannot be asked."""
    wanted: _Wanted = {}
    planned = False
    for state in states:
        for name, question in step.plan(state, roles):
            planned = True
            state.planned.add((name, question))
            source = roles.sources.get(name)
            if (name, question) in state.asked or source is None or not source.accepts(question):
                continue
            alone = source.batch[question.kind] == 1
            if (alone and state.own_questions >= roles.profile.own_questions) or not asker.admits(
                source, question.kind
            ):
                continue
            state.own_questions += alone
            wanted.setdefault(name, {}).setdefault(question, []).append(state)
    return wanted, planned


def _answerable(wanted: _Wanted, roles: Roles, asker: Asker) -> _Wanted:
    """What is to be asked, without questions that a replay has no answer to."""
    kept = {name: asker.answerable(roles.sources[name], questions) for name, questions in wanted.items()}
    return {name: {question: wanted[name][question] for question in kept[name]} for name in wanted if kept[name]}


async def _ask(wanted: _Wanted, roles: Roles, asker: Asker) -> None:
    asked = [source for name, source in roles.sources.items() if name in wanted]
    answers = await asyncio.gather(*(asker.ask(source, wanted[source.name]) for source in asked))
    for source, answered in zip(asked, answers, strict=True):
        for question, answer in answered.items():
            for state in wanted[source.name][question]:
                state.asked[source.name, question] = answer


# Local indexes as sources: asked before any network, in memory-mapped milliseconds, for every reference.


_MOST_RECORDS = 10
_AUTHORS = 6  # of a work that an index keeps for such look-ups
_MAPPED = 128 << 20  # bytes; what is mapped counts as memory of the process, and for a bibliography this is fast enough
_OTHER_PEOPLE = ("authors-other", "authors-partly-other")
_ELSEWHERE = ("venue-other", "venue-elsewhere")
_MOST_WORKS = 2000  # of one family name in one venue and year


class IndexSource:
    """One index in the role of a source: answers at once.

    A question on whose way the file turns out to be damaged is not answered: that is an outage, and never an absence.

    name: ``index``, ``index-2`` … in the order of the options. date: ISO 8601, of the youngest collection; empty if unknown.
    only_own: it contains nothing but a user's own references.
    """

    def __init__(self, path: Path, name: str) -> None:
        """Raises IndexFileError if the file is no index that can be read."""
        self.name = name
        self.label = f"index {path.name}"
        self.path = path
        with ExitStack() as unless_whole:
            self._index = unless_whole.enter_context(LocalIndex(path, _MAPPED))
            collections = self._index.collections()
            coverage = Coverage(self._index)
            closed = coverage.closed
            self._covered = frozenset(coverage.covered()) | closed.keys()
            unless_whole.pop_all()
        self.date = max((collection.date for collection in collections), default="")
        self.records = len(self._index)
        self.only_own = self.records > 0 and all(collection.own for collection in collections)
        self._complete = {
            (venue, year): f"{self.label} is complete for {venue} {year} ({_named(names)}: {why})"
            for (venue, year), (names, why) in closed.items()
        }

    def close(self) -> None:
        self._index.close()

    def age(self, today: datetime.date) -> int:
        """Days since the date of the youngest collection; 0 if that is unknown."""
        try:
            return (today - datetime.date.fromisoformat(self.date[:10])).days
        except ValueError:
            return 0

    def questions(self, state: LookupState) -> Iterator[Query]:
        """What to ask for a reference: every identifier, and the title."""
        named = state.cited.identifiers
        for kind in IDENTIFIERS:
            values = named.isbn if kind == "isbn" else (getattr(named, kind),)
            yield from (Query(kind, value) for value in values if value)  # type: ignore[arg-type]
        if state.cited.title:
            yield state.title_question()

    def citations(self, state: LookupState) -> Iterator[Query]:
        """What to ask when these are answered and the work was not found: the whole reference string, if it is one."""
        if state.reference.readings and state.need().record:
            yield state.citation_question()

    def places(self, state: LookupState) -> Iterator[Query]:
        """What to ask when these are answered: its authors' works in its venue and year, if these are closed."""
        year = state.cited.year
        place, people = (venue_id(state.cited.venue, year), year), state.names(_AUTHORS)
        if people and year is not None and (_of_others(state) or _under_another_name(state) or _unknown(state)):
            yield Query("author_search", "", people, year)  # what they have written together, and under which names
        # Front matter is left out of an index, however complete it is.
        if place in self._complete and people and not reason_to_skip(state.cited.title) and not _found_there(state):
            yield Query("author_search", place[0], people, place[1])
            yield Query("venue_year", place[0], (), place[1])
        elif place in self._covered and _known_elsewhere(state):
            yield Query("venue_year", place[0], (), place[1])

    def ask(self, questions: Iterable[Query]) -> dict[Query, QueryResult]:
        """The answer to each question. An absence is evidence only for a venue and year for which the index is complete."""
        wanted = list(dict.fromkeys(questions))
        try:
            return self._answers(wanted)
        except IndexFileError:
            return {
                question: self._alone(question) for question in wanted
            }  # one damaged row must not cost the other answers

    def exact_keys(self, questions: Iterable[Query]) -> dict[str, tuple[int, int]]:
        """Under which bucket and hash the answers to questions stand that are looked up exactly, by what is looked up."""
        texts = [
            read_title(question.value)[1]
            if question.kind == "title"
            else identifier_text(question.kind, question.value)
            for question in questions
            if question.kind == "title" or question.kind in IDENTIFIERS
        ]
        return {text: self._index.exact_key(text) for text in texts}

    def propose(self, numbers: Mapping[str, Sequence[int]]) -> None:
        """Take record numbers for `exact_keys` that a join has found, in place of those taken before."""
        self._index.proposed = numbers

    @property
    def damaged_rows(self) -> set[tuple[str, int]]:
        """The damaged rows that were come upon; those that other processes came upon can be added."""
        return self._index.damaged_rows

    @property
    def damage(self) -> str:
        """The message on a damaged file, for the end of the run; empty if no damage was found."""
        rows = len(self.damaged_rows)
        if not rows:
            return ""
        what = "1 row was" if rows == 1 else f"{rows:,} rows were"
        return f"{self.path} is damaged: {what} changed after writing, so some queries fail: rebuild the index"

    def _alone(self, question: Query) -> QueryResult:
        try:
            return self._answers([question])[question]
        except IndexFileError as error:
            return QueryResult(self.name, question, Unavailable("malformed", str(error)), self.path.name, self.date)

    def _answers(self, wanted: list[Query]) -> dict[Query, QueryResult]:
        titles = [question for question in wanted if question.kind == "title"]
        others = [question for question in wanted if question.kind in IDENTIFIERS]
        answers: dict[Query, QueryResult] = {}
        found = self._index.by_titles([question.value for question in titles], _MOST_RECORDS)
        for question, records in zip(titles, found, strict=True):
            answers[question] = self._answer(question, records)
        strings = [question for question in wanted if question.kind == "citation"]
        found = self._index.by_citations([question.value for question in strings], _MOST_RECORDS)
        for question, records in zip(strings, found, strict=True):
            answers[question] = self._answer(question, records)
        found = self._index.by_identifiers([(question.kind, question.value) for question in others])
        for question, records in zip(others, found, strict=True):
            # That a user's own file has an identifier does not show that there is one.
            stated = [record for record in records if not is_own_library(record.source)]
            answers[question] = self._answer(question, stated)
        for question in wanted:
            if question.kind in ("author_search", "venue_year"):
                answers[question] = self._place(question)
        return answers

    def _place(self, question: Query) -> QueryResult:
        """The works of half of these authors (of two, if there are two) in a closed venue and year, or some of them anywhere.

        Of the whole volume only that it is there, with many of its works.
        """
        scope = self._complete.get((question.value, question.year), "")
        different: dict[tuple[str, str, str], Record] = {}
        if question.authors:
            half = max(2, (len(question.authors) + 1) // 2)
            works = (
                self._index.by_authors_at(
                    question.authors,
                    question.year or 0,
                    _MOST_WORKS,
                    least=half,
                    at=lambda venue: question.value in venue_ids(venue, question.year),
                )
                if question.value
                else self._index.by_authors(
                    question.authors, question.year, FEW_WORKS, least=half, within=YEARS_TOGETHER
                )
            )
            if len(works) == _MOST_WORKS:
                scope = ""  # there are more: the list is not whole
            if len(works) > MANY_WORKS:
                works = [record for record in works if _may_be_by(record, question.authors, half)]
            different = {(record.source, record.id, record.title): record for record in works}
        records = tuple(map(_marked, different.values()))
        held = records or (question.kind == "venue_year" and (question.value, question.year) in self._covered)
        answer: Answer = within_lengths(Found(records, scope)) if held else Absent(scope)
        return QueryResult(self.name, question, answer, self.path.name, self.date)

    def _answer(self, question: Query, records: list[Record]) -> QueryResult:
        answer: Answer = within_lengths(Found(tuple(map(_marked, records)))) if records else Absent()
        return QueryResult(self.name, question, answer, self.path.name, self.date)


def _named(collections: str) -> str:
    return ", ".join(map(source_name, collections.split("+")))


def _may_be_by(record: Record, people: tuple[str, ...], least: int) -> bool:
    """Return True if this many of these people (``Family, Given``) may be among the authors, by family names and initials."""
    initials = [(family(name), title_text(name.partition(",")[2]).strip()[:1]) for name in people]
    known = [(author(one), {word[:1] for word in title_text(str(one)).split()}) for one in record.authors]
    fitting = sum(
        any(last == theirs and (not first or first in letters) for theirs, letters in known) for last, first in initials
    )
    return fitting >= min(least, len(people))


def _of_others(state: LookupState) -> bool:
    """Return True if the cited title is known, as a work of other people."""
    evaluation = state.evaluate_so_far()
    return evaluation.findings["authors"].code in _OTHER_PEOPLE or any(
        candidate.title.relation == "same" and candidate.people_agree is False
        for candidate in evaluation.case.candidates
    )


def _unknown(state: LookupState) -> bool:
    """True if no work with this title was found, although a venue is cited: the authors may have a similar work there."""
    case = state.evaluate_so_far().case
    searched = any(not isinstance(asked.answer, Unavailable) for asked in case.asked("title"))
    return bool(searched and state.cited.venue) and not (
        state.cited.preprint or case.works or case.near_matches or case.identifier_targets
    )


def _under_another_name(state: LookupState) -> bool:
    """Return True if the work is known with another given name of a person, who may use both."""
    return state.evaluate_so_far().findings["authors"].code in ("authors-given-name", "authors-renamed")


def _known_elsewhere(state: LookupState) -> bool:
    """True if the work was found in another venue, or in another year of the venue."""
    findings = state.evaluate_so_far().findings
    return findings["title"].outcome == "passed" and (
        findings["venue"].code in _ELSEWHERE or findings["cross_db"].code == "year-other"
    )


def _found_there(state: LookupState) -> bool:
    """Return True if the work is known, in the cited venue."""
    findings = state.evaluate_so_far().findings
    return findings["venue"].outcome == findings["title"].outcome == "passed"


def _marked(record: Record) -> Record:
    """The record, marked as compiled if its collection comes from a service that compiles."""
    return replace(record, compiled=True) if is_compiler(record.source) else record


# What a run would ask, without asking: the requests by service and kind, as expected and between two extremes.


@dataclass(frozen=True, slots=True)
class Forecast:
    """Requests of one kind to one source: at ``least``, ``expected`` if all citations are right, and at ``most``; US dollars
    that each costs, of those of a day."""

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
    known = {name: LookupState.of(reference, today) for name, reference in references.items()}
    for index in indexes:
        look_up(index, list(known.values()))
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
        counting = _Counting(transport, ExpectedAnswers(states) if found else None)
        await ask_all(states, sources, counting, profile, ends=counting.has_sent_for if settled else None)
    return counting.requests


class _Counting:
    """Takes the place of the transport: counts what would be sent, and answers each question as expected, or with an absence."""

    def __init__(self, transport: Transport, expected: ExpectedAnswers | None) -> None:
        self._transport = transport
        self._expected = expected
        self._sent: set[tuple[str, Query]] = set()
        self.requests: Counter[tuple[str, QueryKind]] = Counter()

    def has_sent_for(self, state: LookupState) -> bool:
        """Return True if something would have been sent for this reference."""
        return not self._sent.isdisjoint(state.asked)

    def admits(self, source: Source, kind: QueryKind) -> bool:
        return self._transport.admits(source, kind)

    def answerable(self, _: Source, questions: Iterable[Query]) -> list[Query]:
        return list(questions)

    async def ask(self, source: Source, questions: Iterable[Query]) -> dict[Query, QueryResult]:
        answers = await self._transport.ask(source, questions)
        new = [question for question, asked in answers.items() if _is_unsent(asked)]
        for batch in batches(source, new):
            self.requests[source.name, batch[0].kind] += 1
        self._sent.update((source.name, question) for question in new)
        return answers | {
            question: replace(answers[question], answer=self._answer(source, question)) for question in new
        }

    def _answer(self, source: Source, question: Query) -> Answer:
        return self._expected.answer(source, question) if self._expected is not None else Absent()


def _is_unsent(asked: QueryResult) -> bool:
    return isinstance(asked.answer, Unavailable) and asked.answer.reason == "offline"
