"""What a run would ask, without asking: the requests by service and kind, as expected and between two extremes.

The least is sent if the first answer that is new for a reference settles it; the most, if no source knows any reference. What is
expected is counted against sources that have each work as it is cited, where such works are found
(`pytest_citecheck.gather.expected_answers`). What cassettes or the cache hold is taken from there, as in a run.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_citecheck.gather.expected_answers import ExpectedAnswers
from pytest_citecheck.gather.lookup_state import LookupState
from pytest_citecheck.gather.profiles import PROFILES, Profile
from pytest_citecheck.gather.run import ask_all, look_up
from pytest_citecheck.model import Absent, Answer, Asked, Question, QuestionKind, Reference, Unavailable
from pytest_citecheck.transport.batching import batches
from pytest_citecheck.transport.client import Transport
from pytest_citecheck.transport.secrets.identity import Identity

if TYPE_CHECKING:
    from pytest_citecheck.gather.index_source import IndexSource
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["Forecast", "forecast"]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Requests of one kind to one source: at ``least``, ``expected`` if all citations are right, and at ``most``; US dollars
    that each costs, of those of a day."""

    source: str
    label: str
    kind: QuestionKind
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
) -> Counter[tuple[str, QuestionKind]]:
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
        self._sent: set[tuple[str, Question]] = set()
        self.requests: Counter[tuple[str, QuestionKind]] = Counter()

    def has_sent_for(self, state: LookupState) -> bool:
        """Whether something would have been sent for this reference."""
        return not self._sent.isdisjoint(state.asked)

    def admits(self, source: Source, kind: QuestionKind) -> bool:
        return self._transport.admits(source, kind)

    def answerable(self, _: Source, questions: Iterable[Question]) -> list[Question]:
        return list(questions)

    async def ask(self, source: Source, questions: Iterable[Question]) -> dict[Question, Asked]:
        answers = await self._transport.ask(source, questions)
        new = [question for question, asked in answers.items() if _is_unsent(asked)]
        for batch in batches(source, new):
            self.requests[source.name, batch[0].kind] += 1
        self._sent.update((source.name, question) for question in new)
        return answers | {
            question: replace(answers[question], answer=self._answer(source, question)) for question in new
        }

    def _answer(self, source: Source, question: Question) -> Answer:
        return self._expected.answer(source, question) if self._expected is not None else Absent()


def _is_unsent(asked: Asked) -> bool:
    return isinstance(asked.answer, Unavailable) and asked.answer.reason == "offline"
