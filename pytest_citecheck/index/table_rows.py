"""Conversion of sorted data to the rows of an index (`pytest_citecheck.index.layout`)."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pytest_citecheck.index.layout import NARROW, bucket

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from pytest_citecheck.index.runs import LineRuns, Numbers, Runs

Content = TypeVar("Content", bound=str | bytes | memoryview)

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_BUCKET_SHIFT = np.uint64(16)  # the upper 32 bits of a hash select its bucket, the lower 32 are stored in it


def starts(ordered: Numbers) -> NDArray[np.intp]:
    """Positions at which a new number begins in a sorted list."""
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))


def _stretches(keys: Numbers) -> Iterator[tuple[int, int, int]]:
    """Each of the ordered keys, with the first of its positions, and the one after the last."""
    first = starts(keys)
    ends = np.append(first[1:], len(keys))
    return zip(keys[first].tolist(), first.tolist(), ends.tolist(), strict=True)


def _ids(keys: Numbers, numbers: Numbers) -> Iterator[tuple[int, memoryview]]:
    """For each of the ordered keys, its numbers, with four bytes each."""
    packed = memoryview(numbers.astype("<u4").tobytes())
    return ((key, packed[4 * start : 4 * end]) for key, start, end in _stretches(keys))


def _narrow_ids(keys: Numbers, numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    """The same with three (`pytest_citecheck.index.layout.widened`)."""
    low, middle, high = (numbers.astype("<u4").view(np.uint8)[place::4].tobytes() for place in range(NARROW))
    return ((key, low[start:end] + middle[start:end] + high[start:end]) for key, start, end in _stretches(keys))


def lists(
    runs: Runs, buckets: int, gone: NDArray[np.bool_], width: int
) -> Iterator[tuple[int, bytes]] | Iterator[tuple[int, memoryview]]:
    """Rows of a table of buckets. width: bytes of a record number."""
    ids = _narrow_ids if width == NARROW else _ids
    left = np.empty(0, np.uint64)  # of the last bucket of a part, which may go on in the next
    for (rows,) in runs.parts():
        kept = rows[~gone[rows & _LOW]]
        packed = ((kept >> _SHIFT) * np.uint64(buckets) >> _SHIFT) << _SHIFT | (kept & _LOW)
        packed = np.sort(np.concatenate((left, packed)))
        if not len(packed):
            continue
        packed = packed[starts(packed)]
        end = int(np.searchsorted(packed, packed[-1] >> _SHIFT << _SHIFT))
        left = packed[end:]
        if end:
            yield from ids(packed[:end] >> _SHIFT, packed[:end] & _LOW)
    if len(left):
        yield from ids(left >> _SHIFT, left & _LOW)


def grouped(runs: Runs, buckets: int, gone: NDArray[np.bool_]) -> Iterator[tuple[int, bytes]]:
    """Rows of the table of hashes."""
    left = np.empty((2, 0), np.uint64)  # of the last bucket of a part, which may go on in the next
    for part in runs.parts():
        hashes, numbers = np.concatenate((left, part[:, ~gone[part[1]]]), axis=1)
        places = (hashes >> _BUCKET_SHIFT) * np.uint64(buckets) >> _SHIFT
        order = np.lexsort((numbers, hashes & _LOW, places))
        hashes, numbers, places = hashes[order], numbers[order], places[order]
        end = int(np.searchsorted(places, places[-1])) if len(places) else 0
        left = np.stack((hashes[end:], numbers[end:]))
        yield from _pairs(places[:end], hashes[:end], numbers[:end])
    yield from _pairs((left[0] >> _BUCKET_SHIFT) * np.uint64(buckets) >> _SHIFT, *left)


def _pairs(places: Numbers, hashes: Numbers, numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    if not len(places):
        return
    of_numbers = _ids(places, numbers)
    for (place, keys), (_, ids) in zip(_ids(places, hashes & _LOW), of_numbers, strict=True):
        yield place, bytes(keys) + bytes(ids)


def dense(
    rows: Iterable[tuple[int, Content]], buckets: int, empty: Content, first: int = 0
) -> Iterator[tuple[int, Content]]:
    """The rows, with one for each bucket from the first one on: where one is missing, the file is damaged."""
    expected = first
    for place, content in rows:
        yield from ((i, empty) for i in range(expected, place))
        yield place, content
        expected = place + 1
    yield from ((i, empty) for i in range(expected, buckets))


def spellings(halves: LineRuns, buckets: int) -> Iterator[tuple[int, str]]:
    """Rows of the table of words under their halves."""
    found = ((bucket(int(line[:8], 16), buckets), line[8:]) for line in halves.lines())
    for number, group in groupby(found, key=itemgetter(0)):
        yield number, "\n".join(sorted({word for _, word in group}))
