"""Conversion of a model's answers to scores between 0 and 1; a higher score means more self-agreement.

Source: Agrawal et al., EACL 2024.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pytest_citecheck.matching import HEADS, lazy_pattern, lookup, parse, words
from pytest_citecheck.model import Person
from pytest_citecheck.models.selfcheck.prompts import DIRECT, is_refusal, share_of_yes, years

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.models.selfcheck.prompts import Method, Options, Subject

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
# Words for the kind of a venue, which do not identify it.
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
    """Return True if the text has words that link a sentence, and do not occur in a list of names."""
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
    """The venue in an answer: all of it if it is a known venue, else its longer words; none for a refusal."""
    if is_refusal(answer):
        return frozenset()
    name = _CUE.sub("", answer)
    known = lookup(name)
    if known is not None:
        return frozenset({known.id})
    long = frozenset(word for word in words(name) if len(word) > 3 and not word.isdigit())
    return long - _ANY_VENUE or long


def dice(one: frozenset[str], other: frozenset[str]) -> float:
    """Dice coefficient: twice the common elements over the sum of both sizes; 0 if either is empty."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def pairs(count: int) -> list[tuple[int, int]]:
    """All pairs (later, earlier) of this many answers, in the order of the published code: (1, 0), (2, 0), (2, 1) …"""
    return sorted((later, earlier) for earlier, later in combinations(range(count), 2))


def pairwise(sets: Sequence[frozenset[str]]) -> float | None:
    """The mean of `dice` over all pairs; None for fewer than two."""
    return agreement(len(sets), lambda later, earlier: dice(sets[later], sets[earlier]))


def agreement(count: int, of_pair: Callable[[int, int], float]) -> float | None:
    """Mean of a measure over all pairs of this many answers; None for fewer than two."""
    found = [of_pair(later, earlier) for later, earlier in pairs(count)]
    return math.fsum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class MethodScore:
    """The score of one method for one reference; None with the reason. answers: texts of the answers; None: no answer."""

    method: Method
    value: float | None
    answers: tuple[str | None, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()


def _keys(method: Method, answer: str | None) -> frozenset[str]:
    if answer is None:
        return frozenset()
    if method == "year":
        return year_keys(answer)
    return venue_keys(answer) if method == "venue" else name_keys(names_in(answer))


def _cited_keys(method: Method, subject: Subject) -> frozenset[str]:
    if method == "year":
        return frozenset() if subject.year is None else frozenset({str(subject.year)})
    return venue_keys(subject.venue) if method == "venue" else name_keys(subject.authors)


def agree(method: Method, answers: Sequence[str | None], options: Options) -> bool:
    """Return True if these answers are enough, because all of them agree."""
    if options.agree_after is None:
        return False
    if method in DIRECT:
        if len(answers) < options.agree_after:
            return False
        return len({share_of_yes((answer,), options.yes) for answer in answers}) == 1
    return len(answers) > 1 and len({_keys(method, answer) for answer in answers}) == 1


def score(
    method: Method,
    subject: Subject,
    answers: Sequence[str | None],
    options: Options,
    judged: Mapping[tuple[int, int], float] | None = None,
) -> MethodScore:
    """The score of one method from its answers. judged: ratings of each pair by the engine ``lm``."""
    given = tuple(answers)
    if all(answer is None for answer in given):
        return MethodScore(method, None, given, "the model gave no answer")
    notes = tuple(
        f"answer {number}: no answer, which counts against the reference"
        for number, answer in enumerate(given, start=1)
        if answer is None
    )
    if method in DIRECT:
        return MethodScore(method, share_of_yes(given, options.yes), given, notes=notes)
    sets = [_keys(method, answer) for answer in given]
    notes += tuple(
        f"answer {number} has no names: {' '.join(answer.split())[:80]}"
        for number, (answer, found) in enumerate(zip(given, sets, strict=True), start=1)
        if answer is not None and not found
    )
    if options.engine == "cited":
        cited = _cited_keys(method, subject)
        value = math.fsum(dice(cited, found) for found in sets) / len(sets) if cited else None
        return MethodScore(method, value, given, "" if cited else "the entry has no value to compare with", notes)
    value = pairwise(sets)
    if options.engine == "lm" and method == "iq":
        shares = judged or {}
        value = agreement(len(given), lambda later, earlier: shares.get((later, earlier), 0.0))
    return MethodScore(method, value, given, "one answer cannot be compared" if value is None else "", notes)


def cross_model(method: Method, one: Sequence[str | None], other: Sequence[str | None]) -> float | None:
    """The mean overlap of the answers of two models, over all pairs of one answer of each; None without answers."""
    if not one or not other:
        return None
    found = [dice(_keys(method, first), _keys(method, second)) for first in one for second in other]
    return math.fsum(found) / len(found)


def ensemble(scores: Mapping[Method, float | None], weights: Mapping[Method, float]) -> float | None:
    """The weighted mean over the methods that were asked; None if one of them has no score, or none has a weight."""
    weighed = {method: weight for method in scores if (weight := weights.get(method, 0.0)) > 0}
    values = [(value, weight) for method, weight in weighed.items() if (value := scores[method]) is not None]
    if not values or len(values) < len(weighed):
        return None
    return math.fsum(value * weight for value, weight in values) / math.fsum(weighed.values())
