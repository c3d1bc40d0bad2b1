"""Where the list of all papers of a venue in a year stands at its publisher.

``data/lists.jsonl`` holds one venue and year a line: ``venue`` (an id of the table of venues), ``year``, ``sources`` (who keep
the list, the first one first), ``at`` (the part of its address: a PMLR volume, an event of the ACL Anthology, an ISBN),
``papers`` (fewer than that are not all of them), ``witness`` (the title of a paper that it certainly holds), and ``parts`` if it
comes in several. Only what is certain stands there. To extend it, add a line; a wrong one costs an answer and convicts nobody,
since a list without its witness, or with fewer papers, is none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_citecheck.venues.table import Venue, all_venues

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VenueYearList", "all_lists", "venue_year_list", "venue_year_lists"]


@dataclass(frozen=True, slots=True)
class VenueYearList:
    """The list of all papers of one venue in one year (see the module)."""

    venue: Venue
    year: int
    sources: tuple[str, ...]
    at: str
    papers: int
    witness: str
    parts: int = 1

    @property
    def name(self) -> str:
        """What people call the venue and year: ``ICML 2019``."""
        return f"{self.venue.names[1] if self.venue.aliases else self.venue.name} {self.year}"

    @property
    def values(self) -> tuple[str, ...]:
        """How questions name it: by the venue, of further parts with their number (``iclr``, ``iclr#2``)."""
        return (self.venue.id, *(f"{self.venue.id}#{part}" for part in range(2, self.parts + 1)))


def venue_year_list(source: str, venue: str, year: int | None) -> VenueYearList | None:
    """The list that a source keeps of a venue (by its id) in a year; None if it keeps none."""
    return next((one for one in venue_year_lists(venue, year) if source in one.sources), None)


def venue_year_lists(venue: str, year: int | None) -> tuple[VenueYearList, ...]:
    """All lists of a venue (by its id) in a year."""
    return _by_place().get((venue, year), ())


def all_lists() -> tuple[VenueYearList, ...]:
    """All lists, in the order of the table."""
    return tuple(one for lists in _by_place().values() for one in lists)


@cache
def _by_place() -> Mapping[tuple[str, int | None], tuple[VenueYearList, ...]]:
    text = files("pytest_citecheck.venues").joinpath("data/lists.jsonl").read_text(encoding="utf-8")
    venues = {venue.id: venue for venue in all_venues()}
    found: dict[tuple[str, int | None], tuple[VenueYearList, ...]] = {}
    for row in map(json.loads, text.splitlines()):
        one = VenueYearList(
            venue=venues[row["venue"]],
            year=row["year"],
            sources=tuple(row["sources"]),
            at=row["at"],
            papers=row["papers"],
            witness=row["witness"],
            parts=row.get("parts", 1),
        )
        place = (one.venue.id, one.year)
        found[place] = (*found.get(place, ()), one)
    return found
