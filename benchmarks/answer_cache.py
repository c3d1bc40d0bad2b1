"""The cache of answers: microseconds per get and put, bytes per answer, and how long it takes to open a big file.

    python -m benchmarks.answer_cache [MEGABYTES]

Gets and puts 1, 40 and 500 questions at once, of answers with one record and of searches with ten records of eight authors;
then fills a file (default 100 MB) and times opening it, one get from it, and bringing it down to half its size.

Measured on two virtual cores (AMD EPYC, x86-64, Linux, ext4) with CPython 3.11 and SQLite 3.40, other programs running:

    look-up   encode    16 µs   decode    20 µs      678 bytes
    search    encode   137 µs   decode   199 µs    5,957 bytes
    look-up     1 at once   put    59 µs   get    37 µs   per question
    look-up    40 at once   put    22 µs   get    22 µs   per question
    look-up   500 at once   put    21 µs   get    23 µs   per question
    search      1 at once   put   180 µs   get   180 µs   per question
    search     40 at once   put   149 µs   get   182 µs   per question
    search    500 at once   put   155 µs   get   218 µs   per question
    101 MB, 130,000 answers, 774 bytes each on the disk
    open and close 0.3 ms
    first get of 40 1.3 ms
    open with half of that as the bound 1717 ms
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.generated import works
from pytest_citecheck.model import Found, Person, Query, QueryResult
from pytest_citecheck.net import AnswerCache, decode, encode

_EIGHT = tuple(Person(family=f"Family{number}", given=f"Given {number}") for number in range(8))


def _best(action: Callable[[], object], repeat: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def _lookups(count: int) -> list[QueryResult]:
    return [
        QueryResult("crossref", Query("doi", record.doi), Found((record,)), record.url, "2026-11-21T08:00:00Z")
        for record in works(count)
    ]


def _searches(count: int) -> list[QueryResult]:
    records = [replace(record, authors=_EIGHT) for record in works(count + 10)]
    return [
        QueryResult("crossref", Query("title", records[n].title), Found(tuple(records[n : n + 10])), records[n].url)
        for n in range(count)
    ]


def _codec(name: str, asked: QueryResult) -> None:
    body = encode(asked)
    there = _best(lambda: [encode(asked) for _ in range(500)]) / 500
    back = _best(lambda: [decode(body) for _ in range(500)]) / 500
    print(f"{name:9s} encode {there * 1e6:5.0f} µs   decode {back * 1e6:5.0f} µs   {len(body):6,d} bytes")


def _cache(folder: Path, name: str, answers: list[QueryResult]) -> None:
    cache = AnswerCache(folder / name)
    for count in (1, 40, 500):
        some = answers[:count]
        queries = [asked.query for asked in some]
        put = _best(lambda some=some: cache.put_many(1, some)) / count  # type: ignore[misc]
        get = _best(lambda queries=queries: cache.get_many("crossref", 1, queries)) / count  # type: ignore[misc]
        print(f"{name:9s} {count:3d} at once   put {put * 1e6:5.0f} µs   get {get * 1e6:5.0f} µs   per question")
    cache.close()


def _big(folder: Path, megabytes: int) -> None:
    answers = _lookups(1000)
    cache = AnswerCache(folder)
    version = 0
    while cache.statistics().bytes < megabytes * 1_000_000:
        # Another version is another key: the file fills without a million different works.
        cache.put_many(version := version + 1, answers)
    size = cache.statistics()
    cache.close()
    print(f"{size.bytes / 1e6:.0f} MB, {size.rows:,d} answers, {size.bytes / size.rows:.0f} bytes each on the disk")
    print(f"open and close {_best(lambda: AnswerCache(folder).close()) * 1e3:.1f} ms")
    cache = AnswerCache(folder)
    print(
        f"first get of 40 {_best(lambda: cache.get_many('crossref', 1, [a.query for a in answers[:40]]), 1) * 1e3:.1f} ms"
    )
    cache.close()
    half = _best(lambda: AnswerCache(folder, most_bytes=size.bytes // 2).close(), 1)
    print(f"open with half of that as the bound {half * 1e3:.0f} ms")


def main() -> None:
    """Print the table."""
    _codec("look-up", _lookups(1)[0])
    _codec("search", _searches(1)[0])
    with tempfile.TemporaryDirectory() as folder:
        _cache(Path(folder), "look-up", _lookups(500))
        _cache(Path(folder), "search", _searches(500))
        _big(Path(folder) / "big", int(sys.argv[1]) if len(sys.argv) > 1 else 100)


if __name__ == "__main__":
    main()
