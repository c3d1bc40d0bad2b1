"""Controls: references of the run that are known to exist, and how many of them each title search found.

A reference that an identifier or two other searches confirm is real; a search that does not find it missed a real work.
These counts, made in the same minutes with the same queries, are more informative than any study: they reveal a damaged
search index, a silent limit or a changed query language at once.

`Holdings` lists the venues and years of which the sources returned works. A source that never returned a work of a
journal may not hold the journal at all, and then its silence about one article is no evidence.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast, get_args

from pytest_citecheck.evidence.provenance import discipline, work_types
from pytest_citecheck.evidence.relations import registered
from pytest_citecheck.matching import compare_venues, is_preprint_venue, language, title_key
from pytest_citecheck.model import Absent, CitedMetadata, Discipline, Evidence, Found, QueryResult, Record
from pytest_citecheck.thresholds import (
    CALIBRATION_MONTHS,
    CALIBRATION_TRIALS,
    COVERED_FROM,
    HELD_WORKS,
    HELD_YEARS,
    LISTED_WITHIN,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Period = Literal["1995-2009", "2010-2019", "2020-"]
Kind = Literal["article", "paper", "preprint"]

_CHAPTERS = frozenset({"incollection", "inbook", "bookinbook", "suppbook", "suppcollection", "inreference"})
_IN_ENGLISH = ("", "en")


@dataclass(frozen=True, slots=True, order=True)
class Stratum:
    """A kind of works: type, discipline and period.

    ``preprint``: cited as a preprint. ``paper``: in the proceedings of a conference.
    """

    kind: Kind
    discipline: Discipline
    period: Period

    def __str__(self) -> str:
        """``articles in computer science of 2010-2019``"""
        field = "" if self.discipline == "other" else f" in {self.discipline.replace('_', ' ')}"
        return f"{self.kind}s{field} of {self.period.rstrip('-')}{' and later' if self.period.endswith('-') else ''}"


@dataclass(frozen=True, slots=True)
class Uncovered:
    """The reason why the absence of a reference is no evidence."""

    reason: str


def stratum(cited: CitedMetadata, today: datetime.date) -> Stratum | Uncovered:
    """Return the stratum of a cited work, or the reason why it belongs to none."""
    works = work_types(cited)
    kind: Kind
    if "preprint" in works:
        kind = "preprint"
    elif "article" in works and cited.venue:
        kind = "article"
    elif "paper" in works and cited.venue and cited.reference.type not in _CHAPTERS:
        kind = "paper"
    else:
        return Uncovered(f"sources hold only some works cited as @{cited.reference.type}")
    if cited.year is None:
        return Uncovered("the year is missing")
    if cited.year < COVERED_FROM:
        return Uncovered(f"sources hold only some works from before {COVERED_FROM}")
    if cited.year >= (today - datetime.timedelta(days=LISTED_WITHIN)).year:  # the whole year must be listed
        return Uncovered("sources may not list the newest works yet")
    if language(cited.title) not in _IN_ENGLISH:
        return Uncovered("sources hold only some works in languages other than English")
    return Stratum(kind, discipline(cited), _period(cited.year))


def _period(year: int) -> Period:
    if year < 2010:
        return "1995-2009"
    return "2010-2019" if year < 2020 else "2020-"


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected result of searching for real works: the share missed, and the number of trials that this knowledge is worth.

    source: name of the collection behind the search (`dblp` for every way to query DBLP). why: the study or the count.
    """

    missed: float
    size: float
    source: str
    why: str


def expected_misses(search: str, place: Stratum) -> Expectation | None:
    """Return the expectation for a search in a stratum, or None if the search is not made for such works."""
    return _first("search", place, search)


def held_by_nobody(place: Stratum) -> Expectation:
    """Return the share of the works of a stratum that no service holds."""
    found = _first("any", place, "")
    assert found is not None  # noqa: S101 - the last row fits every stratum
    return found


def is_covered_search(search: str) -> bool:
    """Return True if the table lists this search for some stratum. Local indexes are never listed."""
    return any(search in row.get("searches", [row.get("source", "")]) for row in _rows()["search"])


@cache
def _first(table: str, place: Stratum, source: str) -> Expectation | None:
    for row in _rows()[table]:
        named = row.get("source", "")
        if source in row.get("searches", [named]) and _fits(row, place):
            return Expectation(1 - row["share"], row["size"], named, row["why"])
    return None


def _fits(row: dict[str, Any], place: Stratum) -> bool:
    return all(
        value in row.get(name, (value,))
        for name, value in (("kinds", place.kind), ("disciplines", place.discipline), ("periods", place.period))
    )


@cache
def _rows() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files("pytest_citecheck.evidence").joinpath("data/coverage.toml").read_text(encoding="utf-8"))


_OTHER_SEARCHES = 2
"""Searches that must find a reference without an identifier before it counts as a control of another one."""
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
        if asked.query.kind == "title" and isinstance(asked.answer, (Found, Absent)):
            shown[asked.source] = shown.get(asked.source, False) or not works.isdisjoint(_ids(_records(asked)))
    return tuple(Search(source, found) for source, found in shown.items())


Counts = Mapping[tuple[frozenset[str], frozenset[str]], int]
"""Number of references by the searches that answered, and those among them that found the work."""


class Holdings:
    """Venues and years for which each source returned works, in this run or in answer to a query about the venue."""

    def __init__(self) -> None:
        self._works: dict[tuple[str, str], dict[int, set[str]]] = {}

    def add(self, asked: Iterable[QueryResult]) -> None:
        """Note the venue and year of each returned record.

        A record that is returned for the list of a volume counts as the whole list.
        """
        for answer in asked:
            listed = (
                answer.query.kind == "venue_year" and isinstance(answer.answer, Found) and bool(answer.answer.scope)
            )
            for record in _records(answer):
                names = (_PREPRINTS,) if record.arxiv or record.type == "preprint" else record.venues
                for name in names:
                    years = self._works.setdefault((answer.source, name), {})
                    for year in record.years:
                        found_works = years.setdefault(year, set())
                        if listed:
                            found_works.update(f"{number}" for number in range(HELD_WORKS))
                        elif len(found_works) < HELD_WORKS:
                            found_works.add(title_key(record.title))

    def covers(self, cited: CitedMetadata, sources: Collection[str] | None = None) -> bool:
        """Return True if one of these sources (by default any) returned works of the cited venue around the cited year.

        At least `HELD_WORKS` works at most `HELD_YEARS` years away, one of the same year or some both before and after it: a
        source that begins or ends near the cited year does not cover it.
        """
        if cited.year is None:
            return False
        preprint = cited.preprint or is_preprint_venue(cited.venue)
        for source in sources if sources is not None else {holder for holder, _ in self._works}:
            found_works: dict[int, set[str]] = {-1: set(), 0: set(), 1: set()}  # before, in and after the year
            for (holder, name), years in self._works.items():
                if holder == source and (name == _PREPRINTS if preprint else _same_venue(cited.venue, name)):
                    for year, works in years.items():
                        if abs(year - cited.year) <= HELD_YEARS:
                            found_works[(year > cited.year) - (year < cited.year)] |= works
            if (found_works[0] or (found_works[-1] and found_works[1])) and len(
                set().union(*found_works.values())
            ) >= HELD_WORKS:
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
    """All counts of a run that are relevant to absences.

    by_source: trials of the search of each source, with references known from elsewhere. identified: references
    confirmed by an identifier, by the searches that found them. files: the counts of each bibliography, by path.
    holdings: venues that the sources cover.
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

        References outside all strata do not count, nor do missing ones of a venue that no source is known to cover.
        convicted: by path, the number of references that are proven invented (``found``), and of the others. The former
            are not among ``references``.
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
        if asked.query.kind not in ("title", "citation", "author_search", "venue_year", "url", "prefix")
    )


def _records(asked: QueryResult) -> Iterator[Record]:
    if isinstance(asked.answer, Found):
        yield from asked.answer.records


def _ids(records: Iterable[Record]) -> frozenset[tuple[str, str, str]]:
    return frozenset((record.source, record.id, record.title) for record in records)


FILE_NAME = "calibration.json"
_FORMAT = 1
_MOST_BYTES = 5_000_000


class CalibrationError(ValueError):
    """The file is not a calibration table; the message names file and place."""


class _Row(NamedTuple):
    """month: ``2026-11``. sampler: the service that the works were drawn from. searched, found: sources in alphabetical order."""

    month: str
    sampler: str
    place: Stratum
    searched: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(slots=True)
class Calibration:
    """The table, by row the number of works."""

    rows: Counter[_Row] = field(default_factory=Counter)

    @classmethod
    def load(cls, folder: Path | None) -> Calibration:
        """Read the table of a folder; an empty one if there is none. Raises CalibrationError."""
        path = folder / FILE_NAME if folder is not None else None
        if path is None or not path.is_file():
            return cls()
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise CalibrationError(f"{path}: larger than {_MOST_BYTES:,} bytes")
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != _FORMAT:
                raise CalibrationError(
                    f"{path}: format {document['format']!r} is unknown; run citecheck doctor --calibrate"
                )
            return cls(Counter(dict(_parsed(row) for row in document["trials"])))
        except CalibrationError:
            raise
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CalibrationError(f"{path}: not a calibration table ({error}); delete it") from error

    def save(self, folder: Path) -> None:
        """Write the table into a folder, in one step. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "month": row.month, "sampler": row.sampler, "kind": row.place.kind, "discipline": row.place.discipline,
                "period": row.place.period, "searched": row.searched, "found": row.found, "count": count,
            }
            for row, count in sorted(self.rows.items())
        ]  # fmt: skip
        text = json.dumps({"format": _FORMAT, "trials": rows}, indent=1)
        beside = folder / f".{FILE_NAME}.{os.getpid()}"
        try:
            beside.write_text(text + "\n", encoding="utf-8")
            beside.replace(folder / FILE_NAME)
        finally:
            with contextlib.suppress(OSError):
                beside.unlink()

    def add(self, month: str, sampler: str, place: Stratum, searches: Iterable[Search]) -> None:
        """Count one drawn work. The sampler's own search is left out: it returned the work."""
        others = sorted((search for search in searches if search.source != sampler), key=lambda search: search.source)
        if others:
            searched = tuple(search.source for search in others)
            found = tuple(search.source for search in others if search.found)
            self.rows[_Row(month, sampler, place, searched, found)] += 1

    def drawn(self, month: str, sampler: str, kind: Kind, period: Period) -> int:
        """Return the number of works drawn this month from a service for a type and period."""
        return sum(
            count
            for row, count in self.rows.items()
            if (row.month, row.sampler, row.place.kind, row.place.period) == (month, sampler, kind, period)
        )

    def trials(self, today: datetime.date) -> Mapping[str, Mapping[Stratum, Trials]]:
        """Return the trials of each search in the last months, at most `CALIBRATION_TRIALS` of a stratum."""
        by_source: dict[str, dict[Stratum, Trials]] = {}
        for row, count in self.rows.items():
            year, month = map(int, row.month.split("-"))
            if not 0 <= (today.year - year) * 12 + today.month - month <= CALIBRATION_MONTHS:
                continue
            for source in row.searched:
                trials = by_source.setdefault(source, {})
                hit = source in row.found
                trials[row.place] = trials.get(row.place, Trials()) + Trials(count * hit, count * (not hit))
        return {
            source: {place: one.scaled(min(1, CALIBRATION_TRIALS / one.looked_for)) for place, one in trials.items()}
            for source, trials in by_source.items()
        }

    def summary(self) -> Mapping[Stratum, tuple[Trials, Mapping[str, Trials]]]:
        """Return for each stratum the trials of all searches together, and of each search."""
        result: dict[Stratum, tuple[Trials, dict[str, Trials]]] = {}
        for row, count in sorted(self.rows.items()):
            together, single = result.get(row.place, (Trials(), {}))
            for source in row.searched:
                hit = source in row.found
                single[source] = single.get(source, Trials()) + Trials(count * hit, count * (not hit))
            hit = bool(row.found)
            result[row.place] = (together + Trials(count * hit, count * (not hit)), single)
        return result


def _parsed(row: Mapping[str, Any]) -> tuple[_Row, int]:
    values = {name: row[name] for name in ("kind", "discipline", "period")}
    for name, known in (("kind", get_args(Kind)), ("discipline", get_args(Discipline)), ("period", get_args(Period))):
        if values[name] not in known:
            raise ValueError(f"{name}: {values[name]!r}")
    place = Stratum(cast("Kind", row["kind"]), cast("Discipline", row["discipline"]), cast("Period", row["period"]))
    month = datetime.date.fromisoformat(f"{row['month']}-01").strftime("%Y-%m")
    count = int(row["count"])
    if count < 1:
        raise ValueError(f"count: {count}")
    return _Row(
        month, str(row["sampler"]), place, tuple(map(str, row["searched"])), tuple(map(str, row["found"]))
    ), count
