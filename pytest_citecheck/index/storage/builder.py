"""Building the file of a local index out of a stream of records, in bounded memory.

One pass over the records writes titles and the other fields, and collects what the record is found by as numbers; these are
sorted on disk (`pytest_citecheck.index.storage.runs`) and written as tables afterwards. Everything happens in a folder beside the
file, which is replaced at the very end: a process that has the old one open keeps reading it, and a killed build leaves it
unchanged.
"""

from __future__ import annotations

import gc
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
from typing import TYPE_CHECKING

import numpy as np

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
from pytest_citecheck.index.misspellings import half_keys, is_correctable
from pytest_citecheck.index.storage.layout import (
    BLOCK,
    CHUNK,
    FREELY_READ,
    SCHEMA,
    SMALL_TABLES,
    Collection,
    long_list,
    seal,
    small_table,
)
from pytest_citecheck.index.storage.packing import clean, pack, packed_fields, packed_people, storable
from pytest_citecheck.index.storage.rows import row_sum, table_sum
from pytest_citecheck.index.storage.runs import LineRuns, Runs
from pytest_citecheck.index.storage.table_rows import dense, grouped, lists, spellings, starts
from pytest_citecheck.whole_file import put_in_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from pytest_citecheck.index.storage.runs import Numbers
    from pytest_citecheck.model import Record

__all__ = ["HASHES", "BuildReport", "Scope", "Volume", "Writing", "build", "chunks", "without_collecting"]

Scope = tuple[str, str, int | None, bool, str]
"""A row of the table ``scopes``: collection, venue, year, whether it is complete, and why that is known."""
Volume = tuple[str, int, str, int, int]
"""A row of the table ``volumes``: venue, year, collections that have it (joined by ``+``), titles, those that independent ones of
them agree on."""

_WORDS_AT_ONCE = 1 << 20
_MOST_NAMES = 1 << 20  # kept in memory; further names of venues stand in the records themselves
_ABANDONED_AFTER = 60.0  # seconds, for a folder in which no database was begun
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_HASH = np.uint64((1 << 48) - 1)
HASHES = 8
"""In a bucket: each costs eight bytes, and the row some twelve."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did: records written, those that another one replaced, collections with their records, size of the
    file in bytes, CPU seconds."""

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
    """Write the index of ``stated`` to ``out``, replacing what is there when it is done.

    Of records of one source and id the last one counts; so it does of records of one source that agree in normal title,
    authors, year, venue and identifiers. Records of one work from several sources stay apart. ``collections`` says of which date,
    licence and origin the sources are (not how many records). They, ``scopes`` and ``volumes`` are asked after the records.

    Raises OSError if the file cannot be written. Whatever the records raise passes through, and nothing has changed then.
    """
    started = time.process_time()
    out = Path(out).resolve()  # the file that a link names is replaced, not the link
    _remove_leftovers(out)
    folder = out.with_name(f"{_prefix(out)}{secrets.token_hex(8)}.build")  # named first: it goes whenever Ctrl-C comes
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
    """One build: the tables that grow with the records, and the numbers from which the others are made."""

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
        """The rows of ``postings``, without the long lists, which are put into a table of their own."""
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
        # Python's own hash is another one in every process, and good for one.
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
        """Write the tables by which records are found; gives the collections with their records."""
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
        """What was collected, on disk: the runs by table, the words, the records taken, the sources with their records."""
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
