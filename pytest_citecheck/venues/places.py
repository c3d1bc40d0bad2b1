"""Places and dates as they stand after the name of a conference: "Long Beach, CA, USA, June 9-15".

``data/places.json`` lists nearly all countries, and cities where large conferences have met. A city that is not listed is
recognised by the country after it.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

from pytest_citecheck.text.normal_form import without_latex_and_markup
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.words import segments, venue_words

__all__ = ["MONTHS", "OF_REGIONS", "PLACES", "without_cities"]

_MONTH_LIST = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
"""
MONTHS = frozenset(_MONTH_LIST.split())

_LISTS: dict[str, list[str]] = json.loads(
    files("pytest_citecheck.venues").joinpath("data/places.json").read_text(encoding="utf-8")
)


def _phrases(*lists: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for key in lists for name in _LISTS[key])


_COUNTRIES = _phrases("countries", "regions")
PLACES = _COUNTRIES | _phrases("cities")
"""Names of places as words, folded."""

_ABBREVIATED_COUNTRIES = frozenset({"us", "usa", "uk", "uae", "prc"})
OF_REGIONS = frozenset(_LISTS["adjectives"]) | {
    name for (name, *others) in _phrases("countries") if not others and name not in _ABBREVIATED_COUNTRIES
}
"""Words that make a conference in front of which they stand one of a country or region: "Iberian", "China"."""

_BUILDING = lazy_pattern(
    r"\b(?:university|universit[àäéy]\w*|college|institute|school|hotel|resort|marriott|westin|hilton|hyatt|sheraton|radisson"
    r"|palau|palais|palazzo|convention|congress|cent(?:er|re)|hall|auditorium|campus|castle)\b|(?:mässan|kongresshaus)\b",
    re.IGNORECASE,
)
_CITY = lazy_pattern(r"(?:[^\W\d_a-z][^\W\d_A-Z]+(?:['’-][^\W\d_]+)*(?:\s+|$)){1,3}")


def without_cities(text: str) -> str:
    """``text`` without what stands as a city before a country or state, and as a building before or after a place:
    "ICML 2019, Stockholm Congress Centre, Long Hill, Sweden" without "Long Hill" and the congress centre.

    A city is up to three capitalised words between commas. The first piece is none: it names the venue.
    """
    pieces = segments(without_latex_and_markup(text))
    return ", ".join(
        piece for number, piece in enumerate(pieces) if not (_is_city(pieces, number) or _is_building(pieces, number))
    )


def _is_city(pieces: list[str], number: int) -> bool:
    inside = 0 < number < len(pieces) - 1
    return inside and _CITY.fullmatch(pieces[number]) is not None and _named(pieces[number + 1]) in _COUNTRIES


def _is_building(pieces: list[str], number: int) -> bool:
    neighbours = (pieces[number - 1], *pieces[number + 1 : number + 2]) if number else ()
    return _BUILDING.search(pieces[number]) is not None and any(_named(piece) in PLACES for piece in neighbours)


def _named(piece: str) -> tuple[str, ...]:
    """The words of a piece without those of a date."""
    return tuple(word for word in venue_words(piece) if not word.isdigit() and word not in MONTHS)
