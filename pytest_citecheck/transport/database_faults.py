"""What goes wrong with a SQLite file: another process is at it, its place cannot be used, or the file is damaged."""

from __future__ import annotations

import functools
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DamagedError", "Fault", "check_layout", "fault_of", "reason_of"]

Fault = Literal["busy", "place", "damage"]
"""``busy``: ask again later. ``place``: the file system refuses (rights, a full disk). ``damage``: it needs a new file."""

# https://www.sqlite.org/rescode.html, the primary codes. PROTOCOL is a lost race for the locks of the WAL.
_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_PLACE_CODES = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)
# Extended codes: the file ends before what it holds, or its log does.
_DAMAGE_CODES = frozenset({sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})
# https://www.sqlite.org/fileformat.html, "File format version numbers": SQLite does not write a file of a later version.
_WRITE_VERSION = 18
_LATEST_FORMAT = 2
_LONGEST_REASON = 200  # characters: an error may quote what stands in the file


class DamagedError(Exception):
    """The file is a database, but not of the form in which it was made."""


def fault_of(error: Exception, path: Path) -> Fault:
    """What an exception says that came up while the database at ``path`` was in use; close that if it is not busy.

    Whatever is not known as something else is damage: sqlite3 raises what the bytes make it stumble over, from
    UnicodeDecodeError to MemoryError.
    """
    if isinstance(error, OSError):
        return "place"
    if not isinstance(error, sqlite3.Error):
        return "damage"
    detailed = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if detailed in _DAMAGE_CODES:
        return "damage"
    code = detailed & 0xFF
    if code in _BUSY_CODES:
        return "busy"
    if code == sqlite3.SQLITE_READONLY and _is_of_later_format(path):
        return "damage"
    return "place" if code in _PLACE_CODES else "damage"


def reason_of(error: Exception) -> str:
    """The exception in words, on one line of printable characters."""
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST_REASON])


def check_layout(connection: sqlite3.Connection, layout: str) -> None:
    """Raises DamagedError unless the database has the tables and indexes that these statements make, and nothing else."""
    if _objects(connection) != _made_by(layout):
        raise DamagedError("its tables are not those that were made")


@functools.cache
def _made_by(layout: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(layout)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    # What SQLite makes for itself is not asked for.
    return sorted(row for row in found.fetchall() if row[3] is not None and not str(row[1]).startswith("sqlite_"))


def _is_of_later_format(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header = file.read(_WRITE_VERSION + 1)
    except OSError:
        return False
    return len(header) > _WRITE_VERSION and header[_WRITE_VERSION] > _LATEST_FORMAT
