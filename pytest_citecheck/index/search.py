"""Which titles of an index are like a given one: few rare keys propose, similarity of the letters ranks.

The lists of the rarest keys are read until a budget is spent, so that the time does not grow with the index; records that
stand in several lists are compared letter by letter. If none is like the title, words that occur nowhere are replaced by
those that were probably meant, and more is read.
"""

from __future__ import annotations

from math import log
from operator import itemgetter
from struct import unpack
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz, process, utils

from pytest_citecheck.index.keys import posting_keys
from pytest_citecheck.index.misspellings import half_keys, is_correctable, one_mistake_apart, wanted_keys
from pytest_citecheck.index.storage.layout import bucket, length_of_long

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.index.storage.rows import Rows
    from pytest_citecheck.index.storage.shards import ShardRows

__all__ = ["Hit", "TitleSearch"]

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
_SHARED = 0.9  # what a title counts that has all the words and others, and
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
    size: int  # in bytes
    bucket: int
    ids: bytes | None  # None: long, and not read yet


class TitleSearch:
    """Searches one open index. Raises DamagedRowError for damage on the way.

    ``records``, ``buckets`` and ``spellings`` are what its table ``meta`` says.
    """

    def __init__(self, rows: Rows | ShardRows, *, records: int, buckets: int, spellings: int) -> None:
        self._rows = rows
        self._records = records
        self._buckets = buckets
        self._spellings = spellings

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
        elif sum(found.size for found in lists if found.ids is not None) <= 4 * FIRST_BUDGET and all(
            found.ids is not None for found in lists
        ):
            return hits[:limit]  # all was read
        return self._compared(self._proposed(lists, SECOND_BUDGET), text)[:limit]

    def within(self, words: list[str], limit: int) -> list[Hit]:
        """The records whose titles stand in a text of these folded ``words``, word for word or nearly; the longest first."""
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
        alike = [hit for hit in hits if hit.score >= ALIKE]
        return sorted(alike, key=lambda hit: (-len(folded[hit.number]) * hit.score, hit.number))[:limit]

    def _read(self, keys: Iterable[int], known: Iterable[int]) -> list[_List]:
        wanted = {bucket(key, self._buckets) for key in keys}.difference(known)
        found = self._rows.some("postings", sorted(wanted))
        return [
            _List(length, place, None) if (length := length_of_long(ids)) else _List(len(ids), place, ids)
            for place, ids in found.items()
            if ids
        ]

    def _proposed(self, lists: list[_List], budget: int) -> list[int]:
        """The records that stand in most of the rarest lists, by what these tell."""
        lists.sort(key=itemgetter(0))
        left = 4 * budget
        read: list[tuple[int, ...]] = []
        for found in lists:
            left -= found.size
            if left < 0 and read:
                break
            ids = found.ids
            if ids is None:
                ids = self._rows.one("long_postings", found.bucket)
            read.append(unpack(f"<{found.size >> 2}I", ids))
        seen = set(read[0]) if read else set()
        several: set[int] = set()
        for numbers in read[1:]:
            several |= seen.intersection(numbers)
            seen.update(numbers)
        if len(several) <= COMPARED:
            # All that stand in several lists, and of the others those in the shortest ones.
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
