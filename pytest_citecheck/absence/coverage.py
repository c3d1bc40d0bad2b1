"""Coverage: which works the sources are expected to hold, and which share of them a search finds.

A work belongs to a stratum by type, discipline and period. ``data/coverage.toml`` lists, for each stratum, the share of real
works that the search of a source finds; every row cites the study or the count behind it. Works that bibliographic services
hold only in part belong to no stratum: for them an absence is no evidence, however many sources answered.
"""

from __future__ import annotations

import datetime
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pytest_citecheck.linking.disciplines import discipline, work_types
from pytest_citecheck.model import CitedMetadata, Discipline
from pytest_citecheck.thresholds import COVERED_FROM, LISTED_WITHIN
from pytest_citecheck.titles.languages import language

__all__ = [
    "Expectation",
    "Kind",
    "Period",
    "Stratum",
    "Uncovered",
    "expected_misses",
    "held_by_nobody",
    "is_covered_search",
    "stratum",
]

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
    if cited.year >= (today - datetime.timedelta(days=LISTED_WITHIN)).year:  # all of the year has to be listed
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
    return tomllib.loads(files("pytest_citecheck.absence").joinpath("data/coverage.toml").read_text(encoding="utf-8"))
