"""Which works of an index are by given authors: lists of record numbers under family name and year, and what of the records
decides.

A frequent name has thousands of works in a year. Most are ruled out by their numbers, the others by year, venue and family
names, which are read from the packed record; only what fits is taken apart whole.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_citecheck.index.keys import author, author_keys, family
from pytest_citecheck.index.storage.layout import BLOCK, bucket, record_numbers
from pytest_citecheck.index.storage.packing import people_of, primary_year, venue_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_citecheck.index.storage.rows import Rows
    from pytest_citecheck.index.storage.shards import ShardRows

__all__ = ["AuthorSearch", "in_several"]

_BLOCKS_KEPT = (
    1 << 16
)  # of which the venues are known, 150 bytes each: every Zhang of a year is asked for again and again
_WORTH_SORTING = 400  # numbers from which numpy counts them faster than sets do


class AuthorSearch:
    """Searches one open index. Raises DamagedRowError for damage on the way.

    packed: the packed records of a block by its number. names_in: how the
    names are read for which codes stand in a block.
    """

    def __init__(
        self,
        rows: Rows | ShardRows,
        buckets: int,
        packed: Callable[[int], Sequence[str]],
        names_in: Callable[[int], Callable[[str], str]],
    ) -> None:
        self._rows, self._buckets = rows, buckets
        self._packed, self._names_in = packed, names_in
        self._venues = lru_cache(maxsize=_BLOCKS_KEPT)(self._read_venues)

    def fitting(
        self,
        families: Iterable[str],
        years: Sequence[int | None],
        limit: int,
        least: int,
        at: Callable[[str], bool] | None = None,
    ) -> list[int]:
        """The numbers of records of these years with so many of these people: most of them first, at most ``limit``.

        at: says of which venues they have to be.
        """
        wanted = Counter(name for name in map(family, families) if name)
        least = min(least, wanted.total())
        numbers = self._proposed(wanted, years, min(least, len(wanted)))  # two people of one name have one bucket
        if at is not None:
            there = self._at(numbers, at)
            numbers = [number for number in numbers if number in there]
        found: list[tuple[int, int]] = []
        for number in numbers:
            packed = self._packed(number // BLOCK)[number % BLOCK]
            # A bucket holds other names and years as well.
            if primary_year(packed) in years and (names := _shared(wanted, packed)) >= least:
                found.append((names, number))
                if len(found) == limit:
                    break
        found.sort(key=lambda one: -one[0])
        return [number for _, number in found]

    def _proposed(self, families: Iterable[str], years: Iterable[int | None], least: int) -> list[int]:
        """The records in so many buckets of these names in one of the years: most buckets first, then the first year."""
        found: dict[int, int] = {}
        for stated in years:
            places = [bucket(key, self._buckets) for key in author_keys(families, stated)]
            read = self._rows.some("author_keys", dict.fromkeys(places)) if places else {}
            for number, times in in_several([read[place] for place in places], least).items():
                found.setdefault(number, times)
        return sorted(found, key=lambda number: -found[number])

    def _at(self, numbers: Iterable[int], at: Callable[[str], bool]) -> set[int]:
        """Those of the records whose venue ``at`` accepts; nothing else of them is read."""
        accepted: dict[str, bool] = {}
        there: set[int] = set()
        for block, members in groupby(sorted(numbers), key=lambda number: number // BLOCK):
            venues = self._venues(block)
            for number in members:
                venue = venues[number % BLOCK]
                if venue not in accepted:
                    accepted[venue] = at(venue)
                if accepted[venue]:
                    there.add(number)
        return there

    def _read_venues(self, block: int) -> tuple[str, ...]:
        name_of = self._names_in(block)
        return tuple(venue_name(text, name_of) for text in self._packed(block))


def in_several(lists: Sequence[bytes], least: int) -> dict[int, int]:
    """The numbers that are in so many of these lists, ascending, each with how many lists it is in."""
    if not 1 <= least <= len(lists):
        return {}
    if sum(map(len, lists)) >= 4 * _WORTH_SORTING:
        with suppress(ImportError):  # reading an index needs nothing but the standard library; with numpy it is faster
            return dict(_counted(lists, least))
    return _looked_into([record_numbers(one) for one in lists], least)


def _counted(lists: Sequence[bytes], least: int) -> Iterator[tuple[int, int]]:
    import numpy as np  # noqa: PLC0415 - takes longer to import than most runs take to search

    numbers = np.sort(np.frombuffer(b"".join(lists), "<u4"))
    # Each list has a number once: where the one ``least - 1`` further on is the same, it is in so many.
    first = np.concatenate(([True], numbers[1:] != numbers[:-1])) if len(numbers) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    times = np.diff(starts, append=len(numbers))
    kept = times >= least
    return zip(numbers[starts[kept]].tolist(), times[kept].tolist(), strict=True)


def _looked_into(lists: Sequence[Sequence[int]], least: int) -> dict[int, int]:
    """The same with sets.

    What is in ``least`` of n lists is in one of the n - least + 1 shortest, in two of the n - least + 2 shortest, and so on: the
    long lists (Wang, Li) are only looked into.
    """
    count = len(lists)
    levels: list[set[int]] = [set() for _ in range(count + 1)]  # by in how many lists of those so far, or in more
    for place, numbers in enumerate(sorted(lists, key=len)):
        lowest = least - (count - place)  # what is in fewer lists by now cannot come to so many
        here = set(numbers) if lowest < 1 else levels[lowest].intersection(numbers)
        for level in range(place, max(lowest, 1) - 1, -1):
            levels[level + 1] |= levels[level] & here
        if lowest < 1:
            levels[1] |= here
    found = dict.fromkeys(sorted(levels[least]), least)
    for level in range(least + 1, count + 1):
        found.update(dict.fromkeys(levels[level], level))
    return found


def _shared(wanted: Counter[str], packed: str) -> int:
    """How many of these family names, each as often as it is wanted, are among the authors of a packed record."""
    left = dict(wanted)
    found = 0
    for name in map(author, people_of(packed)):
        if left.get(name):
            left[name] -= 1
            found += 1
    return found
