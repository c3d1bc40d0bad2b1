"""The protocol of a dump format: the decompressed bytes of a file in, records and problems out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["LONGEST", "Context", "DumpError", "Format", "Head", "Problem"]

LONGEST = 32 * 1024 * 1024
"""Bytes of the longest record that is read; the records of the largest collaborations take some three million."""


class DumpError(Exception):
    """A file cannot be read here at all, although it may be sound: a library for its compression is missing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A piece of a file that gave no record, or the way in which the file ends.

    file: path as given, with the member of an archive (``works.tar:3.json.gz``). offset: bytes from the start of the
    decompressed content to the piece. line: its number (1-based) where a format goes by lines. record: the id of the record,
    as far as it could be made out. cut: an unknown amount is lost besides this piece.
    """

    file: str
    offset: int
    reason: str
    line: int | None = None
    record: str = ""
    cut: bool = False

    def __str__(self) -> str:
        place = f"{self.file}, byte {self.offset}" if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.record}: {self.reason}" if self.record else f"{place}: {self.reason}"


@dataclass(slots=True)
class Context:
    """What a format is told of the file that it reads, and where it writes down what is no record.

    file: name for problems. source: name of the collection, for formats whose records do not state it.
    skipped: how many records were passed over on purpose, by reason. deleted: ids of records that the file takes back.
    pending: problems of the layers below the format (compression, archives, overlong lines), to be handed out next.
    """

    file: str
    source: str = ""
    skipped: Counter[str] = field(default_factory=Counter)
    deleted: list[str] = field(default_factory=list)
    pending: list[Problem] = field(default_factory=list)

    def problem(
        self, offset: int, reason: str, *, line: int | None = None, record: str = "", cut: bool = False
    ) -> Problem:
        """A problem in this file."""
        return Problem(self.file, offset, reason, line, record, cut)

    def member(self, name: str) -> Context:
        """The same for a member of this archive; what it writes down is counted for the whole file."""
        return Context(f"{self.file}:{name}", self.source, self.skipped, self.deleted, self.pending)


@dataclass(frozen=True, slots=True)
class Head:
    """What the format of a file is told by.

    name: file name in lower case without the endings of compression. data: the first bytes of the content.
    """

    name: str
    data: bytes


class Format(Protocol):
    """One dump format.

    name: stable word for it (``dblp-xml``). source: name of the collection that its records state; empty: that of the
    context, or each record's own. licence: of the metadata (SPDX), empty if unknown. starts: the characters with which its
    files may start; empty: any. fallback: whether other formats are tried first, because its files have no marks of their own.
    """

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def licence(self) -> str: ...

    @property
    def starts(self) -> str: ...

    @property
    def fallback(self) -> bool: ...

    def recognises(self, head: Head) -> bool:
        """Whether a file that begins so is of this format."""
        ...

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """The records of a file in its order, in memory that does not grow with it. Never raises for its content."""
        ...
