"""The sources of a run by what each declares that it is asked for (`pytest_citecheck.services.base.Role`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_citecheck.gather.lookup_state import Plan
from pytest_citecheck.gather.profiles import Profile
from pytest_citecheck.linking.disciplines import discipline, work_types
from pytest_citecheck.model import CitedMetadata, Discipline, Question, QuestionKind, WorkType
from pytest_citecheck.services.base import Role, SearchStage, TitleSearch

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["Roles"]


class Roles:
    """What planning knows of the sources of a run. All lists hold names, in the order of the registry.

    sources: all by name. undeclared: those without a role. agencies: registration agencies that are not asked first for DOIs.
    agency_names: those of all registration agencies that are asked, in lower case. opinions: in their turns.
    """

    def __init__(self, sources: Sequence[Source], profile: Profile) -> None:
        self.profile = profile
        self.undeclared = [source for source in sources if source.role is None]
        self.sources = {source.name: source for source in sources}
        self._roles = {source.name: source.role for source in sources if source.role is not None}
        self.agencies = self._with(lambda role: bool(role.agency) and "doi" not in role.looks_up)
        self.agency_names = frozenset(role.agency.lower() for role in self._roles.values()) - {""}
        self.doi_registries = self._with(lambda role: role.doi_registry)
        self.doi_content = self._with(lambda role: role.doi_content)
        self.opinions = sorted(self._with(lambda role: role.opinion > 0), key=lambda name: self._roles[name].opinion)

    def _with(self, is_wanted: Callable[[Role], bool]) -> list[str]:
        return [name for name, role in self._roles.items() if is_wanted(role)]

    def looking_up(self, kind: QuestionKind) -> list[str]:
        """The sources that are asked first for identifiers of this kind."""
        return self._with(lambda role: kind in role.looks_up)

    def taking(self, kind: QuestionKind) -> list[str]:
        """The sources that answer questions of this kind, whatever their role."""
        return [name for name, source in self.sources.items() if kind in source.batch]

    def catalogues(self, cited: CitedMetadata, named: Mapping[QuestionKind, str]) -> Plan:
        """The identifiers that name a cited work in the catalogue of a source; none where the profile has routes."""
        if self.profile.routes is not None:
            return []
        field = discipline(cited)
        plan = [
            (name, Question(kind, named[kind]))
            for name, role in self._roles.items()
            for kind in role.catalogue
            if kind in named and field in role.disciplines
        ]
        return [(name, question) for name, question in plan if self.sources[name].accepts(question)]

    def searched(self, cited: CitedMetadata, stage: SearchStage, *, listed: bool = False) -> list[str]:
        """The sources to search for the title of this work, in order; ``listed``: see `TitleSearch.in_listed_venues`."""
        works, field = work_types(cited), discipline(cited)
        found: list[tuple[int, str]] = []
        for name, role in self._roles.items():
            search = _fitting(role.titles, stage, field, works)
            if search and (search.in_listed_venues or not listed) and self.sources[name].may_list(cited):
                found.append((search.order, name))
        return [name for _, name in sorted(found, key=lambda place: place[0])]

    def route(self, cited: CitedMetadata, *, listed: bool = False) -> list[str]:
        """The sources to search for this one title after the other: those of the profile, else those that declare it."""
        if self.profile.routes is not None:
            return list(self.profile.routes[discipline(cited)])
        return self.searched(cited, "single", listed=listed)

    def of_preprints(self) -> list[str]:
        """The sources that are searched for preprints."""
        return self._with(lambda role: any(s.stage == "batch" and "preprint" in s.works for s in role.titles))


def _fitting(
    searches: Sequence[TitleSearch], stage: SearchStage, field: Discipline, works: Collection[WorkType]
) -> TitleSearch | None:
    fitting = (
        search
        for search in searches
        if search.stage == stage and field in search.disciplines and any(work in works for work in search.works)
    )
    return next(fitting, None)
