"""Dates as Crossref and CSL-JSON state them: ``{"date-parts": [[year, month, day]]}``, cut where less is known.

Sources: the partial dates of the Crossref REST API (api.crossref.org/swagger-ui) and the date variables of CSL-JSON
(citeproc-js manual, "Dates"), which also know ``raw`` and ``literal`` text.
"""

from __future__ import annotations

from typing import Any

from pytest_citecheck.services.parsing.json_body import listing, mapping, text, whole_number, year_of

__all__ = ["iso_date", "partial_year"]

_MONTHS, _DAYS = 12, 31


def _parts(value: object) -> list[Any]:
    """Year, month and day as stated; of a range only its beginning."""
    parts = listing(mapping(value).get("date-parts"))
    return listing(parts[0]) if parts else []


def partial_year(value: object) -> int | None:
    """The year of a date (of a range: the first), or None."""
    parts = _parts(value)
    if parts and (year := year_of(parts[0])):
        return year
    return year_of(text(mapping(value).get("raw")) or text(mapping(value).get("literal")))


def iso_date(value: object) -> str:
    """The date in ISO 8601 as far as it is known (``2015``, ``2015-05``, ``2015-05-04``), or empty."""
    parts = _parts(value)
    year = partial_year(value)
    if year is None:
        return ""
    month, day = (whole_number(part) for part in (*parts[1:3], None, None)[:2])
    if not month or month > _MONTHS:
        return f"{year}"
    return f"{year}-{month:02}-{day:02}" if day and day <= _DAYS else f"{year}-{month:02}"
