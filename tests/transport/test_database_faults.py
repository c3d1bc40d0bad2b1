"""Classification of SQLite exceptions, and the remains of writes to a full disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pytest_citecheck.net import DamagedError, check_layout, fault_of, reason_of

ROOT = Path(__file__).parents[2]
LAYOUT = "CREATE TABLE one (number INTEGER PRIMARY KEY, word TEXT UNIQUE); CREATE INDEX of_one ON one (word, number);"


def error(code: int) -> sqlite3.OperationalError:
    raised = sqlite3.OperationalError("no")
    raised.sqlite_errorcode = code
    return raised


@pytest.mark.parametrize(
    ("raised", "fault"),
    [
        (error(sqlite3.SQLITE_BUSY_SNAPSHOT), "busy"),
        (error(sqlite3.SQLITE_LOCKED), "busy"),
        (error(sqlite3.SQLITE_FULL), "place"),
        (error(sqlite3.SQLITE_IOERR_WRITE), "place"),
        (error(sqlite3.SQLITE_IOERR_SHORT_READ), "damage"),
        (error(sqlite3.SQLITE_READONLY), "place"),
        (error(sqlite3.SQLITE_CORRUPT_INDEX), "damage"),
        (error(sqlite3.SQLITE_NOTADB), "damage"),
        (error(sqlite3.SQLITE_ERROR), "damage"),
        (error(sqlite3.SQLITE_TOOBIG), "damage"),
        (sqlite3.OperationalError("Could not decode to UTF-8 column"), "damage"),
        (sqlite3.DataError("string or blob too big"), "damage"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "damage"),
        (OverflowError(), "damage"),
        (MemoryError(), "damage"),
        (PermissionError(13, "Permission denied"), "place"),
    ],
)
def test_faults(tmp_path: Path, raised: Exception, fault: str) -> None:
    assert fault_of(raised, tmp_path / "none") == fault


@pytest.mark.parametrize(("version", "fault"), [(1, "place"), (2, "place"), (3, "damage"), (255, "damage")])
def test_a_file_that_says_it_is_of_a_later_format_is_damaged(tmp_path: Path, version: int, fault: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(18) + bytes([version]) + bytes(81))
    assert fault_of(error(sqlite3.SQLITE_READONLY), path) == fault


def test_reasons_are_short_and_printable() -> None:
    assert reason_of(OSError(28, "No space left on device")) == "No space left on device"
    assert reason_of(MemoryError()) == "MemoryError"
    assert reason_of(ValueError("a\x1b[2J\nb")) == "a?[2J?b"
    assert len(reason_of(ValueError("x" * 100_000))) == 200


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE two (x)",
        "CREATE VIEW two AS SELECT 1",
        "CREATE TRIGGER two AFTER INSERT ON one BEGIN DELETE FROM one; END",
        "DROP INDEX of_one",
        "ALTER TABLE one ADD COLUMN x",
        "ALTER TABLE one RENAME COLUMN word TO ward",
    ],
)
def test_a_layout_is_all_there_is(change: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(LAYOUT)
        check_layout(connection, LAYOUT)
        connection.execute(change)
        with pytest.raises(DamagedError):
            check_layout(connection, LAYOUT)


_WRITER = """
import resource, signal, sys
from pathlib import Path
from pytest_citecheck.net import AnswerFile, Row
from pytest_citecheck.net import Budget
folder = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
file = AnswerFile(folder, 10**8, lambda: 1e9)
file.write([Row(b"%d" % number, 1e9, 1e9 + 5, b"x" * 5000) for number in range(50)])
file.close()
budget = Budget(folder / "budget")
budget.reserve("host", 1)
budget.close()
print("is not used" in file.problem, "is not shared" in budget.problem)
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="POSIX limits the size of files")
@pytest.mark.parametrize(("size", "shared"), [(0, True), (5_000, True), (40_000, False)])
def test_a_full_disk_leaves_no_other_files_and_the_next_run_goes_on(tmp_path: Path, size: int, shared: bool) -> None:
    from pytest_citecheck.net import AnswerFile, Budget, Row  # noqa: PLC0415

    command = [sys.executable, "-c", _WRITER, str(tmp_path), str(size)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", str(shared)]
    kept = {
        "answers-1.sqlite",
        "budget",
        "budget-wal",
        "budget-shm",
    }  # the log, if it could not be brought into the file
    assert {path.name for path in tmp_path.iterdir()} <= kept
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    with closing(AnswerFile(tmp_path, 10**8, lambda: 1e9)) as file, closing(Budget(tmp_path / "budget")) as budget:
        file.write([Row(b"key", 1e9, 1e9 + 5, b"x")])
        assert len(file.read([b"key"])) == 1
        budget.reserve("host", 1)
        assert (file.problem, budget.problem) == ("", "")
