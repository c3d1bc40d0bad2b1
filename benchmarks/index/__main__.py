"""Build and ask the engines, and print what they do.

    CITECHECK_SHARED=FOLDER python -m benchmarks.index [--size 1000000] [--engines local,shards,fts5,tantivy] [--tuning]
        [--queries 2000] [--folder FOLDER [--built]]

Times are CPU seconds of the process, when building with those of its children. The engines are asked two sets of titles; the one
of ``--tuning`` was looked at when the budgets were chosen, the other one is reported. With ``--folder``, the corpus and the
indexes stay there, and the next call with the same size uses that corpus.
"""

from __future__ import annotations

import argparse
import marshal
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from random import Random

import zstandard

from benchmarks.index.corpus import Corpus, IndexQuery, queries
from benchmarks.index.engines import Engine, Fts5, Local, Shards, Tantivy
from pytest_citecheck.index import LocalIndex, read_title
from pytest_citecheck.model import Person, Record

ENGINES: dict[str, type[Engine]] = {"local": Local, "shards": Shards, "fts5": Fts5, "tantivy": Tantivy}
_FIELDS = tuple(field.name for field in fields(Record))
_PEOPLE = (_FIELDS.index("authors"), _FIELDS.index("editors"))  # stated in one piece
_CHUNK = 10_000  # records that are compressed together
_FIRST = 1_000_000  # records of which the reading is timed
_SLOW = 300  # queries for an engine that needs milliseconds for each


def spooled(path: Path) -> Iterator[Record]:
    """The records of a corpus that was written to a file."""
    unpack = zstandard.ZstdDecompressor().decompress
    with path.open("rb") as file:
        while length := file.read(4):
            chunk = file.read(int.from_bytes(length, "little"))
            for values in marshal.loads(unpack(chunk)):  # noqa: S302  (this program's own file)
                for place in _PEOPLE:
                    values[place] = tuple(map(Person, values[place]))
                yield Record(*values)


def prepared(folder: Path, size: int, asked: int) -> dict[str, list[IndexQuery]]:
    """Write the corpus to the folder; return the queries for tuning and for reporting, ``asked`` each."""
    corpus = Corpus(size)
    chosen = Random(5).sample(range(size), 4 * (asked // 3))
    wanted = dict.fromkeys(chosen, "")
    pack = zstandard.ZstdCompressor(level=3).compress
    waiting: list[list[object]] = []
    with (folder / "corpus").open("wb") as file:
        for number, record in enumerate(corpus.records()):
            values = [getattr(record, name) for name in _FIELDS]
            for place in _PEOPLE:
                values[place] = list(map(str, values[place]))
            waiting.append(values)
            if number in wanted:
                wanted[number] = record.title
            if len(waiting) == _CHUNK or number == size - 1:
                packed = pack(marshal.dumps(waiting))
                file.write(len(packed).to_bytes(4, "little") + packed)
                waiting.clear()
    titles = list(wanted.values())
    half = len(titles) // 2
    return {"tuning": queries(corpus, titles[:half], 1), "reporting": queries(corpus, titles[half:], 2)}


def rate(engine: Engine, titles: list[str]) -> tuple[float, list[float]]:
    """Questions per CPU second, and the seconds of each in order."""
    times = []
    started = time.process_time()
    for title in titles:
        before = time.process_time()
        engine.find(title)
        times.append(time.process_time() - before)
    return len(titles) / (time.process_time() - started), sorted(times)


def recall(engine: Engine, asked: list[IndexQuery]) -> tuple[float, str]:
    """Return the share of damaged titles whose work is among the first ten, and the number of misses of each kind.

    A miss is ambiguous if the query is the whole title of another record, or the beginning of ten others.
    """
    missed: Counter[str] = Counter()
    ambiguous = 0
    damaged = [query for query in asked if query.kind not in ("exact", "absent")]
    for query in damaged:
        forms = [read_title(title)[1] for title in engine.titles(engine.find(query.title))]
        if read_title(query.meant)[1] not in forms:
            missed[query.kind] += 1
            form = read_title(query.title)[1]
            ambiguous += form in forms or sum(other.startswith(form) for other in forms) >= 10
    kinds = ", ".join(f"{kind} {count}" for kind, count in missed.items())
    return 1 - missed.total() / len(damaged), f"{kinds or 'none'} ({ambiguous} ambiguous)"


def _with_children() -> float:
    """Return CPU seconds of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def reading_time(folder: Path, size: int) -> float:
    """Return the CPU seconds that reading the records takes, from the first ones."""
    before = time.process_time()
    some = sum(1 for _ in islice(spooled(folder / "corpus"), _FIRST))
    return (time.process_time() - before) * size / some


def measure(name: str, folder: Path, asked: list[IndexQuery], size: int, reading: float) -> None:
    """Build one engine, ask it, and print a row. reading: CPU seconds that reading the corpus takes, not counted; 0 if
    the engine is built already."""
    try:
        engine = ENGINES[name](folder)
    except ImportError:
        print(f"| {ENGINES[name].name} | not installed |")
        return
    built = "–"
    if reading:
        before = _with_children()
        engine.build(spooled(folder / "corpus"))
        built = f"{size / (_with_children() - before - reading):,.0f}"
    memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    before = time.perf_counter()
    engine.open()
    opening = 1000 * (time.perf_counter() - before)
    exact = [query.title for query in asked if query.kind == "exact"]
    fuzzy = [query.title for query in asked if query.kind != "exact"]
    if name == "fts5":
        Random(1).shuffle(fuzzy)
        exact, fuzzy = exact[:_SLOW], fuzzy[:_SLOW]
    rate(engine, exact)
    exact_rate, _ = rate(engine, exact)
    rate(engine, fuzzy)
    fuzzy_rate, times = rate(engine, fuzzy)
    share, missed = recall(engine, asked if name != "fts5" else [query for query in asked if query.title in set(fuzzy)])
    print(
        f"| {engine.name} | {built} | {memory:,.0f} | {engine.size() / size:.0f} | {opening:.1f} | "
        f"{exact_rate:,.0f} | "
        f"{fuzzy_rate:,.0f} | {1000 * times[len(times) // 2]:.2f} / {1000 * times[len(times) * 99 // 100]:.2f} | {share:.4f} |"
        f" missed: {missed}",
        flush=True,
    )


def extras(path: Path, asked: list[IndexQuery]) -> None:
    """Print features of the local index only: identifiers, whole records, batches, two concurrent processes, import."""
    index = LocalIndex(path)
    dois = [record.doi for record in index.records(Random(3).sample(range(len(index)), 20_000)) if record.doi]
    exact = [query.title for query in asked if query.kind == "exact"]
    everything = [query.title for query in asked]

    def timed(what: str, count: int, action: object) -> None:
        assert callable(action)
        before = time.process_time()
        action()
        print(f"{what}: {count / (time.process_time() - before):,.0f}/s")

    timed("DOI", len(dois), lambda: [index.identifier_numbers("doi", doi) for doi in dois])
    timed("DOI, with the record", len(dois), lambda: [index.by_identifier("doi", doi) for doi in dois])
    timed("exact title, with the records", len(exact), lambda: [index.by_title(title) for title in exact])
    timed(
        "mixed titles one by one, with the records",
        len(everything),
        lambda: [index.by_title(title) for title in everything],
    )
    timed("mixed titles as a batch, with the records", len(everything), lambda: index.by_titles(everything))
    pairs = [
        (list(map(str, record.authors[:3])), record.year)
        for record in index.records(Random(4).sample(range(len(index)), 2_000))
    ]
    timed("three authors and year, with the records", len(pairs), lambda: [index.by_authors(*pair) for pair in pairs])
    code = "import time; t = time.perf_counter(); import pytest_citecheck.index.reader; print(time.perf_counter() - t)"
    imports = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(9)
    ]
    print(
        f"import of the reading side: {1000 * min(imports):.0f} ms at best, {1000 * sorted(imports)[4]:.0f} ms in the middle"
    )


def several_processes(path: Path, asked: list[IndexQuery]) -> None:
    """Print the damaged and absent titles per second (wall clock) that one, two and four processes look up."""
    titles = [query.title for query in asked if query.kind != "exact"]

    def run(processes: int) -> float:
        before = time.perf_counter()
        children = []
        for _ in range(processes):
            child = os.fork()
            if not child:
                index = LocalIndex(path)
                for _ in range(3):
                    for title in titles:
                        index.title_numbers(title)
                os._exit(0)
            children.append(child)
        assert all(os.waitpid(child, 0)[1] == 0 for child in children)
        return 3 * processes * len(titles) / (time.perf_counter() - before)

    rates = ", ".join(f"{processes}: {run(processes):,.0f}/s" for processes in (1, 2, 4))
    print(f"damaged and absent titles by the clock, by processes: {rates}")


def cold(path: Path, asked: list[IndexQuery]) -> None:
    """Print the wall time of damaged and absent titles whose pages are on disk only, and of the same ones once more."""
    for file in path.iterdir() if path.is_dir() else [path]:
        number = os.open(file, os.O_RDONLY)
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(number)
    titles = [query.title for query in asked if query.kind != "exact"][:_SLOW]
    index = LocalIndex(path)
    for what in ("from disk", "in memory"):
        before = time.perf_counter()
        for title in titles:
            index.title_numbers(title)
        print(f"damaged and absent titles {what}: {1000 * (time.perf_counter() - before) / len(titles):.2f} ms each")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the local index beside other engines.")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--engines", default="local,tantivy,fts5")
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument(
        "--built", action="store_true", help="query the indexes that an earlier call left in the folder"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / f"queries-{options.size}-{options.queries}"
        if not kept.exists() and not (child := os.fork()):  # so that the corpus is in nobody's memory
            kept.write_bytes(pickle.dumps(prepared(folder, options.size, options.queries)))
            os._exit(0)
        assert kept.exists() or os.waitpid(child, 0)[1] == 0
        asked = pickle.loads(kept.read_bytes())["tuning" if options.tuning else "reporting"]  # noqa: S301
        size, reading = options.size, 0.0 if options.built else reading_time(folder, options.size)
        corpus = (folder / "corpus").stat().st_size / 1e9
        print(f"{size:,} records, {corpus:.2f} GB compressed; {len(asked):,} queries; load {os.getloadavg()[0]:.1f}")
        print(
            "| engine | records/s built | RSS, MB | bytes/record | open, ms | exact/s | fuzzy/s | p50 / p99, ms | recall@10 |"
        )
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        for engine in options.engines.split(","):
            child = os.fork()  # so that each has its own memory
            if not child:
                measure(engine, folder, asked, size, reading)
                sys.stdout.flush()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        for path in (ENGINES[name](folder).path for name in ("local", "shards") if name in options.engines.split(",")):
            print(path.name)
            cold(path, asked)
            extras(path, asked)
            several_processes(path, asked)
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
