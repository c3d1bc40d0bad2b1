"""Waivers of findings that stand in a bibliography, beside the entry that they are for.

``% citecheck: ignore[venue] printed under the old name, until 2027-06-01 [1a2b3c4d5e]`` in the comment lines right above an
entry or inside it, or a field ``citecheck = {ignore venue: printed under the old name}``. The letters at the end bind a waiver to
the content of its entry (`content_hash`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.model import Suppression
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["beside", "in_field", "read_reason"]

_COMMENT = lazy_pattern(
    r"^[ \t]*+%++[ \t]*+citecheck:[ \t]*+ignore\b[ \t]*+(?:\[([^\]\n]*+)\])?+[ \t]*+(.*)$", re.IGNORECASE
)
_FIELD = lazy_pattern(r"\s*ignore\b([^:]*):(.*)", re.IGNORECASE | re.DOTALL)
_COMMENT_LINE = lazy_pattern(r"[ \t]*%")
_TAIL = lazy_pattern(
    r"(?:^|[,;.]\s++|(?<!\s)\s++)until\s++(\d{4}-\d\d-\d\d)\s*+(?=\[|$)|(?:(?<!\s)\s++)?\[([0-9a-f]{10})\]\s*+$",
    re.IGNORECASE,
)
_MOST_LINES = 20
"""Comment lines above an entry that are looked at."""


def read_reason(text: str) -> tuple[str, str, str]:
    """The reason, the last day (ISO 8601, empty for none) and the content that it is bound to (empty: to none)."""
    until = bound = ""
    for match in _TAIL.finditer(text):
        until, bound = until or match[1] or "", bound or match[2] or ""
    return " ".join(_TAIL.sub(" ", text).split()).rstrip(","), until, bound.lower()


def beside(text: str, start: int, end: int, line: int) -> Iterator[Suppression]:
    """The waivers in the comment lines above the entry from ``start`` to ``end`` of this text, and inside it.

    line: the one on which the entry starts.
    """
    above: list[str] = []
    position = text.rfind("\n", 0, start) + 1
    while position > 0 and len(above) < _MOST_LINES:
        before = text.rfind("\n", 0, position - 1) + 1
        if not _COMMENT_LINE.match(text, before, position):
            break
        above.append(text[before : position - 1])
        position = before
    for number, one in enumerate(reversed(above), start=line - len(above)):
        yield from _in_line(one.rstrip(), number)
    if "citecheck" in (inside := text[start:end]).lower():
        for number, one in enumerate(inside.split("\n"), start=line):
            yield from _in_line(one.rstrip(), number)


def in_field(value: str, line: int) -> Iterator[Suppression]:
    """The waivers in the field ``citecheck``, divided by semicolons."""
    for part in value.split(";"):
        if match := _FIELD.fullmatch(part):
            yield Suppression(_names(match[1]), *read_reason(match[2]), line)


def _in_line(text: str, line: int) -> Iterator[Suppression]:
    if match := _COMMENT.match(text):
        yield Suppression(_names(match[1] or "*"), *read_reason(match[2]), line)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part for part in re.split(r"[,\s\[\]]+", text) if part)
    return () if "*" in names else names
