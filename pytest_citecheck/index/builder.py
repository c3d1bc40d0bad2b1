"""Builds a local index from a stream of records, in bounded memory.

One pass over the records writes titles and the other fields, and collects the search keys as numbers; these are sorted
on disk (`pytest_citecheck.index.runs`) and written as tables afterwards. Everything happens in a folder beside the
file, which is replaced at the very end: a process with an open old file keeps reading it, and a killed build leaves it
unchanged.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import secrets
import shutil
import sqlite3
import time
from array import array
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_citecheck.atomic_write import put_in_place
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
)
from pytest_citecheck.index.layout import (
    BLOCK,
    CHUNK,
    FREELY_READ,
    SCHEMA,
    SMALL_TABLES,
    Collection,
    IndexFileError,
    clean,
    long_list,
    pack,
    packed_fields,
    packed_people,
    row_sum,
    seal,
    small_table,
    storable,
    table_sum,
)
from pytest_citecheck.index.reader import is_set, of_chunk, shard_path, stretch
from pytest_citecheck.index.runs import LineRuns, Runs
from pytest_citecheck.index.search import half_keys, is_correctable
from pytest_citecheck.index.table_rows import dense, grouped, lists, spellings, starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from multiprocessing.connection import Connection

    from numpy.typing import NDArray

    from pytest_citecheck.index.runs import Numbers
    from pytest_citecheck.model import Record

Scope = tuple[str, str, int | None, bool, str]
"""A row of the table ``scopes``: collection, venue, year, True if complete, and the reason."""
Volume = tuple[str, int, str, int, int]
"""A row of the table ``volumes``: venue, year, collections that have it (joined by ``+``), titles, those that independent ones of
them agree on."""

_WORDS_AT_ONCE = 1 << 20
_MOST_NAMES = 1 << 20  # kept in memory; further names of venues are in the records
_ABANDONED_AFTER = 60.0  # seconds, for a folder in which no database was begun
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_HASH = np.uint64((1 << 48) - 1)
HASHES = 8
"""In a bucket: each costs eight bytes, and the row some twelve."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Result of a build: records written, records replaced, collections with their records, size of the file in bytes,
    CPU seconds."""

    records: int
    replaced: int
    collections: tuple[Collection, ...]
    size: int
    seconds: float


@contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no cycles in the block: records make none, and looking for them takes a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def build(
    out: Path,
    stated: Iterable[Record],
    *,
    collections: Iterable[Collection] = (),
    scopes: Iterable[Scope] = (),
    volumes: Iterable[Volume] = (),
) -> BuildReport:
    """Write the index of ``stated`` to ``out``, replacing an existing index when done.

    The last record of a source and id wins, and also the last of several records of one source with equal normal title,
    authors, year, venue and identifiers. Records of one work from several sources are kept separately. ``collections``
    describes date, licence and origin of the sources (not the number of records). It, ``scopes`` and ``volumes`` are
    read after the records.

    Raises OSError if the file cannot be written. Exceptions of the records pass through; nothing has changed then.
    """
    started = time.process_time()
    out = Path(out).resolve()  # the file that a link names is replaced, not the link
    _remove_leftovers(out)
    folder = out.with_name(
        f"{_prefix(out)}{secrets.token_hex(8)}.build"
    )  # assigned first, so that it is removed at any Ctrl-C
    try:
        folder.mkdir(0o700)
        fresh = folder / "index.sqlite"
        with without_collecting(), closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            writing = Writing(connection, folder)
            for chunk in chunks(stated, CHUNK):
                writing.take(chunk)
            records = writing.finish(collections, scopes, volumes)
            connection.execute("COMMIT")
        seal(fresh)
        put_in_place(fresh, out, durable=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return BuildReport(
        sum(collection.records for collection in records),
        writing.taken - sum(collection.records for collection in records),
        records,
        out.stat().st_size,
        time.process_time() - started,
    )


def chunks(stated: Iterable[Record], size: int) -> Iterator[list[Record]]:
    """The records, as many together as are written together."""
    stream = iter(stated)
    while chunk := list(islice(stream, size)):
        yield chunk


def _prefix(out: Path) -> str:
    return f".{out.name}."


def _remove_leftovers(out: Path) -> None:
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
    """One build: tables that grow with the records, and the numbers for the other tables."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        # One transaction without a journal: if it does not end, the file is thrown away.
        connection.executescript(
            f"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}"
        )
        connection.execute("BEGIN EXCLUSIVE")
        self._connection = connection
        self._names: dict[str, str] = {}
        self._sources: dict[str, int] = {}
        self._postings = Runs(folder, "postings", width=1)
        self._author_keys = Runs(folder, "author_keys", width=1)
        self._exact = Runs(folder, "exact", width=2)
        self._same = Runs(folder, "same", width=2)
        self._words: set[str] = set()
        self._halves = LineRuns(folder)
        self._by_source: Counter[int] = Counter()
        self.taken = 0

    def take(self, chunk: list[Record], first: int | None = None) -> None:
        """Write and index the next records; all chunks but the last one have full blocks. first: the number of the first one."""
        first = self.taken if first is None else first
        self.taken += len(chunk)
        titles = [full_title(record) for record in chunk]
        people = [packed_people(record.authors) for record in chunk]
        forms = self._index_titles(first, chunk, titles)
        self._index_identifiers(first, chunk)
        self._index_authors(first, chunk)
        self._note_duplicates(first, chunk, forms, people)
        self.insert("titles", ((i, storable(title)) for i, title in enumerate(titles, first)))
        packed = [packed_fields(*stated, self._number_of) for stated in zip(chunk, people, strict=True)]
        self.insert(
            "blocks", (((first + i) // BLOCK, pack(packed[i : i + BLOCK])) for i in range(0, len(packed), BLOCK))
        )

    def insert(self, table: str, rows: Iterable[tuple[int, str | bytes | memoryview]]) -> None:
        """Write rows of a table with their checksums."""
        summed = ((row, row_sum(table, row, content), content) for row, content in rows)
        self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", summed)  # noqa: S608

    def insert_postings(self, rows: Iterable[tuple[int, bytes | memoryview]]) -> None:
        """Write rows of ``postings``."""
        self.insert("postings", self._apart(rows))

    def _apart(self, rows: Iterable[tuple[int, bytes | memoryview]]) -> Iterator[tuple[int, bytes | memoryview]]:
        """Rows of ``postings``, without the long lists, which go to a separate table."""
        for row, content in rows:
            if len(content) <= FREELY_READ:
                yield row, content
            else:
                self.insert("long_postings", ((row, content),))
                yield row, long_list(len(content))

    def _number_of(self, name: str) -> str:
        number = self._names.get(name)
        if number is None:
            if len(self._names) >= _MOST_NAMES:
                return f"={clean(name)}"
            number = self._names[name] = str(len(self._names))
        return number

    def _index_titles(self, first: int, chunk: list[Record], titles: list[str]) -> list[str]:
        forms, keys, counts = [], array("I"), []
        others: list[tuple[str, int]] = []
        for number, (record, title) in enumerate(zip(chunk, titles, strict=True), first):
            title_words, form = read_title(title)
            if record.subtitle or record.other_titles:
                others += [(other, number) for other in set(other_forms(record)) - {form}]
            title_keys = posting_keys(title_words)
            keys.extend(title_keys)
            counts.append(len(title_keys))
            forms.append(form)
            self._words.update(title_words)
        self._postings.add(_rows(keys, first, counts))
        self._exact.add(_hashes(forms), np.arange(first, first + len(chunk), dtype=np.uint64))
        if others:
            self._exact.add(
                _hashes([form for form, _ in others]), np.array([number for _, number in others], np.uint64)
            )
        if len(self._words) > _WORDS_AT_ONCE:
            self._spill_words()
        return forms

    def _spill_words(self) -> None:
        spelled = filter(is_correctable, self._words)
        self._halves.add({f"{key:08x}{word}" for word in spelled for key in half_keys(word)})
        self._words.clear()

    def _index_identifiers(self, first: int, chunk: list[Record]) -> None:
        texts, holders = [], []
        for number, record in enumerate(chunk, first):
            for text in identifiers(record):
                texts.append(clean(text))
                holders.append(number)
        if texts:
            self._exact.add(_hashes(texts), np.array(holders, np.uint64))

    def _index_authors(self, first: int, chunk: list[Record]) -> None:
        keys, counts = array("I"), []
        for record in chunk:
            found = author_keys(map(author, record.authors[:SEARCHED_AUTHORS]), record.year)
            keys.extend(found)
            counts.append(len(found))
        self._author_keys.add(_rows(keys, first, counts))

    def _note_duplicates(self, first: int, chunk: list[Record], forms: list[str], people: list[str]) -> None:
        # Python's own hash differs in each process, and is good within one.
        alike = [
            hash((one.source, form, one.year, one.venue, names, one.doi, one.arxiv, one.pmid, one.isbn))
            for one, form, names in zip(chunk, forms, people, strict=True)
        ]
        sources = self._sources
        owners = [sources.setdefault(record.source, len(sources)) for record in chunk]
        numbers = np.arange(first, first + len(chunk), dtype=np.uint64) | np.array(owners, np.uint64) << _SHIFT
        self._same.add(np.array(alike, np.int64).view(np.uint64), numbers)
        named = [hash((record.source, record.id)) if record.id else 0 for record in chunk]
        has_id = np.array([bool(record.id) for record in chunk])
        self._same.add(np.array(named, np.int64).view(np.uint64)[has_id], numbers[has_id])
        self._by_source.update(owners)

    def finish(
        self, collections: Iterable[Collection], scopes: Iterable[Scope], volumes: Iterable[Volume]
    ) -> tuple[Collection, ...]:
        """Write the search tables; return the collections with their records."""
        gone = self._drop_replaced()
        records = self.taken - int(gone.sum())
        self._spill_words()
        buckets = max(records, 1)
        exact_buckets = max(self._exact.total // HASHES, 1)
        self.insert("exact", dense(grouped(self._exact, exact_buckets, gone), exact_buckets, b""))
        self.insert_postings(dense(lists(self._postings, buckets, gone), buckets, b""))
        self.insert("author_keys", dense(lists(self._author_keys, buckets, gone), buckets, b""))
        spelling_buckets = max(self._halves.rows, 1)
        self.insert("spellings", dense(spellings(self._halves, spelling_buckets), spelling_buckets, ""))
        known = {collection.name: collection for collection in collections}
        held = tuple(
            known.get(name, Collection(storable(name)))._replace(records=self._by_source[number])
            for name, number in self._sources.items()
        )
        meta = {
            "keys": VERSION,
            "records": records,
            "numbers": self.taken,
            "buckets": buckets,
            "exact": exact_buckets,
            "spellings": spelling_buckets,
        }
        self.finish_small(held, scopes, volumes, meta)
        return held

    def finish_small(
        self,
        held: Iterable[Collection],
        scopes: Iterable[Scope],
        volumes: Iterable[Volume],
        measures: Mapping[str, int | str],
    ) -> None:
        """Write names, and the tables that are read as a whole. measures: for the table ``meta``."""
        self.insert("names", ((int(number), storable(name)) for name, number in self._names.items()))
        self._connection.executemany("INSERT INTO collections VALUES (?, ?, ?, ?, ?, ?, ?)", held)
        self._connection.executemany("INSERT INTO scopes VALUES (?, ?, ?, ?, ?)", scopes)
        self._connection.executemany("INSERT INTO volumes VALUES (?, ?, ?, ?, ?)", volumes)
        sums = {f"sum:{table}": small_table(self._connection, table)[1] for table in SMALL_TABLES}
        meta: dict[str, int | str] = {**measures, **sums}
        meta["sum"] = table_sum(sorted(meta.items()))
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())

    def sorted(self) -> tuple[dict[str, Runs], LineRuns, int, list[str], list[int]]:
        """Collected data on disk: the runs by table, the words, the records taken, the sources with their records."""
        self._spill_words()
        runs = {"postings": self._postings, "author_keys": self._author_keys, "exact": self._exact, "same": self._same}
        for one in runs.values():
            one.spill()
        return (
            runs,
            self._halves,
            self.taken,
            list(self._sources),
            [self._by_source[i] for i in range(len(self._sources))],
        )

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove the titles of records that later ones replace."""
        self._connection.executemany("DELETE FROM titles WHERE id = ?", ((number,) for number in numbers))

    def _drop_replaced(self) -> NDArray[np.bool_]:
        """Remove the titles of records that a later one replaces; which ones, as a mask."""
        gone = np.zeros(self.taken, np.bool_)
        for keys, owned in self._same.parts():
            first = starts(keys)
            latest = np.maximum.reduceat(owned & _LOW, first)
            sizes = np.diff(first, append=len(keys))
            replaced = np.unique(owned[(owned & _LOW) != np.repeat(latest, sizes)])
            replaced = replaced[~gone[replaced & _LOW]]
            gone[replaced & _LOW] = True
            self._by_source.subtract((replaced >> _SHIFT).tolist())
            self.drop((replaced & _LOW).tolist())
        return gone


def _rows(keys: array[int], first: int, counts: list[int]) -> Numbers:
    """Keys of consecutive records, each above the number of its record."""
    numbers = np.repeat(np.arange(first, first + len(counts), dtype=np.uint64), counts)
    return np.frombuffer(keys, np.uint32).astype(np.uint64) << _SHIFT | numbers


def _hashes(texts: list[str]) -> Numbers:
    return np.frombuffer(b"".join(map(digest, texts)), "<u8").astype(np.uint64) & _HASH


# Building an index as a set of shards, with a process for each.


_SEED = "PYTHONHASHSEED"  # processes that compare hashes have to hash alike
_SHARD_BUILDER_LOW, _SHARD_BUILDER_SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Sorted output of a process: the runs by table, the number of records, the names of its sources and their records."""

    runs: dict[str, Runs]
    lines: LineRuns
    taken: int
    sources: list[str]
    records: list[int]


@dataclass(frozen=True, slots=True)
class _Whole:
    """Data about the whole set that each process needs."""

    sorted: list[_Sorted]
    gone: str
    meta: dict[str, Any]
    collections: list[Collection]
    scopes: list[Any]
    volumes: list[Any]


def build_shards(
    out: Path,
    stated: Iterable[Record],
    shards: int,
    *,
    collections: Iterable[Collection] = (),
    scopes: Iterable[Scope] = (),
    volumes: Iterable[Volume] = (),
    chunk: int = CHUNK,
) -> BuildReport:
    """Write the index of ``stated`` as a set of shards into the folder ``out``, replacing an existing set when done.

    chunk: number of adjacent records, a multiple of `BLOCK`. Duplicates and exceptions are treated as in
    `builder.build`. Raises OSError, and IndexFileError if a process dies.
    """
    started = time.process_time() + _of_children()
    if out.exists() and not is_set(out) and any(out.iterdir()):
        raise IndexFileError(f"{out} is a folder with other files: name another one")
    scratch = out.resolve().with_name(f".{out.name}.{secrets.token_hex(8)}.build")
    scratch.mkdir(0o700)
    try:
        with without_collecting(), _workers(shards, scratch) as workers:
            for number, records_of in enumerate(chunks(stated, chunk)):
                _send(workers[number % shards], (number * chunk, records_of))
            for worker in workers:
                _send(worker, None)
            parts: list[_Sorted] = [_receive(worker) for worker in workers]
            whole = _combined(parts, scratch, chunk, collections, scopes, volumes)
            for worker in workers:
                _send(worker, whole)
            for worker in workers:
                _receive(worker)
        _put_in_place(scratch / "set", out)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    records = whole.meta["records"]
    size = sum(path.stat().st_size for path in out.glob("shard-*.index"))
    taken = sum(part.taken for part in parts)
    seconds = time.process_time() + _of_children() - started
    return BuildReport(records, taken - records, tuple(whole.collections), size, seconds)


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def _workers(shards: int, scratch: Path) -> Iterator[list[Connection]]:
    """A process for each shard, by the pipes to them."""
    (scratch / "set").mkdir()
    context = multiprocessing.get_context("spawn")
    processes, pipes = [], []
    before = os.environ.get(_SEED)
    os.environ[_SEED] = "0"
    try:
        for shard in range(shards):
            mine, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, shard, shards, scratch), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            pipes.append(mine)
    finally:
        os.environ.pop(_SEED) if before is None else os.environ.update({_SEED: before})
    try:
        yield pipes
        for process in processes:
            process.join()
    finally:
        for process in processes:
            process.terminate()
            process.join()
        for pipe in pipes:
            pipe.close()


def _send(pipe: Connection, content: object) -> None:
    try:
        pipe.send_bytes(pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL))
    except OSError as error:
        raise IndexFileError("a process that wrote a shard died: nothing was changed") from error


def _receive(pipe: Connection) -> Any:
    try:
        answer = pickle.loads(pipe.recv_bytes())  # noqa: S301 - of a process of this program
    except (EOFError, OSError) as error:
        raise IndexFileError("a process that wrote a shard died: nothing was changed") from error
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _work(pipe: Connection, shard: int, shards: int, scratch: Path) -> None:
    try:
        _write_shard(pipe, shard, shards, scratch)
    except EOFError:
        return  # the build was given up
    except Exception as error:  # noqa: BLE001 - raised by the process that waits for it
        _send(pipe, error)


def _write_shard(pipe: Connection, shard: int, shards: int, scratch: Path) -> None:
    own = scratch / f"runs-{shard}"
    own.mkdir()
    path = shard_path(scratch / "set", shard)
    with without_collecting(), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        writing = Writing(connection, own)
        while (got := pickle.loads(pipe.recv_bytes())) is not None:  # noqa: S301 - of the process that began this one
            first, chunk = got
            writing.take(chunk, first)
        _send(pipe, _Sorted(*writing.sorted()))
        whole: _Whole = pickle.loads(pipe.recv_bytes())  # noqa: S301
        _finish(writing, whole, shard, shards)
        connection.execute("COMMIT")
    seal(path)
    _send(pipe, None)


def _combined(
    parts: list[_Sorted],
    scratch: Path,
    chunk: int,
    collections: Iterable[Collection],
    scopes: Iterable[Scope],
    volumes: Iterable[Volume],
) -> _Whole:
    """Combine the replaced records, the contents and the measures of the set."""
    numbers = max(
        (chunk * (len(parts) * (part.taken // chunk) + place) + chunk for place, part in enumerate(parts)), default=0
    )
    counts: dict[str, int] = {}
    for part in parts:
        for name, records in zip(part.sources, part.records, strict=True):
            counts[name] = counts.get(name, 0) + records
    gone = np.zeros(numbers, np.bool_)
    for keys, owned in Runs.of([part.runs["same"] for part in parts]).parts():
        first = starts(keys)
        latest = np.maximum.reduceat(owned & _SHARD_BUILDER_LOW, first)
        replaced = np.unique(owned[(owned & _SHARD_BUILDER_LOW) != np.repeat(latest, np.diff(first, append=len(keys)))])
        replaced = replaced[~gone[replaced & _SHARD_BUILDER_LOW]]
        gone[replaced & _SHARD_BUILDER_LOW] = True
        for number, source in zip(
            (replaced & _SHARD_BUILDER_LOW).tolist(), (replaced >> _SHARD_BUILDER_SHIFT).tolist(), strict=True
        ):
            counts[parts[of_chunk(number, len(parts), chunk)].sources[source]] -= 1
    np.save(scratch / "gone.npy", gone)
    taken = sum(part.taken for part in parts)
    records = taken - int(gone.sum())
    known = {collection.name: collection for collection in collections}
    held = [known.get(name, Collection(storable(name)))._replace(records=count) for name, count in counts.items()]
    meta = {
        "keys": VERSION,
        "records": records,
        "numbers": taken,
        "buckets": max(records, 1),
        "exact": max(sum(part.runs["exact"].total for part in parts) // HASHES, 1),
        "spellings": max(sum(part.lines.rows for part in parts), 1),
        "shards": len(parts),
        "chunk": chunk,
        "set": secrets.token_hex(8),
    }
    return _Whole(parts, str(scratch / "gone.npy"), meta, held, list(scopes), list(volumes))


def _finish(writing: Writing, whole: _Whole, shard: int, shards: int) -> None:
    """Write the stretches of the tables of buckets, and the small tables, which each shard has."""
    gone = np.load(whole.gone)
    writing.drop(
        number for number in np.flatnonzero(gone).tolist() if of_chunk(number, shards, whole.meta["chunk"]) == shard
    )

    def runs(name: str, buckets: int, bits: int) -> Runs:
        # The hash of which a bucket is the upper part: of the first bucket the lowest, of the last one the highest.
        first, last = ((-(-(place << 32) // buckets)) << bits for place in stretch(shard, shards, buckets))
        return Runs.of([part.runs[name] for part in whole.sorted], first, last)

    meta = whole.meta
    buckets, exact = meta["buckets"], meta["exact"]
    first, last = stretch(shard, shards, exact)
    writing.insert("exact", dense(grouped(runs("exact", exact, 16), exact, gone), last, b"", first))
    first, last = stretch(shard, shards, buckets)
    writing.insert_postings(dense(lists(runs("postings", buckets, 32), buckets, gone), last, b"", first))
    writing.insert("author_keys", dense(lists(runs("author_keys", buckets, 32), buckets, gone), last, b"", first))
    first, last = stretch(shard, shards, meta["spellings"])
    words = spellings(LineRuns.of([part.lines for part in whole.sorted]), meta["spellings"])
    mine = (row for row in words if first <= row[0] < last)
    writing.insert("spellings", dense(mine, last, "", first))
    writing.finish_small(whole.collections, whole.scopes, whole.volumes, meta | {"shard": shard})


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
