"""Calibration: draw random real works from services, and search for each of them at the other services."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_args

from pytest_citecheck.absence import Calibration, Kind, Period, Stratum, searches, stratum
from pytest_citecheck.gather.lookup_state import LookupState
from pytest_citecheck.gather.profiles import PROFILES
from pytest_citecheck.gather.roles import Roles
from pytest_citecheck.model import Found, Location, Question, Record, Reference

if TYPE_CHECKING:
    from pytest_citecheck.gather.asker import Asker
    from pytest_citecheck.services.base import Source

__all__ = ["calibrate"]

_FIELDS: dict[Kind, tuple[str, str]] = {"article": ("article", "journal"), "paper": ("inproceedings", "booktitle"),
                                        "preprint": ("misc", "howpublished")}  # fmt: skip
_BATCHES = 4
"""Batches of a group at most: random works may be too new, too short or of another type."""


async def calibrate(
    table: Calibration,
    sources: Sequence[Source],
    asker: Asker,
    today: datetime.date,
    wanted: int,
    saved: Callable[[], object],
) -> None:
    """Add this month's trials to the table until each group has ``wanted`` works.

    A group is a service that draws samples, a type of work and a period. saved: called after each group, so that an interrupted
    calibration goes on where it stopped.
    """
    month = today.strftime("%Y-%m")
    roles = Roles(sources, PROFILES["default"])
    for sampler in (source for source in sources if "sample" in source.batch and asker.admits(source, "sample")):
        for kind in get_args(Kind):
            for period in get_args(Period):
                for batch in range(_BATCHES):
                    if table.drawn(month, sampler.name, kind, period) >= wanted:
                        break
                    question = Question("sample", f"{kind} {period} {month} {batch}")
                    if not sampler.accepts(question):
                        break
                    answer = (await asker.ask(sampler, [question]))[question].answer
                    records = answer.records if isinstance(answer, Found) else ()
                    await _search(table, sampler, kind, records, roles, asker, today)
                saved()


async def _search(
    table: Calibration,
    sampler: Source,
    kind: Kind,
    records: Sequence[Record],
    roles: Roles,
    asker: Asker,
    today: datetime.date,
) -> None:
    states = [LookupState.of(reference, today) for record in records if (reference := _cited(record)) is not None]
    places = {id(state): stratum(state.cited, today) for state in states}
    states = [state for state in states if getattr(places[id(state)], "kind", "") == kind]
    wanted: dict[str, dict[Question, list[LookupState]]] = {}
    for state in states:
        cited = state.cited
        names = (*roles.searched(cited, "broad"), *roles.searched(cited, "batch"), *roles.route(cited))
        for name in dict.fromkeys(names):
            source, question = roles.sources[name], state.title_question()
            if name != sampler.name and source.accepts(question) and asker.admits(source, "title"):
                wanted.setdefault(name, {}).setdefault(question, []).append(state)
    for name, questions in wanted.items():
        for question, answered in (await asker.ask(roles.sources[name], list(questions))).items():
            for state in questions[question]:
                state.asked[name, question] = answered
    for state in states:
        place = places[id(state)]
        if isinstance(place, Stratum):
            table.add(today.strftime("%Y-%m"), sampler.name, place, searches(state.case_with(())))


def _cited(record: Record) -> Reference | None:
    """The reference that an author would write for this record, without identifiers; None if it lacks a field."""
    kind: Kind = "preprint" if record.type == "preprint" else "article" if record.type == "article" else "paper"
    if not (record.title and record.authors and record.years and (record.venues or kind == "preprint")):
        return None
    type_, place = _FIELDS[kind]
    fields = {
        "title": record.title,
        "author": " and ".join(str(person) for person in record.authors),
        "year": str(record.years[0]),
        place: "arXiv preprint" if kind == "preprint" else record.venues[0],
    }
    return Reference(f"{record.source}:{record.id}", type_, fields, Location("calibration", 1, 1))
