"""The values of benchmark lines, whose types are checked as they are read.

Null is what is not stated. ``NaN`` counts as null: tables written by other programs have it where a cell is empty. A number
written as text, or a text that is written as a number, has one meaning and is read with a warning; anything else is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pytest_citecheck.readers.hallmark.schema import SUBTESTS
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["FORMER_SUBTESTS", "Fields", "LineError", "Warn", "shown"]

_LONGEST_SHOWN = 60
FORMER_SUBTESTS = {"venue_real": "venue_correct"}
"""Sub-tests that older files call otherwise (HALLMARK, schema version 1.0)."""
_LARGEST = 1e300
"""Beyond it are infinity and whole numbers that no float holds."""
_NUMBER = lazy_pattern(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?")

Warn = Callable[[str], None]


class LineError(ValueError):
    """A line does not follow the schema; the message names the field and what is wrong with it."""


def shown(value: object) -> str:
    """A value for a message: short, and with its quotation marks if it is text."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _stated(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


class Fields:
    """The fields of one object, by name. All methods raise LineError for a value of another type."""

    def __init__(self, value: Mapping[str, Any], warn: Warn) -> None:
        self._value = value
        self._warn = warn

    def get(self, name: str) -> Any:
        """The value as it is; None if it is missing, null or NaN."""
        return _stated(self._value.get(name))

    def named(self, *names: str) -> str:
        """The first of these names under which something stands; the first one if nothing does."""
        return next((name for name in names if self.get(name) is not None), names[0])

    def text(self, name: str) -> str:
        """A text; empty if it is not stated."""
        value = self.get(name)
        return "" if value is None else self._text(name, value)

    def required(self, name: str) -> str:
        """A text that has to be there and not blank."""
        text = self.text(name)
        if not text.strip():
            raise LineError(f"“{name}” is missing")
        return text

    def choice(self, name: str, allowed: tuple[str, ...]) -> str | None:
        """One of some words, None if it is not stated."""
        value = self.get(name)
        if value is None:
            return None
        for word in allowed:
            if value == word:
                return word
        raise LineError(f"“{name}” is {shown(value)}, not one of {', '.join(allowed)}")

    def number(self, name: str) -> float | None:
        """A finite number, None if it is not stated."""
        stated = self._value.get(name)
        if isinstance(stated, str) and _NUMBER.fullmatch(stated):
            self._warn(f"“{name}” is text, {shown(stated)}, and is read as a number")
            return float(stated)
        if isinstance(stated, float) and math.isnan(stated):
            self._warn(f"“{name}” is NaN and counts as not stated")
            return None
        if stated is None:
            return None
        if isinstance(stated, bool) or not isinstance(stated, int | float):
            raise LineError(f"“{name}” is {shown(stated)}, not a number")
        if not abs(stated) <= _LARGEST:
            raise LineError(f"“{name}” is not a finite number")
        return float(stated)

    def whole(self, name: str) -> int | None:
        """A whole number, None if it is not stated. ``2.0`` is one, as programs write it that know only one type of number."""
        number = None if self.get(name) is None else self.number(name)
        if number is None:
            return None
        if not number.is_integer():
            raise LineError(f"“{name}” is {shown(self._value[name])}, not a whole number")
        return int(number)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list; none if it is not stated."""
        value = self.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise LineError(f"“{name}” is not a list of texts")
        return tuple(value)

    def text_mapping(self, name: str) -> dict[str, str]:
        """An object whose values are texts; null values are ignored, with a warning."""
        value = self.get(name)
        if value is None:
            raise LineError(f"“{name}” is missing")
        if not isinstance(value, dict):
            raise LineError(f"“{name}” is {shown(value)}, not an object")
        texts = {}
        for inner, stated in value.items():
            if type(stated) is str:
                texts[inner] = stated
            elif _stated(stated) is None:
                self._warn(f"“{name}.{inner}” is null and is ignored")
            else:
                texts[inner] = self._text(f"{name}.{inner}", stated)
        return texts

    def outcomes(self, name: str) -> dict[str, bool | None]:
        """The outcomes of sub-tests by their present names; others are ignored."""
        value = self.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise LineError(f"“{name}” is {shown(value)}, not an object")
        outcomes: dict[str, bool | None] = {}
        written: str
        for written, given in value.items():
            outcome = _stated(given)
            if outcome is not None and not isinstance(outcome, bool):
                raise LineError(f"“{name}.{written}” is {shown(outcome)}, not true, false or null")
            known: str = FORMER_SUBTESTS.get(written, written)
            if known in SUBTESTS and (known == written or known not in value):
                outcomes[known] = outcome
        return outcomes

    def _text(self, name: str, value: object) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            self._warn(f"“{name}” is a number, {value}, and is read as text")
            return str(value)
        raise LineError(f"“{name}” is {shown(value)}, not text")
