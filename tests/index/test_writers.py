"""Several writers of one index, and indexes behind links."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.index import IndexFileError, LocalIndex, add, build, merge, remove, verify, writing
from pytest_citecheck.model import Record
from tests.support.records import work

ENTRIES = [work("a", str(n), f"Work {n}") for n in range(3)]
MORE = [work("b", str(n), f"Another work {n}") for n in range(2)]


def names(path: Path) -> set[str]:
    return {file.name for file in path.iterdir()}


@pytest.mark.parametrize(
    "change",
    [lambda path: add(path, MORE), lambda path: remove(path, "a"), lambda path: merge(path, [path])],
    ids=["add", "remove", "merge"],
)
def test_the_second_writer_is_told_and_the_first_one_loses_nothing(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    path = tmp_path / "my.index"
    build(path, ENTRIES)
    before = path.stat().st_ino
    with writing(path):
        with pytest.raises(IndexFileError, match=r"my\.index is just being written by another process"):
            change(path)
        assert path.stat().st_ino == before
        with LocalIndex(path) as index:  # readers are not concerned
            assert len(index) == 3
    change(path)
    assert path.stat().st_ino != before
    assert names(tmp_path) == {"my.index"}


def test_an_update_while_another_one_reads_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "my.index"
    build(path, ENTRIES)
    refused: list[str] = []

    def meanwhile() -> list[Record]:
        try:
            add(path, [work("c", "1", "A work of a third collection")])
        except IndexFileError as error:
            refused.append(str(error))
        return MORE

    add(path, (entry for entries in (meanwhile() for _ in range(1)) for entry in entries))
    assert len(refused) == 1
    with LocalIndex(path) as index:
        assert {one.name for one in index.collections()} == {"a", "b"}


def test_the_lock_of_a_process_that_died_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "my.index"
    build(path, ENTRIES)
    code = (
        "import os, sys; from pathlib import Path; from pytest_citecheck.index.runs import writing\n"
        "with writing(Path(sys.argv[1])): os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9
    assert names(tmp_path) == {"my.index", ".my.index.lock"}
    add(path, MORE)
    assert verify(path) == 5
    assert names(tmp_path) == {"my.index"}


def test_another_index_beside_it_is_not_held(tmp_path: Path) -> None:
    with writing(tmp_path / "one.index"), writing(tmp_path / "two.index"):
        assert names(tmp_path) == {".one.index.lock", ".two.index.lock"}
    assert names(tmp_path) == set()


def test_a_lock_that_was_removed_and_made_anew_is_not_taken_for_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking, the holder removes the file, and a third process creates and locks a new one."""
    lock = tmp_path / ".my.index.lock"
    connect = sqlite3.connect
    third: list[sqlite3.Connection] = []

    def meanwhile(path: Path, **options: object) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(path, **options)  # type: ignore[call-overload]
        if not third:
            opened.execute("BEGIN")
            opened.execute("SELECT * FROM sqlite_schema")  # SQLite opens the file only now
            opened.execute("ROLLBACK")
            lock.rename(tmp_path / "removed")
            third.append(connect(lock, timeout=0, isolation_level=None))
            third[0].execute("BEGIN EXCLUSIVE")
        return opened

    monkeypatch.setattr(sqlite3, "connect", meanwhile)
    with pytest.raises(IndexFileError, match="is just being written"), writing(tmp_path / "my.index"):
        pytest.fail("two hold it")
    with closing(third[0]):
        third[0].execute("ROLLBACK")
    with writing(tmp_path / "my.index"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_the_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "my.index", tmp_path / "real" / "works.index"
    link.symlink_to("real/works.index")
    build(link, ENTRIES)  # of a link that leads nowhere yet
    assert link.is_symlink()
    assert verify(target) == 3
    add(link, MORE)
    assert link.is_symlink()
    assert verify(target) == 5
    with writing(target), pytest.raises(IndexFileError, match="is just being written"):
        add(link, MORE)
    assert names(tmp_path) == {"my.index", "real"}
    assert names(tmp_path / "real") == {"works.index"}
