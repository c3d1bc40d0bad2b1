"""Changing and checking an index that exists.

A change is a new build that reads the old file: it takes as long as one, needs room for a second file while it runs, and
processes that have the old one open keep reading it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from pytest_citecheck.index.builder import BuildReport, Prepared, Scope, Volume, build, build_shards
from pytest_citecheck.index.keys import full_title, identifiers
from pytest_citecheck.index.layout import (
    CHECKED,
    DAMAGE,
    SMALL_TABLES,
    DamagedRowError,
    IndexFileError,
    Rows,
    connect,
    damaged,
    is_sealed,
    small_table,
)
from pytest_citecheck.index.reader import DENSE, LocalIndex, open_index, shard_paths
from pytest_citecheck.index.runs import writing
from pytest_citecheck.index.scopes import Agreement

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_citecheck.index.layout import Collection
    from pytest_citecheck.model import Record

_SAMPLES = 1_000


class Contents:
    """Contents of existing indexes: ``collections`` by name, and ``scopes`` as declared."""

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        """Raises IndexFileError."""
        self.paths = list(paths)
        self.collections: dict[str, Collection] = {}
        scopes: dict[tuple[str, str, int | None], Scope] = {}
        for path in self.paths:
            with LocalIndex(path) as index:
                for collection in index.collections():
                    known = self.collections.get(collection.name)
                    self.collections[collection.name] = known.with_more(collection) if known else collection
                # Scopes without those by agreement (names of several collections, joined), which are computed again.
                scopes |= {scope[:3]: scope for scope in index.scopes() if "+" not in scope[0]}
        self.scopes = list(scopes.values())

    def records(self) -> Iterator[Record]:
        """All records; later indexes override earlier ones."""
        for path in self.paths:
            with LocalIndex(path) as index:  # closed at the end, because an open file cannot be replaced everywhere
                yield from index


def rebuild(
    out: Path,
    records: Iterable[Record | Prepared],
    collections: Iterable[Collection],
    declared: Iterable[Scope],
    shards: int = 1,
) -> BuildReport:
    """Build, with the scopes that are declared and those on which the collections agree. shards: 1 for one file.

    Agreement is computed again for all records, because it may no longer hold after a collection was removed or
    changed. Collections that are not ``complete`` are ignored. ``collections`` and ``declared`` are read after all
    records.
    """
    agreement = Agreement()
    known: dict[str, Collection] = {}

    def updated() -> Iterator[Collection]:
        known.update((collection.name, collection) for collection in collections)
        yield from known.values()

    def scopes() -> Iterator[Scope]:
        yield from declared
        yield from agreement.scopes(known.values())

    def volumes() -> Iterator[Volume]:
        yield from agreement.volumes(known.values())

    described: Any = {"collections": updated(), "scopes": scopes(), "volumes": volumes(), "agreement": agreement}
    if shards > 1:
        return build_shards(out, records, shards, **described)
    return build(out, records, **described)


def add(path: Path, records: Iterable[Record], *, collections: Iterable[Collection] = ()) -> BuildReport:
    """Put more records into the index at ``path``; they replace older ones as in `build`.

    Raises IndexFileError if there is no readable index or another process is writing it, and exceptions of `build`.
    """
    with writing(path):
        contents = Contents([path])
        more = (
            contents.collections[new.name].with_more(new) if new.name in contents.collections else new
            for new in collections
        )
        known = chain(contents.collections.values(), more)
        return rebuild(path, chain(contents.records(), records), known, contents.scopes)


def remove(path: Path, source: str) -> BuildReport:
    """Take a collection out of the index at ``path``.

    Raises KeyError if it is not in there, IndexFileError if there is no index that can be read or another process is writing it.
    """
    with writing(path):
        contents = Contents([path])
        if source not in contents.collections:
            raise KeyError(source)
        left = (record for record in contents.records() if record.source != source)
        scopes = (scope for scope in contents.scopes if scope[0] != source)
        return rebuild(path, left, contents.collections.values(), scopes)


def merge(out: Path, paths: Iterable[Path]) -> BuildReport:
    """Merge several indexes into one; later records replace earlier ones, as in `build`.

    Raises IndexFileError if one of them cannot be read, or another process is writing ``out``.
    """
    with writing(out):
        contents = Contents(paths)
        return rebuild(out, contents.records(), contents.collections.values(), contents.scopes)


def verify(path: Path) -> int:
    """Check the file at ``path`` from end to end; return the number of records.

    Compares the checksum of the whole file, which detects any changed bit. Also verifies the build: the structure, the
    checksum of each row, that all records can be read, and that samples are found by their titles and identifiers.
    Raises IndexFileError with the problem.
    """
    with closing(open_index(path)) as opened:
        meta = opened.meta
    try:
        counts: Counter[str] = Counter()
        for part in shard_paths(path):
            connection, own = connect(part)
            with closing(connection):
                counts.update(_verified_rows(part, connection, own))
        for table, measure in DENSE.items():
            if counts[table] != meta[measure]:
                raise IndexFileError(f"{path} is damaged: the table {table} has missing rows")
        with LocalIndex(path) as index:
            records = _verify_records(path, index)
        for part in shard_paths(path):
            if not is_sealed(part):
                raise IndexFileError(f"{part} is damaged: it is not the file that was written")
    except DAMAGE as error:
        raise damaged(path, error) from error
    except OSError as error:
        raise IndexFileError(f"{path}: the index cannot be read: {error.strerror}") from error
    return records


def _verified_rows(path: Path, connection: sqlite3.Connection, meta: dict[str, Any]) -> dict[str, int]:
    """Number of verified rows of each table. Raises IndexFileError."""
    counts: dict[str, int] = {}
    ((state,),) = connection.execute("PRAGMA quick_check(1)")
    if state != "ok":
        raise IndexFileError(f"{path} is damaged: {state}")
    rows = Rows(connection)
    for table in CHECKED:
        try:
            counts[table] = sum(1 for _ in rows.all(table))
        except DamagedRowError as error:
            raise IndexFileError(f"{path} is damaged: {error} is not what was written") from error
    for table in SMALL_TABLES:
        small_table(connection, table, meta[f"sum:{table}"])
    ((counted,),) = connection.execute("SELECT coalesce(sum(records), 0) FROM collections")
    if counted != meta["records"]:
        raise IndexFileError(
            f"{path} is damaged: it has {counted:,} records by collection and should have {meta['records']:,}"
        )
    return counts


def _verify_records(path: Path, index: LocalIndex) -> int:
    every = max(len(index) // _SAMPLES, 1)
    read = 0
    for read, (number, record) in enumerate(index.numbered(), 1):
        if read % every:
            continue
        title = full_title(record)
        if number not in index.equal_numbers(title):
            raise IndexFileError(f"{path} is damaged: '{title}' is not found by its title")
        for kind, _, value in (text.partition(":") for text in identifiers(record)):
            if number not in index.identifier_numbers(kind, value):
                raise IndexFileError(f"{path} is damaged: '{title}' is not found by its {kind} {value}")
    return read
