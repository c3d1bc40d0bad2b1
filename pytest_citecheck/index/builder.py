"""Building the file of a local index out of a stream of entries, in bounded memory.

One pass over the entries writes titles and the other fields, and collects what the record is found by as numbers; these are
sorted on disk (`pytest_citecheck.index.runs`) and written as tables afterwards. Everything happens in a folder beside the
file, which is replaced at the very end: whoever has the old one open keeps reading it, and a build that dies leaves it alone.
"""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import sqlite3
import time
from array import array
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pytest_citecheck.index.keys import (
    BYLINE_AUTHORS,
    VERSION,
    byline_keys,
    digest,
    family,
    identifiers,
    posting_keys,
    read_title,
)
from pytest_citecheck.index.layout import (
    BLOCK,
    FREELY_READ,
    SCHEMA,
    SMALL_TABLES,
    Collection,
    bucket,
    clean,
    long_list,
    pack,
    packed_fields,
    seal,
    small_table,
    storable,
)
from pytest_citecheck.index.rows import row_sum, table_sum
from pytest_citecheck.index.runs import LineRuns, Runs
from pytest_citecheck.index.spelling import half_keys, is_spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from pytest_citecheck.index.entry import Entry
    from pytest_citecheck.index.runs import Numbers

__all__ = ["BuildReport", "Scope", "Volume", "build"]

Scope = tuple[str, str, int | None, bool, str]
"""A row of the table ``scopes``: collection, venue, year, whether it is complete, and why that is known."""
Volume = tuple[str, int, str, int, int]
"""A row of the table ``volumes``: venue, year, collections that have it (joined by ``+``), titles, those that independent ones of
them agree on."""

Content = TypeVar("Content", str, bytes | memoryview)

_CHUNK = BLOCK * 4096
_WORDS_AT_ONCE = 1 << 20
_MOST_NAMES = 1 << 20  # kept in memory; further names of venues stand in the records themselves
_ABANDONED_AFTER = 60.0  # seconds, for a folder in which no database was begun
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_HASH = np.uint64((1 << 48) - 1)
_BUCKET_SHIFT = np.uint64(16)  # the upper 32 bits of a hash say its bucket, the lower 32 stand in it
_HASHES = 8  # in a bucket: each costs eight bytes, and the row some twelve


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did: records written, entries that another one replaced, collections with their records, size of the
    file in bytes, CPU seconds."""

    records: int
    replaced: int
    collections: tuple[Collection, ...]
    size: int
    seconds: float


def build(
    out: Path,
    entries: Iterable[Entry],
    *,
    collections: Iterable[Collection] = (),
    scopes: Iterable[Scope] = (),
    volumes: Iterable[Volume] = (),
) -> BuildReport:
    """Write the index of ``entries`` to ``out``, replacing what is there when it is done.

    Of entries of one source and id the last one counts; so it does of entries of one source that agree in normal title,
    authors, year, venue and identifiers. Records of one work from several sources stay apart. ``collections`` says of which date,
    licence and origin the sources are (not how many records). They, ``scopes`` and ``volumes`` are asked after the entries.

    Raises OSError if the file cannot be written. Whatever the entries raise passes through, and nothing has changed then.
    """
    started = time.process_time()
    out = Path(out).resolve()  # the file that a link names is replaced, not the link
    _remove_leftovers(out)
    folder = out.with_name(f"{_prefix(out)}{secrets.token_hex(8)}.build")  # named first: it goes whenever Ctrl-C comes
    collecting = gc.isenabled()
    try:
        folder.mkdir(0o700)
        gc.disable()  # nothing here makes cycles, and looking for them takes a third of the time
        fresh = folder / "index.sqlite"
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            # One transaction without a journal: if it does not end, the file is thrown away.
            connection.executescript(
                f"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}"
            )
            connection.execute("BEGIN EXCLUSIVE")
            writing = _Writing(connection, folder)
            for chunk in _chunks(entries):
                writing.take(chunk)
            records = writing.finish(collections, scopes, volumes)
            connection.execute("COMMIT")
        seal(fresh)
        _replace(fresh, out)
    finally:
        if collecting:
            gc.enable()
        shutil.rmtree(folder, ignore_errors=True)
    return BuildReport(
        sum(collection.records for collection in records),
        writing.taken - sum(collection.records for collection in records),
        records,
        out.stat().st_size,
        time.process_time() - started,
    )


def _chunks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    stream = iter(entries)
    while chunk := list(islice(stream, _CHUNK)):
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


def _replace(fresh: Path, out: Path) -> None:
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    fresh.replace(out)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(out.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class _Writing:
    """One build: the tables that grow with the entries, and the numbers from which the others are made."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self._names: dict[str, str] = {}
        self._sources: dict[str, int] = {}
        self._postings = Runs(folder, "postings", width=1)
        self._bylines = Runs(folder, "bylines", width=1)
        self._exact = Runs(folder, "exact", width=2)
        self._same = Runs(folder, "same", width=2)
        self._words: set[str] = set()
        self._halves = LineRuns(folder)
        self._by_source: Counter[int] = Counter()
        self.taken = 0

    def take(self, chunk: list[Entry]) -> None:
        """Write and index the next entries; all chunks but the last one have full blocks."""
        first = self.taken
        self.taken += len(chunk)
        forms = self._index_titles(first, chunk)
        self._index_identifiers(first, chunk)
        self._index_authors(first, chunk)
        self._note_duplicates(first, chunk, forms)
        self._insert("titles", ((i, storable(entry.title)) for i, entry in enumerate(chunk, first)))
        packed = [packed_fields(entry, self._number_of) for entry in chunk]
        self._insert(
            "blocks", (((first + i) // BLOCK, pack(packed[i : i + BLOCK])) for i in range(0, len(packed), BLOCK))
        )

    def _insert(self, table: str, rows: Iterable[tuple[int, str | bytes | memoryview]]) -> None:
        summed = ((row, row_sum(table, row, content), content) for row, content in rows)
        self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", summed)  # noqa: S608

    def _apart(self, rows: Iterable[tuple[int, bytes | memoryview]]) -> Iterator[tuple[int, bytes | memoryview]]:
        """The rows of ``postings``, without the long lists, which are put into a table of their own."""
        for row, content in rows:
            if len(content) <= FREELY_READ:
                yield row, content
            else:
                self._insert("long_postings", ((row, content),))
                yield row, long_list(len(content))

    def _number_of(self, name: str) -> str:
        number = self._names.get(name)
        if number is None:
            if len(self._names) >= _MOST_NAMES:
                return f"={clean(name)}"
            number = self._names[name] = str(len(self._names))
        return number

    def _index_titles(self, first: int, chunk: list[Entry]) -> list[str]:
        forms, keys, counts = [], array("I"), []
        for entry in chunk:
            title_words, form = read_title(entry.title)
            title_keys = posting_keys(title_words)
            keys.extend(title_keys)
            counts.append(len(title_keys))
            forms.append(form)
            self._words.update(title_words)
        self._postings.add(_rows(keys, first, counts))
        self._exact.add(_hashes(forms), np.arange(first, first + len(chunk), dtype=np.uint64))
        if len(self._words) > _WORDS_AT_ONCE:
            self._spill_words()
        return forms

    def _spill_words(self) -> None:
        spelled = filter(is_spelled, self._words)
        self._halves.add({f"{key:08x}{word}" for word in spelled for key in half_keys(word)})
        self._words.clear()

    def _index_identifiers(self, first: int, chunk: list[Entry]) -> None:
        texts, holders = [], []
        for number, entry in enumerate(chunk, first):
            for text in identifiers(entry):
                texts.append(clean(text))
                holders.append(number)
        if texts:
            self._exact.add(_hashes(texts), np.array(holders, np.uint64))

    def _index_authors(self, first: int, chunk: list[Entry]) -> None:
        keys, counts = array("I"), []
        for entry in chunk:
            found = byline_keys(map(family, entry.authors[:BYLINE_AUTHORS]), entry.year)
            keys.extend(found)
            counts.append(len(found))
        self._bylines.add(_rows(keys, first, counts))

    def _note_duplicates(self, first: int, chunk: list[Entry], forms: list[str]) -> None:
        # Python's own hash is another one in every process, and good for one.
        alike = [
            hash(
                (
                    entry.source,
                    form,
                    entry.year,
                    entry.venue,
                    entry.authors,
                    entry.doi,
                    entry.arxiv,
                    entry.pmid,
                    entry.isbn,
                )
            )
            for entry, form in zip(chunk, forms, strict=True)
        ]
        sources = self._sources
        owners = [sources.setdefault(entry.source, len(sources)) for entry in chunk]
        numbers = np.arange(first, first + len(chunk), dtype=np.uint64) | np.array(owners, np.uint64) << _SHIFT
        self._same.add(np.array(alike, np.int64).view(np.uint64), numbers)
        named = [hash((entry.source, entry.id)) if entry.id else 0 for entry in chunk]
        has_id = np.array([bool(entry.id) for entry in chunk])
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
        exact_buckets = max(self._exact.total // _HASHES, 1)
        self._insert("exact", _dense(_grouped(self._exact, exact_buckets, gone), exact_buckets, b""))
        self._insert("postings", self._apart(_dense(_lists(self._postings, buckets, gone), buckets, b"")))
        self._insert("bylines", _dense(_lists(self._bylines, buckets, gone), buckets, b""))
        spelling_buckets = max(self._halves.rows, 1)
        self._insert("spellings", _dense(_spellings(self._halves, spelling_buckets), spelling_buckets, ""))
        self._insert("names", ((int(number), storable(name)) for name, number in self._names.items()))
        known = {collection.name: collection for collection in collections}
        held = tuple(
            known.get(name, Collection(storable(name)))._replace(records=self._by_source[number])
            for name, number in self._sources.items()
        )
        self._connection.executemany("INSERT INTO collections VALUES (?, ?, ?, ?, ?, ?, ?)", held)
        self._connection.executemany("INSERT INTO scopes VALUES (?, ?, ?, ?, ?)", scopes)
        self._connection.executemany("INSERT INTO volumes VALUES (?, ?, ?, ?, ?)", volumes)
        meta = {
            "keys": VERSION,
            "records": records,
            "numbers": self.taken,
            "buckets": buckets,
            "exact": exact_buckets,
            "spellings": spelling_buckets,
        }
        meta |= {f"sum:{table}": small_table(self._connection, table)[1] for table in SMALL_TABLES}
        meta["sum"] = table_sum(sorted(meta.items()))
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        return held

    def _drop_replaced(self) -> NDArray[np.bool_]:
        """Remove the titles of records that a later one replaces; which ones, as a mask."""
        gone = np.zeros(self.taken, np.bool_)
        for keys, owned in self._same.parts():
            starts = _starts(keys)
            latest = np.maximum.reduceat(owned & _LOW, starts)
            sizes = np.diff(starts, append=len(keys))
            replaced = np.unique(owned[(owned & _LOW) != np.repeat(latest, sizes)])
            replaced = replaced[~gone[replaced & _LOW]]
            gone[replaced & _LOW] = True
            self._by_source.subtract((replaced >> _SHIFT).tolist())
            rows = ((number,) for number in (replaced & _LOW).tolist())
            self._connection.executemany("DELETE FROM titles WHERE id = ?", rows)
        return gone


def _rows(keys: array[int], first: int, counts: list[int]) -> Numbers:
    """Keys of consecutive records, each above the number of its record."""
    numbers = np.repeat(np.arange(first, first + len(counts), dtype=np.uint64), counts)
    return np.frombuffer(keys, np.uint32).astype(np.uint64) << _SHIFT | numbers


def _hashes(texts: list[str]) -> Numbers:
    return np.frombuffer(b"".join(map(digest, texts)), "<u8").astype(np.uint64) & _HASH


def _starts(ordered: Numbers) -> NDArray[np.intp]:
    """Where in ordered numbers another one begins."""
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))


def _ids(keys: Numbers, numbers: Numbers) -> Iterator[tuple[int, int, memoryview]]:
    """For each of the ordered keys the record numbers: how many, and as they stand in the file."""
    starts = _starts(keys)
    packed = memoryview(numbers.astype("<u4").tobytes())
    ends = np.append(starts[1:], len(keys))
    for key, start, end in zip(keys[starts].tolist(), starts.tolist(), ends.tolist(), strict=True):
        yield key, end - start, packed[4 * start : 4 * end]


def _lists(runs: Runs, buckets: int, gone: NDArray[np.bool_]) -> Iterator[tuple[int, memoryview]]:
    """Rows of a table of buckets."""
    left = np.empty(0, np.uint64)  # of the last bucket of a part, which may go on in the next
    for (rows,) in runs.parts():
        kept = rows[~gone[rows & _LOW]]
        packed = ((kept >> _SHIFT) * np.uint64(buckets) >> _SHIFT) << _SHIFT | (kept & _LOW)
        packed = np.sort(np.concatenate((left, packed)))
        if not len(packed):
            continue
        packed = packed[_starts(packed)]
        end = int(np.searchsorted(packed, packed[-1] >> _SHIFT << _SHIFT))
        left = packed[end:]
        if end:
            yield from ((key, ids) for key, _, ids in _ids(packed[:end] >> _SHIFT, packed[:end] & _LOW))
    if len(left):
        yield from ((key, ids) for key, _, ids in _ids(left >> _SHIFT, left & _LOW))


def _grouped(runs: Runs, buckets: int, gone: NDArray[np.bool_]) -> Iterator[tuple[int, bytes]]:
    """Rows of the table of hashes."""
    left = np.empty((2, 0), np.uint64)  # of the last bucket of a part, which may go on in the next
    for part in runs.parts():
        hashes, numbers = np.concatenate((left, part[:, ~gone[part[1]]]), axis=1)
        places = (hashes >> _BUCKET_SHIFT) * np.uint64(buckets) >> _SHIFT
        order = np.lexsort((numbers, hashes & _LOW, places))
        hashes, numbers, places = hashes[order], numbers[order], places[order]
        end = int(np.searchsorted(places, places[-1])) if len(places) else 0
        left = np.stack((hashes[end:], numbers[end:]))
        yield from _pairs(places[:end], hashes[:end], numbers[:end])
    yield from _pairs((left[0] >> _BUCKET_SHIFT) * np.uint64(buckets) >> _SHIFT, *left)


def _pairs(places: Numbers, hashes: Numbers, numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    if not len(places):
        return
    of_numbers = _ids(places, numbers)
    for (place, _, keys), (_, _, ids) in zip(_ids(places, hashes & _LOW), of_numbers, strict=True):
        yield place, bytes(keys) + bytes(ids)


def _dense(rows: Iterable[tuple[int, Content]], buckets: int, empty: Content) -> Iterator[tuple[int, Content]]:
    """The rows, with one for each bucket: where one is missing, the file is damaged."""
    expected = 0
    for place, content in rows:
        yield from ((i, empty) for i in range(expected, place))
        yield place, content
        expected = place + 1
    yield from ((i, empty) for i in range(expected, buckets))


def _spellings(halves: LineRuns, buckets: int) -> Iterator[tuple[int, str]]:
    """Rows of the table of words under their halves."""
    found = ((bucket(int(line[:8], 16), buckets), line[8:]) for line in halves.lines())
    for number, group in groupby(found, key=itemgetter(0)):
        yield number, "\n".join(sorted({word for _, word in group}))
