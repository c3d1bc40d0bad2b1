"""The last questions of a run: references that are known by an identifier are searched for by title, as positive controls.

Only if something was found nowhere although sources should have it (`pytest_citecheck.absence`), and only at the sources that
were searched for it. Many titles fit into one request to some sources; these are asked first, and the others only for what they
did not find. The answers are no evidence for the controls themselves: they say how much an absence says.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.absence import Controls, Stratum, is_identified, searches, stratum
from pytest_citecheck.model import Asked, Question, QuestionKind
from pytest_citecheck.thresholds import CONTROLS, CONTROLS_ALONE

if TYPE_CHECKING:
    from pytest_citecheck.absence import Known
    from pytest_citecheck.gather.lookup_state import LookupState
    from pytest_citecheck.services.base import Source

__all__ = ["ControlAsker", "ask_controls"]


class ControlAsker(Protocol):
    """Answers the questions for controls."""

    async def ask(self, source: Source, questions: Iterable[Question]) -> dict[Question, Asked]: ...
    def admits(self, source: Source, kind: QuestionKind) -> bool: ...
    def answerable(self, source: Source, questions: Iterable[Question]) -> list[Question]:
        """The questions that have an answer in what is replayed; all of them if nothing is."""
        ...


async def ask_controls(
    states: Sequence[LookupState], sources: Sequence[Source], asker: ControlAsker, today: datetime.date
) -> Controls:
    """The controls of a run: of what has been asked already, and of searches for at most `CONTROLS` references a source."""
    cases = [state.case_with(()) for state in states]
    places = [stratum(case.cited, today) for case in cases]
    missing = [
        number for number, place in enumerate(places) if isinstance(place, Stratum) and _is_missing(cases[number])
    ]
    answers: dict[int, list[Asked]] = {}
    if missing:
        searched = {search.source for number in missing for search in searches(cases[number])}
        wanted = {places[number] for number in missing}
        known = [
            number
            for number, case in enumerate(cases)
            if isinstance(places[number], Stratum) and case.cited.title and is_identified(case)
        ]
        known.sort(key=lambda number: places[number] not in wanted)
        asked = [source for source in sources if source.name in searched and asker.admits(source, "title")]
        for source in sorted(asked, key=lambda source: source.batch["title"] == 1):
            alone = source.batch["title"] == 1
            left = [
                number
                for number in known
                if not (alone and _is_shown(states[number].case_with(answers.get(number, ()))))
            ]
            few = left[: CONTROLS_ALONE if alone else CONTROLS]
            questions = {number: states[number].title_question() for number in few}
            questions = {number: question for number, question in questions.items() if source.accepts(question)}
            found = await asker.ask(source, asker.answerable(source, dict.fromkeys(questions.values())))
            for number, question in questions.items():
                if question in found:
                    answers.setdefault(number, []).append(found[question])
    return Controls.of((state.case_with(answers.get(number, ())) for number, state in enumerate(states)), today)


def _is_missing(case: Known) -> bool:
    """Whether searches have answered, and none has shown anything that may be the cited work."""
    return not (case.works or case.near_matches or case.identifier_targets) and bool(searches(case))


def _is_shown(case: Known) -> bool:
    return any(search.found for search in searches(case))
