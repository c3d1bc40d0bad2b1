"""Where blocks of a BibTeX file begin, and at which of these places a broken entry must end."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Source", "Start", "find_starts"]

_START = lazy_pattern(r"@[ \t]*+([^\W\d_][\w-]*+)?\s*+([{(])")
_HEAD = lazy_pattern(r"[^{},=\"@]{0,256}(?:,[\s,]*[^\s\"#%'(),={}]{1,64}\s*)?=")
"""What follows the opening delimiter of a real entry: a key, a comma, a field name, an equals sign."""


class Start(NamedTuple):
    """A place that looks like the start of a block: ``@word{`` or ``@word(``.

    at: offset of the ``@``; kind: the word in lower case; opener: offset of the delimiter.
    line_start: only blanks stand before it on its line.
    entry_like: a key and a field name follow.
    before: the last character before it that is not blank, empty at the start of the file.
    adjacent: the character right before it.
    """

    at: int
    kind: str
    opener: int
    line_start: bool
    entry_like: bool
    before: str
    adjacent: str

    @property
    def boundary(self) -> bool:
        """Whether an entry that is still open here is taken as never closed.

        A line start with a whole head is one, and so is any line start after something that may have been the end of
        an entry or of a field. ``@misc{...}`` in the middle of an abstract is none.
        """
        if self.line_start:
            return self.entry_like or self.before in '}),"'
        return self.firm

    @property
    def firm(self) -> bool:
        """Whether no field value can reach across: the text before it looks like the end of an entry."""
        return self.entry_like and self.before in "})"


def find_starts(text: str) -> list[Start]:
    """All places in the text that look like the start of a block, in their order."""
    starts = []
    newline = -1
    searched = 0
    for match in _START.finditer(text):
        at = match.start()
        newline = max(newline, text.rfind("\n", searched, at))
        searched = at
        before = at - 1
        while before >= 0 and (text[before].isspace() or text[before] == "\ufeff"):
            before -= 1
        starts.append(
            Start(
                at=at,
                kind=(match[1] or "").lower(),
                opener=match.start(2),
                line_start=before <= newline,
                entry_like=_HEAD.match(text, match.end()) is not None,
                before=text[before] if before >= 0 else "",
                adjacent=text[at - 1] if at else "",
            )
        )
    return starts


class Source:
    """The text of a file with its starts: what the scanners of single blocks work on."""

    def __init__(self, text: str, starts: list[Start]) -> None:
        self.text = text
        self._boundaries = [start for start in starts if start.boundary]
        self._offsets = [start.at for start in self._boundaries]

    def limit(self, offset: int) -> int:
        """The offset of the first boundary after the offset, or the end of the text."""
        index = bisect_right(self._offsets, offset)
        return self._offsets[index] if index < len(self._offsets) else len(self.text)

    def crossable(self, limit: int) -> int:
        """How far a field value may reach beyond the boundary at ``limit``; ``limit`` itself if it may not."""
        index = bisect_right(self._offsets, limit) - 1
        if index < 0 or self._offsets[index] != limit or self._boundaries[index].firm:
            return limit
        return self.limit(limit)
