"""One reader for the dates of references: a year, or a date without a single year (EDTF, ISO 8601-2; biblatex manual, 2.3.8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_citecheck.inputs.budget import lazy_pattern

YEAR = r"(?:1[5-9]|20)\d\d"
"""Pattern of the year of a printed work: 1500 to 2099."""
A_YEAR = lazy_pattern(rf"(?<!\d){YEAR}(?!\d)")
FOUR_DIGITS = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
"""The year in a date of any form."""


class Form(NamedTuple):
    """A form of a date: its pattern, and the year of a match; None for a date that has no single year of the common era."""

    name: str
    pattern: re.Pattern[str]
    year: Callable[[re.Match[str]], int | None]


_BUDDHIST, _PERSIAN, _ISLAMIC = 543, 621, 621.6
"""Years by which a calendar differs from the Gregorian one."""
_MOONS = 354.367 / 365.2425
"""Mean length of twelve months of the moon, in years of the common calendar."""


def _of_interval(match: re.Match[str]) -> int | None:
    first, last = int(match[1]), int(match[2])
    return first if last - first in (0, 1) else None  # an event around the new year


def _of_moons(match: re.Match[str]) -> int:
    return round(int(match[1]) * _MOONS + _ISLAMIC)


def _from(years: int) -> Callable[[re.Match[str]], int | None]:
    """Return the conversion from a calendar that began this many years after the common one."""
    return lambda match: int(match[1]) + years


def _none(_match: re.Match[str]) -> None:
    return None


FORMS = (
    Form("before Christ", lazy_pattern(r"^\s*(?:y|Y)?[-−–]\d{3,}|\d\s*(?:BCE?\b|B\.\s?C\.|v\.\s?Chr\.)|^\s*BCE?\s*\d"), _none),
    Form("first centuries", lazy_pattern(r"\bA\.?\s?D\.?\s*\d{1,3}(?!\d)|(?<!\d)\d{1,3}\s*(?:C\.?E\b|A\.?D\b)"), _none),
    Form("decade or century", lazy_pattern(r"(?<!\w)\d(?:\d\d[Xu]|\d[Xu]{2})(?!\w)|(?<!\w)\d{3}0s(?!\w)"), _none),
    Form("century in words", lazy_pattern(r"(?<!\w)\d{1,2}(?:st|nd|rd|th) century"), _none),
    Form("decade, cut off", lazy_pattern(r"^\W*\d{3}[-?*]\W*$"), _none),
    Form("open interval", lazy_pattern(r"^\s*+\d{4}[\d~?%-]*+\s*+(?:/\s*+(?:\.\.|open|unknown)?|\.\.)\s*+$"), _none),
    Form("interval without beginning", lazy_pattern(r"^\s*+(?:(?:\.\.|unknown)?\s*+/|\.\.)\s*+\d{4}"), _none),
    Form("two calendars", lazy_pattern(r"(?<!\d)(?:1[34]|25)\d\d\s*[\[(/=]\s*((?:19|20)\d\d)(?!\d)"), _from(0)),
    Form("interval", lazy_pattern(r"^\s*(\d{4})[\d~?%-]*\s*/\s*(\d{4})"), _of_interval),
    Form("Buddhist", lazy_pattern(r"(?<!\d)(2[45]\d\d)\s*(?:B\.?\s?E\b|พ\.\s?ศ)"), _from(-_BUDDHIST)),
    Form("Buddhist, era first", lazy_pattern(r"(?:พ\.\s?ศ\.|\bB\.?\s?E\.?)\s*(2[45]\d\d)(?!\d)"), _from(-_BUDDHIST)),
    Form("Persian", lazy_pattern(r"(?<!\d)(1[34]\d\d)\s*(?:S\.?\s?H\b|A\.?\s?P\b|(?:ه\S{0,2})?\s?ش)"), _from(_PERSIAN)),
    Form("Persian, era first", lazy_pattern(r"\b(?:S\.?\s?H|A\.?\s?P)\.?\s*(1[34]\d\d)(?!\d)"), _from(_PERSIAN)),
    Form("Islamic", lazy_pattern(r"(?<!\d)(1[34]\d\d)\s*(?:(?:A\.?\s?)?H\b|هـ)"), _of_moons),
    Form("Islamic, era first", lazy_pattern(r"\bA\.?\s?H\.?\s*(1[34]\d\d)(?!\d)"), _of_moons),
    Form("year", FOUR_DIGITS, lambda match: int(match[0])),
)  # fmt: skip
"""The forms in the order in which they are tried."""


def year_in(text: str) -> tuple[int | None, bool]:
    """Return the year of a date and True if its form is known; no year for a date without a single one."""
    for form in FORMS:
        match = form.pattern.search(text)
        if match is not None:
            return form.year(match), True
    return None, False


class Calendar(NamedTuple):
    """A calendar that some languages use, often without naming the era.

    letters: a pattern that identifies the language; languages: its values of ``langid``; era: as `FORMS` read it.
    """

    letters: re.Pattern[str]
    languages: frozenset[str]
    era: str


CALENDARS = (
    Calendar(lazy_pattern("[\u0e00-\u0e7f]"), frozenset({"thai", "th"}), "B.E."),
    # Letters that Persian has and Arabic has not, among them its own forms of kaf and ye.
    Calendar(lazy_pattern("[\u067e\u0686\u0698\u06a9\u06af\u06cc]"), frozenset({"persian", "farsi", "fa"}), "S.H."),
    Calendar(lazy_pattern("[\u0621-\u064a]"), frozenset({"arabic", "ar"}), "A.H."),
)
"""The first one whose letters or language an entry has counts."""


def cited_year(fields: Mapping[str, str]) -> int | None:
    """Return the year of an entry. One that is impossible for a printed work is read in the calendar of the entry's language."""
    text = fields.get("year", "") or fields.get("date", "")
    year, _ = year_in(text)
    if year is None or A_YEAR.search(text):
        return year
    written = " ".join(
        fields.get(name, "") for name in ("title", "author", "journal", "journaltitle", "booktitle", "publisher")
    )
    language = (fields.get("langid", "") or fields.get("language", "")).lower()
    for letters, languages, era in CALENDARS:
        if language in languages or letters.search(written):
            return year_in(f"{text} {era}")[0]
    return year


def year_text(text: str) -> str:
    """Return the part of a date that the fields of a reference keep: its year, or the date if it has no single year.

    text: a date of an exchange format, where slashes at the end stand for an unknown month and day.
    """
    plain = text.strip().rstrip("/ ")
    year, known = year_in(plain)
    return f"{year:04}" if year is not None and f"{year:04}" in plain else plain if known else ""
