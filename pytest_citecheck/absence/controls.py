"""Controls: references of the run that are known to exist, and how many of them each title search found.

A reference that an identifier or two other searches confirm is real; a search that does not find it missed a real work. These
counts, made in the same minutes with the same queries, say more about a search than any study: a damaged search index, a silent
limit or a changed query language shows at once.

`Holdings` lists the venues and years of which the sources returned works. A source that never returned a work of a journal may
not hold the journal at all, and then its silence about one article is no evidence.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.absence.coverage import Stratum, expected_misses, stratum
from pytest_citecheck.linking.identifiers_seen import registered
from pytest_citecheck.model import Absent, Asked, CitedMetadata, Evidence, Found, Record
from pytest_citecheck.thresholds import HELD_WORKS, HELD_YEARS
from pytest_citecheck.titles.comparison import title_key
from pytest_citecheck.venues.comparison import compare_venues, is_preprint_venue

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Controls",
    "FileCounts",
    "Holdings",
    "Known",
    "Search",
    "Trials",
    "is_identified",
    "searches",
    "trials_of",
]

_OTHER_SEARCHES = 2
"""Searches that have to find a reference without an identifier before it is a control of another one."""
_PREPRINTS = "arXiv"


@dataclass(frozen=True, slots=True)
class Trials:
    """Number of real works that were searched for and found, and that were missed."""

    found: float = 0
    missed: float = 0

    @property
    def looked_for(self) -> float:
        return self.found + self.missed

    def __add__(self, other: Trials) -> Trials:
        return Trials(self.found + other.found, self.missed + other.missed)

    def scaled(self, factor: float) -> Trials:
        return Trials(self.found * factor, self.missed * factor)


class Match(Protocol):
    """A record of the cited work."""

    @property
    def record(self) -> Record: ...


class Known(Protocol):
    """A reference with its evidence, and the records in it that are the cited work."""

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
    @property
    def is_missing(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Search:
    """Result of a title search of one source: whether it returned the cited work."""

    source: str
    found: bool


def searches(known: Known) -> tuple[Search, ...]:
    """Return the result of each source that answered a search for the cited title."""
    works = _ids(match.record for match in (*known.works, *known.near_matches))
    shown: dict[str, bool] = {}
    for asked in known.evidence.asked:
        if asked.question.kind == "title" and isinstance(asked.answer, (Found, Absent)):
            shown[asked.source] = shown.get(asked.source, False) or not works.isdisjoint(_ids(_records(asked)))
    return tuple(Search(source, found) for source, found in shown.items())


Counts = Mapping[tuple[frozenset[str], frozenset[str]], int]
"""Number of references by the searches that answered, and those among them that found the work."""


class Holdings:
    """The venues and years of which each source returned works, in this run or in answer to a question about the venue."""

    def __init__(self) -> None:
        self._works: dict[tuple[str, str], dict[int, set[str]]] = {}

    def add(self, asked: Iterable[Asked]) -> None:
        """Note the venue and year of each returned record.

        A record that is returned for the list of a volume stands for the whole list.
        """
        for answer in asked:
            listed = (
                answer.question.kind == "venue_year" and isinstance(answer.answer, Found) and bool(answer.answer.scope)
            )
            for record in _records(answer):
                names = (_PREPRINTS,) if record.arxiv or record.type == "preprint" else record.venues
                for name in names:
                    years = self._works.setdefault((answer.source, name), {})
                    for year in record.years:
                        held = years.setdefault(year, set())
                        if listed:
                            held.update(f"{number}" for number in range(HELD_WORKS))
                        elif len(held) < HELD_WORKS:
                            held.add(title_key(record.title))

    def covers(self, cited: CitedMetadata, sources: Collection[str] | None = None) -> bool:
        """Return True if one of these sources (by default any) returned works of the cited venue around the cited year.

        At least `HELD_WORKS` works at most `HELD_YEARS` years away, one of the same year or some both before and after it: a
        source that begins or ends near the cited year does not cover it.
        """
        if cited.year is None:
            return False
        preprint = cited.preprint or is_preprint_venue(cited.venue)
        for source in sources if sources is not None else {holder for holder, _ in self._works}:
            held: dict[int, set[str]] = {-1: set(), 0: set(), 1: set()}  # before, in and after the year
            for (holder, name), years in self._works.items():
                if holder == source and (name == _PREPRINTS if preprint else _same_venue(cited.venue, name)):
                    for year, works in years.items():
                        if abs(year - cited.year) <= HELD_YEARS:
                            held[(year > cited.year) - (year < cited.year)] |= works
            if (held[0] or (held[-1] and held[1])) and len(set().union(*held.values())) >= HELD_WORKS:
                return True
        return False


@lru_cache(maxsize=1 << 16)
def _same_venue(cited: str, name: str) -> bool:
    return bool(cited) and compare_venues(cited, name) == "same"


@dataclass(frozen=True, slots=True)
class FileCounts:
    """Counts of one bibliography.

    others: references without a confirmed identifier, by stratum and by the searches that found them; what no search found may be
    invented. identified: references confirmed by an identifier. convicted: references that positive evidence proves invented.
    """

    others: Mapping[Stratum, Counts] = field(default_factory=dict)
    identified: int = 0
    convicted: int = 0
    references: int = 0


@dataclass(frozen=True, slots=True)
class Controls:
    """All counts of a run that bear on absences.

    by_source: trials of the search of each source, with references known otherwise. identified: references confirmed by an
    identifier, by the searches that found them. files: the counts of each bibliography, by path. holdings: venues that the
    sources hold.
    """

    by_source: Mapping[str, Mapping[Stratum, Trials]] = field(default_factory=dict)
    identified: Mapping[Stratum, Counts] = field(default_factory=dict)
    files: Mapping[str, FileCounts] = field(default_factory=dict)
    holdings: Holdings | None = None

    @classmethod
    def of(
        cls,
        references: Iterable[Known],
        today: datetime.date,
        convicted: Mapping[str, Trials] | None = None,
        holdings: Holdings | None = None,
        calibration: Mapping[str, Mapping[Stratum, Trials]] | None = None,
    ) -> Controls:
        """Count the references of a run.

        References outside all strata do not count, nor do missing ones of a venue that no source is known to hold.
        convicted: by path, how many references positive evidence proves invented (``found``), and how many others there are. The
        former are not among ``references``.
        calibration: the trials of each search on earlier days.
        """
        by_source = {source: dict(trials) for source, trials in (calibration or {}).items()}
        identified: dict[Stratum, Counter[tuple[frozenset[str], frozenset[str]]]] = {}
        others: dict[str, dict[Stratum, Counter[tuple[frozenset[str], frozenset[str]]]]] = {}
        shown: Counter[str] = Counter()
        for known in references:
            path = known.cited.reference.location.path
            place = stratum(known.cited, today)
            answers = searches(known)
            if not isinstance(place, Stratum) or not answers:
                continue
            finding = frozenset(search.source for search in answers if search.found)
            is_known = is_identified(known)
            answered = None if is_known else [one.source for one in answers]
            if not finding and holdings and not holdings.covers(known.cited, answered):
                continue
            for search in answers:
                if is_known or len(finding - {search.source}) >= _OTHER_SEARCHES:
                    trials = by_source.setdefault(search.source, {})
                    trials[place] = trials.get(place, Trials()) + Trials(search.found, not search.found)
            counts = identified if is_known else others.setdefault(path, {})
            counts.setdefault(place, Counter())[frozenset(search.source for search in answers), finding] += 1
            shown[path] += is_known
        wrong = convicted or {}
        files = {
            path: FileCounts(
                others.get(path, {}),
                shown[path],
                int(wrong.get(path, Trials()).found),
                int(wrong.get(path, Trials()).looked_for),
            )
            for path in dict.fromkeys((*others, *shown, *wrong))
        }
        return cls(by_source, identified, files, holdings)

    def of_source(self, source: str) -> Mapping[Stratum, Trials]:
        """Return the trials of the search of one source."""
        return self.by_source.get(source, {})


def trials_of(sources: Collection[str], counts: Mapping[Stratum, Counts]) -> dict[Stratum, Trials]:
    """Return how many of the counted references at least one of these searches found, and how many all of them missed.

    A reference is missed only if all of these searches that are made for its stratum answered.
    """
    return {place: _found_by(sources, place, counted) for place, counted in counts.items()}


def _found_by(sources: Collection[str], place: Stratum, counts: Counts) -> Trials:
    made = {source for source in sources if expected_misses(source, place) is not None}
    found = missed = 0
    for (answered, finding), count in counts.items():
        if not finding.isdisjoint(sources):
            found += count
        elif made and made <= answered:
            missed += count
    return Trials(found, missed)


def is_identified(known: Known) -> bool:
    """Return True if a cited identifier proves that the work exists: a source returned it, or the DOI is registered."""
    works = _ids(match.record for match in (*known.works, *known.near_matches))
    doi = known.cited.identifiers.doi
    if not works and not known.identifier_targets and doi and registered(known.evidence, "doi", doi):
        return True
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
