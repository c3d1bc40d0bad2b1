"""Rows of an open index, each checked as it is read: what is damaged is no record, and no absence either.

All tables that a look-up walks have the form ``id, crc, content``. ``crc`` is the CRC-32 of the content, begun with the id and
the name of the table, so that a row that stands under another number, or in another table, does not pass. The ids have no
gaps where a look-up may ask for one: a row that is not there is damage (a branch of the tree that leads astray), never
an absence. So no look-up has to trust the structure of the file.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["CHECKED", "DamagedRowError", "Rows", "row_sum", "table_sum"]

_TEXTS = ("titles", "names", "spellings")
CHECKED = (*_TEXTS, "blocks", "exact", "postings", "long_postings", "author_keys")
"""The tables of that form; the content is text in the first three."""

_SEEDS = {table: crc32(table.encode()) for table in CHECKED}
_SIGN = 1 << 31  # SQLite keeps a signed number of 32 bits in four bytes, and an unsigned one in six


class DamagedRowError(ValueError):
    """A row is missing or not what was written. table: its name; row: its id."""

    def __init__(self, table: str, row: int) -> None:
        super().__init__(f"row {row} of {table}")
        self.table, self.row = table, row


def row_sum(table: str, row: int, content: str | bytes | memoryview) -> int:
    """What stands in ``crc`` beside that content. Raises TypeError, AttributeError or UnicodeError for what cannot be content."""
    data = content.encode() if table in _TEXTS else content  # type: ignore[union-attr]
    return crc32(data, _SEEDS[table] ^ row) - _SIGN  # type: ignore[arg-type]


def table_sum(rows: Iterable[tuple[Any, ...]]) -> int:
    """The checksum of a small table as a whole, its rows in their order: one that lacks a row has another."""
    return crc32(repr(list(rows)).encode("utf-8", "surrogatepass"))


class Rows:
    """Reads the tables of one open index. ``damaged``: the rows that turned out to be damaged, as (table, id)."""

    def __init__(self, connection: sqlite3.Connection, damaged: set[tuple[str, int]] | None = None) -> None:
        self._execute = connection.execute
        self.damaged: set[tuple[str, int]] = set() if damaged is None else damaged
        self._one = {table: self._reading(connection.cursor(), table) for table in CHECKED}
        self._some = {table: f"SELECT id, crc, content FROM {table} WHERE id IN " for table in CHECKED}  # noqa: S608

    def one(self, table: str, row: int) -> Any:
        """The content of a row that was written. Raises DamagedRowError."""
        return self._one[table](row)

    def reading(self, table: str) -> Callable[[int], Any]:
        """`one` for a table that is read often."""
        return self._one[table]

    def _reading(self, cursor: sqlite3.Cursor, table: str) -> Callable[[int], Any]:
        execute = cursor.execute  # of a cursor that is kept: making one takes as long as the checksum
        query = f"SELECT crc, content FROM {table} WHERE id = ?"  # noqa: S608
        seed, is_text = _SEEDS[table], table in _TEXTS

        def read(row: int) -> Any:
            try:
                # Without a call of `row_sum`, here and below: a look-up reads from two rows to a hundred.
                for crc, content in execute(query, (row,)):
                    if crc == crc32(content.encode() if is_text else content, seed ^ row) - _SIGN:
                        return content
            except (sqlite3.Error, TypeError, AttributeError, UnicodeError):
                pass
            self.damaged.add((table, row))
            raise DamagedRowError(table, row)

        return read

    def some(self, table: str, rows: Iterable[int]) -> dict[int, Any]:
        """The contents of rows that were written, by id; at most 32,000 at once. Raises DamagedRowError."""
        wanted = tuple(rows)
        seed, is_text = _SEEDS[table], table in _TEXTS
        contents: dict[int, Any] = {}
        try:
            for row, crc, content in self._execute(f"{self._some[table]}({','.join('?' * len(wanted))})", wanted):
                if crc != crc32(content.encode() if is_text else content, seed ^ row) - _SIGN:
                    break
                contents[row] = content
        except (sqlite3.Error, TypeError, AttributeError, UnicodeError):
            contents.clear()
        if len(contents) != len(wanted):
            return {row: self.one(table, row) for row in wanted}  # which one it is
        return contents

    def all(self, table: str) -> Iterator[tuple[int, Any]]:
        """All rows of a table in their order. Raises DamagedRowError, and sqlite3.Error where the table cannot be walked."""
        for row, crc, content in self._execute(f"SELECT id, crc, content FROM {table} ORDER BY id"):  # noqa: S608
            try:
                if crc == row_sum(table, row, content):
                    yield row, content
                    continue
            except (TypeError, AttributeError, UnicodeError):
                pass
            raise DamagedRowError(table, row)
