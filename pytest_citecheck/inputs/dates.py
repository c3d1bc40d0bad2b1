"""One reader for the dates of references: a year, or a date without a single year (EDTF, ISO 8601-2; biblatex manual, 2.3.8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from pytest_citecheck.inputs.budget import lazy_pattern


class Form(NamedTuple):
    """A form of a date: its pattern, and the year of a match; None for a date that has no single year of the common era."""

    name: str
    pattern: re.Pattern[str]
    year: Callable[[re.Match[str]], int | None]


_BUDDHIST, _PERSIAN, _ISLAMIC = 543, 621, 621.6
"""Years between the beginning of a calendar and that of the common one."""
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
    Form("before Christ", lazy_pattern(r"^\s*-\d{3,4}(?!\d)|\d\s*(?:BCE?|B\.\s?C\.|v\.\s?Chr\.)"), _none),
    Form("decade or century", lazy_pattern(r"(?<!\w)\d(?:\d\d[Xu]|\d[Xu]{2})(?!\w)|(?<!\w)\d{3}0s(?!\w)"), _none),
    Form("open interval", lazy_pattern(r"^\s*\d{4}[\d~?%-]*\s*/\s*(?:\.\.)?\s*$|^\s*(?:\.\.)?\s*/\s*\d{4}"), _none),
    Form("interval", lazy_pattern(r"^\s*(\d{4})[\d~?%-]*\s*/\s*(\d{4})"), _of_interval),
    Form("two calendars", lazy_pattern(r"(?<!\d)(?:1[34]|25)\d\d\s*[\[(/=]\s*((?:19|20)\d\d)(?!\d)"), _from(0)),
    Form("Buddhist", lazy_pattern(r"(?<!\d)(2[45]\d\d)\s*(?:B\.?\s?E\b|พ\.\s?ศ)"), _from(-_BUDDHIST)),
    Form("Buddhist, era first", lazy_pattern(r"พ\.\s?ศ\.\s*(2[45]\d\d)"), _from(-_BUDDHIST)),
    Form("Persian", lazy_pattern(r"(?<!\d)(1[34]\d\d)\s*(?:S\.?\s?H\b|A\.?\s?P\b|ه?\s?ش)"), _from(_PERSIAN)),
    Form("Islamic", lazy_pattern(r"(?<!\d)(1[34]\d\d)\s*(?:A\.?\s?H\b|هـ)"), _of_moons),
    Form("year", lazy_pattern(r"(?<!\d)(\d{4})(?!\d)"), _from(0)),
)  # fmt: skip
"""The forms in the order in which they are tried."""


def year_in(text: str) -> tuple[int | None, bool]:
    """Return the year of a date and True if its form is known; no year for a date without a single one."""
    for form in FORMS:
        match = form.pattern.search(text)
        if match is not None:
            return form.year(match), True
    return None, False
