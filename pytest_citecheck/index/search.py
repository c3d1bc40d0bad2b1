"""Search for similar titles in an index: a few rare keys propose records, similarity of the letters ranks them.

The lists of the rarest keys are read until a budget is spent, so that the time does not grow with the index; records in
several lists are compared letter by letter. If none is similar, unknown words are replaced by the probable ones, and
more lists are read.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from math import log
from operator import itemgetter
from typing import TYPE_CHECKING
from zlib import crc32

from rapidfuzz import fuzz, process, utils

from pytest_citecheck.index.keys import author, author_keys, family, posting_keys
from pytest_citecheck.index.layout import (
    BLOCK,
    authors_of,
    bucket,
    length_of_long,
    person,
    primary_year,
    record_numbers,
    venue_code,
    widened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_citecheck.index.layout import Block, Rows
    from pytest_citecheck.index.reader import ShardRows

    Accepts = Callable[[str], bool]

_BLOCKS_KEPT = (
    1 << 16
)  # cached lists of names, 150 bytes each: the works of every Zhang of a year are queried again and again
_PEOPLE_KEPT = 1 << 14  # cached family names
_WORTH_SORTING = 400  # numbers from which numpy counts them faster than a Counter does


class AuthorSearch:
    """Searches one open index. Raises DamagedRowError for damage on the way.

    packed, names_of: read a block by its number, and only the rows of the names in it. name: reads such a row. width: bytes of
    a record number.
    """

    def __init__(
        self,
        rows: Rows | ShardRows,
        buckets: int,
        packed: Callable[[int], Block],
        names_of: Callable[[int], Sequence[int]],
        name: Callable[[int], str],
        *,
        width: int,
    ) -> None:
        self._rows, self._buckets, self._width = rows, buckets, width
        self._packed, self._name = packed, name
        self._names_of = lru_cache(maxsize=_BLOCKS_KEPT)(names_of)

    def fitting(
        self, families: Iterable[str], years: Sequence[int | None], limit: int, least: int, at: Accepts | None = None
    ) -> list[int]:
        """Numbers of records of these years with at least this many of these people: best first, at most ``limit``.

        at: restricts the venues.
        """
        wanted = Counter(name for name in map(family, families) if name)
        least = min(least, wanted.total())
        numbers: Iterable[int] = self._proposed(
            wanted, years, min(least, len(wanted))
        )  # two people of one name have one bucket
        if at is not None:
            numbers = self._at(list(numbers), at)
        found: dict[int, int] = {}
        for number in numbers:
            packed = self._packed(number // BLOCK).texts[number % BLOCK]
            # A bucket also has other names and years.
            if primary_year(packed) in years and (names := _shared(wanted, packed)) >= least:
                found[number] = names
                if len(found) == limit:
                    break
        return sorted(found, key=found.__getitem__, reverse=True)

    def _proposed(self, families: Iterable[str], years: Iterable[int | None], least: int) -> Iterator[int]:
        """Records in at least this many buckets of these names in one of the years: most buckets first, then the first
        year. Some come twice."""
        wanted = [[bucket(key, self._buckets) for key in author_keys(families, stated)] for stated in years]
        read = self._rows.some("author_keys", set(chain.from_iterable(wanted)))
        found: dict[int, list[list[int]]] = {}
        for places in wanted:
            for times, numbers in in_several([widened(read[place], self._width) for place in places], least).items():
                found.setdefault(times, []).append(numbers)
        return chain.from_iterable(chain.from_iterable(found[times]) for times in sorted(found, reverse=True))

    def _at(self, numbers: list[int], at: Accepts) -> list[int]:
        """The records whose venue ``at`` accepts. A block is unpacked only if it contains the name of such a venue."""
        names = {block: self._names_of(block) for block in {number // BLOCK for number in numbers}}
        venues = {row for row in set(chain.from_iterable(names.values())) if at(self._name(row))}
        blocks = {block for block, rows in names.items() if not venues.isdisjoint(rows)}
        return [
            number
            for number in numbers
            if (block := number // BLOCK) in blocks
            and names[block][venue_code(self._packed(block).texts[number % BLOCK])] in venues
        ]


def in_several(lists: Sequence[bytes | bytearray], least: int) -> dict[int, list[int]]:
    """Numbers that are in at least this many of the lists, ascending, by their count."""
    if not 1 <= least <= len(lists):
        return {}
    joined = b"".join(lists)
    numbers = record_numbers(joined)
    if len(numbers) >= _WORTH_SORTING:
        with suppress(ImportError):  # reading an index needs nothing but the standard library; with numpy it is faster
            return _counted(joined, least)
    found: dict[int, list[int]] = {}
    for number, times in sorted(Counter(numbers).items()):
        if times >= least:
            found.setdefault(times, []).append(number)
    return found


def _counted(joined: bytes, least: int) -> dict[int, list[int]]:
    import numpy as np  # noqa: PLC0415 - takes longer to import than most runs take to search

    numbers = np.sort(np.frombuffer(joined, "<u4"))
    later = numbers[least - 1 :]
    # A number in as many lists as needed is left once, and once more for each further list.
    kept, left = np.unique(later[later == numbers[: len(later)]], return_counts=True)
    return {count + least - 1: kept[left == count].tolist() for count in set(left.tolist())}


def _shared(wanted: Counter[str], packed: str) -> int:
    """Number of these family names, each as often as wanted, among the authors of a packed record."""
    left = dict(wanted)
    found = 0
    for name in map(_family, authors_of(packed)):
        if left.get(name):
            left[name] -= 1
            found += 1
    return found


@lru_cache(maxsize=_PEOPLE_KEPT)
def _family(packed: str) -> str:
    return author(person(packed))


SHORTEST = 4
"""Minimum length of a word to correct."""
_LONGEST = 40


def is_correctable(word: str) -> bool:
    """Return True if ``word``, folded, can be corrected: letters, enough of them, and not too many."""
    return SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _left(part: str, length: int) -> int:
    return crc32(f"{part}<{length}".encode())


def _right(part: str, length: int) -> int:
    return crc32(f"{part}>{length}".encode())


def half_keys(word: str) -> tuple[int, int]:
    """The 32-bit keys of a word of the index: of its left half, then of its right half."""
    middle = len(word) // 2
    return _left(word[:middle], len(word)), _right(word[middle:], len(word))


def wanted_keys(word: str) -> Iterator[int]:
    """Keys of words that are one mistake away from ``word``."""
    for length in (len(word) - 1, len(word), len(word) + 1):
        middle = length // 2
        yield _left(word[:middle], length)
        yield _right(word[len(word) - (length - middle) :], length)
    middle = len(word) // 2
    swapped = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    yield half_keys(swapped)[0]


def one_mistake_apart(first: str, second: str) -> bool:
    """Return True if two different words differ by one letter changed, added or dropped, or by two neighbours swapped."""
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


FIRST_BUDGET = 1_000
"""Record numbers read before letters are compared for the first time."""
SECOND_BUDGET = 6_000
"""The same if that found nothing alike."""
COMPARED = 40
"""Titles of which the letters are compared at most,"""
ENOUGH = 10
"""and at least."""
ALIKE = 85.0
"""Similarity (of 100) from which the second stage is not needed."""
CERTAIN = 90.0
"""Similarity of the letters in their order from which other measures are not needed."""
_PROMISING = 0.4  # share of the best weight; the meant title has more than half
_PLENTY = 8  # lists: one changed word spoils five of them, and records are in two
_SHARED = 0.9  # value of a title that has all the words and others, or in another order, and
_BEGINNING = 0.95  # one that begins alike: people leave subtitles out
_CORRECTIONS = 3  # of one word
_SHORTEST_PART = 2  # of a word that is two
_AT_A_TIME = 60  # words of a long text of which keys are made together
_SHORTEST_WITHIN = 6  # letters of a title that is looked for in a longer text


_List = tuple[int, int, "bytes | None"]
"""Number of records, bucket, and the record numbers as stored: None if there are many, and they are not read yet."""


class TitleSearch:
    """Searches one open index. Raises DamagedRowError for damage on the way.

    ``records``, ``buckets``, ``spellings`` and ``width`` are what its table ``meta`` says.
    """

    def __init__(self, rows: Rows | ShardRows, *, records: int, buckets: int, spellings: int, width: int) -> None:
        self._rows = rows
        self._records = records
        self._buckets = buckets
        self._spellings = spellings
        self._width = width

    def like(self, words: list[str], limit: int) -> list[int]:
        """The records whose titles are most like one of these folded ``words``, the best first."""
        lists = self._read(posting_keys(words), ())
        rarest = self._rarest(lists, FIRST_BUDGET)
        found = self._compared(self._proposed(rarest, _PROMISING), " ".join(words))
        if not found or found[0][1] < ALIKE:
            common = {place for _, place, ids in lists if ids is None}
            judged = [word for word in words if is_correctable(word) and self._place(word) not in common]
            unknown = self._unknown(judged)
            if unknown or len(rarest) < min(_PLENTY, len(lists)):
                corrections = self._corrections(words, unknown)
                keys = (key for version in corrections for key in posting_keys(version))
                lists += self._read(keys, [place for _, place, _ in lists])
                text = " ".join(corrections[0] if corrections else words)
                found = self._compared(self._proposed(self._rarest(lists, SECOND_BUDGET), _PROMISING), text)
        return [number for number, _ in found[:limit]]

    def frequency(self, word: str) -> int:
        """The number of records with this folded word in their title; of many, about that number."""
        lists = self._read(posting_keys([word])[:1], ())
        size = sum(size for size, _, _ in lists)
        if not 0 < size <= COMPARED:
            return size
        titles = self._rows.some("titles", self._proposed(self._rarest(lists, FIRST_BUDGET), 0.0))
        return sum(word in utils.default_process(title).split() for title in titles.values())

    def within(self, words: list[str], limit: int) -> list[int]:
        """The records whose titles occur in these folded ``words``, exactly or nearly; the longest first."""
        keys = [
            key
            for first in range(0, len(words), _AT_A_TIME)
            for key in posting_keys(words[first : first + _AT_A_TIME + 2])
        ]
        rarest = self._rarest(self._read(keys, ()), SECOND_BUDGET)
        text = " ".join(words)
        lengths: dict[int, float] = {}
        for number, title in self._folded(self._proposed(rarest, 0.0)).items():
            if _SHORTEST_WITHIN <= len(title) <= len(text) and (score := fuzz.partial_ratio(title, text)) >= ALIKE:
                lengths[number] = len(title) * score
        return sorted(lengths, key=lambda number: (-lengths[number], number))[:limit]

    def _place(self, word: str) -> int:
        return bucket(posting_keys([word])[0], self._buckets)

    def _read(self, keys: Iterable[int], known: Iterable[int]) -> list[_List]:
        wanted = {bucket(key, self._buckets) for key in keys}.difference(known)
        found = self._rows.some("postings", wanted)
        width = self._width
        return [
            (length // width, place, None)
            if (length := length_of_long(ids, width))
            else (len(ids) // width, place, ids)
            for place, ids in found.items()
            if ids
        ]

    def _rarest(self, lists: list[_List], budget: int) -> list[tuple[float, list[int]]]:
        """The shortest lists, as many as the budget allows, each with the weight of its key."""
        lists.sort()
        read: list[tuple[float, list[int]]] = []
        for size, place, ids in lists:
            budget -= size
            if budget < 0 and read:
                break
            stored = self._rows.one("long_postings", place) if ids is None else ids
            read.append((log(1 + self._records / size), record_numbers(widened(stored, self._width)).tolist()))
        return read

    def _proposed(self, read: list[tuple[float, list[int]]], promising: float) -> list[int]:
        """Records that are in most of the lists, by their weights. promising: share of the best weight below which records
        are left out, except for a few."""
        seen, several = set[int](), set[int]()
        for _, numbers in read:
            several.update(seen.intersection(numbers))
            seen.update(numbers)
        weights = dict.fromkeys(several, 0.0)
        for rarity, numbers in read:
            for number in several.intersection(numbers):
                weights[number] += rarity
        least = promising * max(weights.values(), default=read[0][0] if read else 0.0)
        ranked = sorted(weights, key=weights.__getitem__, reverse=True)[:COMPARED]
        chosen = [number for place, number in enumerate(ranked) if place < ENOUGH or weights[number] >= least]
        for rarity, numbers in read:
            more = (COMPARED if rarity >= least else ENOUGH) - len(chosen)
            if more <= 0:
                break
            chosen += [number for number in numbers[:more] if number not in several]
        return chosen

    def _folded(self, numbers: list[int]) -> dict[int, str]:
        titles = self._rows.some("titles", numbers) if numbers else {}
        return {number: utils.default_process(title) for number, title in titles.items()}

    def _compared(self, numbers: list[int], text: str) -> list[tuple[int, float]]:
        """The proposed records by the similarity of their titles."""
        folded = self._folded(numbers)
        ranked = process.extract(text, folded, scorer=fuzz.ratio, limit=None)
        scores = {number: score for _, score, number in ranked}
        if ranked and ranked[0][1] < CERTAIN:
            beginnings = {number: title[: len(text)] for number, title in folded.items()}
            for value, scorer, titles in ((_SHARED, fuzz.token_ratio, folded), (_BEGINNING, fuzz.ratio, beginnings)):
                for _, score, number in process.extract(text, titles, scorer=scorer, limit=None):
                    scores[number] = max(scores[number], value * score)
        return sorted(scores.items(), key=itemgetter(1), reverse=True)

    def _corrections(self, words: list[str], unknown: list[str]) -> list[list[str]]:
        """The words with the unknown ones replaced: by their likeliest corrections, by the next ones, and so on."""
        corrected = {word: found for word in unknown if (found := self._meant(word) or self._joined(word))}
        texts = (
            (corrected[word][min(i, len(corrected[word]) - 1)] if word in corrected else word for word in words)
            for i in range(max(map(len, corrected.values()), default=0))
        )
        return [" ".join(text).split() for text in texts]

    def _unknown(self, words: list[str]) -> list[str]:
        places = {word: bucket(half_keys(word)[0], self._spellings) for word in words}
        found = self._spelled(places.values())
        return [word for word, place in places.items() if word not in found.get(place, ())]

    def _joined(self, word: str) -> list[str]:
        """``word`` as two words of which the space was lost: where it begins or ends with the longest word of the index."""
        cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        parts = dict.fromkeys(part for cut in cuts for part in (word[:cut], word[cut:]) if is_correctable(part))
        known = set(parts).difference(self._unknown(list(parts)))
        beginnings = [cut for cut in cuts if word[:cut] in known]
        endings = [cut for cut in cuts if word[cut:] in known]
        both = set(beginnings).intersection(endings)
        chosen = [max(both)] if both else [*beginnings[-1:], *endings[:1]]
        return [f"{word[:cut]} {word[cut:]}" for cut in dict.fromkeys(chosen)]

    def _spelled(self, buckets: Iterable[int]) -> dict[int, list[str]]:
        return {place: words.split("\n") for place, words in self._rows.some("spellings", set(buckets)).items()}

    def _meant(self, word: str) -> list[str]:
        """Words of the index one mistake apart from ``word``, the most frequent first."""
        places = (bucket(key, self._spellings) for key in wanted_keys(word))
        near = {
            other
            for words in self._spelled(places).values()
            for other in words
            if abs(len(other) - len(word)) <= 1 and one_mistake_apart(word, other)
        }
        if len(near) < 2:
            return list(near)
        sizes = {place: size for size, place, _ in self._read((posting_keys([other])[0] for other in near), ())}
        return sorted(near, key=lambda other: (-sizes.get(self._place(other), 0), other))[:_CORRECTIONS]


_TITLES = frozenset((
    "front matter", "frontmatter", "front-matter", "back matter", "backmatter", "back-matter", "front cover", "back cover",
    "inside front cover", "inside back cover", "cover", "cover page", "title page", "half title", "half title page",
    "copyright", "copyright page", "copyright notice", "contents", "table of contents", "toc", "in this issue",
    "editorial", "editorial board", "editorial board page", "editorial advisory board", "masthead", "issue information",
    "index", "author index", "subject index", "keyword index", "index of authors", "name index", "reviewer index",
    "list of reviewers", "blank page", "program committee", "organizing committee", "advertisement", "announcements",
    "home page",
))  # fmt: skip


def reason_to_skip(title: str) -> str:
    """Why a record with this title is not taken ("no title", "front matter"); empty if it is."""
    if len(title) > _LONGEST:
        return ""
    folded = title.strip(" .[]()").lower()
    if not folded:
        return "no title"
    return "front matter" if folded in _TITLES else ""
