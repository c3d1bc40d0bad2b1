"""What to ask about the cited place: the works of these authors there, and whether the venue and year are listed at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.linking.scopes import closed_stream, is_corroborated, missing_from_scope, publishers_lists
from pytest_citecheck.model import Absent, Question

if TYPE_CHECKING:
    from pytest_citecheck.gather.lookup_state import LookupState, Plan
    from pytest_citecheck.gather.roles import Roles

__all__ = ["author_searches", "lists_of_publishers", "venue_year_lists"]


def author_searches(state: LookupState, roles: Roles) -> Plan:
    """The works of the cited authors in the cited venue and year, where it is listed completely."""
    stream = closed_stream(state.cited, state.today)
    families = state.families()
    if not state.cited.title or not stream or not families or not state.need().place:
        return []
    return [
        (source, Question("author_search", stream, families, state.cited.year))
        for source in roles.taking("author_search")
        if "venue_year" in roles.sources[source].batch
    ]


def venue_year_lists(state: LookupState, _: Roles) -> Plan:
    """Whether a venue and year in which the authors have nothing are listed at all."""
    return [
        (source, Question("venue_year", question.value, (), question.year))
        for (source, question), asked in state.asked.items()
        if question.kind == "author_search" and isinstance(asked.answer, Absent)
    ]


def lists_of_publishers(state: LookupState, roles: Roles) -> Plan:
    """One publisher's list after the other, until one has answered; all parts of it together."""
    families = state.families()
    if not state.cited.title or not families or not state.need().place:
        return []
    evidence = state.evidence()
    if missing_from_scope(state.cited, evidence, state.today) and is_corroborated(state.cited, evidence, state.today):
        return []
    for listed in publishers_lists(state.cited, state.today):
        for source in listed.sources:
            plan = [
                (source, Question("author_search", value, families, listed.year, state.cited.title))
                for value in listed.values
            ]
            if source in roles.sources and not state.planned.issuperset(plan):
                return plan
    return []
