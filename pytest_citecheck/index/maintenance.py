"""Changing and checking an index that exists.

A change is a new build that reads the old file: it takes as long as one, needs room for a second file while it runs, and
whoever has the old one open goes on reading that.
"""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_citecheck.index.builder import BuildReport, Scope, build
from pytest_citecheck.index.keys import identifiers
from pytest_citecheck.index.layout import DAMAGE, IndexFileError, checksum, connect
from pytest_citecheck.index.reader import LocalIndex

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_citecheck.index.entry import Entry
    from pytest_citecheck.index.layout import Collection

__all__ = ["add", "merge", "remove", "verify"]

_SAMPLES = 1_000
_SUMMED = {
    "titles": "title", "blocks": "data", "names": "name", "exact": "ids", "postings": "ids", "bylines": "ids",
    "spellings": "words",
}  # fmt: skip


def add(
    path: Path, entries: Iterable[Entry], *, collections: Iterable[Collection] = (), scopes: Iterable[Scope] = ()
) -> BuildReport:
    """Put more entries into the index at ``path``; they replace older ones as in `build`.

    Raises IndexFileError if there is no index that can be read, and what `build` raises.
    """
    held, known = _about(path)
    return build(
        path, chain(_stream(path), entries), collections=(*held, *collections), scopes=_latest((*known, *scopes))
    )


def remove(path: Path, source: str) -> BuildReport:
    """Take a collection out of the index at ``path``.

    Raises KeyError if it is not in there, IndexFileError if there is no index that can be read.
    """
    held, known = _about(path)
    if source not in {collection.name for collection in held}:
        raise KeyError(source)
    return build(
        path,
        (entry for entry in _stream(path) if entry.source != source),
        collections=held,
        scopes=(scope for scope in known if scope[0] != source),
    )


def merge(out: Path, paths: Iterable[Path]) -> BuildReport:
    """Write one index out of several; what later ones say replaces what earlier ones say, as in `build`.

    Raises IndexFileError if one of them cannot be read.
    """
    paths = list(paths)
    held: list[Collection] = []
    known: list[Scope] = []
    for path in paths:
        collections, scopes = _about(path)
        held += collections
        known += scopes
    return build(out, chain.from_iterable(map(_stream, paths)), collections=held, scopes=_latest(known))


def _about(path: Path) -> tuple[tuple[Collection, ...], list[Scope]]:
    """The collections, and what was declared of them: on what several agreed (a+b) has to be counted anew."""
    with LocalIndex(path) as index:
        return index.collections(), [scope for scope in index.scopes() if "+" not in scope[0]]


def _stream(path: Path) -> Iterator[Entry]:
    with LocalIndex(path) as index:  # closed at the end, because an open file cannot be replaced everywhere
        yield from index


def _latest(scopes: Iterable[Scope]) -> Iterable[Scope]:
    return {scope[:3]: scope for scope in scopes}.values()


def verify(path: Path) -> int:
    """Check the file at ``path`` from end to end; gives the number of records.

    Reads every page: the structure of the file, the number of records, the checksum of each table, that all records can be
    read, and that samples of them are found by their titles and identifiers. Raises IndexFileError saying what is wrong.
    """
    connection, meta = connect(path)
    try:
        with closing(connection):
            _verify_tables(path, connection, meta)
        with LocalIndex(path) as index:
            return _verify_records(path, index)
    except DAMAGE as error:
        raise IndexFileError(f"{path} is damaged: {error}") from error


def _verify_tables(path: Path, connection: sqlite3.Connection, meta: dict[str, Any]) -> None:
    ((state,),) = connection.execute("PRAGMA quick_check(1)")
    if state != "ok":
        raise IndexFileError(f"{path} is damaged: {state}")
    for table, column in _SUMMED.items():
        rows = connection.execute(f"SELECT {column} FROM {table}")  # noqa: S608
        if sum(checksum(value) for (value,) in rows) != meta[f"sum:{table}"]:
            raise IndexFileError(f"{path} is damaged: the table {table} does not hold what was written")
    ((records,),) = connection.execute("SELECT count(*) FROM titles")
    ((held,),) = connection.execute("SELECT coalesce(sum(records), 0) FROM collections")
    if not records == held == meta["records"]:
        raise IndexFileError(
            f"{path} is damaged: it has {records:,} records and says {meta['records']:,} ({held:,} by collection)"
        )


def _verify_records(path: Path, index: LocalIndex) -> int:
    every = max(len(index) // _SAMPLES, 1)
    read = 0
    for read, (number, entry) in enumerate(index.numbered(), 1):
        if read % every:
            continue
        if number not in index.equal_numbers(entry.title):
            raise IndexFileError(f"{path} is damaged: '{entry.title}' is not found by its title")
        for kind, _, value in (text.partition(":") for text in identifiers(entry)):
            if number not in index.identifier_numbers(kind, value):
                raise IndexFileError(f"{path} is damaged: '{entry.title}' is not found by its {kind} {value}")
    if read != len(index):
        raise IndexFileError(f"{path} is damaged: {read:,} of {len(index):,} records can be read")
    return read
