"""Words that occur nowhere in the index, and which word of the index was meant.

A word with one mistake (a letter changed, added, dropped, or swapped with its neighbour) still has one of its halves.
So each word stands under its left half and under its right half, both with its length, and a misspelt one is compared with
the words that share a half with it. A swap across the middle hurts both halves and is tried by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SHORTEST", "half_keys", "is_correctable", "one_mistake_apart", "wanted_keys"]

SHORTEST = 4
"""Letters that a word must have to be corrected."""
_LONGEST = 40


def is_correctable(word: str) -> bool:
    """Whether ``word``, folded, can be corrected: letters, enough of them, and not too many."""
    return SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _left(part: str, length: int) -> int:
    return crc32(f"{part}<{length}".encode())


def _right(part: str, length: int) -> int:
    return crc32(f"{part}>{length}".encode())


def half_keys(word: str) -> tuple[int, int]:
    """The 32-bit keys under which a word of the index stands: that of its left half, then that of its right half."""
    middle = len(word) // 2
    return _left(word[:middle], len(word)), _right(word[middle:], len(word))


def wanted_keys(word: str) -> Iterator[int]:
    """The keys under which words stand that are one mistake apart from ``word``."""
    for length in (len(word) - 1, len(word), len(word) + 1):
        middle = length // 2
        yield _left(word[:middle], length)
        yield _right(word[len(word) - (length - middle) :], length)
    middle = len(word) // 2
    swapped = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    yield half_keys(swapped)[0]


def one_mistake_apart(first: str, second: str) -> bool:
    """Whether two different words differ by one letter changed, added or dropped, or by two neighbours swapped."""
    if len(first) > len(second):
        first, second = second, first
    start = 0
    while start < len(first) and first[start] == second[start]:
        start += 1
    if len(first) < len(second):
        return len(second) == len(first) + 1 and first[start:] == second[start + 1 :]
    if start >= len(first) - 1:
        return start == len(first) - 1
    return first[start + 1 :] == second[start + 1 :] or (
        first[start] == second[start + 1]
        and first[start + 1] == second[start]
        and first[start + 2 :] == second[start + 2 :]
    )
