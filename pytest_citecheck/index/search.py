"""Search for similar titles in an index: a few rare keys propose records, similarity of the letters ranks them.

The lists of the rarest keys are read until a budget is spent, so that the time does not grow with the index; records in
several lists are compared letter by letter. If none is similar, unknown words are replaced by the probable ones, and
more lists are read.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain, groupby
from math import log
from operator import itemgetter
from struct import unpack
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from rapidfuzz import fuzz, process, utils

from pytest_citecheck.index.keys import author, author_keys, family, posting_keys
from pytest_citecheck.index.layout import (
    BLOCK,
    bucket,
    length_of_long,
    people_of,
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
        numbers = self._proposed(wanted, years, min(least, len(wanted)))  # two people of one name have one bucket
        if at is not None:
            accepted = self._at(numbers, at)
            numbers = [number for number in numbers if number in accepted]
        found: list[tuple[int, int]] = []
        for number in numbers:
            packed = self._packed(number // BLOCK).texts[number % BLOCK]
            # A bucket also has other names and years.
            if primary_year(packed) in years and (names := _shared(wanted, packed)) >= least:
                found.append((names, number))
                if len(found) == limit:
                    break
        found.sort(key=lambda one: -one[0])
        return [number for _, number in found]

    def _proposed(self, families: Iterable[str], years: Iterable[int | None], least: int) -> list[int]:
        """Records in at least this many buckets of these names in one of the years: most buckets first, then the first
        year."""
        found: dict[int, list[int]] = {}
        for stated in years:
            places = [bucket(key, self._buckets) for key in author_keys(families, stated)]
            read = self._rows.some("author_keys", dict.fromkeys(places)) if places else {}
            for times, numbers in in_several([widened(read[place], self._width) for place in places], least).items():
                found.setdefault(times, []).extend(numbers)
        return list(dict.fromkeys(chain.from_iterable(found[times] for times in sorted(found, reverse=True))))

    def _at(self, numbers: Iterable[int], at: Accepts) -> set[int]:
        """The records whose venue ``at`` accepts. A block is unpacked only if it contains the name of such a venue."""
        accepts, accepted = cache(lambda row: at(self._name(row))), set[int]()
        for block, members in groupby(sorted(numbers), key=lambda number: number // BLOCK):
            names = self._names_of(block)
            if any(map(accepts, names)):
                texts = self._packed(block).texts
                accepted.update(number for number in members if accepts(names[venue_code(texts[number % BLOCK])]))
        return accepted


def in_several(lists: Sequence[bytes | bytearray], least: int) -> dict[int, list[int]]:
    """Numbers that are in at least this many of the lists, ascending, by their count."""
    if not 1 <= least <= len(lists):
        return {}
    if sum(map(len, lists)) >= 4 * _WORTH_SORTING:
        with suppress(ImportError):  # reading an index needs nothing but the standard library; with numpy it is faster
            return _counted(lists, least)
    times = Counter(chain.from_iterable(map(record_numbers, lists)))
    found: dict[int, list[int]] = {}
    for number in sorted(number for number in times if times[number] >= least):
        found.setdefault(times[number], []).append(number)
    return found


def _counted(lists: Sequence[bytes | bytearray], least: int) -> dict[int, list[int]]:
    import numpy as np  # noqa: PLC0415 - takes longer to import than most runs take to search

    numbers = np.sort(np.frombuffer(b"".join(lists), "<u4"))
    # Each list has a number once: if the one ``least - 1`` positions later is equal, the number is in that many lists.
    first = np.concatenate(([True], numbers[1:] != numbers[:-1])) if len(numbers) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    times = np.diff(starts, append=len(numbers))
    found = {count: numbers[starts[times == count]].tolist() for count in range(least, len(lists) + 1)}
    return {count: kept for count, kept in found.items() if kept}


def _shared(wanted: Counter[str], packed: str) -> int:
    """Number of these family names, each as often as wanted, among the authors of a packed record."""
    left = dict(wanted)
    found = 0
    for name in map(author, people_of(packed)):
        if left.get(name):
            left[name] -= 1
            found += 1
    return found


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
"""Titles of which the letters are compared."""
ALIKE = 85.0
"""Similarity (of 100) from which the second stage is not needed."""
CERTAIN = 90.0
"""Similarity of the letters in their order from which other measures are not needed."""
_SHARED = 0.9  # value of a title that has all the words and others, and
_BEGINNING = 0.95  # one that begins alike: people leave subtitles out
_CORRECTIONS = 3  # of one word
_SHORTEST_PART = 2  # of a word that is two
_AT_A_TIME = 60  # words of a long text of which keys are made together
_SHORTEST_WITHIN = 6  # letters of a title that is looked for in a longer text


class Hit(NamedTuple):
    """A record number, and how alike its title is: 0 to 100."""

    number: int
    score: float


class _List(NamedTuple):
    size: int  # record numbers
    bucket: int
    ids: bytes | None  # None: long, and not read yet


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

    def like(self, words: list[str], limit: int) -> list[Hit]:
        """The records whose titles are most like one of these folded ``words``, the best first."""
        text = " ".join(words)
        lists = self._read(posting_keys(words), frozenset())
        hits = self._compared(self._proposed(lists, FIRST_BUDGET), text)
        if hits and hits[0].score >= ALIKE:
            return hits[:limit]
        corrections = self._corrections(words)
        if corrections:
            keys: list[int] = []
            for version in corrections:
                keys += posting_keys(version)
            lists += self._read(keys, {found.bucket for found in lists})
            text = " ".join(corrections[0])
        elif sum(found.size for found in lists if found.ids is not None) <= FIRST_BUDGET and all(
            found.ids is not None for found in lists
        ):
            return hits[:limit]  # all was read
        return self._compared(self._proposed(lists, SECOND_BUDGET), text)[:limit]

    def frequency(self, word: str) -> int:
        """The number of records with this folded word in their title; of many, about that number."""
        lists = self._read(posting_keys([word])[:1], ())
        size = sum(found.size for found in lists)
        if not 0 < size <= COMPARED:
            return size
        titles = self._rows.some("titles", self._proposed(lists, FIRST_BUDGET))
        return sum(word in utils.default_process(title).split() for title in titles.values())

    def within(self, words: list[str], limit: int) -> list[Hit]:
        """The records whose titles occur in these folded ``words``, exactly or nearly; the longest first."""
        keys = [
            key
            for first in range(0, len(words), _AT_A_TIME)
            for key in posting_keys(words[first : first + _AT_A_TIME + 2])
        ]
        numbers = self._proposed(self._read(keys, ()), SECOND_BUDGET)
        text = " ".join(words)
        titles = self._rows.some("titles", numbers) if numbers else {}
        folded = {number: utils.default_process(title) for number, title in titles.items()}
        hits = [
            Hit(number, fuzz.partial_ratio(title, text))
            for number, title in folded.items()
            if _SHORTEST_WITHIN <= len(title) <= len(text)
        ]
        similar = [hit for hit in hits if hit.score >= ALIKE]
        return sorted(similar, key=lambda hit: (-len(folded[hit.number]) * hit.score, hit.number))[:limit]

    def _read(self, keys: Iterable[int], known: Iterable[int]) -> list[_List]:
        wanted = {bucket(key, self._buckets) for key in keys}.difference(known)
        found = self._rows.some("postings", sorted(wanted))
        width = self._width
        return [
            _List(length // width, place, None)
            if (length := length_of_long(ids, width))
            else _List(len(ids) // width, place, ids)
            for place, ids in found.items()
            if ids
        ]

    def _proposed(self, lists: list[_List], budget: int) -> list[int]:
        """Records that are in most of the rarest lists, weighted by rarity."""
        lists.sort(key=itemgetter(0))
        left = budget
        read: list[tuple[int, ...]] = []
        for found in lists:
            left -= found.size
            if left < 0 and read:
                break
            ids = found.ids
            if ids is None:
                ids = self._rows.one("long_postings", found.bucket)
            read.append(unpack(f"<{found.size}I", widened(ids, self._width)))
        seen = set(read[0]) if read else set()
        several: set[int] = set()
        for numbers in read[1:]:
            several |= seen.intersection(numbers)
            seen.update(numbers)
        if len(several) <= COMPARED:
            # Numbers in several lists, and the other numbers of the shortest lists.
            chosen = list(several)
            for numbers in read:
                if len(chosen) >= COMPARED:
                    break
                chosen += [number for number in numbers[: COMPARED - len(chosen)] if number not in several]
            return chosen
        weights = dict.fromkeys(several, 0.0)
        for numbers in read:
            weight = log(1 + self._records / len(numbers))
            for number in several.intersection(numbers):
                weights[number] += weight
        return sorted(weights, key=weights.__getitem__, reverse=True)[:COMPARED]

    def _compared(self, numbers: list[int], text: str) -> list[Hit]:
        """The proposed records by the similarity of their titles."""
        if not numbers:
            return []
        titles = self._rows.some("titles", numbers)
        folded = {number: utils.default_process(title) for number, title in titles.items()}
        ranked = process.extract(text, folded, scorer=fuzz.ratio, limit=None)
        if ranked[0][1] >= CERTAIN:
            return [Hit(number, score) for _, score, number in ranked]
        scores = {number: score for _, score, number in ranked}
        for _, score, number in process.extract(text, folded, scorer=fuzz.token_sort_ratio, limit=None):
            if score > scores[number]:
                scores[number] = score
        for _, score, number in process.extract(text, folded, scorer=fuzz.token_set_ratio, limit=None):
            if _SHARED * score > scores[number]:
                scores[number] = _SHARED * score
        beginnings = {number: title[: len(text)] for number, title in folded.items()}
        for _, score, number in process.extract(text, beginnings, scorer=fuzz.ratio, limit=None):
            if _BEGINNING * score > scores[number]:
                scores[number] = _BEGINNING * score
        return sorted(map(Hit._make, scores.items()), key=itemgetter(1), reverse=True)

    def _corrections(self, words: list[str]) -> list[list[str]]:
        """The words with those replaced that occur nowhere: by their likeliest corrections, by the next ones, and so on."""
        judged = [word for word in dict.fromkeys(words) if is_correctable(word)]
        unknown = self._unknown(judged)
        corrected = {word: found for word in unknown if (found := self._meant(word) or self._joined(word))}
        if not corrected:
            return []
        versions = max(map(len, corrected.values()))
        texts = (
            (corrected[word][min(i, len(corrected[word]) - 1)] if word in corrected else word for word in words)
            for i in range(versions)
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
        sizes = {found.bucket: found.size for found in self._read((posting_keys([other])[0] for other in near), ())}
        frequency = {other: sizes.get(bucket(posting_keys([other])[0], self._buckets), 0) for other in near}
        return sorted(near, key=lambda other: (-frequency[other], other))[:_CORRECTIONS]


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
