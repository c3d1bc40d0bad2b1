"""The passages of a source: where its sentences are, which of them resemble a claim, and what of a long source a judge sees."""

from __future__ import annotations

import html
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.claims.word_lists import STOP_WORDS

_END = lazy_pattern(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9À-Þ])|\n+")


def sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends."""
    places = between((gap.span() for gap in _END.finditer(text)), len(text))
    return [(start, end) for start, end in places if text[start:end].strip()]


def between(gaps: Iterable[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    """The places before, between and after these gaps in a text of this length."""
    position = 0
    for start, stop in gaps:
        yield position, start
        position = stop
    yield position, end


_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST_SENTENCE = 400  # characters; a menu or a table without full stops is cut at a blank
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s")


@lru_cache(maxsize=65536)
def plain_stem(word: str) -> str:
    """A word without accents, possessive and the endings of English nouns and verbs."""
    word = unicodedata.normalize("NFKD", word.lower().replace("’", "'"))
    word = "".join(sign for sign in word if not unicodedata.combining(sign)).removesuffix("'s").replace("'", "")
    if len(word) < 4 or word.isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word.removesuffix(ending) + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeious":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def stems_in(text: str, start: int = 0, end: int = sys.maxsize) -> set[str]:
    """The stems of the words between two places."""
    return {plain_stem(match[0]) for match in _WORD.finditer(text, start, end)}


class SourceIndex:
    """The sentences of a text, and the sentences in which each word occurs. text: with entities such as ``&amp;`` decoded."""

    def __init__(self, text: str) -> None:
        self.text = html.unescape(text) if "&" in text else text
        self.places = [piece for place in sentences(self.text) for piece in _pieces(self.text, *place)]
        self.holders: dict[str, list[int]] = {}
        for number, (start, end) in enumerate(self.places):
            for word in stems_in(self.text, start, end):
                self.holders.setdefault(word, []).append(number)

    def ranked(self, claim: str) -> list[tuple[float, int]]:
        """The sentences that share words with a claim, by the weight of these words; the best one first."""
        stems = stems_in(claim) - STOP_WORDS
        scores: dict[int, float] = {}
        for stem in sorted(stems):
            holders = self.holders.get(stem, ())
            weight = math.log(1 + len(self.places) / (1 + len(holders)))
            for number in holders:
                scores[number] = scores.get(number, 0.0) + weight
        return sorted(((score, number) for number, score in scores.items()), key=lambda one: (-one[0], one[1]))


def _pieces(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    while end - start > _LONGEST_SENTENCE:
        stop = text.rfind(" ", start + _LONGEST_SENTENCE // 2, start + _LONGEST_SENTENCE)
        stop = stop if stop > 0 else start + _LONGEST_SENTENCE
        yield start, stop
        start = stop
    if text[start:end].strip():
        yield start, end


@lru_cache(maxsize=16)
def indexed(text: str) -> SourceIndex:
    """The index of a text, kept for its next claims."""
    return SourceIndex(text)


def nearest_passages(claim: str, source: str, most: int = 3) -> list[str]:
    """The sentences of a source that resemble a claim most, from the whole source, in its order."""
    index = indexed(source)
    chosen = sorted(number for _, number in index.ranked(claim)[:most])
    return [" ".join(index.text[slice(*index.places[number])].split()) for number in chosen]


_BLOCK = 1_200  # characters of a block: about two paragraphs
_GROUP_LABEL = re.compile(r"^\[Source \d+ of \d+\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a source that a judge sees.

    text: the blocks in their order, with a line that counts what is left out between them. shown, whole: characters.
    blocks: how many were searched. numbers: of those that are shown.
    """

    text: str
    shown: int
    whole: int
    blocks: int = 1
    numbers: frozenset[int] = frozenset({0})

    @property
    def complete(self) -> bool:
        """True if nothing is left out."""
        return self.shown == self.whole


def excerpt(claim: str, source: str, budget: int, *, beside: frozenset[int] = frozenset()) -> Excerpt:
    """The blocks of a source that resemble the claim most, up to ``budget`` characters.

    The beginning of a source is shown too, because it says what the source is. beside: blocks that were shown before.
    """
    if len(source) <= budget and not beside:
        return Excerpt(source, len(source), len(source))
    places = _blocks(source)
    chosen = _choose(claim, source, places, budget, beside)
    return Excerpt(
        _joined(source, places, chosen),
        sum(places[number][1] - places[number][0] for number in chosen),
        len(source),
        len(places),
        frozenset(chosen),
    )


def _choose(
    claim: str, source: str, places: Sequence[tuple[int, int]], budget: int, beside: frozenset[int] = frozenset()
) -> list[int]:
    """The numbers of the blocks to show, in their order."""
    stems = stems_in(claim) - STOP_WORDS
    of_passages = [stems_in(source, start, end) & stems for start, end in places]
    counts = Counter(stem for found in of_passages for stem in found)
    weights = {stem: math.log(1 + len(places) / counts[stem]) for stem in sorted(counts)}
    scores = [math.fsum(weights[stem] for stem in sorted(found)) for found in of_passages]
    order = sorted(range(len(places)), key=lambda number: (-scores[number], number))
    labels = [number for number, (start, end) in enumerate(places) if _GROUP_LABEL.search(source, start, end)]
    first = [0] if not beside else []
    chosen: set[int] = set()
    left = budget
    for number in dict.fromkeys((*first, *labels, *order)):
        start, end = places[number]
        if number not in beside and end - start <= left:
            chosen.add(number)
            left -= end - start
    return sorted(chosen)


def _blocks(source: str) -> list[tuple[int, int]]:
    """Whole sentences together, up to the length of a block; a label of a group begins one."""
    found: list[tuple[int, int]] = []
    pieces = [piece for place in sentences(source) for piece in _pieces(source, *place)]
    edges = [*(start for start, _ in pieces), len(source)]
    start = 0
    for before, after in pairwise(edges):
        begins = _GROUP_LABEL.match(source, before) is not None
        if before > start and (begins or after - start > _BLOCK):
            found.append((start, before))
            start = before
    return [*found, (start, len(source))]


def _joined(source: str, places: Sequence[tuple[int, int]], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in (*(places[number] for number in chosen), (len(source), len(source))):
        if start > position:
            parts.append(f"\n[… {start - position:,} characters not shown …]\n")
        parts.append(source[start:end])
        position = end
    return "".join(parts)
