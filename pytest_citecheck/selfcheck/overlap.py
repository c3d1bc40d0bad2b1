"""How much two answers to one question agree, without a call of a model.

Source of the measure: Agrawal et al., EACL 2024, which asks a model for the overlap; Dice's coefficient of the names does as well
on its data (docs/selfcheck.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_citecheck.model import Person
from pytest_citecheck.names.parsing import parse
from pytest_citecheck.selfcheck.answers import is_refusal, years
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup
from pytest_citecheck.venues.words import HEADS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["agreement", "dice", "name_keys", "names_in", "pairs", "pairwise", "venue_keys", "year_keys"]

_INTRODUCTION = lazy_pattern(
    r"\A(?:[^:]{0,120}:|.{0,200}?\b(?:(?:authors?|editors?)\b.{0,200}?\b(?:is|are|was|were|include)|(?:written|edited) by)\b)\s*",
    re.IGNORECASE | re.DOTALL,
)
_CUE = lazy_pattern(r"\A\s*VENUE\s*:", re.IGNORECASE)
_SEPARATOR = lazy_pattern(r"[,;\n]|(?<=\s)\d{1,2}[.)]\s|\s(?:and|&|und|et(?!\s+al))\s", re.IGNORECASE)
_LIST_NUMBER = lazy_pattern(r"^\s*(?:\d{1,3}[.)]|[-*•])\s+")
_BRACKETS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_NO_NAME = frozenset(
    {"et al", "et al.", "others", "and others", "editor", "editors", "eds", "ed", "phd", "jr", "sr", "authors"}
)
_INITIALS = lazy_pattern(r"(?:[^\W\d_]\.?[\s-]*){1,3}\Z")
_LONGEST_NAME = 60
_DENIALS = frozenset({"not", "none", "unavailable"})
_LINKING_LIST = """
the this that these those is are was were be been has have of about by with for from to as at in on or but any it its no
"""
_LINKING = _DENIALS | frozenset(_LINKING_LIST.split())
# Words that say of which kind a venue is, and not which one.
_ANY_VENUE = HEADS | {"university", "press", "publishing", "publishers", "international", "institute", "annual"}


def names_in(answer: str) -> list[str]:
    """The names that an answer lists; none if it is a sentence."""
    if is_refusal(answer):
        return []
    whole = _BRACKETS.sub(" ", answer).strip()
    text = _INTRODUCTION.sub("", whole)
    if _is_sentence(text) or (text != whole and text[:1].islower() and ":" not in whole):
        return []
    found: list[str] = []
    for part in _SEPARATOR.split(text):
        name = _LIST_NUMBER.sub("", part).strip(" \t\"'*“”").removeprefix("and ").strip()
        if name.strip(" .").lower() in _NO_NAME or not any(letter.isalpha() for letter in name):
            continue
        if found and _INITIALS.match(name) and " " not in found[-1].strip():
            found[-1] = f"{found[-1]}, {name}"  # Knuth, D. E.
        elif len(name) <= _LONGEST_NAME:
            found.append(name.rstrip(".") if not _INITIALS.match(name.rpartition(" ")[2]) else name)
    return found


def _is_sentence(text: str) -> bool:
    """Whether words stand there that link others in a sentence, and in no list of names."""
    linking = [word for word in words(text) if word in _LINKING]
    return len(linking) > 1 or bool(_DENIALS & set(linking))


def _key(person: Person) -> str:
    name = parse(person)
    given = name.given_keys[0][:1] if name.given_keys else ""
    return f"{name.family_key} {given}" if name.family_key else ""


def name_keys(names: Iterable[str | Person]) -> frozenset[str]:
    """The family name of each, folded, with the first initial."""
    people = (Person(literal=name) if isinstance(name, str) else name for name in names)
    return frozenset(filter(None, map(_key, people)))


def year_keys(answer: str) -> frozenset[str]:
    """The years that an answer names; none if it is a refusal."""
    return frozenset() if is_refusal(answer) else frozenset(map(str, years(answer)))


def venue_keys(answer: str) -> frozenset[str]:
    """The venue that an answer names: itself if it is known by several names, else its longer words; none if it is a refusal."""
    if is_refusal(answer):
        return frozenset()
    name = _CUE.sub("", answer)
    known = lookup(name)
    if known is not None:
        return frozenset({known.id})
    long = frozenset(word for word in words(name) if len(word) > 3 and not word.isdigit())
    return long - _ANY_VENUE or long


def dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Twice what both have over what each has; 0 if either is empty."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def pairs(count: int) -> list[tuple[int, int]]:
    """All pairs (later, earlier) of so many answers, in the order of the published code: (1, 0), (2, 0), (2, 1) …"""
    return sorted((later, earlier) for earlier, later in combinations(range(count), 2))


def pairwise(sets: Sequence[frozenset[str]]) -> float | None:
    """The mean of `dice` over all pairs; None for fewer than two."""
    return agreement(len(sets), lambda later, earlier: dice(sets[later], sets[earlier]))


def agreement(count: int, of_pair: Callable[[int, int], float]) -> float | None:
    """The mean of a measure over all pairs of so many answers; None for fewer than two."""
    found = [of_pair(later, earlier) for later, earlier in pairs(count)]
    return math.fsum(found) / len(found) if found else None
