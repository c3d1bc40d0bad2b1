"""The blocks of a BibTeX file in their order: entries and macro definitions, with all that is passed over.

bibtexparser reads the well-formed blocks (`readers.bibtex.library`), the scanner all others (`readers.bibtex.entry`).

Entries are told from the rest as by biber and JabRef: text between entries is ignored, ``@comment{...}`` hides what it
encloses, and a ``%`` hides an ``@`` after it on the same line (BibTeX itself knows no comments and would read the entry;
``%`` before an entry means that it is disabled). An ``@`` inside a word, as in an e-mail address, is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pytest_citecheck.readers.bibtex.entry import ScannedEntry, scan_entry
from pytest_citecheck.readers.bibtex.headless import find_headless
from pytest_citecheck.readers.bibtex.kinds import KNOWN_TYPES
from pytest_citecheck.readers.bibtex.library import parse_well_formed
from pytest_citecheck.readers.bibtex.repair import closing_brace
from pytest_citecheck.readers.bibtex.starts import Source, Start, find_starts
from pytest_citecheck.readers.bibtex.value import OffsetDefect
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Blocks", "scan_blocks"]

_CONFLICT_LINE = lazy_pattern(r"^(?:<{7}|>{7})(?:[ \t].*)?$", re.MULTILINE)
_STUCK = lazy_pattern(r"(?:^|[\s}])(\w{1,8})\Z")
"""Letters that were typed by accident: longer ones may be the name in an e-mail address."""
_LONGEST_STUCK = 10
_LINE_START = lazy_pattern(r"^[^\S\n]*+(@)[ \t]*+[^\W\d_][\w-]*+\s*+[{(]", re.MULTILINE)


@dataclass(slots=True)
class Blocks:
    """What a file consists of: entries and ``@string`` blocks in their order, and remarks on the file.

    ``lost`` holds the offsets of line starts ``@word{`` for which no block accounts; there should never be one.
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
        """Deal with the next place that looks like the start of a block."""
        self.accounted.add(start.at)
        if start.at < self.position:
            self._note_inner(start)
        elif not self._is_text(start):
            self.pass_over(start.at)
            self._read_block(start)

    def pass_over(self, end: int) -> None:
        """Look through the text between two blocks for entries whose head cannot be read."""
        for stray in find_headless(self.text, self.position, end):
            if stray.head:
                why = f"no entry can be read from “{stray.head[:60]}”"
                self.result.blocks.append(ScannedEntry(stray.start, stray.end, stray.type, stray.key, unreadable=why))
            else:
                message = "fields outside of any entry"
                self.result.notes.append(OffsetDefect("stray-fields", message, stray.start))

    def _is_text(self, start: Start) -> bool:
        if start.adjacent == "\\" or (start.adjacent.isalnum() and not self._stuck_to(start)):
            return True
        if not start.kind and not start.entry_like:
            return True
        line = max(self.position, self.text.rfind("\n", self.position, start.at) + 1)
        return self.text.find("%", line, start.at) >= 0

    def _stuck_to(self, start: Start) -> str:
        """The letters right before the ``@`` of what is an entry all the same, as in ``p@article{key,``; else empty."""
        if not start.adjacent.isalnum() or not start.entry_like or start.kind not in KNOWN_TYPES:
            return ""
        stuck = _STUCK.search(self.text[max(self.position, start.at - _LONGEST_STUCK) : start.at])
        return stuck[1] if stuck else ""

    def _note_inner(self, start: Start) -> None:
        """A start inside the block that was read last gets a note, so that nothing is dropped silently."""
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
        """The offset after the comment, which may contain whole entries if it is in braces; an unclosed one ends before the next.

        The budget keeps thousands of unclosed comments from costing a search to the end of the file each.
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
        """The offset after the delimiter that closes the block, -1 if there is none before the limit."""
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
