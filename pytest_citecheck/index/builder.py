"""Builds a local index from a stream of records, in bounded memory.

`prepare` turns some thousand records into rows and search keys; this is most of the work, and other processes can do it
(`pytest_citecheck.index.workers`). `Writing` numbers the records, writes titles and the other fields, and sorts the keys on
disk (`pytest_citecheck.index.runs`); the other tables are written from these at the end. Everything happens in a folder
beside the file, which is replaced at the very end: a process with an open old file keeps reading it, and a killed build
leaves it unchanged.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import time
from array import array
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pytest_citecheck.atomic_write import put_in_place
from pytest_citecheck.garbage import without_collecting
from pytest_citecheck.index.keys import (
    SEARCHED_AUTHORS,
    VERSION,
    author,
    author_keys,
    digest,
    full_title,
    identifiers,
    other_forms,
    posting_keys,
    read_title,
    volume_text,
)
from pytest_citecheck.index.layout import (
    BLOCK,
    CHUNK,
    FREELY_READ,
    NARROW,
    SCHEMA,
    SMALL_TABLES,
    WIDE,
    Collection,
    IndexFileError,
    clean,
    long_list,
    names_header,
    pack,
    packed_fields,
    packed_people,
    seal,
    small_table,
    storable,
    summed_rows,
    table_sum,
)
from pytest_citecheck.index.reader import is_set, of_chunk, shard_path
from pytest_citecheck.index.runs import LineRuns, Runs
from pytest_citecheck.index.scopes import noted
from pytest_citecheck.index.search import half_keys, is_correctable
from pytest_citecheck.index.table_rows import dense, grouped, lists, spellings, starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from pytest_citecheck.index.runs import Numbers
    from pytest_citecheck.index.scopes import Agreement, Seen
    from pytest_citecheck.model import Record

Scope = tuple[str, str, int | None, bool, str]
"""A row of the table ``scopes``: collection, venue, year, True if complete, and the reason."""
Volume = tuple[str, int, str, int, int, int, float]
"""A row of the table ``volumes``: venue, year, collections that have it (joined by ``+``), titles, those that independent ones of
them agree on, the estimated number of all works, and the share of these that the index lacks, at worst."""

_WORDS_AT_ONCE = 1 << 20
_MOST_NAMES = 1 << 20  # kept in memory; a further name gets a row each time
_ABANDONED_AFTER = 60.0  # seconds, for a folder in which no database was begun
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_HASH = np.uint64((1 << 48) - 1)
_MOST_NARROW = 1 << 24
HASHES = 16
"""In a bucket: each costs eight bytes, and the row some twelve."""
_SPELLINGS = 2  # in a bucket


class Prepared(NamedTuple):
    """Records as rows and search keys, numbered from 0.

    blocks: the names in each, and its packed records. postings, authors: keys above record numbers. exact: hashes of normal
    forms and identifiers, and record numbers. alike: hashes that equal records share, and the place in ``sources`` above the
    record number. owners: number of records of each source. seen: for agreement.
    """

    size: int
    titles: list[str]
    blocks: list[tuple[tuple[str, ...], bytes]]
    postings: Numbers
    authors: Numbers
    exact: Numbers
    alike: Numbers
    sources: tuple[str, ...]
    owners: list[int]
    words: set[str]
    seen: Seen


def prepare(records: list[Record]) -> Prepared:
    """Prepare records for `Writing.take`."""
    titles = [full_title(record) for record in records]
    people = [packed_people(record.authors) for record in records]
    words: set[str] = set()
    forms: list[str] = []
    postings, by_author = array("I"), array("I")
    posted, signed = [], []
    texts: list[str] = []  # that are found exactly: all forms first
    holders = list(range(len(records)))
    for number, (record, title) in enumerate(zip(records, titles, strict=True)):
        title_words, form = read_title(title)
        forms.append(form)
        words.update(title_words)
        keys = posting_keys(title_words)
        postings.extend(keys)
        posted.append(len(keys))
        keys = author_keys(map(author, record.authors[:SEARCHED_AUTHORS]), record.year)
        by_author.extend(keys)
        signed.append(len(keys))
        found = [clean(text) for text in identifiers(record)]
        if volume := volume_text(record):
            found.append(volume)
        if record.subtitle or record.other_titles:
            found += set(other_forms(record)) - {form}
        texts += found
        holders += [number] * len(found)
    hashes = _hashes([*forms, *texts])
    blocks = (packed_block(records[i : i + BLOCK], people[i : i + BLOCK]) for i in range(0, len(records), BLOCK))
    sources: dict[str, int] = {}
    owners = [sources.setdefault(record.source, len(sources)) for record in records]
    return Prepared(
        len(records),
        list(map(storable, titles)),
        [(names, pack(packed)) for names, packed in blocks],
        _rows(postings, posted),
        _rows(by_author, signed),
        np.stack((hashes, np.array(holders, np.uint64))),
        _alike(records, forms, people, owners),
        tuple(sources),
        list(Counter(owners).values()),
        words,
        noted(records, hashes.tolist()),
    )


def packed_block(records: list[Record], people: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The names in the records of a block, and the records packed, with the positions of these names.

    people: the authors, packed.
    """
    names: dict[str, str] = {}

    def code(name: str) -> str:
        known = names.get(name)
        if known is None:
            known = names[name] = str(len(names))
        return known

    packed = [packed_fields(*stated, code) for stated in zip(records, people, strict=True)]
    return tuple(names), packed


def _alike(records: list[Record], forms: list[str], people: list[str], owners: list[int]) -> Numbers:
    texts, numbers = [], []
    for number, (one, form, names, owner) in enumerate(zip(records, forms, people, owners, strict=True)):
        stated = (one.source, form, one.year, one.venue, one.doi, one.arxiv, one.pmid, *one.isbn)
        texts.append(f"{stated}{names}")
        numbers.append(owner << 32 | number)
        if one.id:
            texts.append(f"{one.source}\0{one.id}")
            numbers.append(owner << 32 | number)
    joined = b"".join(digest(text) for text in texts)
    return np.stack((np.frombuffer(joined, "<u8").astype(np.uint64), np.array(numbers, np.uint64)))


def _rows(keys: array[int], counts: list[int]) -> Numbers:
    """Keys of consecutive records, each above the number of its record."""
    numbers = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
    return np.frombuffer(keys, np.uint32).astype(np.uint64) << _SHIFT | numbers


def _hashes(texts: list[str]) -> Numbers:
    return np.frombuffer(b"".join(map(digest, texts)), "<u8").astype(np.uint64) & _HASH


def prepared(stated: Iterable[Record | Prepared], size: int = CHUNK) -> Iterator[Prepared]:
    """Prepare those that are not yet prepared, up to ``size`` at once."""
    waiting: list[Record] = []
    for item in stated:
        if not isinstance(item, Prepared):
            waiting.append(item)
            if len(waiting) < size:
                continue
        if waiting:
            yield prepare(waiting)
            waiting = []
        if isinstance(item, Prepared):
            yield item
    if waiting:
        yield prepare(waiting)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Result of a build: records written, records replaced, collections with their records, size of the file in bytes,
    CPU seconds."""

    records: int
    replaced: int
    collections: tuple[Collection, ...]
    size: int
    seconds: float


def build(
    out: Path,
    stated: Iterable[Record | Prepared],
    *,
    collections: Iterable[Collection] = (),
    scopes: Iterable[Scope] = (),
    volumes: Iterable[Volume] = (),
    agreement: Agreement | None = None,
) -> BuildReport:
    """Write the index of ``stated`` to ``out``, replacing an existing index when done.

    The last record of a source and id wins, and also the last of several records of one source with equal normal title,
    authors, year, venue and identifiers. Records of one work from several sources are kept separately. ``collections``
    describes date, licence and origin of the sources (not the number of records). It, ``scopes`` and ``volumes`` are
    read after the records. ``agreement`` counts the titles of all records.

    Raises OSError if the file cannot be written. Exceptions of the records pass through; nothing has changed then.
    """
    out = Path(out).resolve()  # the file that a link names is replaced, not the link
    return _built(out, stated, 0, CHUNK, agreement, (collections, scopes, volumes))


def build_shards(
    out: Path,
    stated: Iterable[Record | Prepared],
    shards: int,
    *,
    collections: Iterable[Collection] = (),
    scopes: Iterable[Scope] = (),
    volumes: Iterable[Volume] = (),
    agreement: Agreement | None = None,
    chunk: int = CHUNK,
) -> BuildReport:
    """The same as a set of files in the folder ``out``. chunk: number of adjacent records in a file, a multiple of `BLOCK`."""
    out = out.resolve()
    if out.exists() and not is_set(out) and any(out.iterdir()):
        raise IndexFileError(f"{out} is a folder with other files: name another one")
    return _built(out, stated, shards, chunk, agreement, (collections, scopes, volumes))


def _built(
    out: Path,
    stated: Iterable[Record | Prepared],
    shards: int,
    chunk: int,
    agreement: Agreement | None,
    described: tuple[Iterable[Collection], Iterable[Scope], Iterable[Volume]],
) -> BuildReport:
    """shards: 0 for one file that is no set."""
    started = time.process_time()
    remove_leftovers(out)
    folder = scratch_folder(out)  # assigned first, so that it is removed at any Ctrl-C
    fresh = folder / "set"
    paths = [shard_path(fresh, number) for number in range(shards)] or [folder / "index.sqlite"]
    try:
        folder.mkdir(0o700)
        if shards:
            fresh.mkdir()
        with without_collecting(), ExitStack() as stack:
            connections = [stack.enter_context(closing(sqlite3.connect(path, isolation_level=None))) for path in paths]
            writing = Writing(connections, folder, chunk)
            for part in prepared(stated):
                writing.take(part)
                if agreement is not None:
                    agreement.add(part.seen)
            records = writing.finish(
                *described, {"shards": shards, "chunk": chunk, "set": secrets.token_hex(8)} if shards else {}
            )
            for connection in connections:
                connection.execute("COMMIT")
        for path in paths:
            seal(path)
        size = sum(path.stat().st_size for path in paths)
        if shards:
            _put_in_place(fresh, out)
        else:
            put_in_place(paths[0], out, durable=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    count = sum(collection.records for collection in records)
    return BuildReport(count, writing.taken - count, records, size, time.process_time() - started)


def scratch_folder(out: Path) -> Path:
    """The name of a new folder beside the index, which `remove_leftovers` finds."""
    return out.with_name(f"{_prefix(out)}{secrets.token_hex(8)}.build")


def _prefix(out: Path) -> str:
    return f".{out.name}."


def remove_leftovers(out: Path) -> None:
    """Remove the folders of builds that died: no living process has their database locked."""
    for folder in out.parent.glob(f"{_prefix(out)}*.build"):
        fresh = folder / "index.sqlite"
        try:
            if fresh.exists():
                with closing(sqlite3.connect(fresh, timeout=0, isolation_level=None)) as connection:
                    connection.execute("BEGIN EXCLUSIVE")
            elif time.time() - folder.stat().st_mtime < _ABANDONED_AFTER:
                continue
        except sqlite3.OperationalError:
            continue  # another build is at work there
        except (sqlite3.DatabaseError, OSError):
            pass  # cut in its first page, or just being removed by another build
        shutil.rmtree(folder, ignore_errors=True)


class Writing:
    """One build: tables that grow with the records, and the numbers for the other tables.

    connections: to the new file, or to each file of a set.
    """

    def __init__(self, connections: list[sqlite3.Connection], folder: Path, chunk: int = CHUNK) -> None:
        for connection in connections:
            # One transaction without a journal: if it does not end, the file is thrown away.
            connection.executescript(
                f"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}"
            )
            connection.execute("BEGIN EXCLUSIVE")
        self._connections = connections
        self._chunk = chunk
        self._names: dict[str, int] = {}
        self._rows_of_names = 0
        self._sources: dict[str, int] = {}
        self._postings = Runs(folder, "postings", width=1)
        self._author_keys = Runs(folder, "author_keys", width=1)
        self._exact = Runs(folder, "exact", width=2)
        self._same = Runs(folder, "same", width=2)
        self._words: set[str] = set()
        self._halves = LineRuns(folder)
        self._by_source: Counter[int] = Counter()
        self._numbers = 0
        self.taken = 0

    def take(self, part: Prepared) -> None:
        """Write and index the next records. Their numbers begin with a new block."""
        first = -(-self._numbers // BLOCK) * BLOCK
        self._numbers = first + part.size
        self.taken += part.size
        base = np.uint64(first)
        self.insert("titles", enumerate(part.titles, first), self._of_record)
        blocks = ((names_header(list(map(self._number_of, names))) + packed) for names, packed in part.blocks)
        self.insert("blocks", enumerate(blocks, first // BLOCK), self._of_block)
        self._postings.add(part.postings + base)
        self._author_keys.add(part.authors + base)
        self._exact.add(part.exact[0], part.exact[1] + base)
        owners = [self._sources.setdefault(name, len(self._sources)) for name in part.sources]
        self._by_source.update(dict(zip(owners, part.owners, strict=True)))
        numbers = np.array(owners, np.uint64)[part.alike[1] >> _SHIFT] << _SHIFT | (part.alike[1] & _LOW) + base
        self._same.add(part.alike[0], numbers)
        self._words |= part.words
        if len(self._words) > _WORDS_AT_ONCE:
            self._spill_words()

    def insert(
        self, table: str, rows: Iterable[tuple[int, str | bytes | memoryview]], shard_of: Callable[[int], int]
    ) -> None:
        """Write rows of a table with their checksums."""
        query = f"INSERT INTO {table} VALUES (?, ?, ?)"  # noqa: S608
        summed = summed_rows(table, rows)
        if len(self._connections) == 1:
            self._connections[0].executemany(query, summed)
            return
        for shard, group in groupby(summed, key=lambda row: shard_of(row[0])):
            self._connections[shard].executemany(query, group)

    def _of_record(self, number: int) -> int:
        return of_chunk(number, len(self._connections), self._chunk)

    def _of_block(self, number: int) -> int:
        return self._of_record(number * BLOCK)

    def _of_name(self, number: int) -> int:
        return number % len(self._connections)

    def _number_of(self, name: str) -> int:
        number = self._names.get(name)
        if number is None:
            number = self._rows_of_names
            self._rows_of_names += 1
            self.insert("names", ((number, storable(name)),), self._of_name)
            if len(self._names) < _MOST_NAMES:
                self._names[name] = number
        return number

    def _spill_words(self) -> None:
        spelled = filter(is_correctable, self._words)
        self._halves.add({f"{key:08x}{word}" for word in spelled for key in half_keys(word)})
        self._words.clear()

    def finish(
        self,
        collections: Iterable[Collection],
        scopes: Iterable[Scope],
        volumes: Iterable[Volume],
        further: Mapping[str, int | str],
    ) -> tuple[Collection, ...]:
        """Write the search tables; return the collections with their records. further: rows of the table ``meta``."""
        gone = self._drop_replaced()
        records = self.taken - int(gone.sum())
        self._spill_words()
        width = NARROW if self._numbers <= _MOST_NARROW else WIDE
        buckets = max(records, 1)
        exact = max(self._exact.total // HASHES, 1)
        spelled = max(self._halves.rows // _SPELLINGS, 1)

        def shard_of(measure: int) -> Callable[[int], int]:
            return lambda row: row * len(self._connections) // measure

        def insert_lists(table: str, runs: Runs) -> None:
            rows: Iterator[tuple[int, bytes | memoryview]] = lists(runs, buckets, gone, width)
            if table == "postings":
                rows = self._apart(rows, FREELY_READ * width, shard_of(buckets))
            self.insert(table, dense(rows, buckets, b""), shard_of(buckets))

        self.insert("exact", dense(grouped(self._exact, exact, gone), exact, b""), shard_of(exact))
        insert_lists("postings", self._postings)
        insert_lists("author_keys", self._author_keys)
        self.insert("spellings", dense(spellings(self._halves, spelled), spelled, ""), shard_of(spelled))
        known = {collection.name: collection for collection in collections}
        read = tuple(
            known.get(name, Collection(storable(name)))._replace(records=self._by_source[number])
            for name, number in self._sources.items()
        )
        measures = {
            "keys": VERSION,
            "records": records,
            "buckets": buckets,
            "exact": exact,
            "spellings": spelled,
            "width": width,
        }
        small = [read, list(scopes), list(volumes)]
        for shard, connection in enumerate(self._connections):
            _write_small(connection, small, {**measures, **further, **({"shard": shard} if further else {})})
        return read

    def _apart(
        self, rows: Iterable[tuple[int, bytes | memoryview]], most: int, shard_of: Callable[[int], int]
    ) -> Iterator[tuple[int, bytes | memoryview]]:
        """Rows of ``postings``, without the long lists, which go to a separate table."""
        for row, content in rows:
            if len(content) <= most:
                yield row, content
            else:
                self.insert("long_postings", ((row, content),), shard_of)
                yield row, long_list(len(content))

    def _drop_replaced(self) -> NDArray[np.bool_]:
        """Remove the titles of records that a later one replaces; which ones, as a mask."""
        gone = np.zeros(self._numbers, np.bool_)
        for keys, owned in self._same.parts():
            first = starts(keys)
            latest = np.maximum.reduceat(owned & _LOW, first)
            sizes = np.diff(first, append=len(keys))
            replaced = np.unique(owned[(owned & _LOW) != np.repeat(latest, sizes)])
            replaced = replaced[~gone[replaced & _LOW]]
            gone[replaced & _LOW] = True
            self._by_source.subtract((replaced >> _SHIFT).tolist())
            for shard, numbers in groupby((replaced & _LOW).tolist(), key=self._of_record):
                self._connections[shard].executemany("DELETE FROM titles WHERE id = ?", ((one,) for one in numbers))
        return gone


def _write_small(
    connection: sqlite3.Connection, small: Iterable[Iterable[tuple[object, ...]]], measures: Mapping[str, int | str]
) -> None:
    """Write the tables that are read as a whole. measures: for the table ``meta``."""
    for (table, columns), rows in zip(SMALL_TABLES.items(), small, strict=True):
        connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * columns)})", rows)  # noqa: S608
    sums = {f"sum:{table}": small_table(connection, table)[1] for table in SMALL_TABLES}
    meta: dict[str, int | str] = {**measures, **sums}
    meta["sum"] = table_sum(sorted(meta.items()))
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _put_in_place(fresh: Path, out: Path) -> None:
    """Put the new set where the old one is: it is moved aside first, as a folder cannot be replaced at once."""
    out = out.resolve()
    aside = out.with_name(f".{out.name}.{secrets.token_hex(8)}.old")
    if out.exists():
        out.rename(aside)
    try:
        fresh.rename(out)
    except OSError:
        if aside.exists():
            aside.rename(out)
        raise
    shutil.rmtree(aside, ignore_errors=True)
