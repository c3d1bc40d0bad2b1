"""Titles as people and models write them: damaged in seven ways."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_OTHER_WORDS = "novel efficient general adaptive network analysis method towards study robust survey data model".split()
_ACCENTS = {"a": "á", "e": "é", "i": "í", "o": "ö", "u": "ü", "n": "ñ", "c": "ç"}


def _word_changed(words: list[str], random: Random) -> list[str]:
    place = random.randrange(len(words))
    return [*words[:place], random.choice(_OTHER_WORDS), *words[place + 1 :]]


def _word_dropped(words: list[str], random: Random) -> list[str]:
    place = random.randrange(len(words))
    return [*words[:place], *words[place + 1 :]] if len(words) > 2 else words


def _typo(words: list[str], random: Random) -> list[str]:
    long = [i for i, word in enumerate(words) if len(word) > 3]
    if not long:
        return words
    place = random.choice(long)
    word = words[place]
    at = random.randrange(1, len(word) - 1)
    letter = random.choice(string.ascii_lowercase)
    word = random.choice(
        [
            word[:at] + letter + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    )
    return [*words[:place], word, *words[place + 1 :]]


def _typos(words: list[str], random: Random) -> list[str]:
    for _ in range(random.randint(1, 3)):
        words = _typo(words, random)
    return words


def _noise(words: list[str], random: Random) -> list[str]:
    noisy = []
    for word in words:
        chance = random.random()
        if chance < 0.2:
            word = "{" + word + "}"
        elif chance < 0.4:
            word = word.upper()
        elif chance < 0.5 and word[-1:] in _ACCENTS:
            word = word[:-1] + _ACCENTS[word[-1]]
        noisy.append(word)
    return [*noisy, "~"]


def _cut(words: list[str], _: Random) -> list[str]:
    for place, word in enumerate(words[:-1]):
        if word.endswith(":") and place:
            return [*words[:place], word[:-1]]
    return words[: max(len(words) * 2 // 3, 4)]


def _joined(words: list[str], random: Random) -> list[str]:
    if len(words) < 2:
        return words
    place = random.randrange(len(words) - 1)
    sign = random.choice(["", "-", "- "])
    return [*words[:place], words[place] + sign + words[place + 1], *words[place + 2 :]]


def _two(words: list[str], random: Random) -> list[str]:
    for kind in random.sample([_word_changed, _word_dropped, _typo, _joined], 2):
        words = kind(words, random)
    return words


KINDS: dict[str, Callable[[list[str], Random], list[str]]] = {
    "word changed": _word_changed,
    "word dropped": _word_dropped,
    "1-3 typos": _typos,
    "LaTeX, case, accents": _noise,
    "subtitle cut": _cut,
    "words joined": _joined,
    "two edits": _two,
}


def damaged(title: str, kind: str, random: Random) -> str:
    """``title`` with one kind of damage."""
    return " ".join(KINDS[kind](title.split(), random))
