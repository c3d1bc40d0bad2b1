"""Detection of duplicate titles: a token-sort ratio of at least .95, HALLMARK's rule for contributed entries.

The ratio of two texts is 2 M / (length of both), where M is the length of their common subsequence (rapidfuzz, ``fuzz.ratio``).
Texts of very different lengths therefore cannot reach it, and only titles of similar length are compared.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["SAME_TITLE", "earlier_titles", "sorted_words"]

SAME_TITLE = 0.95
"""Titles with at least this token-sort ratio count as the same."""
_MARKUP = lazy_pattern(r"\\[A-Za-z]+\s*|\\.|[{}$\\]")
_LONGEST = 1000
"""Characters; longer titles are the same only if they are equal."""


@dataclass(slots=True)
class _Occurrences:
    """The places of titles with the same words, and whether each is a variant; ``original``: the first that is not one."""

    places: list[tuple[int, bool]] = field(default_factory=list)
    original: int | None = None

    def add(self, place: int, variant: bool) -> None:
        self.places.append((place, variant))
        if self.original is None and not variant:
            self.original = place

    def first(self, variant: bool) -> int | None:
        """The first place that counts as a duplicate of a variant, or of any other title."""
        return self.original if variant else self.places[0][0]


def sorted_words(title: str) -> str:
    """The words of a title in alphabetical order: lower case, without LaTeX commands, braces and punctuation."""
    return " ".join(sorted(default_process(_MARKUP.sub("", title)).split()))


def earlier_titles(titles: Iterable[str], since: int = 0, variants: Sequence[bool] = ()) -> dict[int, int]:
    """For each duplicate title, its place (from 0) and the place of the earliest title that is the same.

    since: report duplicates from this place on. variants: whether each title is a variant; two variants may have the same
    title. Empty: no variants. A title without letters and digits is never a duplicate.
    """
    known: defaultdict[str, _Occurrences] = defaultdict(_Occurrences)
    for place, title in enumerate(titles):
        if words := sorted_words(title):
            known[words].add(place, bool(variants) and variants[place])
    return dict(_found(known, since))


def _found(known: Mapping[str, _Occurrences], since: int) -> Iterator[tuple[int, int]]:
    texts = sorted((words for words in known if len(words) <= _LONGEST), key=len)
    lengths = [len(words) for words in texts]
    for words, occurrences in known.items():
        asked = [(place, variant) for place, variant in occurrences.places if place >= since]
        if not asked:
            continue
        alike = [known[text] for text in _alike(words, texts, lengths)] if len(words) <= _LONGEST else [occurrences]
        for place, variant in asked:
            firsts = (other.first(variant) for other in alike)
            earliest = min((first for first in firsts if first is not None), default=place)
            if earliest < place:
                yield place, earliest


def _alike(words: str, texts: Sequence[str], lengths: Sequence[int]) -> Iterator[str]:
    """The texts (sorted by length) that are the same as ``words``, which is one of them."""
    low = bisect_left(lengths, int(len(words) * SAME_TITLE / (2 - SAME_TITLE)))
    high = bisect_right(lengths, int(len(words) * (2 - SAME_TITLE) / SAME_TITLE) + 1)
    matches = process.extract_iter(
        words, texts[low:high], scorer=fuzz.ratio, processor=None, score_cutoff=100 * SAME_TITLE
    )
    return (text for text, _, _ in matches)
