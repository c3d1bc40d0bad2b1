"""The file of a local index: its tables, and how lists of record numbers stand in them.

A SQLite file, so that it is portable and readable with any SQLite; SQLite's own text search is not used, because it scores
every row that has any of the words. All numbers in BLOBs are little-endian.

- ``titles``: the titles as stated, with their subtitles, under the number of the record (from 0 in the order in which they
  came, with gaps).
- ``blocks``: the other fields of eight records each, compressed (`pytest_citecheck.index.storage.packing`).
- ``names``: names of collections, types, venues, publishers and agencies, which repeat.
- ``exact``: a bucket of hashes of normal forms and identifiers → the hashes, then the numbers of their records (`numbers_under`).
- ``postings``, ``author_keys``: a bucket of keys (`pytest_citecheck.index.keys`) → record numbers, ascending. Of a long list
  ``postings`` has only the length (`long_list`), and ``long_postings`` the list.
- ``spellings``: a bucket of halves of words → the words, one a line.
- ``collections``, ``scopes``, ``volumes``, ``meta``: what was put in, what it is complete for, what was counted of each venue and
  year, the numbers needed for reading.

Nothing is believed unchecked. The rows of the first eight tables carry checksums, and every bucket has a row
(`pytest_citecheck.index.storage.rows`); of each of the other four, which are read as a whole, ``meta`` has one. Behind
the last page stands the checksum of the whole file (`seal`), which `pytest_citecheck.index.maintenance.verify` compares.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import sys
import zlib
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_citecheck.index.storage.rows import CHECKED, table_sum
from pytest_citecheck.linking.provenance import is_own_library

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "BLOCK", "CHUNK", "DAMAGE", "FORMAT", "FREELY_READ", "SCHEMA", "SMALL_TABLES", "Collection", "IndexFileError", "bucket",
    "check_header", "connect", "damaged", "is_sealed", "length_of_long", "long_list", "numbers_under", "record_numbers",
    "seal", "small_table",
]  # fmt: skip

APPLICATION = 0x63697465
"""``application_id`` of the file: "cite" in ASCII."""
FORMAT = 5
"""``user_version`` of the file."""
BLOCK = 8
"""Records a block: more compress better and take longer to read."""
CHUNK = BLOCK * 4096
"""Records that are written together; of a set of shards each has whole ones (`pytest_citecheck.index.storage.shards`)."""
PAGE = 4096
FREELY_READ = 4 * 2_000
"""Bytes of a list of record numbers that is read together with its length; longer ones only if the budget of a search allows."""
SMALL_TABLES = ("collections", "scopes", "volumes")

_TABLES = "\n".join(
    f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, content NOT NULL);" for table in CHECKED
)
SCHEMA = f"""
PRAGMA page_size = {PAGE};
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
{_TABLES}
CREATE TABLE collections (
  name TEXT PRIMARY KEY, records INTEGER NOT NULL, date TEXT NOT NULL, licence TEXT NOT NULL, origin TEXT NOT NULL,
  complete INTEGER NOT NULL, derives_from TEXT NOT NULL
);
CREATE TABLE scopes (
  collection TEXT NOT NULL, venue TEXT NOT NULL, year INTEGER, complete INTEGER NOT NULL, why TEXT NOT NULL
);
CREATE TABLE volumes (
  venue TEXT NOT NULL, year INTEGER NOT NULL, collections TEXT NOT NULL, titles INTEGER NOT NULL, agreed INTEGER NOT NULL
);
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL);
"""

_HEADER = 100
_BIG_ENDIAN = sys.byteorder == "big"
_SEAL = 4  # bytes after the last page; SQLite does not read them
_AT_ONCE = 1 << 20  # bytes
_KEY = 4  # bytes of a hash that stand in its bucket

DAMAGE = (sqlite3.Error, zlib.error, struct.error, ValueError, LookupError, TypeError, OverflowError)
"""What reading a damaged file may raise."""


class IndexFileError(Exception):
    """A file is no local index, is damaged, or is of a version that this program does not read."""


def damaged(path: Path, error: Exception) -> IndexFileError:
    """What to say of a file that was stumbled over with one of `DAMAGE`: SQLite's words, which are about the file, no others."""
    said = str(error) if isinstance(error, sqlite3.Error) else "it was changed after writing"
    return IndexFileError(f"{path} is damaged ({said}): rebuild it")


class Collection(NamedTuple):
    """What an index knows of a collection in it: how many records, and of which date (ISO 8601), licence and origin.

    complete: False if something was lost when it was read. derives_from: names of the collections that somebody declared
    it to take its facts from, joined by ``+``.
    """

    name: str
    records: int = 0
    date: str = ""
    licence: str = ""
    origin: str = ""
    complete: bool = True
    derives_from: str = ""

    @property
    def own(self) -> bool:
        """Whether it is a user's own file of references, which has no authority on what it holds."""
        return is_own_library(self.name)

    def with_more(self, later: Collection) -> Collection:
        """What is known of the two together, when the records of ``later`` have been put beside these."""
        parents = {*self.derives_from.split("+"), *later.derives_from.split("+")} - {""}
        return later._replace(
            complete=self.complete and later.complete,
            derives_from="+".join(sorted(parents)),
        )


def check_header(path: Path) -> None:
    """Raises IndexFileError if ``path`` cannot be read as an index of this format: missing, foreign, older, newer, cut."""
    if path.is_dir():
        raise IndexFileError(f"{path} is a folder, not an index")
    if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
        raise IndexFileError(f"{path} is not a regular file, and no index")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
            size = os.fstat(file.fileno()).st_size  # of this file, which may just be replaced by another
    except OSError as error:
        raise IndexFileError(f"{path}: the index cannot be opened: {error.strerror}") from error
    if len(header) < _HEADER or not header.startswith(b"SQLite format 3\0") or _big(header, 68) != APPLICATION:
        raise IndexFileError(f"{path} is not a local index")
    if _big(header, 60) != FORMAT:
        raise IndexFileError(
            f"{path} is an index of format {_big(header, 60)}; this version reads {FORMAT}: rebuild it"
        )
    if (said := _big(header, 28) * PAGE + _SEAL) != size:
        raise IndexFileError(f"{path} is cut or damaged: it has {size:,} bytes and should have {said:,}")


def _big(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")


def seal(path: Path) -> None:
    """Write the checksum of the file after its last page. Raises OSError."""
    total = _summed(path, path.stat().st_size)
    with path.open("ab") as file:
        file.write(total.to_bytes(_SEAL, "little"))


def is_sealed(path: Path) -> bool:
    """Whether the file is what was sealed, to the last bit. Raises OSError."""
    size = path.stat().st_size - _SEAL
    with path.open("rb") as file:
        file.seek(size)
        return _summed(path, size) == int.from_bytes(file.read(), "little")


def _summed(path: Path, size: int) -> int:
    total = 0
    with path.open("rb") as file:
        while size and (part := file.read(min(size, _AT_ONCE))):
            total = zlib.crc32(part, total)
            size -= len(part)
    return total


def small_table(connection: sqlite3.Connection, name: str, expected: int | None = None) -> tuple[list[Any], int]:
    """The rows of one of `SMALL_TABLES` in their order, and their checksum. Raises ValueError if it is not as expected."""
    rows = connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()  # noqa: S608
    total = table_sum(rows)
    if expected is not None and total != expected:
        raise ValueError(f"the table {name} is not what was written")
    return rows, total


def bucket(key: int, buckets: int) -> int:
    """Where a 32-bit key stands if there are so many buckets: they keep the order of the keys."""
    return (key * buckets) >> 32


def long_list(size: int) -> bytes:
    """What stands in ``postings`` for a list of so many bytes: no list, whose lengths are multiples of four."""
    return size.to_bytes(5, "little")


def length_of_long(content: bytes) -> int:
    """The bytes of the long list for which this stands; 0 if it is a list itself."""
    return int.from_bytes(content, "little") if len(content) % 4 else 0


def numbers_under(content: bytes, key: bytes) -> Sequence[int]:
    """The record numbers that a bucket has for a hash, given by its first four bytes (`keys.digest`)."""
    half = len(content) // 2  # first all hashes in order, then their numbers
    key = key[:_KEY]
    first = content.find(key, 0, half)
    while first % _KEY > 0:  # across two hashes; -1 % 4 is 3
        if first < 0:
            return ()
        first = content.find(key, first + 1, half)
    last = first + _KEY
    if content[last : last + _KEY] != key or last == half:
        return (int.from_bytes(content[half + first : half + last], "little"),)
    while content.startswith(key, last) and last < half:
        last += _KEY
    return record_numbers(content[half + first : half + last])


def record_numbers(ids: bytes) -> array[int]:
    """The record numbers in a list."""
    numbers = array("I")
    numbers.frombytes(ids)
    if _BIG_ENDIAN:
        numbers.byteswap()
    return numbers


def connect(path: Path, mapped: int = 1 << 40) -> tuple[sqlite3.Connection, dict[str, Any]]:
    """The index at ``path``, opened for reading by any number of processes, and its table ``meta``.

    mapped: bytes of the file to map into memory at most, which is faster to read; SQLite cuts it to what it was compiled for.
    Raises IndexFileError if it is not an index of this format, or damaged where that shows at once.
    """
    check_header(path)
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False, cached_statements=512
    )
    try:
        connection.execute(f"PRAGMA mmap_size = {mapped:d}")
        connection.execute("PRAGMA cache_size = -4000")
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        if meta.pop("sum", None) != table_sum(sorted(meta.items())):
            raise ValueError("the table meta is not what was written")
    except DAMAGE as error:
        connection.close()
        raise damaged(path, error) from error
    return connection, meta
