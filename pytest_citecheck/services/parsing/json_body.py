"""JSON answers of services: parse the whole body or refuse it, read fields without trusting their types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "first_text",
    "listing",
    "mapping",
    "parse_json",
    "text",
    "texts",
    "whole_number",
    "year_of",
    "years_between",
]

_YEAR = lazy_pattern(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")

# An answer of 8 MB has 400,000 commas and brackets at the density of what services send (one in 20 bytes, at most one in 17).
# Of nothing but empty arrays, it would have three times as many, and take 230 MB.
_MOST_VALUES = 500_000
# Ten levels are the most that a service sends.
_DEEPEST = 100


def parse_json(body: bytes) -> Any:
    """The JSON value (RFC 8259) that fills the whole body.

    Raises MalformedAnswerError for an empty or truncated body, another encoding than UTF-8, an HTML or XML
    page, and for documents of too many values, nested too deeply, or with numbers of thousands of digits.
    """
    try:
        decoded = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedAnswerError(f"the body is not UTF-8: {error}") from error
    if not decoded.strip():
        raise MalformedAnswerError("the body is empty")
    if decoded.lstrip().startswith("<"):
        raise MalformedAnswerError("the body is a page in HTML or XML, not JSON")
    if sum(map(decoded.count, ",[{")) > _MOST_VALUES:
        raise MalformedAnswerError(f"the body contains more than {_MOST_VALUES:,} values")
    try:
        value = json.loads(decoded)
    except (ValueError, RecursionError) as error:
        raise MalformedAnswerError(f"the body is not JSON: {type(error).__name__}: {error}") from error
    if _is_deep(value):
        raise MalformedAnswerError(f"the body is nested more than {_DEEPEST} times")
    return value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        inner = (member for one in level for member in _members(one))
        level = [member for member in inner if isinstance(member, (dict, list))]
        if not level:
            return False
    return True


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """The value if it is a JSON array, an empty list for null, else a list of this one value.

    Services that translate XML into JSON write a single element without its array.
    """
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def text(value: object) -> str:
    """The value as one string: numbers are written out, anything else that is no string becomes empty."""
    if isinstance(value, str):
        return value.strip() if value.isascii() else _SURROGATES.sub("", value).strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**18 else ""
    return ""


def texts(value: object) -> tuple[str, ...]:
    """The non-empty strings of an array, or of one string."""
    return tuple(item for item in map(text, listing(value)) if item)


def first_text(value: object) -> str:
    """The first non-empty string of an array, or the string itself; empty if there is none."""
    found = texts(value)
    return found[0] if found else ""


def whole_number(value: object) -> int | None:
    """A count that is stated as a number or as a string of digits; None if it is neither."""
    digits = text(value)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None


def year_of(value: object) -> int | None:
    """The first four-digit year (1400 to 2099) in a date, a number or a string; None if there is none."""
    match = _YEAR.search(text(value))
    return int(match.group()) if match else None


def years_between(values: Iterable[object]) -> tuple[int, ...]:
    """All years from the earliest to the latest that these state; empty if none is stated."""
    years = sorted(year for year in map(year_of, values) if year)
    return tuple(range(years[0], years[-1] + 1)) if years else ()
