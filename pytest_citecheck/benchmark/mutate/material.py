"""The material of mutations besides the reference itself: other references of the file and known venues."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.venues.comparison import lookup
from pytest_citecheck.venues.table import Venue

__all__ = ["Changed", "DoesNotApply", "Make", "Material"]

T = TypeVar("T")
_MOST_ASKED = 100
"""How many references are tried as a donor; if none of them suits, the file is too uniform."""


class DoesNotApply(Exception):  # noqa: N818 - it is an answer, not an error
    """A mutation needs something that this reference or this file does not have; the message says what."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed reference: the entry type and the fields as written in BibTeX."""

    type: str
    fields: Mapping[str, str]


class Material:
    """Donors for mutations: the references of a file and the known venues that they cite, each arranged in a circle.

    The place of a reference depends only on the seed and its key. A donor is the first suitable reference from a random place
    on. A reference added to the file therefore changes a mutation only if it becomes its donor (consistent hashing: Karger et
    al., "Consistent Hashing and Random Trees", STOC 1997).

    this_year: the calendar year; later years are in the future.
    """

    def __init__(self, originals: Iterable[Original], seed: int, this_year: int) -> None:
        known: dict[str, Venue] = {}
        placed: list[tuple[float, str, Original]] = []
        for original in originals:
            placed.append((Stream("place", seed, original.key).share(), original.key, original))
            if (venue := lookup(original.cited.venue)) is not None:
                known[venue.id] = venue
        self._circle = _Circle(placed)
        self._venues = _Circle([(Stream("venue", seed, name).share(), name, venue) for name, venue in known.items()])
        self.this_year = this_year

    def cited_venues(self, start: float) -> Iterator[Venue]:
        """The known venues that the file cites, from this place in the circle (0 to below 1) on."""
        return self._venues.since(start)

    def donor(
        self, original: Original, stream: Stream, suits: Callable[[Original], bool], needed: str = "another reference"
    ) -> Original:
        """The first other reference that suits, from a random place on. Raises DoesNotApply, which says what is needed."""
        for other in itertools.islice(self._circle.since(stream.share()), _MOST_ASKED):
            if other is not original and suits(other):
                return other
        raise DoesNotApply(f"needs {needed}")


class _Circle(Generic[T]):
    """Items at places from 0 to below 1, each with a name that orders items at the same place."""

    def __init__(self, placed: list[tuple[float, str, T]]) -> None:
        placed.sort(key=lambda item: item[:2])
        self._places = [place for place, _, _ in placed]
        self._things = [thing for _, _, thing in placed]

    def since(self, start: float) -> Iterator[T]:
        """All items, from this place on and around the circle."""
        first = bisect(self._places, start)
        for place in range(len(self._things)):
            yield self._things[(first + place) % len(self._things)]


Make = Callable[[Original, Material, Stream], Changed]
"""A mutation of a reference, with this material and this random stream. Raises DoesNotApply."""
