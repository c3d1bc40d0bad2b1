"""The fields of JSON objects whose types nobody vouches for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.doi import normalise_doi
from pytest_citecheck.services.dumps.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["date_year", "doi_name", "listing", "mapping", "name", "text", "texts", "year_in"]

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[!-~]+")
_RESOLVER = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_NO_NAMES = frozenset({"&na;", "n/a", "n.a.", "na", "none", "null", "anonymous", "unknown", "unpublished"})
_LONGEST_DIGITS = 18


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """The value if it is an array, an empty one for null, else an array of this one value."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def text(value: object) -> str:
    """The value as plain text on one line: numbers are written out, what is neither is empty."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**_LONGEST_DIGITS else ""
    return ""


def texts(value: object) -> tuple[str, ...]:
    """The texts of an array, or of one string, without empty ones."""
    return tuple(item for item in map(text, listing(value)) if item)


def name(value: object) -> str:
    """The value as a name; empty for placeholders and for what has no letter."""
    stated = text(value)
    return stated if any(map(str.isalpha, stated)) and stated.lower() not in _NO_NAMES else ""


def doi_name(value: object) -> str:
    """The DOI in lower case without its resolver; empty if the value is none."""
    stated = text(value)
    match = _RESOLVER.match(stated)
    bare = stated[match.end() :] if match else stated
    if _DOI.fullmatch(bare) and "%" not in bare and "&" not in bare:
        return bare.lower()
    return normalise_doi(stated) if stated else ""


def year_in(value: object) -> int | None:
    """The first year (1400 to 2099) in a date, a number or a string; None if there is none."""
    match = _YEAR.search(text(value))
    return int(match[0]) if match else None


def date_year(value: object) -> int | None:
    """The year of a date of Crossref or CSL: ``{"date-parts": [[2017, 6]]}``, ``raw`` or ``literal`` text, or a string."""
    fields = mapping(value)
    parts = listing(fields.get("date-parts"))
    first = listing(parts[0]) if parts else []
    return (
        (year_in(first[0]) if first else None) or year_in(fields.get("raw")) or year_in(fields.get("literal") or value)
    )
