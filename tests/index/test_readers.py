"""Eight processes read an index while a ninth replaces it again and again."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_citecheck.index import Collection, add, rebuild
from pytest_citecheck.model import Record
from tests.support.records import work

_TITLES = 60
_UPDATES = 25
_READERS = 8

# Reads until told to stop; every record of one opening must be of one edition, and editions never go back.
_READER = f"""
import os, sys
from pathlib import Path
from pytest_citecheck.index import LocalIndex

path, stop = Path(sys.argv[1]), Path(sys.argv[2])
begun = path.with_name(f"begun-{{os.getpid()}}")
openings, editions, last = 0, set(), 0
kept = LocalIndex(path)
first = kept.by_title("Paper number 0 on lasting matters")
while True:
    stopping = stop.exists()
    with LocalIndex(path) as index:
        found = set()
        for number in range(0, {_TITLES}, 7):
            exact = index.by_title(f"Paper number {{number}} on lasting matters")
            damaged = index.by_title(f"Papr number {{number}} on lasting maters")
            named = index.by_identifier("doi", f"10.1000/{{number}}")
            assert len(exact) == len(named) == 1 and exact == named, (exact, named)
            assert exact[0] in damaged or damaged
            found.update(entry.venue for entry in (*exact, *damaged, *named))
        listed = {{collection.date for collection in index.collections()}}
    assert len(found) == 1, found
    (edition,) = found
    assert listed == {{edition}}, (listed, edition)
    assert int(edition) >= last, (edition, last)
    last = int(edition)
    openings, editions = openings + 1, editions | {{edition}}
    begun.touch()
    if stopping:
        break
assert kept.by_title("Paper number 0 on lasting matters") == first
print(openings, len(editions), last)
"""


def edition(number: int) -> list[Record]:
    return [
        work(
            "dblp", str(n), f"Paper number {n} on lasting matters", ("Ada Lovelace",), 2001, str(number), f"10.1000/{n}"
        )
        for n in range(_TITLES)
    ]


@pytest.mark.exhaustive
def test_readers_see_one_edition_at_a_time(tmp_path: Path) -> None:
    path, stop = tmp_path / "my.index", tmp_path / "stop"
    rebuild(path, edition(0), [Collection("dblp", date="0")], ())
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", _READER, str(path), str(stop)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(_READERS)
    ]  # fmt: skip
    try:
        while len(list(tmp_path.glob("begun-*"))) < _READERS and all(reader.poll() is None for reader in readers):
            time.sleep(0.02)
        for number in range(1, _UPDATES + 1):
            add(path, edition(number), collections=[Collection("dblp", date=str(number))])
    finally:
        stop.touch()
        ended = [(*reader.communicate(timeout=300), reader.returncode) for reader in readers]
    assert [code for *_, code in ended] == [0] * _READERS, "\n".join(error for _, error, _ in ended)
    openings, editions, last = zip(*(map(int, out.split()) for out, *_ in ended), strict=True)
    assert set(last) == {_UPDATES}  # what was there when they were told to stop
    assert min(openings) > 1
    assert max(editions) > 1, "no reader saw the index change: the test has shown nothing"
