"""A list of names in which a separator is damaged ("Zhang, Mengmiand Ma, Keng Teck"): whether everybody stands in its text."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.model import Person
from pytest_citecheck.names.comparison import Name, parse
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import SHORTEST_SURNAME

__all__ = ["stand_in_text"]

_WORD = lazy_pattern(r"[^\W_]+")
_BETWEEN = frozenset({"and", "und", "et", "y", "others", "al", "nd", "ad", "an"})
_MOST = 100
"""People; each is looked for among all words, and longer lists are no longer typed by hand."""
_GLUED = ("and", "nd")
"""What is left of the separator where a name has swallowed it."""


def stand_in_text(people: Sequence[Person], text: str) -> bool:
    """Whether all these people stand in a text, each at a place of their own, and no word of other people is left over.

    text: readable, without LaTeX. The words of a name stand together, the given names before or after the family name, in full
    or as initials; middle names may be missing. A name may have swallowed the "and" beside it.
    """
    if len(people) > _MOST:
        return False
    names = [parse(person) for person in people]
    known = {word for name in names for word in (*name.family_words, *name.given_keys) if len(word) >= SHORTEST_SURNAME}
    words = [part for word in _WORD.findall(fold(text)) for part in _unglued(word, known)]
    left = sorted((name for name in names if not name.group), key=lambda name: -len(name.all_words))
    while left:
        # A name that another one interrupts stands together once that one is taken out.
        found = next(((name, at) for name in left if (at := _place_of(words, name))), None)
        if found is None:
            return False
        left.remove(found[0])
        del words[found[1][0] : found[1][1]]
    return all(word in _BETWEEN or len(word) == 1 or word.isdigit() for word in words)


def _unglued(word: str, known: set[str]) -> list[str]:
    if word in known:
        return [word]
    for glued in _GLUED:
        for name in (word.removesuffix(glued), word.removeprefix(glued)):
            if name != word and name in known:
                return [name]
    return [word]


def _place_of(words: Sequence[str], name: Name) -> tuple[int, int] | None:
    found = _place(words, name.family_words, name.given_keys)
    if found is None and name.given_keys and max(map(len, name.given_keys)) == 1:
        # "Gokul P.", cited as "G. P.": which of them is the family name is not certain.
        size = len(name.all_words)
        for at in range(len(words) - size + 1):
            letters = sorted(word[0] for word in words[at : at + size])
            if max(map(len, words[at : at + size])) == 1 and letters == sorted(word[0] for word in name.all_words):
                return at, at + size
    return found


def _place(words: Sequence[str], family: Sequence[str], given: Sequence[str]) -> tuple[int, int] | None:
    """Where a name begins and ends in the words; None if it is not there."""
    size = len(family)
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) != tuple(family):
            continue
        after = _run(words[at + size :], given)
        if after:
            return at, at + size + after
        before = _run(words[:at][::-1], given[::-1])
        if before:
            return at - before, at + size
        if not given:
            return at, at + size
    return None


def _run(words: Sequence[str], given: Sequence[str]) -> int:
    """How many of the words, from the first on, are these given names in order; some names may be missing."""
    rest = list(given)
    count = 0
    for word in words:
        fitting = next((i for i, name in enumerate(rest) if name == word or name[0] == word or name == word[0]), None)
        if fitting is None:
            break
        del rest[: fitting + 1]
        count += 1
    return count
