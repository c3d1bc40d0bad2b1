"""Records out of text that is not JSON as a whole, and what is told of the record that broke it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["decoded", "reason", "record_id", "records_in", "undecodable"]

_CANDIDATE = lazy_pattern(r'\{\s*"')
_ID = lazy_pattern(r'"(?:DOI|doi|id)"\s*:\s*"([^"\\]{1,200})"')
_NOT_UTF8 = lazy_pattern("[\udc80-\udcff]")
_SMALL = 1 << 16
_TOO_DEEP = "nested too deep"
# Each level takes at least one character, and the parser goes some thousand levels deep.
_SKIPPED_IF_TOO_DEEP = 900
_DECODER = json.JSONDecoder()


def decoded(written: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins there and where it ends. Raises ValueError."""
    try:
        return _DECODER.raw_decode(written, start)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def reason(error: Exception) -> str:
    """Why something was not read, as a phrase."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02X} is not UTF-8"
    message = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or type(error).__name__
    return f"the record is not JSON: {message}"


def record_id(written: str) -> str:
    """The id that stands in a broken record, if one does."""
    stated = _ID.search(written[:_SMALL])
    return stated[1] if stated else ""


def undecodable(written: str, start: int, end: int) -> bool:
    """Whether there is a byte in this piece that was not UTF-8 and was kept as a lone surrogate."""
    return _NOT_UTF8.search(written, start, end) is not None


def records_in(
    written: str, start: int, is_record: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Start, end and value of the whole records that stand anywhere in the text from there on."""
    while match := _CANDIDATE.search(written, start):
        start = match.start() + 1
        try:
            value, end = decoded(written, match.start())
        except ValueError as error:
            if str(error) == _TOO_DEEP:
                start += _SKIPPED_IF_TOO_DEEP
            continue
        if isinstance(value, dict) and is_record(value):
            yield match.start(), end, value
            start = end
