"""Convert text to words, and rank documents like a full-text engine for which any word may match.

Crossref answers a bibliographic query with all works that share words with it, best first, and scores that mean little by
themselves (Crossref REST API documentation, "queries"). The ranking here is BM25 (Robertson and Zaragoza, 2009) with the usual
parameters. It only needs to be faithful enough that the correct work comes first and related ones follow.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORD = re.compile(r"[^\W_]+")
_UNFOLDED = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})

_SATURATION = 1.2
_LENGTH_NORMALISATION = 0.75


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, lower case and without accents, as the analysers of the services make them."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_UNFOLDED))
        text = "".join(character for character in decomposed if not unicodedata.combining(character))
    return tuple(_WORD.findall(text.lower()))


class Index:
    """Documents with named fields, searched field by field.

    A document matches a query if it shares at least one word with it in every queried field; the score is the sum over the
    fields.
    """

    def __init__(self, documents: Sequence[Mapping[str, str]]) -> None:
        self._size = len(documents)
        self._postings: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        self._lengths: dict[str, list[int]] = defaultdict(lambda: [0] * self._size)
        for position, document in enumerate(documents):
            for name, text in document.items():
                counts = Counter(words(text))
                self._lengths[name][position] = counts.total()
                for word, count in counts.items():
                    self._postings[name, word][position] = count

    def rank(self, query: Mapping[str, str]) -> list[tuple[float, int]]:
        """Scores and positions of the matching documents, best first, ties in file order."""
        totals: dict[int, float] | None = None
        for name, text in query.items():
            scores = self._scores(name, text)
            if totals is None:
                totals = scores
            else:
                totals = {position: totals[position] + scores[position] for position in totals if position in scores}
        return sorted(
            ((score, position) for position, score in (totals or {}).items()), key=lambda pair: (-pair[0], pair[1])
        )

    def _scores(self, name: str, text: str) -> dict[int, float]:
        scores: dict[int, float] = defaultdict(float)
        lengths = self._lengths[name]
        average = sum(lengths) / max(1, self._size) or 1.0
        for word in dict.fromkeys(words(text)):
            holders = self._postings.get((name, word), {})
            rarity = math.log(1 + (self._size - len(holders) + 0.5) / (len(holders) + 0.5))
            for position, count in holders.items():
                length = 1 - _LENGTH_NORMALISATION + _LENGTH_NORMALISATION * lengths[position] / average
                scores[position] += rarity * count * (_SATURATION + 1) / (count + _SATURATION * length)
        return dict(scores)
