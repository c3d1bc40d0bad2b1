"""An index as a set of files: the same tables, each row in one of them, so that it is found and read as in one file.

A set is a folder with ``shard-0000.index`` and so on. Records stand in shards by chunks of their numbers; of the tables of
buckets, which are ordered by hash, each shard has one stretch. A look-up of an identifier or an exact title reads one bucket, in
the one shard that has it, and the records; a search reads the same lists as in one file, wherever they are. So the answers are
the same, and they take as many reads.
"""

from __future__ import annotations

import heapq
import sqlite3
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pytest_citecheck.index.storage.layout import BLOCK, IndexFileError, connect
from pytest_citecheck.index.storage.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = [
    "DENSE",
    "OpenIndex",
    "ShardRows",
    "is_set",
    "of_chunk",
    "open_index",
    "shard_path",
    "shard_paths",
    "stretch",
]

DENSE = {"exact": "exact", "postings": "buckets", "author_keys": "buckets", "spellings": "spellings"}
"""The tables of buckets, each with where ``meta`` has how many rows."""
_LIKE = {"long_postings": "postings"}  # the table by whose rows it is parted


class OpenIndex:
    """An index, or a set of shards, that is open. names: how a name is read in the shard of a block."""

    def __init__(self, connections: list[sqlite3.Connection], meta: dict[str, Any]) -> None:
        self.connections = connections
        self.meta = meta
        self.rows: Rows | ShardRows = Rows(connections[0]) if len(connections) == 1 else ShardRows(connections, meta)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


def is_set(path: Path) -> bool:
    """Whether a set of shards stands there."""
    return path.is_dir() and shard_path(path, 0).is_file()


def shard_path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:04}.index"


def shard_paths(path: Path) -> list[Path]:
    """The files of an index."""
    return sorted(path.glob("shard-*.index")) if is_set(path) else [path]


def open_index(path: Path, mapped: int = 1 << 40) -> OpenIndex:
    """The index at a path, one file or a set. Raises IndexFileError, also for a set that is not whole."""
    paths = shard_paths(path)
    connections: list[sqlite3.Connection] = []
    metas: list[dict[str, Any]] = []
    try:
        for one in paths:
            connection, meta = connect(one, mapped // len(paths))
            connections.append(connection)
            metas.append(meta)
        _demand_whole(path, metas)
    except BaseException:
        for connection in connections:
            connection.close()
        raise
    return OpenIndex(connections, metas[0])


def _demand_whole(path: Path, metas: list[dict[str, Any]]) -> None:
    shards = metas[0].get("shards", 1)
    if len(metas) == 1 and shards > 1:
        raise IndexFileError(f"{path} is one of {shards} shards: give their folder")
    if len(metas) != shards or len({meta.get("set") for meta in metas}) > 1:
        raise IndexFileError(f"{path} is damaged: it has {len(metas)} shards of {shards}, or some of another index")
    if [meta.get("shard", 0) for meta in metas] != list(range(shards)):
        raise IndexFileError(f"{path} is damaged: its shards have changed places")


def stretch(shard: int, shards: int, buckets: int) -> tuple[int, int]:
    """The first bucket of a shard, and the first one after its last."""
    return -(-shard * buckets // shards), -(-(shard + 1) * buckets // shards)


def of_chunk(number: int, shards: int, chunk: int) -> int:
    """The shard of a record."""
    return number // chunk % shards


class ShardRows:
    """`Rows` of a set of shards. ``damaged``: as there."""

    def __init__(self, connections: list[sqlite3.Connection], meta: dict[str, Any]) -> None:
        self.damaged: set[tuple[str, int]] = set()
        self._parts = [Rows(connection, self.damaged) for connection in connections]
        self._chunk: int = meta["chunk"]
        self._buckets = {table: int(meta[count]) for table, count in DENSE.items()}

    def part_of_block(self, block: int) -> Rows:
        """The rows of the shard in which a block stands."""
        return self._parts[self._shard("blocks", block)]

    def _shard(self, table: str, row: int) -> int:
        if table == "titles":
            return of_chunk(row, len(self._parts), self._chunk)
        if table == "blocks":
            return of_chunk(row * BLOCK, len(self._parts), self._chunk)
        # Of a number that no bucket has some shard, which says that it is missing.
        return min(max(row * len(self._parts) // self._buckets[_LIKE.get(table, table)], 0), len(self._parts) - 1)

    def one(self, table: str, row: int) -> Any:
        return self._parts[self._shard(table, row)].one(table, row)

    def reading(self, table: str) -> Callable[[int], Any]:
        readers = [part.reading(table) for part in self._parts]

        def read(row: int) -> Any:
            return readers[self._shard(table, row)](row)

        return read

    def some(self, table: str, rows: Iterable[int]) -> dict[int, Any]:
        by_shard: dict[int, list[int]] = {}
        wanted = list(rows)
        for row in wanted:
            by_shard.setdefault(self._shard(table, row), []).append(row)
        found: dict[int, Any] = {}
        for shard, there in by_shard.items():
            found |= self._parts[shard].some(table, there)
        return dict(sorted(found.items()))  # as one file gives them: equals are told apart by their order

    def all(self, table: str) -> Iterator[tuple[int, Any]]:
        return heapq.merge(*(part.all(table) for part in self._parts), key=itemgetter(0))
