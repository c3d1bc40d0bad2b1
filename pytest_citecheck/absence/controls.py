"""Positive controls: how many references that are known by other ways a search by title finds, in this very run.

A reference that an identifier or two other searches have shown is real; a search that does not find it has missed a real work.
How often that happens, in the same minutes and by the same query, says more of a search than any study: a damaged search index, a
silent limit or a changed query language shows at once. Whether *any* search finds a reference is counted too: some works no
service holds, however many are asked.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.absence.strata import Stratum, stratum
from pytest_citecheck.model import Absent, Asked, CitedMetadata, Evidence, Found, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Controls", "Known", "Search", "Trials", "is_identified", "searches"]

_OTHER_SEARCHES = 2
"""Searches that have to show a reference without an identifier before it is a control of a third one."""


@dataclass(frozen=True, slots=True)
class Trials:
    """How many references were found, and how many of those looked for were not.

    What may be invented counts as missed in part: as much as it is probably real.
    """

    found: int = 0
    missed: float = 0

    @property
    def looked_for(self) -> float:
        return self.found + self.missed

    def __add__(self, other: Trials) -> Trials:
        return Trials(self.found + other.found, self.missed + other.missed)

    def without_missed(self, part: float) -> Trials:
        """The trials without one that failed, of which ``part`` was counted: that of the reference which is judged."""
        return Trials(self.found, max(0.0, self.missed - part))


class Match(Protocol):
    """A record of the cited work."""

    @property
    def record(self) -> Record: ...


class Known(Protocol):
    """A reference with its evidence, and the records in it that are the cited work, under its title or one near it."""

    @property
    def cited(self) -> CitedMetadata: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def works(self) -> Sequence[Match]: ...
    @property
    def near_matches(self) -> Sequence[Match]: ...
    @property
    def identifier_targets(self) -> Sequence[Match]: ...


@dataclass(frozen=True, slots=True)
class Search:
    """Whether the search of one source by title has shown the cited work."""

    source: str
    found: bool


def searches(known: Known) -> tuple[Search, ...]:
    """The sources that answered a search for the cited title, each with whether it has shown the work."""
    works = _ids(match.record for match in (*known.works, *known.near_matches))
    shown: dict[str, bool] = {}
    for asked in known.evidence.asked:
        if asked.question.kind == "title" and isinstance(asked.answer, (Found, Absent)):
            shown[asked.source] = shown.get(asked.source, False) or not works.isdisjoint(_ids(_records(asked)))
    return tuple(Search(source, found) for source, found in shown.items())


Counts = Mapping[frozenset[str], int]
"""How many references exactly these searches have found."""


@dataclass(frozen=True, slots=True)
class Controls:
    """The trials of a run by stratum.

    by_source: of the search of each source, for references that are known by other ways. by_identifier: what an identifier has
    shown, by the searches that find it. others: all else that was searched for; what no search has found may be invented.
    convicted: by file, how many references are convicted of being invented (``found``), and how many others were queried.
    """

    by_source: Mapping[str, Mapping[Stratum, Trials]] = field(default_factory=dict)
    by_identifier: Mapping[Stratum, Counts] = field(default_factory=dict)
    others: Mapping[Stratum, Counts] = field(default_factory=dict)
    convicted: Mapping[str, Trials] = field(default_factory=dict)

    @classmethod
    def of(
        cls, references: Iterable[Known], today: datetime.date, convicted: Mapping[str, Trials] | None = None
    ) -> Controls:
        """Count the references of a run. Those outside of all strata say nothing of any."""
        by_source: dict[str, dict[Stratum, Trials]] = {}
        by_identifier: dict[Stratum, Counter[frozenset[str]]] = {}
        others: dict[Stratum, Counter[frozenset[str]]] = {}
        for known in references:
            place = stratum(known.cited, today)
            answers = searches(known)
            if not isinstance(place, Stratum) or not answers:
                continue
            finding = frozenset(search.source for search in answers if search.found)
            identified = is_identified(known)
            for search in answers:
                if identified or len(finding - {search.source}) >= _OTHER_SEARCHES:
                    trials = by_source.setdefault(search.source, {})
                    trials[place] = trials.get(place, Trials()) + Trials(search.found, not search.found)
            (by_identifier if identified else others).setdefault(place, Counter())[finding] += 1
        return cls(by_source, by_identifier, others, convicted or {})

    def of_source(self, source: str) -> Mapping[Stratum, Trials]:
        """The trials of the search of one source."""
        return self.by_source.get(source, {})

    def identified(self, sources: Collection[str]) -> dict[Stratum, Trials]:
        """Whether any of these searches finds what an identifier has shown."""
        return {place: _found_by(sources, counts) for place, counts in self.by_identifier.items()}

    def known(self, sources: Collection[str]) -> dict[Stratum, Trials]:
        """The same of everything that is certainly real: what an identifier or two searches have shown."""
        trials = self.identified(sources)
        for place, counts in self.others.items():
            shown = {finding: count for finding, count in counts.items() if len(finding) >= _OTHER_SEARCHES}
            trials[place] = trials.get(place, Trials()) + _found_by(sources, shown)
        return trials

    def everything(self, sources: Collection[str], real: float) -> dict[Stratum, Trials]:
        """Whether any of these searches finds a reference, whatever it is.

        real: the probability that one which no search has found is real; so much of it counts as missed.
        """
        trials = self.identified(sources)
        for place, counts in self.others.items():
            found = _found_by(sources, counts)
            trials[place] = trials.get(place, Trials()) + Trials(found.found, found.missed * real)
        return trials


def _found_by(sources: Collection[str], counts: Counts) -> Trials:
    found = sum(count for finding, count in counts.items() if not finding.isdisjoint(sources))
    return Trials(found, sum(counts.values()) - found)


def is_identified(known: Known) -> bool:
    """Whether an identifier that is cited has shown the cited work."""
    works = _ids(match.record for match in (*known.works, *known.near_matches))
    return any(
        not works.isdisjoint(_ids(_records(asked)))
        for asked in known.evidence.asked
        if asked.question.kind not in ("title", "citation", "author_search", "venue_year", "url", "prefix")
    )


def _records(asked: Asked) -> Iterator[Record]:
    if isinstance(asked.answer, Found):
        yield from asked.answer.records


def _ids(records: Iterable[Record]) -> frozenset[tuple[str, str, str]]:
    return frozenset((record.source, record.id, record.title) for record in records)
