"""A file is written whole or not at all, with the mode that it should have, and a full disk leaves nothing behind."""

from __future__ import annotations

import errno
import os
import random
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from pytest_citecheck.atomic_write import atomic_write, rewrite, write_whole
from pytest_citecheck.index import build

if sys.platform != "win32":
    import resource

LARGEST = 60_000  # bytes of a file in a process with a limit; the index and the reports below are larger


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o077, 0o002])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes")
def test_a_new_file_has_what_the_umask_leaves_and_an_old_one_its_mode(tmp_path: Path, umask: int) -> None:
    write_whole(tmp_path / "a" / "new.txt", "text\n")
    assert mode(tmp_path / "a" / "new.txt") == 0o666 & ~umask
    old = tmp_path / "old.txt"
    old.write_text("before", encoding="utf-8")
    old.chmod(0o645)
    write_whole(old, ["aft", "er \ud800"])
    assert (mode(old), old.read_text(encoding="utf-8")) == (0o645, "after \\ud800")


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("before", encoding="utf-8")

    def pieces() -> Iterator[str]:
        yield "half"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"No space left on device: '.*r\.json'"):
        write_whole(path, pieces())
    with pytest.raises(KeyboardInterrupt), atomic_write(path) as file:
        _interrupted(file)
    assert [(one.name, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [("r.json", "before")]


class Windows:
    """Refuse to replace a file several times, like Windows while a program has it open; its clock only advances by sleeping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, refusals: float, winerror: int) -> None:
        self.refusals = refusals
        self.tries = 0
        self.seconds = 0.0
        self._winerror = winerror
        self._replace = os.replace
        monkeypatch.setattr("pytest_citecheck.atomic_write.os.replace", self.replace)
        monkeypatch.setattr("pytest_citecheck.atomic_write.time", self)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def replace(self, fresh: Path, target: Path) -> None:
        self.tries += 1
        if self.tries <= self.refusals:
            error = PermissionError(errno.EACCES, "Access is denied", str(fresh))
            error.winerror = self._winerror  # type: ignore[attr-defined,unused-ignore]  # there on Windows only
            raise error
        self._replace(fresh, target)


@pytest.mark.parametrize("winerror", [5, 32])
def test_a_file_that_is_open_for_a_moment_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, winerror: int
) -> None:
    (tmp_path / "r.json").write_text("before", encoding="utf-8")
    windows = Windows(monkeypatch, refusals=10, winerror=winerror)
    write_whole(tmp_path / "r.json", "after")
    assert windows.tries == 11
    assert [(one.name, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [("r.json", "after")]


@pytest.mark.parametrize("winerror", [5, 32])
def test_a_file_that_stays_open_is_named_and_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, winerror: int
) -> None:
    (tmp_path / "r.json").write_text("before", encoding="utf-8")
    windows = Windows(monkeypatch, refusals=float("inf"), winerror=winerror)
    with pytest.raises(PermissionError, match=r"another program has it open.*: '.*r\.json'"):
        write_whole(tmp_path / "r.json", "after")
    assert 2 < windows.seconds < 5
    assert [(one.name, one.read_text(encoding="utf-8")) for one in tmp_path.iterdir()] == [("r.json", "before")]


def test_an_index_that_stays_open_is_named_and_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "works.index").write_bytes(b"before")
    Windows(monkeypatch, refusals=float("inf"), winerror=32)
    with pytest.raises(PermissionError, match=r"another program has it open.*: '.*works\.index'"):
        build(tmp_path / "works.index", [])
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("works.index", b"before")]


def test_another_refusal_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows = Windows(monkeypatch, refusals=float("inf"), winerror=1)
    with pytest.raises(PermissionError, match="Access is denied"):
        write_whole(tmp_path / "r.json", "after")
    assert windows.tries == 1


def _interrupted(file: BinaryIO) -> None:
    file.write(b"half")
    raise KeyboardInterrupt


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "after"


_COMMAND = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"


def limited(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that cannot write more than `LARGEST` bytes to a file, as on a full disk."""
    return subprocess.run(
        [sys.executable, *(["-c", _COMMAND] if arguments[0] == "citecheck" else ["-m", arguments[0]]), *arguments[1:]],
        cwd=folder, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST)),
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider"},
    )  # fmt: skip


ENTRY = '{{"bibtex_key": "k{n}", "bibtex_type": "article", "fields": {{"title": "Tides {n} of the sea and shore", "author": "Ada Author", "year": "2001", "journal": "Nature"}}, "label": "VALID"}}\n'  # noqa: E501
LINE = '{{"source": "made", "id": "{n}", "title": "Tides {n} of the sea", "authors": ["A B"], "year": 2001, "venue": "", "doi": "", "arxiv": "", "url": "", "type": ""}}\n'  # noqa: E501
BIB = "@article{{k{n}, title = {{Tides {n} at {n} and {n}}}, author = {{Ada Author}}, journal = {{Nature}}, year = 2001}}\n"


_OFFLINE = "pytest -q -p no:xdist --citecheck=refs.bib --citecheck-offline"


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits the size of files")
@pytest.mark.parametrize(
    ("command", "out"),
    [
        pytest.param("citecheck index build out dump.jsonl", "out", id="index"),
        pytest.param(f"{_OFFLINE} --citecheck-json=out", "out", id="JSON report", marks=pytest.mark.exhaustive),
        pytest.param(f"{_OFFLINE} --citecheck-html=out", "out", id="HTML report", marks=pytest.mark.exhaustive),
        pytest.param(
            "citecheck dataset baseline random --split split.jsonl --out out",
            "out",
            id="predictions",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            "citecheck mutate refs.bib --out out.jsonl", "out.jsonl", id="mutations", marks=pytest.mark.exhaustive
        ),
    ],
)
def test_a_full_disk_costs_nothing_that_was_there(tmp_path: Path, command: str, out: str) -> None:
    for name, text in (("split.jsonl", ENTRY), ("dump.jsonl", LINE), ("refs.bib", BIB)):
        count = 1_500 if name != "refs.bib" else 300 if "mutate" in command else 60
        (tmp_path / name).write_text("".join(text.format(n=n) for n in range(count)), encoding="utf-8")
    if "index" not in command:
        (tmp_path / out).write_text("before", encoding="utf-8")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = limited(tmp_path, *command.split())
    assert done.returncode in (1, 2, 4), done.stderr  # 4: pytest's own for usage
    said = [line for line in (done.stdout + done.stderr).splitlines() if re.search("File too large|disk", line)]
    assert len(said) == 1, done.stdout + done.stderr
    assert out in said[0]
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    if "index" not in command:
        assert (tmp_path / out).read_text(encoding="utf-8") == "before"


_WRITER = """
import sys
from pathlib import Path
from pytest_citecheck import atomic_write
if "named" in sys.argv:
    atomic_write._OPEN_FILES = Path("/nowhere")
for number in range(int(sys.argv[1])):
    with atomic_write.atomic_write(Path("r.json")) as file:
        for _ in range(20):
            file.write(b"%d" % (number % 10) * 100_000)
            print(flush=True)
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="files without names")
@pytest.mark.parametrize("how", ["unnamed", "named"])
def test_a_killed_process_leaves_no_unfinished_file(tmp_path: Path, how: str) -> None:
    """Kill at random moments. A system without unnamed files loses them with the next write."""

    def started(times: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", _WRITER, str(times), how], cwd=tmp_path, stdout=subprocess.PIPE)

    (tmp_path / ".r.json.mine.tmp").write_text("a file of the user", encoding="utf-8")
    drawn, left = random.Random(46), list[int]()  # noqa: S311
    for _ in range(12):
        with started(1_000) as writer:
            assert writer.stdout is not None
            for _ in range(drawn.randrange(25, 90)):
                writer.stdout.readline()
            writer.kill()
        content = (tmp_path / "r.json").read_bytes()
        assert (len(content), len(set(content))) == (2_000_000, 1)
        left.append(len(list(tmp_path.glob(".r.json.citecheck-*.tmp"))))
    with started(1) as writer:
        writer.communicate()
    assert sorted(one.name for one in tmp_path.iterdir()) == [".r.json.mine.tmp", "r.json"]
    assert max(left) <= 1, "each process removes what the one before left"
    assert sum(left) <= 1 if how == "unnamed" else sum(left) > 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_the_unfinished_file_of_a_living_process_stays(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "r.json") as file:
        file.write(b"first")
        subprocess.run(
            [sys.executable, "-c", _WRITER, "1", "named"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL
        )
    assert (tmp_path / "r.json").read_bytes() == b"first"
    assert [one.name for one in tmp_path.iterdir()] == ["r.json"]


def test_an_edit_made_while_a_file_is_rewritten_is_seen(tmp_path: Path) -> None:
    path, seen = tmp_path / "r.txt", list[bytes | None]()

    def change(now: bytes | None) -> bytes:
        seen.append(now)
        if len(seen) < 4:
            path.write_bytes(b"edit %d" % len(seen))
        return (now or b"") + b"!"

    rewrite(path, change)
    assert seen == [None, b"edit 1", b"edit 2", b"edit 3"]
    assert path.read_bytes() == b"edit 3!"
    assert [one.name for one in tmp_path.iterdir()] == ["r.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files are not exchanged in one step")
@pytest.mark.parametrize("way", ["in place", "by another file"])
def test_an_edit_of_the_last_moment_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """The file is edited after the last comparison, just before it is replaced."""
    path = tmp_path / "refs.bib"
    path.write_bytes(b"one\nwrong\n")
    changed, edits = Path.chmod, [b"one\nwrong\nmine\n"]

    def chmod(fresh: Path, *rest: int) -> None:
        changed(fresh, *rest)
        if edits and way == "in place":
            path.write_bytes(edits.pop())
        elif edits:
            (tmp_path / "saved").write_bytes(edits.pop())
            (tmp_path / "saved").replace(path)

    monkeypatch.setattr(Path, "chmod", chmod)
    rewrite(path, lambda content: (content or b"").replace(b"wrong", b"right"))
    assert path.read_bytes() == b"one\nright\nmine\n"
    assert [one.name for one in tmp_path.iterdir()] == ["refs.bib"]


@pytest.mark.parametrize("refused", [True, False])
def test_a_system_that_cannot_exchange_files_replaces_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    path = tmp_path / "refs.bib"
    path.write_bytes(b"wrong")
    path.chmod(0o640)
    if refused:
        monkeypatch.setattr("pytest_citecheck.atomic_write._rename_exchange", lambda *_files: False)
    rewrite(path, lambda _content: b"right")
    assert (path.read_bytes(), mode(path)) == (b"right", 0o640)
    assert [one.name for one in tmp_path.iterdir()] == ["refs.bib"]
