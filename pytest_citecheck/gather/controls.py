"""The last questions of a run: references that are known by an identifier are searched for by title, as positive controls.

Only if something was found nowhere although sources should have it (`pytest_citecheck.absence`), and only at the sources that
were searched for it. Many titles fit into one request to some sources; these are asked first, and the others only for what they
did not find. The answers are no evidence for the controls themselves: they say how much an absence says.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_citecheck.absence import Controls, Stratum, Trials, is_identified, search_of, searches, stratum
from pytest_citecheck.model import Asked
from pytest_citecheck.thresholds import (
    CONTROL_REQUESTS,
    CONTROLS_ALONE,
    FEWEST_OF_A_SEARCH,
    FOUND_BY_A_SEARCH,
    MOST_CONTROLS,
)

if TYPE_CHECKING:
    from pytest_citecheck.absence import Known
    from pytest_citecheck.gather.asker import Asker
    from pytest_citecheck.gather.lookup_state import LookupState
    from pytest_citecheck.services.base import Source

__all__ = ["ask_controls", "weak_searches"]


async def ask_controls(
    states: Sequence[LookupState], sources: Sequence[Source], asker: Asker, today: datetime.date
) -> Controls:
    """The controls of a run: of what has been asked already, and of searches for at most `MOST_CONTROLS` references a source."""
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
        requests = max(1, int(CONTROL_REQUESTS * len(states)) // max(1, len(asked)))
        for source in sorted(asked, key=lambda source: source.batch["title"] == 1):
            alone = source.batch["title"] == 1
            left = [
                number
                for number in known
                if not (alone and _is_shown(states[number].case_with(answers.get(number, ()))))
            ]
            few = left[: min(requests * source.batch["title"], CONTROLS_ALONE if alone else MOST_CONTROLS)]
            questions = {number: states[number].title_question() for number in few}
            questions = {number: question for number, question in questions.items() if source.accepts(question)}
            found = await asker.ask(source, asker.answerable(source, dict.fromkeys(questions.values())))
            for number, question in questions.items():
                if question in found:
                    answers.setdefault(number, []).append(found[question])
    known_works = (state.case_with(answers.get(number, ())) for number, state in enumerate(states))
    return Controls.of(known_works, today, _convicted(states))


def _convicted(states: Sequence[LookupState]) -> dict[str, Trials]:
    """By file, the references that positive evidence convicts of being invented, and the others."""
    counts: dict[str, Trials] = {}
    for state in states:
        path, invented = state.reference.location.path, state.evaluate_so_far().verdict.name == "fabricated"
        counts[path] = counts.get(path, Trials()) + Trials(invented, not invented)
    return counts


def weak_searches(controls: Controls, sources: Sequence[Source]) -> list[str]:
    """What to tell the user of searches that find few of the works that are known: their silence counts for little."""
    told = []
    for source in sources:
        trials = sum(
            (counted for place, counted in controls.of_source(source.name).items() if search_of(source.name, place)),
            Trials(),
        )
        if trials.looked_for >= FEWEST_OF_A_SEARCH and trials.found < FOUND_BY_A_SEARCH * trials.looked_for:
            told.append(
                f"{source.label}'s search by title found {trials.found} of {trials.looked_for} works that are known by other "
                "ways: what it does not find may exist"
            )
    return told


def _is_missing(case: Known) -> bool:
    """Whether searches have answered, and none has shown anything that may be the cited work."""
    return not (case.works or case.near_matches or case.identifier_targets) and bool(searches(case))


def _is_shown(case: Known) -> bool:
    return any(search.found for search in searches(case))
