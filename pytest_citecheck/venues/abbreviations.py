"""Abbreviated titles against full ones, word by word.

ISO 4 abbreviates a title word by cutting its end ("Phys.") or, for some words of the List of Title Word
Abbreviations (LTWA, issn.org), by contraction ("Natl."), and leaves short words out. The rule is applied
instead of the list: each word must be the beginning of its counterpart or a contraction of it, in the same
order, with none left over.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.thresholds import ABBREVIATION_LETTERS, CONTRACTION_STEM

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["abbreviates", "agree", "aligned", "initials"]

_ONE_LETTER = {
    "j": frozenset({"journal", "journals"}),
    "z": frozenset({"zeitschrift"}),
    "q": frozenset({"quarterly"}),
    "n": frozenset({"new"}),
    "r": frozenset({"royal"}),
    "u": frozenset({"united"}),
    "l": frozenset({"london"}),
    "d": frozenset({"der", "die", "das"}),
}
_IRREGULAR = {
    "tr": "transactions",
    "jnl": "journal",
    "jl": "journal",
    "jour": "journal",
    "jt": "joint",
    "intl": "international",
    "engrg": "engineering",
    "mtg": "meeting",
    "wksp": "workshop",
    "wkshp": "workshop",
    "dept": "department",
    "comp": "computational",
    "amer": "american",
    "assn": "association",
    "quart": "quarterly",
    "bldg": "building",
    "mgmt": "management",
    "mgt": "management",
    "bd": "board",
    "sympos": "symposium",
    "usa": "america",
    "oz": "ozean",
    "fur": "fuer",
}


@lru_cache(maxsize=65536)
def abbreviates(short: str, long: str) -> bool:
    """Whether ``short`` can stand for ``long`` (folded words): "phys" and "natl" for "physical" and
    "national".

    A single letter stands for a word only where usage has it (``j`` for journal), since it mostly names a
    section: "Phys. Rev. A" is not "Physical Review Applied".
    """
    if short == long:
        return True
    if len(short) >= len(long):
        return False
    if len(short) < ABBREVIATION_LETTERS:
        return long in _ONE_LETTER.get(short, ())
    if long.startswith(short):
        return True
    if _IRREGULAR.get(short) == long:
        return True
    stem = 0
    while stem < len(short) and short[stem] == long[stem]:
        stem += 1
    if stem < CONTRACTION_STEM:
        return False
    rest = short[stem:]
    return len(rest) <= ABBREVIATION_LETTERS and long.endswith(rest)


def aligned(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two names without short words agree word by word, either one abbreviated anywhere."""
    if len(first) != len(second) or not first:
        return False
    return all(map(agree, first, second))


def agree(first: str, second: str) -> bool:
    """Whether two folded words are the same, or one is an abbreviation of the other."""
    return first == second or abbreviates(first, second) or abbreviates(second, first)


def initials(words: Sequence[str]) -> str:
    """The first letters of ``words``."""
    return "".join(word[0] for word in words)
