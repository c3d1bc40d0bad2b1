"""Classification of SQLite exceptions, and the remains of writes to a full disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.net import AnswerCache, is_damage
from tests.net.test_answer_cache import found

ROOT = Path(__file__).parents[2]


def error(code: int) -> sqlite3.OperationalError:
    raised = sqlite3.OperationalError("no")
    raised.sqlite_errorcode = code
    return raised


@pytest.mark.parametrize(
    ("raised", "damage"),
    [
        (error(sqlite3.SQLITE_BUSY_SNAPSHOT), False),
        (error(sqlite3.SQLITE_LOCKED), False),
        (error(sqlite3.SQLITE_FULL), False),
        (error(sqlite3.SQLITE_IOERR_WRITE), False),
        (error(sqlite3.SQLITE_IOERR_SHORT_READ), True),
        (error(sqlite3.SQLITE_READONLY), False),
        (error(sqlite3.SQLITE_CORRUPT_INDEX), True),
        (error(sqlite3.SQLITE_NOTADB), True),
        (error(sqlite3.SQLITE_ERROR), True),
        (error(sqlite3.SQLITE_TOOBIG), True),
        (sqlite3.OperationalError("Could not decode to UTF-8 column"), True),
        (sqlite3.DataError("string or blob too big"), True),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), True),
        (OverflowError(), True),
        (MemoryError(), True),
        (PermissionError(13, "Permission denied"), False),
    ],
)
def test_faults(tmp_path: Path, raised: Exception, damage: bool) -> None:
    assert is_damage(raised, tmp_path / "none") is damage


@pytest.mark.parametrize(("version", "damage"), [(1, False), (2, False), (3, True), (255, True)])
def test_a_file_that_says_it_is_of_a_later_format_is_damaged(tmp_path: Path, version: int, damage: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(18) + bytes([version]) + bytes(81))
    assert is_damage(error(sqlite3.SQLITE_READONLY), path) is damage


_WRITER = """
import resource, signal, sys
from pathlib import Path
from pytest_citecheck.net import AnswerCache
from tests.net.test_answer_cache import found
folder = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
file = AnswerCache(folder)
file.put_many(1, [found(number, "x" * 5000) for number in range(50)])
file.close()
print("is not used" in file.problem)
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="POSIX limits the size of files")
@pytest.mark.parametrize("size", [0, 5_000, 40_000])
def test_a_full_disk_leaves_no_other_files_and_the_next_run_goes_on(tmp_path: Path, size: int) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path), str(size)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True"]
    kept = {
        f"answers-1.sqlite{end}" for end in ("", "-wal", "-shm")
    }  # the log, if it could not be brought into the file
    assert {path.name for path in tmp_path.iterdir()} <= kept
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    with closing(AnswerCache(tmp_path)) as file:
        file.put_many(1, [found(1)])
        assert len(file.get_many("crossref", 1, [found(1).query])) == 1
        assert file.problem == ""
