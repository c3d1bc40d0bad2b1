"""The loop of asking: round by round over all references at once, so that a service gets whole batches and a work that is
cited twice is looked up once.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.gather.dossier import Dossier
from pytest_citecheck.gather.profiles import PROFILES, Profile
from pytest_citecheck.gather.rounds import rounds
from pytest_citecheck.model import Asked, Evidence, Question, Reference
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.transport.client import Transport

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source
    from pytest_citecheck.transport.settings import TransportSettings
    from pytest_citecheck.transport.tally import Tally

_KNOWN = frozenset(source.name for source in SOURCES)

__all__ = ["Asker", "Gathered", "Progress", "ask_all", "gather"]

Progress = Callable[[str, int, int], object]
"""Called with what is being asked, how many questions have been answered, and how many there are so far."""


class Asker(Protocol):
    """Whoever answers questions in the name of the sources: the transport, or a forecast."""

    async def ask(self, source: Source, questions: Iterable[Question]) -> dict[Question, Asked]:
        """The answer of the source to each question."""
        ...

    def admits(self, source: Source) -> bool:
        """Whether asking this source makes sense."""
        ...


@dataclass(frozen=True, slots=True)
class Gathered:
    """The evidence by reference id, what asking took by source, and problems that the user should hear of."""

    evidence: Mapping[str, Evidence]
    statistics: Mapping[str, Tally]
    problems: tuple[str, ...] = ()


async def gather(
    references: Mapping[str, Reference],
    sources: Sequence[Source],
    settings: TransportSettings,
    today: datetime.date,
    progress: Progress | None = None,
    profile: Profile = PROFILES["default"],
) -> Gathered:
    """Ask the sources about these references until the evidence suffices. Raises CassetteError for a broken cassette."""
    dossiers = {name: Dossier.of(reference, today) for name, reference in references.items()}
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

    async with Transport(settings, on_answer=count) as transport:
        await ask_all(dossiers.values(), sources, transport, profile, expect=expect)
        evidence = {name: dossier.evidence() for name, dossier in dossiers.items()}
        return Gathered(evidence, transport.statistics, transport.problems)


async def ask_all(
    dossiers: Collection[Dossier],
    sources: Sequence[Source],
    asker: Asker,
    profile: Profile,
    *,
    expect: Callable[[int], object] | None = None,
    ends: Callable[[Dossier], bool] | None = None,
) -> None:
    """Fill the dossiers, round by round.

    expect: told how many questions a round asks. ends: whether a reference is to be left as it is.
    """
    admitted = {source.name: source for source in sources if asker.admits(source)}
    for plan in rounds([source for source in admitted.values() if source.name not in _KNOWN]):
        wanted: dict[str, dict[Question, list[Dossier]]] = {}
        for dossier in dossiers:
            if ends is not None and ends(dossier):
                continue
            for name, question in plan(dossier, profile):
                source = admitted.get(name)
                if source is None or (name, question) in dossier.asked or not source.accepts(question):
                    continue
                if source.batch[question.kind] == 1:
                    if dossier.singles >= profile.most_singles:
                        continue
                    dossier.singles += 1
                wanted.setdefault(name, {}).setdefault(question, []).append(dossier)
        if not wanted:
            continue
        if expect is not None:
            expect(sum(len(questions) for questions in wanted.values()))
        order = [name for name in admitted if name in wanted]
        answers = await asyncio.gather(*(asker.ask(admitted[name], wanted[name]) for name in order))
        for name, answered in zip(order, answers, strict=True):
            for question, asked in answered.items():
                for dossier in wanted[name][question]:
                    dossier.asked[name, question] = asked
