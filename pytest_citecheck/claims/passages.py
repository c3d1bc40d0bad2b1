"""The sentences of a text, and the passage of a source that has most in common with a claim."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_citecheck.text.normal_form import words
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Passage", "best_passage", "sentences"]

_END = lazy_pattern(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9À-Þ])|\n+")
_LONGEST_PASSAGE = 3  # sentences
_EXTRA_SENTENCE = 0.01  # a passage of one sentence is preferred to one of two that says the same
_STOP_WORDS = frozenset(
    """a an the and or of in on at to for from by with as is are was were be been being it its this that these those he she they
    his her their which who whom whose not no but also has have had into than then there where when while after before during
    over under about between both all any each more most other some such only own same so too very can will just one two
    """.split()  # noqa: SIM905 - forty words are read as a text
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a source. text: as it stands there.

    share: of the claim's words that it contains, rare ones counting more. anywhere: of those, how many are anywhere in the
    source. numbers: of the numbers of the claim, how many are in the passage; 1 if the claim has none.
    """

    text: str
    share: float
    anywhere: float
    numbers: float


def sentences(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends."""
    found, start = [], 0
    for gap in _END.finditer(text):
        if text[start : gap.start()].strip():
            found.append((start, gap.start()))
        start = gap.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _content_words(text: str) -> list[str]:
    return [word for word in words(text) if word not in _STOP_WORDS]


def best_passage(claim: str, source: str, places: Sequence[tuple[int, int]]) -> Passage:
    """The passage of one to three sentences (``places`` of the source) that contains most of the claim."""
    said = [frozenset(_content_words(source[start:end])) for start, end in places]
    known = Counter(word for one in said for word in one)
    wanted = list(dict.fromkeys(_content_words(claim)))
    weights = {word: math.log(1 + max(1, len(said)) / (1 + known[word])) for word in wanted}
    whole = math.fsum(weights.values()) or 1.0
    best, share = (0, 0), 0.0
    for first in range(len(said)):
        have: set[str] = set()
        for last in range(first, min(first + _LONGEST_PASSAGE, len(said))):
            have |= said[last]
            value = math.fsum(weights[word] for word in wanted if word in have) / whole
            value -= _EXTRA_SENTENCE * (last - first)
            if value > share:
                best, share = (first, last + 1), value
    held = frozenset().union(*said[best[0] : best[1]])
    numbers = [word for word in wanted if any(character.isdigit() for character in word)]
    return Passage(
        source[places[best[0]][0] : places[best[1] - 1][1]].strip() if best[1] else "",
        share,
        sum(word in known for word in wanted) / len(wanted) if wanted else 0.0,
        sum(word in held for word in numbers) / len(numbers) if numbers else 1.0,
    )
