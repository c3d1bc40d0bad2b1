"""Line numbers of places in a text."""

from __future__ import annotations

from bisect import bisect_right

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LineIndex", "unify_line_ends"]

_CARRIAGE_RETURN = lazy_pattern(r"\r(\n?)")


def unify_line_ends(text: str) -> str:
    """Write every line end (LF, CRLF, lone CR) as one LF without moving any other character."""
    if "\r" not in text:
        return text
    return _CARRIAGE_RETURN.sub(lambda end: " \n" if end[1] else "\n", text)


class LineIndex:
    """Tells the line (1-based) of an offset (0-based) in a text whose lines end in LF."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def line(self, offset: int) -> int:
        """The line that the offset lies on; offsets beyond the end count as the last line."""
        return bisect_right(self._starts, offset)
