"""Whether two names can be those of one person."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA

from pytest_citecheck.names.east_asian import is_asian_surname, is_native_script
from pytest_citecheck.names.given_names import compare_given, transliterated
from pytest_citecheck.names.groups import same_group
from pytest_citecheck.names.parsing import PARTICLES, Name, letters, parse, parse_literal
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.thresholds import FAMILY_NAME_FOR_TYPO, GIVEN_NAME_ALONE, SHORTEST_SURNAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Person

__all__ = ["Name", "NameRelation", "is_respelt", "parse", "same_person"]

NameRelation = Literal["same", "compatible", "given-differs", "different"]


@lru_cache(maxsize=131072)
def same_person(cited: Person, found: Person) -> NameRelation:
    """Whether two statements of a name can mean one person.

    ``same``: equal after folding. ``compatible``: initials, missing middle names or suffix, short forms,
    transliteration, particles dropped or moved, part of a compound surname, family and given name in another
    order, a name in another script (which cannot be compared), an organisation's acronym. ``given-differs``:
    the same family name with a given name that does not fit. ``different``: anything else. Symmetric.
    """
    if cited == found:
        return "same"
    first, second = parse(cited), parse(found)
    if first.group or second.group:
        return _compare_groups(first, second)
    if first.full_key == second.full_key and first.given_keys == second.given_keys:
        return "same" if fold(first.suffix).strip(".") == fold(second.suffix).strip(".") else "compatible"
    if not first.full_key or not second.full_key:
        return "different"
    if not (first.full_key.isascii() and second.full_key.isascii()):
        if first.full_key.isascii() != second.full_key.isascii():
            return "compatible"
        if is_native_script(first.full_key) or is_native_script(second.full_key):
            return _compare_native(first, second)
    if _same_words(first, second):
        return "compatible"
    return _compare_readings(first, second)


def is_respelt(cited: Person, found: Person) -> bool:
    """True if two Latin family names differ by one letter (Haselt and Hasselt, Ostrovsky and Ostrovski).

    Accents and umlauts do not count, even if written as two letters. East Asian names are not compared.
    """
    first, second = parse(cited), parse(found)
    if first.group or second.group or is_asian_surname(first.family_key):
        return False
    mine, theirs = (Counter(word for word in name.all_words if word not in PARTICLES) for name in (first, second))
    only_mine, only_theirs = list((mine - theirs).elements()), list((theirs - mine).elements())
    if len(only_mine) != 1 or len(only_theirs) != 1 or only_theirs[0] not in second.family_words:
        return False
    one, other = _without_umlauts(only_mine[0]), _without_umlauts(only_theirs[0])
    return (
        one != other
        and (one + other).isascii()
        and (one + other).isalpha()
        and min(len(one), len(other)) > FAMILY_NAME_FOR_TYPO
        and OSA.distance(one, other, score_cutoff=1) <= 1
    )


def _without_umlauts(key: str) -> str:
    """A folded name with the two letters that stand for an umlaut, an ø or an å as one."""
    return key.replace("ae", "a").replace("oe", "o").replace("ue", "u").replace("aa", "a")


def _same_words(first: Name, second: Name) -> bool:
    """Whether the names have the same words in any order or glued together, or one has all full words of the
    other.

    Two full words that both agree are taken for the same person: Spanish and Portuguese names lose their last
    surnames, South Indian ones gain a final initial.
    """
    if first.all_words == second.all_words:
        return True
    if {_whole(first), _whole_reversed(first)} & {_whole(second), _whole_reversed(second)}:
        return True
    if any(_initials_of(one, other) or _lacks_family(one, other) for one, other in ((first, second), (second, first))):
        return True
    short, long = sorted((first.all_words, second.all_words), key=len)
    return 1 < len(short) < len(long) and min(map(len, short)) > 1 and set(short) < set(long)


def _initials_of(short: Name, long: Name) -> bool:
    """Whether ``short`` is nothing but initials, those of ``long``: "S. B. B." for Saravana Balaji B."""
    if not short.only_initials:
        return False
    return sorted(word[0] for word in long.all_words) == list(short.all_words)


def _lacks_family(short: Name, long: Name) -> bool:
    """Whether ``short`` has the given name of ``long`` and at most initials of the rest, as in South India: "Barath Mohan U",
    "Mausam"; also "L. Fei-Fei". With initials at the end, either part may have been taken for the family name.
    """
    full = [word for word in short.all_words if len(word) > 1]
    if len("".join(full)) < GIVEN_NAME_ALONE or long.family_key in full or is_asian_surname("".join(full)):
        return False
    rest = list(long.all_words)
    for word in full:
        if word not in rest:
            return False
        rest.remove(word)
    initials = [word for word in short.all_words if len(word) == 1]
    named = not initials or long.family_key[:1] in initials or not set(full).isdisjoint(long.family_words)
    return named and all(word in {other[0] for other in rest} for word in initials)


def _compare_readings(first: Name, second: Name) -> NameRelation:
    relation: NameRelation = "different"
    if _same_family(first, second):
        readings = itertools.product(_given_names(first), _given_names(second))
        if any(compare_given(one, other) != "differs" for one, other in readings):
            return "compatible"
        relation = "given-differs"
    for words, given in _other_readings(first):
        if _fits(words, given, second):
            return "compatible"
    for words, given in _other_readings(second):
        if _fits(words, given, first):
            return "compatible"
    return relation


def _given_names(name: Name) -> set[tuple[str, ...]]:
    """The given names as they stand, those in parentheses, and those without capitalised particles ("Olivier De Vel"
    without comma).
    """
    without_particles = tuple(key for key in name.given_keys if key not in PARTICLES)
    return {name.given_keys, without_particles or name.given_keys, name.other_given_keys or name.given_keys}


def _fits(family_word: str, given: tuple[str, ...], name: Name) -> bool:
    return family_word in (name.full_key, name.family_key) and compare_given(given, name.given_keys) != "differs"


def _other_readings(name: Name) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Family and given names as they would be if another word were the family name."""
    given = name.given_keys
    if not given:
        return
    if len(given) > len(name.given) == 1 and name.given[0].isupper() and name.given[0].isalpha():
        yield "".join(given), name.family_words  # "Xia HOU" may be Xia Hou, whose family name is in capitals
    if is_asian_surname(given[0]) or is_asian_surname(name.family_key):
        yield given[0], (*given[1:], *name.family_words)
        if len(given) > 1:
            yield given[-1], (*name.family_words, *given[:-1])
    elif len(given) > 1 and len(given[-1]) >= SHORTEST_SURNAME:
        yield given[-1], given[:-1]  # Gabriel García (Márquez), cited by the first of two surnames
        yield given[-1] + name.full_key, given[:-1]  # J. L. Gonzalez Bello, elsewhere J. L. GonzalezBello


def _same_family(first: Name, second: Name) -> bool:
    keys = (first.full_key, first.family_key)
    if second.full_key in keys or second.family_key in keys:
        return True
    sounds = (transliterated(first.full_key), transliterated(first.family_key))
    if transliterated(second.full_key) in sounds or transliterated(second.family_key) in sounds:
        return True
    short, long = first.family_words, second.family_words
    if len(short) > len(long):
        short, long = long, short
    if short and len(short) < len(long) and (long[: len(short)] == short or long[-len(short) :] == short):
        return True
    return _lost_letters(first, second) or _lost_letters(second, first)


def _lost_letters(damaged: Name, whole: Name) -> bool:
    """Whether ``damaged`` is ``whole`` with its letters outside ASCII dropped or replaced by "?"."""
    if whole.family.isascii():
        return False
    left = "".join(letter for letter in whole.family if letter.isascii())
    return damaged.family_key == letters(fold(left)) and len(damaged.family_key) >= SHORTEST_SURNAME


def _compare_native(first: Name, second: Name) -> NameRelation:
    one, other = _whole(first), _whole(second)
    if sorted(one) == sorted(other):
        return "compatible"
    # Simplified and traditional characters, kanji and kana: one shared character is enough not to accuse.
    return "compatible" if set(one) & set(other) else "different"


def _whole(name: Name) -> str:
    return name.full_key + "".join(name.given_keys)


def _whole_reversed(name: Name) -> str:
    return "".join(name.given_keys) + name.full_key


def _compare_groups(first: Name, second: Name) -> NameRelation:
    if first.full_key == second.full_key:
        return "same" if first.group and second.group else "compatible"
    if same_group(fold(first.family), fold(second.family)) and first.group and second.group:
        return "compatible"
    if first.group != second.group:
        # Braces protect a person's name as often as an organisation's.
        group, person = (first, second) if first.group else (second, first)
        reading = parse_literal(group.family, "")
        if _whole(reading) == _whole(person) or (reading.given and _compare_readings(reading, person) == "compatible"):
            return "compatible"
        if reading.all_words == person.all_words:
            return "compatible"
    return "different"
