"""Where the fields of each entry stand in the text of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.readers.bibtex.starts import Source, find_starts
from pytest_citecheck.readers.bibtex.value import read_value
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference
    from pytest_citecheck.readers.bibtex.entry import ScannedEntry
    from pytest_citecheck.readers.bibtex.reader import Draft

__all__ = ["EntryPlace", "FieldPlace", "Layout"]

_EQUALS = lazy_pattern(r"[^={}\",]+=\s*")
_TYPE = lazy_pattern(r"@[ \t]*([^\W\d_][\w-]*)")


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field: the offset of its name, and start and end of its value with its delimiters."""

    name: str
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """An entry: start and end, start and end of the word after the ``@``, and its fields in their order; of a repeated field the
    first."""

    start: int
    end: int
    type: tuple[int, int]
    fields: Mapping[str, FieldPlace]


class Layout:
    """The entries of a file that are written without a fault, by their place; others are not edited.

    Offsets are those of the decoded text: `readers.lines.unify_line_ends` moves no character.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._source = Source(draft.text, find_starts(draft.text))
        self._blocks = {
            (draft.lines.line(block.start), block.key): block
            for block in reversed(draft.scanned.blocks)
            if block.type != "string"
        }

    def place(self, reference: Reference) -> EntryPlace | None:
        """The place of this reference of the file; None if its entry is badly written, or is not in this text."""
        block = self._blocks.get((reference.location.line, reference.key))
        if block is None or block.problems or block.unreadable:
            return None
        if self._draft.decoded[block.start : block.end] != reference.text:
            return None
        word = _TYPE.match(self._draft.text, block.start)
        fields = list(self._fields(block))
        if word is None or len(fields) != len(block.fields):
            return None
        return EntryPlace(block.start, block.end, word.span(1), {field.name: field for field in reversed(fields)})

    def _fields(self, block: ScannedEntry) -> Iterator[FieldPlace]:
        for name, parts, at in block.fields:
            head = _EQUALS.match(self._draft.text, at, block.end)
            if head is None:
                return
            value = read_value(self._source, head.end(), block.end, name)
            if value.problems or value.cut or value.parts != parts:
                return
            yield FieldPlace(name, at, head.end(), value.end)
