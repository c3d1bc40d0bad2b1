"""Strata: the kinds of works whose coverage by the sources is counted apart.

A work is in a stratum by its type, its discipline and its period. Works that bibliographic services hold poorly are in none: for
them an absence is no evidence, however many sources answered.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from pytest_citecheck.linking.disciplines import discipline, work_types
from pytest_citecheck.model import CitedMetadata, Discipline
from pytest_citecheck.thresholds import COVERED_FROM, LISTED_WITHIN
from pytest_citecheck.titles.languages import language

__all__ = ["Period", "Stratum", "Uncovered", "stratum"]

Period = Literal["1995-2009", "2010-2019", "2020-"]
Kind = Literal["article", "paper", "preprint"]

_CHAPTERS = frozenset({"incollection", "inbook", "bookinbook", "suppbook", "suppcollection", "inreference"})
_IN_ENGLISH = ("", "en")


@dataclass(frozen=True, slots=True, order=True)
class Stratum:
    """A kind of works: type, discipline and period.

    A preprint is one that is cited as such; a ``paper`` is in the proceedings of a conference.
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
    """Why an absence of a reference is no evidence, as the end of a sentence: "… are not covered well"."""

    reason: str


def stratum(cited: CitedMetadata, today: datetime.date) -> Stratum | Uncovered:
    """The stratum of a cited work, or why it is in none."""
    works = work_types(cited)
    kind: Kind
    if "preprint" in works:
        kind = "preprint"
    elif "article" in works and cited.venue:
        kind = "article"
    elif "paper" in works and cited.venue and cited.reference.type not in _CHAPTERS:
        kind = "paper"
    else:
        return Uncovered(f"sources hold only a part of what is cited as @{cited.reference.type}")
    if cited.year is None:
        return Uncovered("no year is cited, and coverage depends on it")
    if cited.year < COVERED_FROM:
        return Uncovered(f"sources hold only a part of the works before {COVERED_FROM}")
    if cited.year >= (today - datetime.timedelta(days=LISTED_WITHIN)).year:  # all of the year has to be listed
        return Uncovered("the sources may not list the newest works yet")
    if language(cited.title) not in _IN_ENGLISH:
        return Uncovered("sources hold only a part of the works in other languages than English")
    return Stratum(kind, discipline(cited), _period(cited.year))


def _period(year: int) -> Period:
    if year < 2010:
        return "1995-2009"
    return "2010-2019" if year < 2020 else "2020-"
