"""Budget of a reader: the work that it may spend on a document, in proportion to the bytes of the document.

A reader that takes superlinear work on some text would hang the run. Every pattern of this room charges the characters that it
passes, so the count is the same on every machine. Loops without patterns charge their steps themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, AnyStr, SupportsIndex, cast

from pytest_citecheck.matching import LazyPattern

if TYPE_CHECKING:
    import re

STEPS_PER_BYTE, FREE_STEPS = 5_000, 20_000_000
"""Steps that a document may take: for each of its bytes, and in addition."""
_CALL = 20
"""Steps of each call of a pattern, in addition to the characters that it passes."""
_SHOWN = 40


class OverBudgetError(Exception):
    """Raised when the budget of a document is used up, with the text that the reader was at."""


class Budget:
    """Steps that a document may take, and those that it has taken. line: of the item that is being read; 0 if unknown."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.allowed = FREE_STEPS + STEPS_PER_BYTE * len(data)
        self.spent = self.line = 0

    def charge(self, steps: int, text: str | bytes, place: int = 0) -> None:
        """Charge steps taken on a text. Raises OverBudgetError."""
        self.spent += steps
        if self.spent > self.allowed:
            shown = text[place : place + _SHOWN]
            raise OverBudgetError(shown if isinstance(shown, str) else shown.decode("latin-1"))


_UNLIMITED = Budget(b"")
_UNLIMITED.allowed = sys.maxsize
CURRENT: ContextVar[Budget] = ContextVar("budget", default=_UNLIMITED)
"""The budget of the document that is being read."""


def allow(size: int) -> None:
    """Extend the current budget by the size of a file that the document names, or of a text unpacked from it."""
    CURRENT.get().allowed += STEPS_PER_BYTE * size


def at_line(line: int) -> None:
    """Note the line that the reader is at, for the message about the current document."""
    CURRENT.get().line = line


class MeteredText(str):
    """Text of a document, whose searches for a word are charged to the current budget."""

    __slots__ = ()

    def find(self, word: str, start: SupportsIndex | None = 0, end: SupportsIndex | None = None) -> int:
        found = str.find(self, word, start, end)
        self._charge(start, end if found < 0 else found)
        return found

    def rfind(self, word: str, start: SupportsIndex | None = 0, end: SupportsIndex | None = None) -> int:
        found = str.rfind(self, word, start, end)
        self._charge(start if found < 0 else found, end)
        return found

    def count(self, word: str, start: SupportsIndex | None = 0, end: SupportsIndex | None = None) -> int:
        self._charge(start, end)
        return str.count(self, word, start, end)

    def _charge(self, start: SupportsIndex | None, end: SupportsIndex | None) -> None:
        first, last, _ = slice(start, end).indices(len(self))
        CURRENT.get().charge(max(0, last - first) + 1, self, first)


class _MeteredPattern(LazyPattern[AnyStr]):
    def __getattr__(self, name: str) -> Any:
        method = super().__getattr__(name)
        if name in _METERS:
            method = self.__dict__[name] = _METERS[name](method)
        return method


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern as of `matching.lazy_pattern`, whose use is charged to the current budget."""
    return cast("re.Pattern[AnyStr]", _MeteredPattern(text, flags))


def _searching(method: Callable[..., Any]) -> Callable[..., Any]:
    """Charge the characters up to the end of the match, or all that a search without a match passes."""
    far = method.__name__ == "search"

    def call(text: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> Any:
        match = method(text, pos, endpos)
        end = match.end() if match is not None else min(len(text), endpos) if far else pos
        CURRENT.get().charge(_CALL + end - pos, text, pos)
        return match

    return call


def _scanning(method: Callable[..., Any]) -> Callable[..., Any]:
    """Charge the characters up to each match, when it is taken."""

    def call(text: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[Any]:
        budget, at = CURRENT.get(), pos
        for match in method(text, pos, endpos):
            budget.charge(match.end() - at + 1, text, at)
            at = match.end()
            yield match
        budget.charge(_CALL + min(endpos, len(text)) - at, text, at)

    return call


def _whole(method: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """Charge the whole text, which is the argument at this place."""

    def call(*args: Any, **named: Any) -> Any:
        CURRENT.get().charge(_CALL + len(args[place]), args[place])
        return method(*args, **named)

    return call


_METERS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("search", "match", "fullmatch"), _searching),
    "finditer": _scanning,
    **dict.fromkeys(("findall", "split"), _whole),
    **dict.fromkeys(("sub", "subn"), partial(_whole, place=1)),
}
