"""Reads what a model answers: yes or no, how much two lists overlap, a list of names, a year.

Each reader that the published code has too comes in its ``compat`` form, which gives the published scores from the published
answers. Source: microsoft/hallucinated-references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "YES",
    "Overlap",
    "YesRule",
    "clean_title",
    "is_refusal",
    "overlap",
    "overlap_compat",
    "share_of_yes",
    "years",
]

YesRule = Literal["substring", "word", "starts", "three"]

_WORD = lazy_pattern(r"\byes\b", re.IGNORECASE)
_FIRST_WORD = lazy_pattern(r"\W*(yes|no)\b", re.IGNORECASE)
_NEITHER = 0.5


def _substring(answer: str) -> float:
    return float("yes" in answer.lower())


def _word(answer: str) -> float:
    return float(_WORD.search(answer) is not None)


def _starts(answer: str) -> float:
    return float(_three(answer) == 1)


def _three(answer: str) -> float:
    found = _FIRST_WORD.match(answer)
    return _NEITHER if found is None else float(found[1].lower() == "yes")


YES: Mapping[YesRule, Callable[[str], float]] = {
    "substring": _substring,
    "word": _word,
    "starts": _starts,
    "three": _three,
}
"""How a yes is recognised, from 0 to 1.

``substring``: "yes" anywhere, also in "yesterday" (the published rule). ``word``: "yes" as a word, also in "I cannot say yes or
no". ``starts``: the first word. ``three``: the first word, and .5 for an answer that begins with neither.
"""


def share_of_yes(answers: tuple[str | None, ...], rule: YesRule) -> float | None:
    """The mean over the answers; a missing one counts as no. None without answers."""
    if not answers:
        return None
    return sum(YES[rule](answer) if answer is not None else 0.0 for answer in answers) / len(answers)


@dataclass(frozen=True, slots=True)
class Overlap:
    """value: from 0 to 1; None with the reason why there is none."""

    value: float | None
    reason: str = ""


_NUMBER = lazy_pattern(r"\d+\.?\d*")
_COMPAT_PREFIXES = ("ANSWER", "ANS")
_LEADING = lazy_pattern(r"\s*(?:(?:ANSWER|ANS)\b[\s:=<]*)*", re.IGNORECASE)
_VALUE = r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"
_RANGE = lazy_pattern(rf"{_VALUE}\s*+%?\s*+(?:-|–|to)\s*+{_VALUE}")
_SINGLE = lazy_pattern(_VALUE)
_JUSTIFICATION = lazy_pattern(r"\bJUSTIFICATION\b", re.IGNORECASE)
# A number in a preamble must be the share itself, not one of the authors that it counts.
_SHARE = lazy_pattern(rf"{_VALUE}\s*+(?:-|–|to)?\s*+{_VALUE}?\s*+(?:%|percent)", re.IGNORECASE)


def overlap_compat(answer: str) -> float:
    """The share that an answer names, as the published code reads it; no number at the start is 0."""
    rest = answer.strip().upper()
    for prefix in _COMPAT_PREFIXES:
        rest = rest.removeprefix(prefix).strip()
    found = _NUMBER.match(rest.strip(": "))
    return min(1.0, float(found[0]) / 100) if found else 0.0


def overlap(answer: str, *, preamble: bool = True) -> Overlap:
    """The share that an answer names. preamble: whether words may stand before the number, which then needs a percent sign."""
    said = _JUSTIFICATION.split(answer, maxsplit=1)[0]
    if not said.strip():
        return Overlap(None, "empty")
    rest = said[_end_of_leading(said) :]
    found: re.Match[str] | None = _RANGE.match(rest) or _SINGLE.match(rest)
    if found is None and preamble:
        found = _SHARE.search(rest)
    if found is None:
        return Overlap(None, "no number")
    values = [float(one) for one in found.groups() if one]
    value = sum(values) / len(values)
    return Overlap(value / 100) if value <= 100 else Overlap(None, "out of range")


def _end_of_leading(said: str) -> int:
    leading = _LEADING.match(said)
    return leading.end() if leading is not None else 0


# Words of a sentence about the question, which stand in no list of names.
_SENTENCE = lazy_pattern(
    r"\b(?:sorry|apologi[sz]e|apologies|unable|cannot|can't|couldn't|could not|can not|don't|do not|didn't|did not|doesn't|"
    r"does not|isn't|is not|no (?:specific|exact|information|such|known|record)|not (?:find|able|aware|available|exist|specified|"
    r"provided|found|known)|however|please|as an ai|language model|there (?:is|are|isn't|seems?)|it (?:is|seems|appears)|unknown|"
    r"n/a|i (?:am|have|was|would|believe|think)|i'm)\b",
    re.IGNORECASE,
)


def is_refusal(answer: str) -> bool:
    """Whether an answer to a question for names or a year is a sentence that gives none."""
    return not answer.strip() or _SENTENCE.search(answer.replace("’", "'")) is not None


_LIST_NUMBER = lazy_pattern(r"\s*+(?:\d{1,3}[.):]\s++|[-*•]\s++)")
_STRAY = ' \t\r\n,;"“”„‟«»'
_YEAR = lazy_pattern(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")


def clean_title(text: str) -> str:
    """A title without list number at its start, stray quotation marks and commas; numbers inside stay ("28 nm")."""
    number = _LIST_NUMBER.match(text)
    stripped = text[number.end() :] if number else text
    return " ".join(stripped.strip(_STRAY).split())


def years(answer: str) -> frozenset[int]:
    """The years that an answer names."""
    return frozenset(int(year) for year in _YEAR.findall(fold(answer)))
