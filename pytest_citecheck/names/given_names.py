"""Comparison of given names: initials, missing middle names, short forms, other romanisations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Levenshtein, Prefix

from pytest_citecheck.names.east_asian import is_adopted_name, is_asian_surname, is_pinyin
from pytest_citecheck.names.nicknames import same_given_name
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import (
    CLIPPED_BY,
    CONTRACTION_CONSONANTS,
    CONTRACTION_LETTERS,
    GIVEN_NAME_FOR_TYPO,
    GLUED_INITIALS,
    SHORT_ENDING_LETTERS,
    SHORT_FORM_LETTERS,
    SHORTENED_BY,
    SOUND_LETTERS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GivenRelation", "compare_given", "is_alias", "may_be_other_name", "transliterated"]

GivenRelation = Literal["same", "compatible", "differs"]

_DOUBLE = lazy_pattern(r"(.)\1")
_KOREAN_U = lazy_pattern(r"w?oo|wu|eo|ou")
_I_SOUND = lazy_pattern(r"i[iy]|y[iy]|ij|[yj]")
_VOWEL = lazy_pattern(r"[aeiouy]")
_PET_ENDINGS = frozenset({"", "a", "i", "ie", "o", "os", "u", "y", "ya"})
_CHINESE_U = {"lv": "lu", "lyu": "lu", "lue": "lu", "nv": "nu", "nyu": "nu", "nue": "nu"}


@lru_cache(maxsize=65536)
def transliterated(key: str) -> str:
    """A folded name in a form that is equal for its usual transliterations.

    Umlauts and ``ø`` written with or without ``e``, ``å`` as ``aa``; for names of five letters and more also
    ``i/y/j`` endings, ``ph``, ``kh``, ``w`` and doubled letters (Sergei, Sergey; Mikhail, Michail). Short
    names keep their letters, since Ji and Yi are two surnames, and so do East Asian surnames of any length
    but for their ``ü``.
    """
    if is_asian_surname(key):
        return _CHINESE_U.get(key, key)
    key = key.replace("ae", "a").replace("oe", "o").replace("ue", "u").replace("aa", "a")
    if len(key) < SOUND_LETTERS:
        return key
    key = key.replace("ph", "f").replace("kh", "ch").replace("tch", "ch").replace("w", "v").replace("ks", "x")
    return _DOUBLE.sub(_single, _I_SOUND.sub("i", key))


def _single(match: re.Match[str]) -> str:
    return match[1]  # a template such as r"\1" is expanded by Python code at each call, match or none


def compare_given(first: Sequence[str], second: Sequence[str]) -> GivenRelation:
    """How two lists of folded given-name tokens relate.

    A token of one letter is an initial, one that ends in a full stop an abbreviation of two or more letters
    (``yu.``). The shorter list must run through the longer one in order for the names to be compatible: John
    fits J. A. and Robert John, not J. B. C. against J. A.
    """
    if first == second:
        return "same"
    if not first or not second:
        return "compatible"
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    rest = iter(long)
    if all(any(_agree(token, other) for other in rest) for token in short):
        return "compatible"
    glued = "".join(short)
    several = len(long) >= GLUED_INITIALS or (len(long) > 1 and _VOWEL.search(glued) is None)
    if len(short) < len(long) and several and glued == "".join(token[0] for token in long):
        return "compatible"  # SMEY for Sidi Mohamed El Yousfi, Jh for Jesse H., J-PMG for Jean-Paul M. G.
    joined_first, joined_second = "".join(first).replace(".", ""), "".join(second).replace(".", "")
    if joined_first == joined_second:
        return "compatible"
    if len(first) != len(second) and min(len(joined_first), len(joined_second)) > 1:
        return "compatible" if _agree(joined_first, joined_second) else "differs"
    return "differs"


def may_be_other_name(first: Sequence[str], second: Sequence[str], family: str) -> bool:
    """Whether folded given names that differ may be two names of one person, each adopted or short (Jerry for Xiaojin,
    Denny for Dengyong, Miltos for Miltiadis, Durk for Diederik); a like name with the same initial (Carla, Carlos) is that
    of somebody else.

    family: the folded family name that both have.
    """
    if not first or not second:
        return True
    return first[0][0] != second[0][0] or is_alias(first, second, family)


def is_alias(first: Sequence[str], second: Sequence[str], family: str) -> bool:
    """Whether folded given names that differ are of a kind that one person uses side by side: an adopted Western name and a
    Chinese one, or a short form and the name.

    family: the folded family name that both have.
    """
    if is_asian_surname(family) and any(
        is_pinyin("".join(one)) and is_adopted_name(other[0]) for one, other in ((first, second), (second, first))
    ):
        return True
    short, long = sorted((first[0], second[0]), key=len)
    shared = Prefix.similarity(short, long)
    clipped = shared >= SHORT_FORM_LETTERS and len(long) - len(short) >= CLIPPED_BY
    return (clipped and short[shared:] in _PET_ENDINGS) or _is_contraction(short, long)


def _is_contraction(short: str, long: str) -> bool:
    """Whether the three or more consonants of a name of at most four letters run through those of another, from its first
    to its last.

    A Chinese or Korean syllable is no short form: there the whole name differs.
    """
    if (
        is_asian_surname(short)
        or not short.isalpha()
        or len(short) > CONTRACTION_LETTERS
        or len(long) - len(short) < SHORTENED_BY
    ):
        return False
    kept, all_of_them = _VOWEL.sub("", short), _VOWEL.sub("", long)
    if len(kept) < CONTRACTION_CONSONANTS or short[0] != kept[0] or kept[-1] != all_of_them[-1:]:
        return False
    rest = iter(all_of_them)
    return all(letter in rest for letter in kept)


@lru_cache(maxsize=65536)
def _agree(first: str, second: str) -> bool:
    if first == second:
        return True
    if len(first) > len(second):
        first, second = second, first
    if len(first) == 1:
        return second[0] == first
    if first[-1] == "." or second[-1] == ".":
        first, second = sorted((first.rstrip("."), second.rstrip(".")), key=len)
        return second.startswith(first)
    if _is_short_form(first, second):
        return True
    if same_given_name(first, second) or _sound(first) == _sound(second):
        return True
    if len(first) < GIVEN_NAME_FOR_TYPO or (first[:-1] == second[: len(first) - 1] and second[-1] != first[-1]):
        # Carlo, Carla, Carlos; Daniel, Daniela: another last letter makes another name.
        return False
    return Levenshtein.distance(first, second, score_cutoff=1) <= 1


def _sound(name: str) -> str:
    """A given name as transliterated, with the vowels that romanisations of Korean write in several ways as ``u``."""
    return transliterated(_KOREAN_U.sub("u", name))


def _is_short_form(short: str, long: str) -> bool:
    """Whether a name is the beginning (Sam, Samuel) or the end (Sanmi, Oluwasanmi) of another.

    Names are not shortened by one letter: Daniel and Daniela, Carlo and Carlos are two names.
    """
    if len(long) - len(short) < SHORTENED_BY:
        return False
    if len(short) >= SHORT_FORM_LETTERS and long.startswith(short):
        return True
    return len(short) >= SHORT_ENDING_LETTERS and long.endswith(short)
