"""Looking up in a local index: by identifier, by title, by authors and year."""

from __future__ import annotations

import heapq
import sqlite3
from functools import lru_cache, wraps
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from pytest_citecheck.index.keys import (
    IDENTIFIERS,
    VERSION,
    digest,
    full_title,
    identifier_text,
    identifiers,
    other_forms,
    read_title,
    volume_text,
    volume_texts,
)
from pytest_citecheck.index.layout import (
    BLOCK,
    DAMAGE,
    Block,
    Collection,
    IndexFileError,
    Rows,
    bucket,
    connect,
    damaged,
    names_of,
    numbers_under,
    small_table,
    split_block,
    unpack,
)
from pytest_citecheck.index.search import AuthorSearch, TitleSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_citecheck.model import Record

DENSE = {"exact": "exact", "postings": "buckets", "author_keys": "buckets", "spellings": "spellings"}
"""Tables of buckets, each with the ``meta`` key of its number of rows."""
_LIKE = {"long_postings": "postings"}  # the table whose rows determine the parts


class OpenIndex:
    """An index, or a set of shards, that is open."""

    def __init__(self, connections: list[sqlite3.Connection], meta: dict[str, Any]) -> None:
        self.connections = connections
        self.meta = meta
        self.rows: Rows | ShardRows = Rows(connections[0]) if len(connections) == 1 else ShardRows(connections, meta)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


def is_set(path: Path) -> bool:
    """Return True if the path is a set of shards."""
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

    def _shard(self, table: str, row: int) -> int:
        if table == "titles":
            return of_chunk(row, len(self._parts), self._chunk)
        if table == "blocks":
            return of_chunk(row * BLOCK, len(self._parts), self._chunk)
        if table == "names":
            return row % len(self._parts)
        # A number without a bucket belongs to some shard, which reports it as missing.
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
        for shard, wanted in by_shard.items():
            found |= self._parts[shard].some(table, wanted)
        return dict(
            sorted(found.items())
        )  # in the order of a single file: equal records are distinguished by their order

    def all(self, table: str) -> Iterator[tuple[int, Any]]:
        return heapq.merge(*(part.all(table) for part in self._parts), key=itemgetter(0))


P = ParamSpec("P")
R = TypeVar("R")

_AT_ONCE = 400  # buckets in one statement of a batch
_BLOCKS_KEPT = 1 << 11  # unpacked ones, of some 3 kB: works of one venue and year lie together


def _looking_up(method: Callable[Concatenate[LocalIndex, P], R]) -> Callable[Concatenate[LocalIndex, P], R]:
    """Convert any error of a damaged file to IndexFileError."""

    @wraps(method)
    def call(self: LocalIndex, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except DAMAGE as error:
            raise damaged(self.path, error) from error

    return call


class LocalIndex:
    """An index opened for reading. The opened content stays the same, even if the file is replaced.

    Any number of processes may read one file, each with its own object (not one made before a fork). Methods that end
    in ``numbers`` return record numbers without reading the records. The numbers are valid for this object only; very
    rarely, a hash proposes a wrong record. The other methods read the records and drop these. All look-ups raise
    IndexFileError on damage.
    """

    def __init__(self, path: Path, mapped: int = 1 << 40) -> None:
        """Raises IndexFileError if there is no index that this version reads. mapped: see `layout.connect`."""
        self.path = path
        self._opened = open_index(path, mapped)
        self._rows, meta = self._opened.rows, self._opened.meta
        self._title, self._block, self._bucket = map(self._rows.reading, ("titles", "blocks", "exact"))
        self._meta = meta
        if meta["keys"] != VERSION:
            self._opened.close()
            raise IndexFileError(f"{path} was built with keys of version {meta['keys']}, not {VERSION}: rebuild it")
        self._records: int = meta["records"]
        self._buckets: int = meta["buckets"]
        self._exact_buckets: int = meta["exact"]
        self._search = TitleSearch(
            self._rows, records=self._records, buckets=self._buckets, spellings=meta["spellings"], width=meta["width"]
        )
        self._name = lru_cache(maxsize=1 << 15)(self._read_name)
        self.proposed: Mapping[str, Sequence[int]] = {}
        """Record numbers under exact keys that a join has found before (`exact_key` computes the keys)."""
        self._packed = lru_cache(maxsize=_BLOCKS_KEPT)(self._read_block)
        self._authors = AuthorSearch(
            self._rows, self._buckets, self._packed, lambda number: names_of(self._block(number))[0], self._name,
            width=meta["width"],
        )  # fmt: skip

    def close(self) -> None:
        """Close the file; nothing can be read afterwards."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of records."""
        return self._records

    @property
    def damaged_rows(self) -> set[tuple[str, int]]:
        """Damaged rows found by look-ups, as (table, id)."""
        return self._rows.damaged

    def __iter__(self) -> Iterator[Record]:
        """All records, in the order in which they were put in."""
        return (record for _, record in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Record]]:
        """All records with their numbers. Raises IndexFileError if one of them cannot be read, or is missing."""
        place, block, read = -1, Block([], []), 0
        try:
            for number, title in self._rows.all("titles"):
                if number // BLOCK != place:
                    place = number // BLOCK
                    block = self._read_block(place)
                    names = self._names_in(block)
                yield number, unpack(title, block.texts[number % BLOCK], names)
                read += 1
            if read != self._records:
                raise ValueError(f"{read} of {self._records} records")
        except DAMAGE as error:
            raise damaged(self.path, error) from error

    @_looking_up
    def collections(self) -> tuple[Collection, ...]:
        """Collections in the order of first appearance."""
        rows = map(Collection._make, self._table("collections"))
        return tuple(row._replace(complete=bool(row.complete)) for row in rows)

    @_looking_up
    def volumes(self) -> list[tuple[str, int, str, int, int, int, float]]:
        """The table ``volumes``, see `pytest_citecheck.index.builder.Volume`."""
        return self._table("volumes")

    @_looking_up
    def scopes(self) -> list[tuple[str, str, int | None, bool, str]]:
        """Table ``scopes``: collection, venue, year, True if the collection is complete for these, and the reason."""
        rows = self._table("scopes")
        return [(collection, venue, year, bool(complete), why) for collection, venue, year, complete, why in rows]

    def _table(self, name: str) -> list[Any]:
        return small_table(self._opened.connections[0], name, self._meta[f"sum:{name}"])[0]

    def by_identifier(self, kind: str, value: str) -> list[Record]:
        """Records with the identifier.

        kind: one of `pytest_citecheck.index.keys.IDENTIFIERS`; value: in the form of `Record`, in any case if the
        scheme is case-insensitive. Raises ValueError for another kind.
        """
        text = identifier_text(kind, value)
        return [record for record in self.records(self.identifier_numbers(kind, value)) if text in identifiers(record)]

    def identifier_numbers(self, kind: str, value: str) -> Sequence[int]:
        """The records proposed for an identifier."""
        if kind not in IDENTIFIERS:
            raise ValueError(f"not an identifier of an index: {kind}")
        return self._exact(identifier_text(kind, value))

    @_looking_up
    def by_title(self, title: str, limit: int = 10) -> list[Record]:
        """Records with that title; if there are none, records with the most similar titles, best first.

        A record is found by its title with and without the subtitle, and by its other titles. ``limit`` bounds both
        results: a title such as "Editorial" has too many works.
        """
        return self.by_titles((title,), limit)[0]

    @_looking_up
    def frequency(self, word: str) -> int:
        """The number of records with this word in their title; of many, about that number."""
        return self._search.frequency(read_title(word)[1])

    @_looking_up
    def title_numbers(self, title: str, limit: int = 10) -> Sequence[int]:
        """The records proposed for a title: as for `by_title`, without a comparison of equal ones."""
        words, form = read_title(title)
        return self._exact(form)[:limit] or self._search.like(words, limit)

    @_looking_up
    def equal_numbers(self, title: str) -> Sequence[int]:
        """The records proposed as having that title, all of them."""
        return self._exact(read_title(title)[1])

    @_looking_up
    def by_titles(self, titles: Iterable[str], limit: int = 10) -> list[list[Record]]:
        """`by_title` for many: equal titles are found together."""
        read = [read_title(title) for title in titles]
        exact = self._exact_batch([form for _, form in read])
        result = []
        for (words, form), numbers in zip(read, exact, strict=True):
            found = [record for record in self.records(numbers[:limit]) if _is_titled(record, form)]
            result.append(found or self.records(self._search.like(words, limit)))
        return result

    @_looking_up
    def by_citations(self, strings: Iterable[str], limit: int = 10) -> list[list[Record]]:
        """For each reference string, the records whose titles occur in it, exactly or nearly; the longest titles first."""
        return [self.records(self._search.within(read_title(string)[0], limit)) for string in strings]

    @_looking_up
    def by_identifiers(self, identified: Iterable[tuple[str, str]]) -> list[list[Record]]:
        """`by_identifier` for many pairs of kind and value."""
        texts = [identifier_text(kind, value) for kind, value in identified]
        found = self._exact_batch(texts)
        return [
            [record for record in self.records(numbers) if text in identifiers(record)]
            for text, numbers in zip(texts, found, strict=True)
        ]

    @_looking_up
    def by_volume(self, venues: Iterable[str], volume: str, limit: int) -> list[Record]:
        """Records with pages in a volume of a journal with one of these names, or of one with the same initials.

        Empty if there are more than ``limit``: then some works of the volume would be missing.
        """
        found: list[Record] = []
        for text in volume_texts(venues, volume):
            numbers = self._exact(text)
            if len(numbers) > limit:
                return []
            found += [record for record in self.records(numbers) if volume_text(record) == text]
        return found

    @_looking_up
    def by_authors(
        self, families: Iterable[str], year: int | None, limit: int = 10, *, least: int = 2, within: int = 1,
        at: Callable[[str], bool] | None = None,
    ) -> list[Record]:  # fmt: skip
        """The records of that year, and up to ``within`` years away, that have most of these family names among their first
        authors. A preprint, its proceedings and their volume may be of three years.

        Records with fewer than ``least`` of them only if fewer are given. ``year`` None: records without a year. at: restricts
        the venues.
        """
        distances = range(1, within + 1) if year is not None else ()
        years = (year, *((year or 0) + sign * distance for distance in distances for sign in (-1, 1)))
        return self.records(self._authors.fitting(families, years, limit, least, at))

    @_looking_up
    def records(self, numbers: Iterable[int]) -> list[Record]:
        """The records of these numbers, in that order."""
        result = []
        for number in numbers:
            title = self._title(number)
            block = self._packed(number // BLOCK)
            result.append(unpack(title, block.texts[number % BLOCK], self._names_in(block)))
        return result

    def _read_block(self, number: int) -> Block:
        return split_block(self._block(number))

    def _names_in(self, block: Block) -> Callable[[str], str]:
        """Names that the records of a block refer to by codes."""
        name, rows = self._name, block.names
        return lambda code: name(rows[int(code)])

    def _read_name(self, row: int) -> str:
        return str(self._rows.one("names", row))

    @_looking_up
    def _exact(self, text: str) -> Sequence[int]:
        hashed = digest(text)
        return numbers_under(self._bucket(self._place(hashed)), hashed)

    def exact_key(self, text: str) -> tuple[int, int]:
        """Bucket and hash of a normal form or an identifier."""
        hashed = digest(text)
        return self._place(hashed), int.from_bytes(hashed[:4], "little")

    @_looking_up
    def exact_buckets(self) -> Iterator[tuple[int, bytes]]:
        """All buckets of exact keys: first the hashes, then as many record numbers."""
        return self._rows.all("exact")

    def _exact_batch(self, texts: list[str]) -> list[Sequence[int]]:
        if self.proposed and all(text in self.proposed for text in texts):
            return [self.proposed[text] for text in texts]
        hashes = list(map(digest, texts))
        places = list(map(self._place, hashes))
        wanted = list(set(places))
        found: dict[int, bytes] = {}
        for i in range(0, len(wanted), _AT_ONCE):
            found |= self._rows.some("exact", wanted[i : i + _AT_ONCE])
        return [numbers_under(found[place], hashed) for place, hashed in zip(places, hashes, strict=True)]

    def _place(self, hashed: bytes) -> int:
        """The bucket of a hash: by the upper four of its six bytes; the lower four are stored in the bucket."""
        return bucket(int.from_bytes(hashed[2:6], "little"), self._exact_buckets)


def _is_titled(record: Record, form: str) -> bool:
    return read_title(full_title(record))[1] == form or form in other_forms(record)
