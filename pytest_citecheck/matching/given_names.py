"""Comparison of given names: initials, missing middle names, short forms, other romanisations."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Levenshtein

from pytest_citecheck.matching.cjk_names import is_asian_surname
from pytest_citecheck.matching.nicknames import same_given_name

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GivenRelation", "compare_given", "transliterated"]

GivenRelation = Literal["same", "compatible", "differs"]

_DOUBLE = re.compile(r"(.)\1")
_I_SOUND = re.compile(r"i[iy]|y[iy]|ij|[yj]")
_LONG_ENOUGH_FOR_SOUND = 5
_LONG_ENOUGH_FOR_TYPO = 5
_LONG_ENOUGH_FOR_PREFIX = 3
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
    if len(key) < _LONG_ENOUGH_FOR_SOUND:
        return key
    key = key.replace("ph", "f").replace("kh", "ch").replace("tch", "ch").replace("w", "v").replace("ks", "x")
    return _DOUBLE.sub(r"\1", _I_SOUND.sub("i", key))


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
    joined_first, joined_second = "".join(first).replace(".", ""), "".join(second).replace(".", "")
    if joined_first == joined_second:
        return "compatible"
    if len(first) != len(second) and min(len(joined_first), len(joined_second)) > 1:
        return "compatible" if _agree(joined_first, joined_second) else "differs"
    return "differs"


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
    if len(first) >= _LONG_ENOUGH_FOR_PREFIX and second.startswith(first):
        return True
    if same_given_name(first, second) or transliterated(first) == transliterated(second):
        return True
    if len(first) < _LONG_ENOUGH_FOR_TYPO:
        return False
    return Levenshtein.distance(first, second, score_cutoff=1) <= 1
