"""Atomic writing of files: a reader never sees half a file, and a full disk loses no content. Logs grow by whole lines.

New content is written beside the file and replaces it when complete. A replaced file keeps its mode; a new one gets its
mode from the umask, as from any other program. On Linux, unfinished content has no name, so a killed process leaves no
file; elsewhere the next write into the folder removes the files of dead processes.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_AT_ONCE = 1 << 16  # characters of a text that are encoded together

# Errors of Windows for a file that a program has open or mapped: ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION.
_IN_USE = frozenset({5, 32})
_PATIENCE = 3.0  # seconds to wait until such a file is closed: virus scanners and indexers hold one for less
_PAUSE = 0.05
_MARK = ".citecheck-"  # in the names of unfinished files
_OPEN_FILES = Path("/proc/self/fd")
_TIDY: set[Path] = set()


@contextlib.contextmanager
def atomic_write(path: Path, *, durable: bool = False, expected: bytes | None = None) -> Iterator[BinaryIO]:
    """Open a file for bytes that replaces ``path`` on success and is removed on failure.

    The folder is created. For a symbolic link, the file is replaced, not the link; pipes and devices are written
    directly. durable: True if the content must survive a power cut. expected: content that may be replaced; any, if None.
    Raises OSError, which names ``path``, and EditedError if the file has other content.
    """
    try:
        target = path.resolve()
        if target.parent.exists() and not target.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))  # mkdir would say that it exists
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():  # a pipe or a device
            with target.open("wb") as file:
                yield file
            return
        _remove_abandoned(target.parent)
        # Named first: it goes whenever Ctrl-C comes.
        scratch = target.with_name(f".{target.name}{_MARK}{secrets.token_hex(8)}.tmp")
        with contextlib.ExitStack() as last:
            last.callback(scratch.unlink, missing_ok=True)
            handle = opened = _created(scratch)
            if sys.platform != "win32":  # Windows does not replace a file by an open one
                last.callback(os.close, handle)
                opened = os.dup(handle)
            with io.open(opened, "wb") as file:  # noqa: UP020 - a handle, not a path
                yield file
            if not scratch.exists():
                os.link(_OPEN_FILES / str(handle), scratch, src_dir_fd=handle)  # only so it follows the link
            if expected is not None and content_of(target) != expected:
                raise EditedError
            if expected is None or not _exchanged(scratch, target, expected):
                put_in_place(scratch, target, durable=durable)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _created(path: Path) -> int:
    """A new file, open for writing and locked, with the mode that the umask leaves. It has a name only where the system
    requires one. Raises OSError."""
    flags = os.O_WRONLY | getattr(os, "O_BINARY", 0)
    if sys.platform == "linux" and _OPEN_FILES.is_dir():
        with contextlib.suppress(OSError):  # some file systems do not support it
            return _locked(os.open(path.parent, flags | os.O_TMPFILE, 0o666))
    while True:
        handle = _locked(os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666))
        if path.exists():  # else another process removed it before it was locked
            return handle
        os.close(handle)


def _locked(handle: int) -> int:
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _remove_abandoned(folder: Path) -> None:
    """Remove the unfinished files of dead processes, once for each folder: their locks ended with them."""
    if sys.platform == "win32" or folder in _TIDY:
        return
    _TIDY.add(folder)
    for path in folder.glob(f".*{_MARK}*.tmp"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def put_in_place(fresh: Path, target: Path, *, durable: bool = False) -> None:
    """Replace ``target`` by the whole file ``fresh`` of the same folder, with the mode of what was there.

    Windows refuses that while another program has ``target`` open: it is tried for some seconds. Raises OSError, and
    leaves ``target`` as it was; the error of a file in use names it and says so.
    """
    if durable:
        with fresh.open("rb+") as file:
            os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        fresh.chmod(target.stat().st_mode & 0o7777)
    _replace(fresh, target)
    if durable and os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _exchanged(fresh: Path, target: Path, expected: bytes) -> bool:
    """Exchange two files in one step, so that an edit of the last moment is seen; False where the system cannot.

    Raises EditedError, with ``target`` as it was edited, if its content was another one.
    """
    fresh.chmod(target.stat().st_mode & 0o7777)
    if not _rename_exchange(fresh, target):
        return False
    if content_of(fresh) != expected:
        _rename_exchange(fresh, target)
        raise EditedError
    return True


_AT_FOLDER, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2(2)


def _rename_exchange(one: Path, other: Path) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - needed only to replace a file of the user

    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # some C libraries have none, and some file systems refuse
    return rename is not None and rename(_AT_FOLDER, os.fsencode(one), _AT_FOLDER, os.fsencode(other), _EXCHANGE) == 0


def _replace(fresh: Path, target: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            os.replace(fresh, target)  # noqa: PTH105 - tests put a system that refuses in its place
            return
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _IN_USE:
                raise
            if time.monotonic() >= deadline:
                reason = "not replaced, because another program has it open; close that and try again"
                raise PermissionError(error.errno, reason, str(target)) from error
        time.sleep(_PAUSE)


def rewrite(path: Path, change: Callable[[bytes | None], bytes]) -> None:
    """Replace the content of a file by that which ``change`` returns for it. Raises OSError, and whatever ``change`` raises.

    ``change`` gets None if there is no file. It is called again with the new content if somebody edits the file until it is
    replaced. The file is not written if its content stays the same.
    """
    done = False
    while not done:
        before = content_of(path)
        after = change(before)
        done = after == before
        if not done:
            with contextlib.suppress(EditedError):
                with atomic_write(path, expected=before) as file:
                    file.write(after)
                    if content_of(path) != before:
                        raise EditedError
                done = True


class EditedError(Exception):
    """The file was edited since it was read."""


def content_of(path: Path) -> bytes | None:
    """The content of a file; None if there is none. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write UTF-8 text, given whole or in pieces, as a `atomic_write`.

    Half of a surrogate pair, which UTF-8 cannot hold, is written as ``\\udcNN``. Raises OSError.
    """
    with atomic_write(path) as file:
        for piece in (text,) if isinstance(text, str) else text:
            for start in range(0, len(piece), _AT_ONCE):
                file.write(piece[start : start + _AT_ONCE].encode("utf-8", errors="backslashreplace"))


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Lock a file, which is created, or a folder for this process; any end of the process releases it.

    waiting: called once if another process has the lock. Folders are not locked on Windows. Raises OSError.
    """
    if sys.platform == "win32" and path.is_dir():
        yield
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            if not try_lock(handle):
                waiting()
                _wait_for_lock(handle)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(handle: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX)
    else:
        while not try_lock(handle):
            time.sleep(0.2)


def try_lock(handle: int) -> bool:
    """Lock an open file unless another process has the lock; any end of the process releases it.

    Raises OSError if the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - only there

            getattr(msvcrt, "locking")(handle, getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009 - not in the types of others
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def append_line(path: Path, line: bytes) -> None:
    """Append a line to a log, so that lines of processes do not mix. Raises OSError.

    A process that was killed may leave half a line at the end. The next line starts after it; readers skip what they cannot
    parse. They also skip empty lines: half a line may belong to a process that is still writing it. The folder is created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    torn = False
    if path.is_file() and path.stat().st_size:  # a pipe or a device has no end
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            torn = file.read(1) != b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(b"\n" * torn + line + b"\n")
        while rest:  # one call, unless the disk is full or the file is a pipe
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a log without their ends and without an unfinished last one; none if there is no file. Raises OSError."""
    return (content_of(path) or b"").split(b"\n")[:-1]
