"""Cache of answers, so that a run over an unchanged bibliography sends no requests.

The key of an answer is the query, not the request: forty DOIs of one batch are cache hits alone and in other batches.
The lifetime depends on the answer (`lifetime`). It is found only in the `FORMAT` and for the `Source.version` with
which it was read; a new version of one service leaves the answers of all others valid.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sqlite3
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from pytest_citecheck.matching import compare_titles, lazy_pattern
from pytest_citecheck.model import Found, Query, QueryResult, Record, Unavailable
from pytest_citecheck.net.answer_json import AnswerJsonError, decode, encode
from pytest_citecheck.today import seconds

_Result = TypeVar("_Result")

# The number is the version of the table layout. A file that is set aside stays in place, and the next generation begins
# beside it: SQLite finds the log of a file by name, so a name must always mean the same file while it is in use.
_NAME = "answers-1"
_GENERATION = lazy_pattern(rf"{_NAME}(?:\.(\d{{1,9}}))?\.sqlite\Z")
_LAYOUT = """
CREATE TABLE answers (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  stored REAL NOT NULL,
  until REAL NOT NULL,
  checksum INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE INDEX answers_until ON answers (until);
"""

LARGEST_BODY = 2_000_000
"""Bytes of a body that is stored and found. A record of 3,000 authors takes 0.2 MB; larger rows come from other
programs, and are not read."""

_SELECT = f"""
SELECT checksum, key, stored, until, body FROM answers
WHERE typeof(checksum) = 'integer' AND typeof(stored) = 'real' AND typeof(until) = 'real' AND typeof(body) = 'blob'
AND length(body) <= {LARGEST_BODY}
"""  # noqa: S608 - a constant
# A replaced row gets a new, higher id. At most 1,000 rows go in one transaction, so that others can write in between.
_REMOVE_OUTDATED = "DELETE FROM answers WHERE id IN (SELECT id FROM answers WHERE until <= ? LIMIT 1000)"
_REMOVE_OLDEST = """
DELETE FROM answers WHERE id IN (
  SELECT id FROM (SELECT id, sum(length(body)) OVER (ORDER BY id) - length(body) AS older FROM answers ORDER BY id LIMIT 1000)
  WHERE older < ?
)
"""
_PATIENCE = 2.0  # seconds to wait for another process; its transactions take milliseconds
_KEYS_AT_ONCE = 500
_PAGES_AT_ONCE = 1024
_KEPT_SHARE = 0.95  # of the bound is left when it was exceeded, or every further row would exceed it again
_LOG_BYTES = 8_000_000
_LEFT_ALONE = 86_400.0  # seconds after which no process uses a file any more that was set aside

# https://www.sqlite.org/rescode.html, the primary codes: another process is busy (PROTOCOL is a lost race for the locks of
# the WAL), or the file system refuses (rights, a full disk). Of their extended codes, two mean that the file ends before what
# it contains, or its log does.
_UNDAMAGED = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in ["BUSY", "LOCKED", "PROTOCOL", "CANTOPEN", "FULL", "INTERRUPT", "IOERR", "NOLFS", "PERM", "READONLY"]
)
_CUT_OFF = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})
# https://www.sqlite.org/fileformat.html, "File format version numbers": SQLite does not write a file of a later version.
_WRITE_VERSION, _LATEST_FORMAT = 18, b"\2"
_LONGEST_REASON = 200  # characters: an error may quote the content of the file


class DamagedError(Exception):
    """The file is a database, but not of the form in which it was made."""


def is_damage(error: Exception, path: Path) -> bool:
    """Return True if an exception means that the database at ``path`` needs a new file. Close the database first.

    An unknown exception does: depending on the bytes, sqlite3 raises anything from UnicodeDecodeError to MemoryError.
    """
    if not isinstance(error, sqlite3.Error):
        return not isinstance(error, OSError)
    detailed = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if detailed & 0xFF == sqlite3.SQLITE_READONLY:
        with contextlib.suppress(OSError), path.open("rb") as file:
            return file.read(_WRITE_VERSION + 1)[_WRITE_VERSION:] > _LATEST_FORMAT
    return detailed in _CUT_OFF or detailed & 0xFF not in _UNDAMAGED


def _reason(error: Exception) -> str:
    """The exception in words, on one line of printable characters."""
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST_REASON])


class Row(NamedTuple):
    """One stored body. ``stored`` and ``until`` are seconds since the epoch."""

    key: bytes
    stored: float
    until: float
    body: bytes


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """Number of stored answers, including expired ones, and their size on disk in bytes."""

    rows: int
    bytes: int


class AnswerFile:
    """The newest file of rows in this folder; both are created, private to the user, if missing.

    most_bytes: maximum size of the file; the least useful rows are removed.
    now: the time, seconds since the epoch.

    For one thread of one process. Problems of the file never raise.
    """

    def __init__(self, folder: Path, most_bytes: int, now: Callable[[], float]) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._now = now
        self._connection: sqlite3.Connection | None = None
        self._begun_anew = False
        self.path = folder / f"{_NAME}.sqlite"
        self.problem = ""
        """Note for the user: why the file is not used, or that a broken file was set aside."""
        self._is_damaged = False
        self._reason = ""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path = max(self._generations(), default=(1, self.path))[1]
        except OSError as error:
            self.problem = f"{self.path} is not used: {_reason(error)}"
        else:
            self._open()
        self._attempt(self._make_room, None)

    @property
    def is_used(self) -> bool:
        """True if anything can be found and kept."""
        return self._connection is not None

    def close(self) -> None:
        """Close the file. All rows are already written."""
        if self._connection is not None:
            # The last one to close copies the log into the file, which may fail like any writing.
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def read(self, keys: Sequence[bytes]) -> list[Row]:
        """Rows that are stored complete under these keys, in no order, of any age."""

        def select(connection: sqlite3.Connection) -> list[Row]:
            rows = []
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[start : start + _KEYS_AT_ONCE]
                marks = ",".join("?" * len(some))
                # SQLite notices neither a changed bit within a value nor one of another type.
                found = connection.execute(f"{_SELECT} AND key IN ({marks})", some)
                rows += [row for checksum, *values in found if checksum == _checksum(row := Row(*values))]
            return rows

        return self._attempt(select, [])

    def write(self, rows: Iterable[Row]) -> None:
        """Store these rows, all or none, in place of those with the same keys; kept at once (see `_prepare`)."""
        values = [(*row, _checksum(row)) for row in rows if len(row.body) <= LARGEST_BODY]

        def insert(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.executemany(
                    "INSERT OR REPLACE INTO answers (key, stored, until, body, checksum) VALUES (?, ?, ?, ?, ?)", values
                )
            self._make_room(connection)

        if values:
            self._attempt(insert, None)

    def statistics(self) -> CacheStatistics:
        """Return all stored answers, of all versions and mirrors."""
        rows = self._attempt(lambda connection: connection.execute("SELECT count(*) FROM answers").fetchone()[0], 0)
        size = 0
        for path in (self.path, _beside(self.path, "-wal")):
            with contextlib.suppress(OSError):
                size += path.stat().st_size
        return CacheStatistics(rows, size)

    def clear(self) -> None:
        """Remove all rows, free their space, and remove files that were set aside a day ago or earlier.

        A file that is too damaged to be emptied is set aside.
        """

        def empty(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.execute("DELETE FROM answers")
            _give_back(connection, 0)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        self._begun_anew = False
        self._attempt(empty, None)
        if self._connection is None and self._is_damaged:
            self._begin_anew()
        with contextlib.suppress(OSError):
            for _, path in self._generations():
                if path != self.path:
                    self._remove(path)

    def _remove(self, path: Path) -> None:
        files = [file for end in ("-shm", "-wal", "") if (file := _beside(path, end)).exists()]
        if all(file.stat().st_mtime < time.time() - _LEFT_ALONE for file in files):
            for file in files:
                file.unlink(missing_ok=True)

    def _generations(self) -> Iterator[tuple[int, Path]]:
        for path in self._folder.iterdir():
            if match := _GENERATION.match(path.name):
                yield int(match[1] or 1), path

    def _attempt(self, action: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Do it, once more on a new file if this one is broken; ``otherwise`` if it cannot be done."""
        while self._connection is not None:
            try:
                return action(self._connection)
            except Exception as error:  # noqa: BLE001 - what a damaged file makes SQLite and sqlite3 raise
                self._mishap(error)
        return otherwise

    def _open(self) -> None:
        try:
            if self.path.is_dir():
                raise DamagedError("it is a folder")
            if not self.path.exists():
                # Created here, because SQLite would use the umask. Only SQLite may open an existing file: closing it
                # would drop the locks that this process may hold on it.
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE, isolation_level=None
            )
            _prepare(self._connection)
        except Exception as error:  # noqa: BLE001 - as above
            self._mishap(error)

    def _mishap(self, error: Exception) -> None:
        self.close()
        self._is_damaged = is_damage(error, self.path)
        self._reason = _reason(error)
        if self._is_damaged and not self._begun_anew:
            self._begin_anew()
        else:
            self.problem = f"{self.path} is not used: {self._reason}"

    def _begin_anew(self) -> None:
        self._begun_anew = True
        self.problem = f"{self.path} cannot be used and was set aside ({self._reason})"
        match = _GENERATION.match(self.path.name)
        generation = int(match[1] or 1) if match else 1
        self.path = self._folder / f"{_NAME}.{generation + 1}.sqlite"
        self._open()

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Reduce the file to its maximum size: remove outdated rows first, then the oldest."""
        if _bytes_used(connection) <= self._most_bytes:
            return
        wanted = int(self._most_bytes * _KEPT_SHARE)
        removed = 1
        while removed and (excess := _bytes_used(connection) - wanted) > 0:
            with _transaction(connection):
                removed = connection.execute(_REMOVE_OUTDATED, (self._now(),)).rowcount
                removed = removed or connection.execute(_REMOVE_OLDEST, (excess,)).rowcount
        # Pages that are free within the bound are used again, which costs less.
        _give_back(connection, self._most_bytes)


def _checksum(row: Row) -> int:
    """Checksum of a whole row, including key and time, so that a moved row is detected."""
    return zlib.crc32(row.body, zlib.crc32(struct.pack("<dd", row.stored, row.until) + row.key))


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, also if the user interrupts. Takes the write lock at once, so that others wait for it."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table if the file is new, and choose how it is written. Raises DamagedError for one of another form."""
    connection.execute("PRAGMA trusted_schema = OFF")
    if not _pragma(connection, "page_count"):
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # can only be chosen before the first table
    if not _objects(connection):
        with _transaction(connection):
            if not _objects(connection):  # else another process was quicker
                for statement in _LAYOUT.split(";"):
                    connection.execute(statement)
    if _objects(connection) != _own_objects():
        raise DamagedError("its tables have been changed")
    with contextlib.suppress(sqlite3.OperationalError):
        # A file system without shared memory keeps the rollback journal, which is as safe, only slower. So does a file that
        # another process is about to change.
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    # With the log, this loses nothing when the process is killed: a commit has handed its pages to the system by then.
    # Only a system that crashes may lose the last commits, and then the file is still whole.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")


@functools.cache
def _own_objects() -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_LAYOUT)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """All tables and indexes but those that SQLite makes for itself."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    return sorted(row for row in found.fetchall() if row[3] is not None and not str(row[1]).startswith("sqlite_"))


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _bytes_used(connection: sqlite3.Connection) -> int:
    """Return the size of the rows in bytes; free pages are reused before the file grows."""
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def _give_back(connection: sqlite3.Connection, most_bytes: int) -> None:
    """Return free pages to the file system until the file has this size, in small steps."""
    most_pages = most_bytes // _pragma(connection, "page_size")
    while (surplus := _pragma(connection, "page_count") - most_pages) > 0:
        free = _pragma(connection, "freelist_count")
        connection.execute(f"PRAGMA incremental_vacuum({min(surplus, _PAGES_AT_ONCE)})").fetchall()
        if _pragma(connection, "freelist_count") >= free:
            break  # none is free, or others fill them as fast


FORMAT = 2
"""Increase it when the model, `answer_json` or shared parsing code changes the meaning of a stored answer."""

MOST_BYTES = 200_000_000
"""Default maximum size of the cache: some 100,000 answers."""

_write = json.JSONEncoder(separators=(",", ":")).encode

# Prefix of the evidence line that `encode` writes.
_SOURCE = lazy_pattern(rb'\{"source":"(\w++)"')

_DAY = 86_400.0
_FOUND = 30 * _DAY
_NOT_FOUND = _DAY
_SEARCHES = frozenset({"title", "citation", "author_search", "venue_year"})


class AnswerCache(AnswerFile):
    """Answers stored in this folder; safe for several processes at once.

    folder: created, private to the user, if missing.
    mirrors: base URLs that replace services; answers are found only with the mirrors with which they were stored.
    now: seconds since the epoch. most_bytes: maximum size of the file; outdated answers are removed first, then the
        oldest.
    refresh: ignore answers stored before now; new answers replace them.

    For one thread of one process; `close` it. Problems of the file never raise: if it cannot be used, there are no
    cache hits, answers are not stored, and `problem` has the reason.
    """

    def __init__(
        self,
        folder: Path,
        mirrors: str = "",
        *,
        now: Callable[[], float] = seconds,
        refresh: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        super().__init__(folder, most_bytes, now)
        self._oldest = now() if refresh else float("-inf")
        self._digest = hashlib.blake2b(_write([FORMAT, mirrors]).encode(), digest_size=16)

    def get_many(self, source: str, version: int, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        """Return the unexpired answers of this source (name and version), in the order of the queries."""
        keys = {query: self._key(source, version, query) for query in queries}
        now = self._now()
        # A clock that was wrong by years must not keep an answer for years; a day is the clock of another machine.
        valid = {
            row.key: row.body
            for row in self.read(list(keys.values()))
            if self._oldest <= row.stored <= now + _DAY and now < row.until <= row.stored + _FOUND
        }
        stored = {}
        for query, key in keys.items():
            asked = _decoded(valid.get(key))
            # The key is only a digest.
            if asked is not None and asked.query == query and asked.source == source:
                stored[query] = asked
        return stored

    def put_many(self, version: int, answers: Iterable[QueryResult]) -> None:
        """Keep these answers of this version of their source, as they are, for `lifetime`; outages are left out.

        They are stored when this returns, so a killed process loses none. They must be new, since their age counts from
        now.
        """
        now = self._now()
        rows = []
        for asked in answers:
            seconds = lifetime(asked)
            body = _encoded(asked) if seconds > 0 else None
            if body is not None:
                rows.append(Row(self._key(asked.source, version, asked.query), now, now + seconds, body))
        self.write(rows)

    def last_answers(self) -> dict[str, float]:
        """Time of the last answer of each source (seconds since the epoch), by name; of all versions and mirrors."""
        latest: dict[str, float] = {}
        select = (
            "SELECT stored, substr(body, 1, 100) FROM answers WHERE typeof(stored) = 'real' AND typeof(body) = 'blob'"
        )
        rows: list[tuple[float, bytes]] = self._attempt(lambda connection: connection.execute(select).fetchall(), [])
        for stored, beginning in rows:
            named = _SOURCE.match(beginning)
            if named is not None:
                name = named[1].decode()
                latest[name] = max(stored, latest.get(name, stored))
        return latest

    def _key(self, source: str, version: int, query: Query) -> bytes:
        digest = self._digest.copy()
        parts = [source, version, query.kind, query.value, query.authors, query.year]
        digest.update(_write(parts).encode())
        return digest.digest()


def lifetime(asked: QueryResult) -> float:
    """Return the lifetime of the answer in seconds; 0 for an outage.

    A record hardly changes. A missing work may appear tomorrow: an absence, or a search that did not find the title.
    Works of authors or of a volume are searched for absences, too.
    """
    answer = asked.answer
    if isinstance(answer, Unavailable):
        return 0.0
    if not isinstance(answer, Found) or not answer.records:
        return _NOT_FOUND
    query = asked.query
    if query.kind not in _SEARCHES:
        return _FOUND
    titled = query.kind == "title" and any(_has_title(record, query.value) for record in answer.records)
    return _FOUND if titled else _NOT_FOUND


def _has_title(record: Record, title: str) -> bool:
    comparison = compare_titles(title, record.title, record.subtitle, record.other_titles)
    return comparison.relation in ("same", "short")


def _encoded(asked: QueryResult) -> bytes | None:
    try:
        return encode(asked)
    except TypeError:
        return None  # a source of a plugin used a type that the model does not have


def _decoded(body: bytes | None) -> QueryResult | None:
    try:
        return None if body is None else decode(body)
    except AnswerJsonError:
        return None
