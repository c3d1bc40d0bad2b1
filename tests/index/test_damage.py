"""A damaged index answers less, and never anything else (`benchmarks.damaged_index` tries a thousand files)."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.damaged_index import FAULTS, damaged, measure
from pytest_citecheck.index import FREELY_READ, IndexFileError, LocalIndex, build, verify
from tests.support.records import work

ENTRIES = [
    work(
        "filling", str(n), f"Study {n} of the magnetic effect in large samples", (f"Author{n} Name{n}",), 1990 + n % 30
    )
    for n in range(60)
]


@pytest.mark.exhaustive
def test_damage_accuses_nobody_and_lets_nothing_pass(tmp_path: Path) -> None:
    counts = measure(tmp_path, 60, seed=3)
    assert {what: counts[what] for what in FAULTS} == dict.fromkeys(FAULTS, 0)
    assert counts["with questions unanswered"] > 5
    assert counts["refused when opened"] > 5


@pytest.mark.exhaustive
def test_verify_finds_a_change_in_every_part_of_a_page(tmp_path: Path) -> None:
    build(tmp_path / "i", ENTRIES)
    whole = (tmp_path / "i").read_bytes()
    verify(tmp_path / "i")
    generator = random.Random(5)  # noqa: S311
    places = [*range(0, 100, 3), *generator.sample(range(len(whole)), 60), len(whole) - 1]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << generator.randrange(8)
        (tmp_path / "bad").write_bytes(changed)
        with pytest.raises(IndexFileError):
            verify(tmp_path / "bad")


def test_damage_is_never_the_same_file() -> None:
    generator = random.Random(1)  # noqa: S311
    whole = bytes(20_000)
    assert all(damaged(whole, generator) != whole for _ in range(100))


@pytest.mark.parametrize("count", [FREELY_READ, FREELY_READ + 1])
def test_a_list_is_found_whether_it_is_long_or_not(tmp_path: Path, count: int) -> None:
    papers = [work("made", str(n), "Tides", (f"Ada Author{n}",), 2000) for n in range(count)]
    build(tmp_path / "i", papers)
    with closing(sqlite3.connect(tmp_path / "i")) as connection:
        ((long_lists,),) = connection.execute("SELECT count(*) FROM long_postings")
    assert long_lists == (count > FREELY_READ)
    with LocalIndex(tmp_path / "i") as index:
        assert len(index.title_numbers("Tydes")) == 10
        assert len(index.equal_numbers("Tides")) == count
    with closing(sqlite3.connect(tmp_path / "i")) as connection, connection:
        connection.execute("UPDATE long_postings SET content = zeroblob(length(content))")
        connection.execute("UPDATE postings SET content = x'' WHERE length(content) > 6")
    with LocalIndex(tmp_path / "i") as index, pytest.raises(IndexFileError, match="is damaged"):
        index.title_numbers("Tydes")


def test_hashes_that_share_a_bucket_are_told_apart(tmp_path: Path) -> None:
    build(tmp_path / "i", ENTRIES)
    with LocalIndex(tmp_path / "i") as index:
        for number, entry in enumerate(ENTRIES):
            assert list(index.equal_numbers(entry.title)) == [number]
        assert not any(index.equal_numbers(f"Absent title {n}") for n in range(300))
