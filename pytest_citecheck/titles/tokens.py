"""Titles cut into the words that are compared."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING

from pytest_citecheck.text.normal_form import words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import FUNCTION_DISCOUNT
from pytest_citecheck.titles.spelling_variants import standard_spelling

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["FUNCTION_WORDS", "Tokens", "join", "standard_words", "tokenise", "weight"]

FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "for", "in", "on", "at", "to", "from", "by", "with", "into", "onto", "via", "per", "as",
    "about", "above", "across", "after", "against", "along", "among", "amid", "around", "before", "behind", "below",
    "beneath", "beside", "between", "beyond", "during", "inside", "outside", "over", "through", "throughout",
    "toward", "under", "until", "upon", "within", "and", "or", "but", "nor", "is", "are", "was", "were", "be",
    "been", "being", "it", "its", "this", "that", "these", "those", "which", "who", "whose", "whom", "there",
    "than", "then", "der", "das", "dem", "den", "des", "ein", "eine", "einer", "eines", "und", "von", "vom", "zur",
    "zum", "im", "le", "la", "les", "un", "une", "du", "de", "et", "el", "los", "las", "una", "del",
})  # fmt: skip

_SERIES_MARKERS = frozenset({
    "part", "vol", "volume", "book", "chapter", "type", "phase", "stage", "class",
})  # fmt: skip
_ROMAN = {
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9",
    "x": "10", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17",
    "xviii": "18", "xix": "19", "xx": "20",
}  # fmt: skip
_DIGIT = lazy_pattern(r"\d")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A plain title cut into the words that are compared.

    tokens: the words, folded, in one regional spelling.
    key: the words run together.
    vocabulary: the different words.
    pairs: the compounds that adjoining words would make, so that the same compound is found in another title.
    weight: the sum over the words, 1 for a content word and 0.2 for a function word.
    """

    text: str
    tokens: tuple[str, ...]
    key: str
    vocabulary: frozenset[str]
    pairs: frozenset[str]
    weight: float


def join(tokens: Sequence[str]) -> str:
    """The words run together, so that hyphens and spaces make no difference; digits are kept from merging."""
    text = "".join(tokens)
    if not _DIGIT.search(text):
        return text
    parts: list[str] = []
    last = ""
    for token in tokens:
        if last.isdecimal() and token[0].isdecimal():
            parts.append(".")
        parts.append(token)
        last = token[-1]
    return "".join(parts)


def weight(tokens: Collection[str]) -> float:
    """What words count for in a similarity: 1 each, or 0.2 for a function word."""
    return len(tokens) - FUNCTION_DISCOUNT * sum(map(FUNCTION_WORDS.__contains__, tokens))


_ENDING_OF = {1: "st", 2: "nd", 3: "rd"}
_NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_IN_DIGITS = {
    **{word: str(number) for number, word in enumerate(_NUMBERS, 2)},
    **{word: f"{number}{_ENDING_OF.get(number, 'th')}" for number, word in enumerate(_ORDINALS, 1)},
}


def standard_words(text: str) -> tuple[str, ...]:
    """The folded words of ``text`` in one regional spelling, ordinals and small numbers in digits, as that of "Part II"."""
    tokens = [_IN_DIGITS.get(token, token) for token in map(standard_spelling, words(text))]
    if not _SERIES_MARKERS.isdisjoint(tokens):
        for index in range(1, len(tokens)):
            if tokens[index] in _ROMAN and tokens[index - 1] in _SERIES_MARKERS:
                tokens[index] = _ROMAN[tokens[index]]
    return tuple(tokens)


def tokenise(text: str) -> Tokens:
    """The comparable words of the plain title ``text``."""
    tokens = standard_words(text)
    return Tokens(
        text=text,
        tokens=tokens,
        key=join(tokens),
        vocabulary=frozenset(tokens),
        pairs=frozenset(map(add, tokens, tokens[1:])),
        weight=weight(tokens),
    )
