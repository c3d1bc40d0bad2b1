"""Prefixes of venue names that say nothing about the venue: "Paper presented at the", "Actas de la", "37-th".

It is read with the slips of scanned and copied text: "InProceedings ofthe", "Proccedings", "Thirty-fith".
"""

from __future__ import annotations

import re
from functools import cache

from rapidfuzz.distance import OSA

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import PREFIX_SLIPS, PREFIX_WORD, ROMAN_ACRONYM, WORDS_BEHIND_PREFIX
from pytest_citecheck.venues.words import HEADS

__all__ = ["without_prefix"]

# A hyphen before a blank was at the end of a line, but for "pre- and post-processing".
_HYPHENATED = lazy_pattern(r"(?<=[a-z])-\s+(?=[a-z])(?!(?:and|or|und|oder|et|y)\b)")
_GLUED_IN = lazy_pattern(
    r"^In(?=(?:The|Proc|Proceedings|Advances|Annual|International|European|Conference|IEEE|ACM|AAAI|\d)\b)"
)
_PRESENTED = lazy_pattern(
    r"^(?:(?:(?:selected|revised|accepted|full|long|short|conference)\s+)?papers?\s+(?:(?:presented|given)\s+at|from)"
    r"|(?:(?:oral|poster)\s+)?presentation\s+at|publication\s+in)\s+",
    re.IGNORECASE,
)
_PROCEEDINGS = (
    "proceedings",
    "proceedingsof",
    "proceedingsofthe",
    "inproceedings",
    "inproceedingsof",
    "inproceedingsofthe",
)
_ALSO_PROCEEDINGS = frozenset(
    {"inproc", "procof", "procofthe", "actas", "actes", "atti", "anais", "tagungsband", "konferenzband", "trudy"}
)
_ARTICLES = frozenset(
    {"of", "the", "ofthe", "oft", "he", "o", "f", "thc", "tbe", "de", "del", "des", "du", "la", "le", "les", "las", "los", "do",
     "da", "dos", "das", "di", "dei", "degli", "della", "delle", "der", "zur", "zum"}
)  # fmt: skip
_PLAIN = frozenset({"proceedings", "proceeding", "of", "the", "in"})
_STARTS = frozenset({"the", "in"})
_MEETING = lazy_pattern(r"\b(?:conf(?:erence)?|symposium|congress|meeting|workshop)\b", re.IGNORECASE)
_NUMBER = lazy_pattern(r"\d+[- ]?(?:st|nd|rd|th)\b|nth\b", re.IGNORECASE)
_ROMAN = lazy_pattern(r"(?=[XVIL]{2})(?:X{1,4}|XL|LX{0,3})?(?:IX|IV|V?I{0,3})(?:th)?")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_UNIT_LIST = "first second third fourth fifth sixth seventh eighth ninth"
_TEEN_LIST = """
tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth
fortieth fiftieth sixtieth seventieth eightieth
"""
_TEN_LIST = "twenty thirty forty fifty sixty seventy eighty"


def without_prefix(text: str) -> str:
    """``text`` with a usual "Proceedings of the", or nothing, for what says as much before the name; words that were cut at
    the end of a line are whole again.

    ``text`` is plain text (``text.plain``). Nothing is taken that would leave less than two words.
    """
    text = _GLUED_IN.sub("", _HYPHENATED.sub("", text))
    text = _PRESENTED.sub("", text)
    numbered = _MEETING.search(text) is not None  # journals are not: "Third World Quarterly"
    words, start = text.split(), 0
    printed, unusual = False, False
    while start < len(words) - WORDS_BEHIND_PREFIX:
        word = "".join(_LETTERS.findall(words[start])).lower()
        if _is_proceedings(word) or word in (_ARTICLES if printed else _STARTS):
            printed = printed or word not in _STARTS
            unusual = unusual or word not in _PLAIN
            start += 1
        elif numbered and (length := _ordinal(words[start : start + 2])):
            unusual = True
            start += length
        else:
            break
    if not unusual:
        return text
    return " ".join((["Proceedings of the"] if printed else []) + words[start:])


def _is_proceedings(word: str) -> bool:
    if word in _ALSO_PROCEEDINGS:
        return True
    return len(word) >= PREFIX_WORD and any(
        OSA.distance(word, known, score_cutoff=PREFIX_SLIPS) <= PREFIX_SLIPS for known in _PROCEEDINGS
    )


def _ordinal(words: list[str]) -> int:
    """How many of the first two words are an ordinal, with a slip or two; 0 if they are none."""
    if _NUMBER.fullmatch(" ".join(words)):
        return len(words)
    first = words[0]
    if _NUMBER.fullmatch(first):
        return 1
    if _ROMAN.fullmatch(first):
        acronym = len(first) <= ROMAN_ACRONYM and words[-1].lower() in HEADS  # "IV Symposium": Intelligent Vehicles
        return 0 if acronym else 1
    return next((length for length in (2, 1) if _is_spelt("".join(words[:length]))), 0)


def _is_spelt(text: str) -> bool:
    word = text.replace("-", "").lower()
    slips = PREFIX_SLIPS if len(word) >= PREFIX_WORD else 1
    return any(OSA.distance(word, known, score_cutoff=slips) <= slips for known in _ordinals())


@cache
def _ordinals() -> tuple[str, ...]:
    units = _UNIT_LIST.split()
    return (*units, *_TEEN_LIST.split(), *(ten + unit for ten in _TEN_LIST.split() for unit in units))
