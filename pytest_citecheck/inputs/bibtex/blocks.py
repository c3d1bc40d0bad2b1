"""Blocks of a BibTeX file in order: entries, macro definitions and everything that is skipped.

bibtexparser reads well-formed blocks and the scanner reads all others (both in `inputs.bibtex.entry`).

Entries are recognised as in biber and JabRef: text between entries is ignored, ``@comment{...}`` hides its content, and a ``%``
hides any later ``@`` on the same line (BibTeX itself has no comments and would read the entry; ``%`` before an entry means that
it is disabled). An ``@`` inside a word, as in an e-mail address, is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_citecheck.inputs.bibtex.entry import ScannedEntry, find_headless, parse_well_formed, scan_entry
from pytest_citecheck.inputs.bibtex.values import KNOWN_TYPES, OffsetDefect, closing_brace
from pytest_citecheck.inputs.budget import lazy_pattern

_START = lazy_pattern(r"@[ \t]*+([^\W\d_][\w-]*+)?\s*+([{(])")
_HEAD = lazy_pattern(r"[^{},=\"@]{0,256}(?:,[\s,]*[^\s\"#%'(),={}]{1,64}\s*)?=")
"""Text after the opening delimiter of a real entry: key, comma, field name, equals sign."""


class Start(NamedTuple):
    """A possible start of a block: ``@word{`` or ``@word(``.

    at: offset of the ``@``. kind: the word in lower case. opener: offset of the delimiter. line_start: True if only blanks
    precede it on its line. entry_like: True if a key and a field name follow. before: the last non-blank character before it,
    `""` at the start of the file. adjacent: the character directly before it.
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
        """True if an entry that is still open at this point counts as unclosed.

        A complete entry head at a line start is a boundary, and so is any line start after a possible end of an entry or field.
        ``@misc{...}`` in the middle of an abstract is not.
        """
        if self.line_start:
            return self.entry_like or self.before in '}),"'
        return self.firm

    @property
    def firm(self) -> bool:
        """True if no field value can extend past this point because the text before it looks like the end of an entry."""
        return self.entry_like and self.before in "})"


def find_starts(text: str) -> list[Start]:
    """Return all possible block starts in the text, in order."""
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
    """Text of a file with its block starts: the input of the block scanners."""

    def __init__(self, text: str, starts: list[Start]) -> None:
        self.text = text
        self._boundaries = [start for start in starts if start.boundary]
        self._offsets = [start.at for start in self._boundaries]

    def limit(self, offset: int) -> int:
        """Return the offset of the first boundary after the offset, or the end of the text."""
        index = bisect_right(self._offsets, offset)
        return self._offsets[index] if index < len(self._offsets) else len(self.text)

    def crossable(self, limit: int) -> int:
        """Return the furthest offset that a field value may reach past the boundary at ``limit``, or ``limit`` itself."""
        index = bisect_right(self._offsets, limit) - 1
        if index < 0 or self._offsets[index] != limit or self._boundaries[index].firm:
            return limit
        return self.limit(limit)


_CONFLICT_LINE = lazy_pattern(r"^(?:<{7}|>{7})(?:[ \t].*)?$", re.MULTILINE)
_STUCK = lazy_pattern(r"(?:^|[\s}])(\w{1,8})\Z")
"""Letters typed by accident; longer words may be the name in an e-mail address."""
_LONGEST_STUCK = 10
_NO_AT = lazy_pattern(r"^[^\S\n]*+([A-Za-z]{4,15})\s?[{(][^\S\n]*+([^\s,{}()=\"]{1,100}),", re.MULTILINE)
_LINE_START = lazy_pattern(r"^[^\S\n]*+(@)[ \t]*+[^\W\d_][\w-]*+\s*+[{(]", re.MULTILINE)


@dataclass(slots=True)
class Blocks:
    """Content of a file: entries and ``@string`` blocks in order, and notes on the file.

    ``lost`` contains the offsets of line starts ``@word{`` that no block accounts for; there should never be one.
    """

    blocks: list[ScannedEntry] = field(default_factory=list)
    notes: list[OffsetDefect] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)


def scan_blocks(text: str) -> Blocks:
    """Cut the text of a whole file (line ends are LF) into blocks. Never raises."""
    starts = find_starts(text)
    scanner = _FileScanner(text, starts)
    for start in starts:
        scanner.visit(start)
    scanner.pass_over(len(text))
    result = scanner.result
    result.lost = [match.start(1) for match in _LINE_START.finditer(text) if match.start(1) not in scanner.accounted]
    if "<<<<<<<" in text or ">>>>>>>" in text:
        for match in _CONFLICT_LINE.finditer(text):
            message = "git conflict marker: the merge of this file is unfinished"
            result.notes.append(OffsetDefect("git-conflict-marker", message, match.start()))
    return result


class _FileScanner:
    def __init__(self, text: str, starts: list[Start]) -> None:
        self.text = text
        self.source = Source(text, starts)
        self.well_formed = parse_well_formed(text, starts)
        self.result = Blocks()
        self.accounted: set[int] = set()
        self.position = 0
        self._comment_budget = 8 * len(text) + 1_000_000

    def visit(self, start: Start) -> None:
        """Process the next possible block start."""
        self.accounted.add(start.at)
        if start.at < self.position:
            self._note_inner(start)
        elif not self._is_text(start):
            self.pass_over(start.at)
            self._read_block(start)

    def pass_over(self, end: int) -> None:
        """Search the text between two blocks for entries with an unreadable head, or without ``@``."""
        bare = [one for one in _NO_AT.finditer(self.text, self.position, end) if one[1].lower() in KNOWN_TYPES]
        for one in bare:
            message = f"`{one[2]}` is not read: its entry begins without @ ({one[1]})"
            self.result.notes.append(OffsetDefect("stray-fields", message, one.start(1)))
        for stray in find_headless(self.text, self.position, end):
            if stray.head:
                why = f"cannot read an entry from “{stray.head[:60]}”"
                self.result.blocks.append(ScannedEntry(stray.start, stray.end, stray.type, stray.key, unreadable=why))
            elif not bare:
                message = "fields outside any entry"
                self.result.notes.append(OffsetDefect("stray-fields", message, stray.start))

    def _is_text(self, start: Start) -> bool:
        if start.adjacent == "\\" or (start.adjacent.isalnum() and not self._stuck_to(start)):
            return True
        if not start.kind and not start.entry_like:
            return True
        line = max(self.position, self.text.rfind("\n", self.position, start.at) + 1)
        return self.text.find("%", line, start.at) >= 0

    def _stuck_to(self, start: Start) -> str:
        """Return letters directly before the ``@`` of an entry, as in ``p@article{key,``; else `""`."""
        if not start.adjacent.isalnum() or not start.entry_like or start.kind not in KNOWN_TYPES:
            return ""
        stuck = _STUCK.search(self.text[max(self.position, start.at - _LONGEST_STUCK) : start.at])
        return stuck[1] if stuck else ""

    def _note_inner(self, start: Start) -> None:
        """Add a note for a start inside the previous block, so that no text is dropped silently."""
        blocks = self.result.blocks
        if not start.line_start or not blocks or start.at >= blocks[-1].end:
            return
        message = f"“@{start.kind}” at the start of a line inside a value is read as part of the value"
        blocks[-1].notes.append(OffsetDefect("stray-at", message, start.at))

    def _read_block(self, start: Start) -> None:
        if start.kind == "comment":
            self.position = self._comment_end(start)
        elif start.kind == "preamble":
            limit = self.source.limit(start.at)
            end = self._enclosed_end(start, limit)
            self.position = end if end >= 0 else limit
        else:
            entry = self.well_formed.get(start.at)
            if entry is None:
                entry = scan_entry(self.source, start, keyed=start.kind != "string")
            if stuck := self._stuck_to(start):
                entry.problems.append(
                    OffsetDefect("stray-text", f"unexpected text “{stuck}” before the entry", start.at)
                )
            self.result.blocks.append(entry)
            self.position = max(entry.end, start.opener + 1)

    def _comment_end(self, start: Start) -> int:
        """Return the offset after the comment. A braced comment may contain whole entries; an unclosed one ends before the
        next.

        The budget prevents thousands of unclosed comments from each searching to the end of the file.
        """
        limit = self.source.limit(start.at)
        if self.text[start.opener] == "{" and self._comment_budget > 0:
            limit = len(self.text)
        end = self._enclosed_end(start, limit)
        if end < 0:
            self._comment_budget -= limit - start.at
            return self.source.limit(start.at)
        hidden = sum(1 for match in _LINE_START.finditer(self.text, start.opener, end))
        if hidden:
            message = f"a @comment hides {hidden} {'entry' if hidden == 1 else 'entries'}"
            self.result.notes.append(OffsetDefect("commented-entries", message, start.at))
        return end

    def _enclosed_end(self, start: Start, limit: int) -> int:
        """Return the offset after the delimiter that closes the block, or -1 if there is none before the limit."""
        if self.text[start.opener] == "{":
            return closing_brace(self.text, start.opener, limit) + 1 or -1
        position = start.opener + 1
        while (close := self.text.find(")", position, limit)) >= 0:
            inner = self.text.find("{", position, close)
            end = closing_brace(self.text, inner, limit) if inner >= 0 else -1
            if end < 0:
                return close + 1
            position = end + 1
        return -1
