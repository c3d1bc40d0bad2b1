"""Fields of a reference that are longer than any real one: cut for comparison, and reported."""

from __future__ import annotations

from pytest_citecheck.model import Defect
from pytest_citecheck.readers.bibtex.repair import balance
from pytest_citecheck.text.lengths import PEOPLE, longest, longest_written

__all__ = ["OVERLONG", "readable_within_length", "written_within_length"]

OVERLONG = "overlong-field"
_AND_OTHERS = " and others"


def written_within_length(name: str, value: str, line: int, key: str) -> tuple[str, Defect | None]:
    """The value as written, cut to the length that its field may have, and the defect to report; None if it is short enough.

    A list of people is cut between two of them and ends in "and others", as a truncated author list does.
    """
    limit = longest_written(name)
    if len(value) <= limit:
        return value, None
    cut = value[:limit]
    if name in PEOPLE:
        last = cut.rfind(" and ")
        cut = (cut[:last] if last > 0 else cut) + _AND_OTHERS
    return balance(cut), _defect(name, len(value), limit, line, key)


def readable_within_length(name: str, value: str, line: int, key: str) -> tuple[str, Defect | None]:
    """The text that a value stands for, in the same way."""
    limit = longest(name) + (len(_AND_OTHERS) if name in PEOPLE else 0)
    return (value, None) if len(value) <= limit else (value[:limit], _defect(name, len(value), limit, line, key))


def _defect(name: str, length: int, limit: int, line: int, key: str) -> Defect:
    message = f"the field `{name}` of `{key[:100]}` has {length:,} characters: only the first {limit:,} are compared"
    return Defect(OVERLONG, message, line)
