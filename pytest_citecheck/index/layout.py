"""File format of a local index: its tables, and the encoding of lists of record numbers.

A SQLite file, so that it is portable and readable with any SQLite; SQLite's own text search is not used, because it
scores every row that has any of the words. All numbers in BLOBs are little-endian.

- ``titles``: the titles as stated, with their subtitles, under the number of the record (from 0 in the order in which they
  came, with gaps).
- ``blocks``: the other fields of eight records each: the numbers of the names in them (`names_header`), then the packed
  records, compressed with the preset dictionary ``fields.dict``.
- ``names``: names of collections, types, venues, publishers and agencies, which repeat.
- ``exact``: a bucket of hashes of normal forms and identifiers → the hashes, then the numbers of their records (`numbers_under`).
- ``postings``, ``author_keys``: a bucket of keys (`pytest_citecheck.index.keys`) → record numbers, ascending. For a long list,
  ``postings`` has only the length (`long_list`), and ``long_postings`` the list. Each number has ``width`` bytes (`widened`).
- ``spellings``: a bucket of halves of words → the words, one a line.
- ``collections``, ``scopes``, ``volumes``, ``meta``: the collections, their completeness, counts of each venue and
  year, the numbers needed for reading.

All content is checked. The rows of the first eight tables carry checksums, and every bucket has a row
(`pytest_citecheck.index.layout`); ``meta`` has one for each of the other four, which are read as a whole. The checksum
of the whole file (`seal`) follows the last page; `pytest_citecheck.index.maintenance.verify` compares it.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import sys
import zlib
from array import array
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from pytest_citecheck.evidence import is_own_library
from pytest_citecheck.model import Notice, Person, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_UNIT, _ITEM, _RECORD, _PART = "\x1f", "\x1e", "\x1d", "\x1c"
_SEPARATORS = str.maketrans(dict.fromkeys(_UNIT + _ITEM + _RECORD + _PART, " "))
_SHORT = 9  # fields of a record that states no others
_NAME = attrgetter("family", "given", "particle", "suffix", "literal")
_OTHERS = (
    "pmid", "related", "isbn", "volume", "number", "pages", "editors", "publisher", "issn", "authors_complete", "subtitle",
    "other_titles", "agency", "version", "notices", "compiled",
)  # fmt: skip
_STATED = attrgetter(*_OTHERS)
_UNSTATED = _STATED(Record("", ""))


def packed_fields(record: Record, people: str, number_of: Callable[[str], str]) -> str:
    """All fields but the title as one text. people: the authors, packed; ``number_of`` returns the code of a repeated
    name.

    Separators in the fields become spaces, and halves of surrogate pairs question marks.
    """
    venue, *further = list(filter(None, record.venues)) or [""]
    fields = [
        clean(record.id),
        number_of(record.source),
        number_of(record.type),
        number_of(venue),
        ",".join(map(str, record.years)),
        people,
        clean(record.doi),
        clean(record.arxiv),
        clean(record.url),
    ]
    if not further and _STATED(record) == _UNSTATED:
        return _UNIT.join(fields)
    fields += [
        _items(further),
        clean(record.pmid),
        _items(record.related),
        _items(record.isbn),
        clean(record.volume),
        clean(record.number),
        clean(record.pages),
        packed_people(record.editors),
        number_of(record.publisher) if record.publisher else "",
        _items(record.issn),
        "" if record.authors_complete else "-",
        str(len(record.subtitle)) if record.subtitle else "",
        _items(record.other_titles),
        number_of(record.agency) if record.agency else "",
        "" if record.version is None else str(record.version),
        _items([(notice.kind, notice.stated_by, notice.date, notice.doi) for notice in record.notices]),
        "+" if record.compiled else "",
    ]
    return _UNIT.join(fields).rstrip(_UNIT) if not fields[-1] else _UNIT.join(fields)


def _items(values: Sequence[str | tuple[str, ...]]) -> str:
    if not values:
        return ""
    return _ITEM.join(clean(value) if isinstance(value, str) else _PART.join(map(clean, value)) for value in values)


def packed_people(people: Iterable[Person]) -> str:
    """Names as one text: single strings unchanged, all others in parts, of which the sixth marks a group."""
    return _ITEM.join(
        [
            clean(person.literal)
            if person.literal and not any((person.family, person.given, person.particle, person.suffix, person.group))
            else _packed_name(person)
            for person in people
        ]
    )


def _packed_name(person: Person) -> str:
    parts = [*map(clean, _NAME(person)), "g" if person.group else ""]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return _PART.join(parts)


def storable(text: str) -> str:
    """``text`` without halves of surrogate pairs, which cannot be written as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def clean(text: str) -> str:
    """``text`` as the value of a field: storable, and without the separators."""
    return text if text.isprintable() else storable(text.translate(_SEPARATORS))


@lru_cache(maxsize=1)
def _dictionary() -> bytes:
    """Frequent pieces of packed records. Part of the format: another one needs another `FORMAT`."""
    return Path(__file__).with_name("fields.dict").read_bytes()


@lru_cache(maxsize=1)
def _compressor() -> zlib._Compress:
    """A compressor that knows the dictionary, to copy."""
    return zlib.compressobj(6, zlib.DEFLATED, -15, zdict=_dictionary())


def pack(fields: Iterable[str]) -> bytes:
    """The packed records of a block, compressed with deflate (RFC 1951)."""
    compressor = _compressor().copy()
    return compressor.compress(_RECORD.join(fields).encode()) + compressor.flush()


def names_header(numbers: Sequence[int]) -> bytes:
    """The rows of ``names`` that the records of a block refer to by position: their count, then each in groups of seven bits."""
    header = bytearray((len(numbers),))
    for number in numbers:
        while number > 0x7F:
            header.append(number & 0x7F | 0x80)
            number >>= 7
        header.append(number)
    return bytes(header)


class Block(NamedTuple):
    """The packed records of a block. names: the rows of ``names`` by the codes in them."""

    texts: list[str]
    names: list[int]


def split_block(data: bytes) -> Block:
    """The packed records of a block."""
    names, place = names_of(data)
    texts = zlib.decompressobj(-15, _dictionary()).decompress(data[place:])
    return Block(texts.decode().split(_RECORD), names)


def names_of(data: bytes) -> tuple[list[int], int]:
    """The rows of ``names`` that the records of a block refer to (`names_header`), and where the header ends."""
    names: list[int] = []
    place = 1
    for _ in range(data[0]):
        number = shift = 0
        while (byte := data[place]) > 0x7F:
            number |= (byte & 0x7F) << shift
            shift += 7
            place += 1
        names.append(number | byte << shift)
        place += 1
    return names, place


def unpack(title: str, packed: str, name_of: Callable[[str], str]) -> Record:
    """The record that `packed_fields` made ``packed`` of. title: with the subtitle."""
    fields = packed.split(_UNIT)
    identifier, source, kind, venue, years, authors, doi, arxiv, url = fields[:_SHORT]
    first = name_of(venue)
    record: dict[str, Any] = {
        "source": name_of(source),
        "id": identifier,
        "url": url,
        "title": title,
        "authors": _people(authors),
        "years": tuple(map(int, years.split(","))) if years else (),
        "venues": (first,) if first else (),
        "type": name_of(kind),
        "doi": doi,
        "arxiv": arxiv,
    }
    if len(fields) > _SHORT:
        _add_others(record, fields[_SHORT:], name_of)
    return Record(**record)


def venue_code(packed: str) -> int:
    """The code of the primary venue of a packed record."""
    return int(packed.split(_UNIT, 4)[3])


def primary_year(packed: str) -> int | None:
    """The primary year of a packed record."""
    stated = packed.split(_UNIT, 5)[4].partition(",")[0]
    return int(stated) if stated else None


def authors_of(packed: str) -> list[str]:
    """The authors of a packed record, each for `person`."""
    return packed.split(_UNIT, 6)[5].split(_ITEM)


def _add_others(record: dict[str, Any], fields: list[str], name_of: Callable[[str], str]) -> None:
    """Put the fields beyond the ninth into a record that is being unpacked."""
    further, *others = fields
    if further:
        record["venues"] += tuple(further.split(_ITEM))
    for name, value in zip(_OTHERS, others, strict=False):
        if not value:
            continue
        if name == "subtitle":
            length = int(value)
            record["title"], record["subtitle"] = record["title"][: -length - 2], record["title"][-length:]
        else:
            record[name] = _READ[name](value) if name in _READ else name_of(value) if name in _NAMES else value


def _texts(value: str) -> tuple[str, ...]:
    return tuple(value.split(_ITEM))


def _people(value: str) -> tuple[Person, ...]:
    return tuple(map(person, value.split(_ITEM))) if value else ()


@lru_cache(maxsize=1 << 14)
def person(packed: str) -> Person:
    """The same one in all records that were read lately."""
    if _PART not in packed:
        return Person(packed)
    family, given, particle, suffix, literal, group = (*packed.split(_PART), "", "", "", "")[:6]
    return Person(literal, family, given, particle, suffix, group=bool(group))


_NAMES = frozenset({"publisher", "agency"})
_READ: dict[str, Callable[[str], object]] = {
    "related": lambda value: tuple(tuple(pair.split(_PART)) for pair in value.split(_ITEM)),
    "isbn": _texts,
    "editors": _people,
    "issn": _texts,
    "authors_complete": lambda _: False,
    "other_titles": _texts,
    "version": int,
    "notices": lambda value: tuple(Notice(*stated.split(_PART)) for stated in value.split(_ITEM)),  # type: ignore[arg-type]
    "compiled": lambda _: True,
}


_TEXTS = ("titles", "names", "spellings")
CHECKED = (*_TEXTS, "blocks", "exact", "postings", "long_postings", "author_keys")
"""The tables of that form; the content is text in the first three."""

_SEEDS = {table: crc32(table.encode()) for table in CHECKED}
_SIGN = 1 << 31  # SQLite keeps a signed number of 32 bits in four bytes, and an unsigned one in six


class DamagedRowError(ValueError):
    """A row is missing or changed. table: its name; row: its id."""

    def __init__(self, table: str, row: int) -> None:
        super().__init__(f"row {row} of {table}")
        self.table, self.row = table, row


def row_sum(table: str, row: int, content: str | bytes | memoryview) -> int:
    """Checksum of a row, as in ``crc``. Raises TypeError, AttributeError or UnicodeError for invalid content."""
    data = content.encode() if table in _TEXTS else content  # type: ignore[union-attr]
    return crc32(data, _SEEDS[table] ^ row) - _SIGN  # type: ignore[arg-type]


def summed_rows(table: str, rows: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, int, str | bytes | memoryview]]:
    """Rows with their checksums."""
    seed = _SEEDS[table]
    if table in _TEXTS:
        return ((row, crc32(content.encode(), seed ^ row) - _SIGN, content) for row, content in rows)
    return ((row, crc32(content, seed ^ row) - _SIGN, content) for row, content in rows)


def table_sum(rows: Iterable[tuple[Any, ...]]) -> int:
    """Checksum of a small table as a whole, with its rows in order, so that a missing row changes it."""
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


APPLICATION = 0x63697465
"""``application_id`` of the file: "cite" in ASCII."""
FORMAT = 7
"""``user_version`` of the file."""
BLOCK = 8
"""Records a block: more compress better and take longer to read."""
CHUNK = BLOCK * 4096
"""Records that are written together; of a set of shards each has whole ones (`pytest_citecheck.index.reader`)."""
PAGE = 8192
FREELY_READ = 2_000
"""Record numbers in a list that is read together with its length; longer ones only if the budget of a search allows."""
NARROW, WIDE = 3, 4
"""Bytes of a record number in lists: three while there are few enough records."""
SMALL_TABLES = {"collections": 7, "scopes": 5, "volumes": 7}
"""Tables that are read as a whole, with their columns."""

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
  venue TEXT NOT NULL, year INTEGER NOT NULL, collections TEXT NOT NULL, titles INTEGER NOT NULL,
  agreed INTEGER NOT NULL, works INTEGER NOT NULL, lacks REAL NOT NULL
);
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL);
"""

_HEADER = 100
_BIG_ENDIAN = sys.byteorder == "big"
_SEAL = 4  # bytes after the last page; SQLite does not read them
_AT_ONCE = 1 << 20  # bytes
_KEY = 4  # bytes of a hash that are stored in its bucket

DAMAGE = (sqlite3.Error, zlib.error, struct.error, ValueError, LookupError, TypeError, OverflowError)
"""Exceptions that reading a damaged file may raise."""


class IndexFileError(Exception):
    """A file is no local index, is damaged, or is of a version that this program does not read."""


def damaged(path: Path, error: Exception) -> IndexFileError:
    """Message about a damaged file after one of the exceptions in `DAMAGE`. It quotes SQLite only."""
    said = str(error) if isinstance(error, sqlite3.Error) else "it was changed after writing"
    return IndexFileError(f"{path} is damaged ({said}): rebuild it")


class Collection(NamedTuple):
    """A collection in an index: number of records, date (ISO 8601), licence and origin.

    complete: False if something was lost when it was read. derives_from: names of the collections that it is declared
    to copy from, joined by ``+``.
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
        """True for a user's own file of references, which has no authority on its content."""
        return is_own_library(self.name)

    def with_more(self, later: Collection) -> Collection:
        """Merge both descriptions after the records of ``later`` were added to these."""
        parents = {*self.derives_from.split("+"), *later.derives_from.split("+")} - {""}
        return later._replace(complete=self.complete and later.complete, derives_from="+".join(sorted(parents)))


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
    if (said := _big(header, 28) * int.from_bytes(header[16:18], "big") + _SEAL) != size:
        raise IndexFileError(f"{path} is cut or damaged: it has {size:,} bytes and should have {said:,}")


def _big(header: bytes, offset: int) -> int:
    return int.from_bytes(header[offset : offset + 4], "big")


def seal(path: Path) -> None:
    """Write the checksum of the file after its last page. Raises OSError."""
    total = _summed(path, path.stat().st_size)
    with path.open("ab") as file:
        file.write(total.to_bytes(_SEAL, "little"))


def is_sealed(path: Path) -> bool:
    """Return True if the file is unchanged since it was sealed. Raises OSError."""
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
    """Bucket of a 32-bit key in a table with this many buckets. Buckets keep the order of the keys."""
    return (key * buckets) >> 32


def long_list(size: int) -> bytes:
    """Placeholder in ``postings`` for a list of this many bytes. Lengths of real lists are multiples of three or four."""
    return size.to_bytes(5, "little")


def length_of_long(content: bytes, width: int) -> int:
    """Number of bytes of the long list that this placeholder refers to; 0 for a real list."""
    return int.from_bytes(content, "little") if len(content) % width else 0


def widened(ids: bytes, width: int) -> bytes | bytearray:
    """A list with four bytes for each number, of one with three: first all lowest bytes, then the middle ones,
    then the highest ones."""
    if width == WIDE:
        return ids
    count = len(ids) // NARROW
    wide = bytearray(WIDE * count)
    wide[::WIDE], wide[1::WIDE], wide[2::WIDE] = ids[:count], ids[count : 2 * count], ids[2 * count :]
    return wide


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


def record_numbers(ids: bytes | bytearray) -> array[int]:
    """The record numbers in a list."""
    numbers = array("I")
    numbers.frombytes(ids)
    if _BIG_ENDIAN:
        numbers.byteswap()
    return numbers


def connect(path: Path, mapped: int = 1 << 40) -> tuple[sqlite3.Connection, dict[str, Any]]:
    """The index at ``path``, opened for reading by any number of processes, and its table ``meta``.

    mapped: maximum bytes of the file to map into memory, for faster reading; SQLite limits it to its compile-time
    maximum. Raises IndexFileError for another format, or for damage that is visible at once.
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
