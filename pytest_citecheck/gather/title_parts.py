"""What to ask before an absence counts: the title without its subtitle, and the subtitle alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.absence import Stratum, stratum
from pytest_citecheck.model import Absent, Found
from pytest_citecheck.titles.parts import separate_parts

if TYPE_CHECKING:
    from pytest_citecheck.gather.lookup_state import LookupState, Plan
    from pytest_citecheck.gather.roles import Roles

__all__ = ["parts_of_titles"]


def parts_of_titles(state: LookupState, roles: Roles) -> Plan:
    """Both parts of the title, for those who have answered the whole title and take many a request."""
    if (
        not state.cited.title
        or not state.need().record
        or state.works()
        or not isinstance(stratum(state.cited, state.today), Stratum)
    ):
        return []
    searched = [*roles.searched(state.cited, "broad"), *roles.searched(state.cited, "batch")]
    whole = state.title_question()
    answered = [
        name
        for name in searched
        if (asked := state.asked.get((name, whole))) is not None and isinstance(asked.answer, (Found, Absent))
    ]
    return [
        (name, replace(whole, value=part))
        for part in separate_parts(state.cited.title)
        for name in answered
        if roles.sources[name].batch["title"] > 1
    ]
