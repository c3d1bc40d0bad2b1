"""Building an index as a set of shards, with a process for each.

Records go to the shards chunk by chunk; each process writes what it gets, as a build of one file does, and sorts what the records
are found by. When all have come, each reads the stretch of hashes of its own shard from what all have sorted, and writes it.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import shutil
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_citecheck.index.keys import VERSION
from pytest_citecheck.index.storage.builder import HASHES, BuildReport, Writing, chunks, without_collecting
from pytest_citecheck.index.storage.layout import CHUNK, Collection, IndexFileError, seal
from pytest_citecheck.index.storage.packing import storable
from pytest_citecheck.index.storage.runs import LineRuns, Runs
from pytest_citecheck.index.storage.shards import is_set, of_chunk, shard_path, stretch
from pytest_citecheck.index.storage.table_rows import dense, grouped, lists, spellings, starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from pytest_citecheck.index.storage.builder import Scope, Volume
    from pytest_citecheck.model import Record

__all__ = ["build_shards"]

_SEED = "PYTHONHASHSEED"  # processes that compare hashes have to hash alike
_LOW, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True, slots=True)
class _Sorted:
    """What a process has sorted: the runs by table, how many records it took, the names of its sources and their records."""

    runs: dict[str, Runs]
    lines: LineRuns
    taken: int
    sources: list[str]
    records: list[int]


@dataclass(frozen=True, slots=True)
class _Whole:
    """What each process has to know of all of them."""

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
    """Write the index of ``stated`` as a set of shards into the folder ``out``, replacing the set that is there when it is done.

    chunk: records that stand together, a multiple of `BLOCK`. What counts of records that are stated twice, and what passes
    through, is as in `builder.build`. Raises OSError, and IndexFileError if a process dies.
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
    """Which records are replaced, what is in the set, and its measures."""
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
        latest = np.maximum.reduceat(owned & _LOW, first)
        replaced = np.unique(owned[(owned & _LOW) != np.repeat(latest, np.diff(first, append=len(keys)))])
        replaced = replaced[~gone[replaced & _LOW]]
        gone[replaced & _LOW] = True
        for number, source in zip((replaced & _LOW).tolist(), (replaced >> _SHIFT).tolist(), strict=True):
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
