"""Mutations of dates."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.benchmark.mutate.material import Changed, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["dated", "future_date", "year_beside"]

_YEAR = lazy_pattern(r"(?<!\d)\d{4}(?!\d)")
_DATES = ("year", "date")
_SOONEST, _LATEST = 4, 10


def future_date(original: Original, material: Material, stream: Stream) -> Changed:
    """A year 4 to 10 years from now, or from the correct year if that is later."""
    year = max(original.year, material.this_year) + _SOONEST + stream.below(_LATEST - _SOONEST + 1)
    return Changed(original.reference.type, dated(original.fields, year))


def dated(fields: Mapping[str, str], year: int) -> dict[str, str]:
    """The fields with another year in each field that states the year of the work."""
    return {name: _YEAR.sub(str(year), value, count=1) if name in _DATES else value for name, value in fields.items()}


def year_beside(original: Original, material: Material, stream: Stream) -> int:
    """The year before or after, but not in the future."""
    later = stream.below(2) == 1 and original.year < material.this_year
    return original.year + (1 if later else -1)
