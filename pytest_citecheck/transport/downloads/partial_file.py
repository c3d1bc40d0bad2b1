"""The file that a download grows in: kept for resuming, owned by one process, put in its place as a whole.

Beside a target ``dump.gz`` stand ``dump.gz.part``, what has come so far, with ``dump.gz.part.json``, of which version of the
file it is, and when all is there ``dump.gz.origin.json``, from where and when the target is.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SIDE_FILES", "BusyError", "Origin", "PartialFile", "read_origin"]

SIDE_FILES = (".part", ".part.json", ".origin.json")
"""Endings of the files that stand beside a target."""


class BusyError(Exception):
    """Another process is writing the same file."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Which version of which file: its address, what its server calls it, its size.

    etag, last_modified: the headers as sent (RFC 9110, sections 8.8.3 and 8.8.2), empty if there are none. size: bytes, None if
    not stated.
    """

    url: str
    etag: str = ""
    last_modified: str = ""
    size: int | None = None

    @property
    def validator(self) -> str:
        """What says that a part is of this version (RFC 9110, section 13.1.5): never a weak ETag; empty if nothing does."""
        return self.last_modified if self.etag.startswith("W/") or not self.etag else self.etag


def read_origin(target: Path) -> Origin | None:
    """Where the file at ``target`` was downloaded from; None if it was not, or is another one since."""
    origin = _read(_beside(target, ".origin.json"))
    try:
        return origin if origin is not None and origin.size == target.stat().st_size else None
    except OSError:
        return None


def _beside(target: Path, ending: str) -> Path:
    return target.with_name(target.name + ending)


def _read(path: Path) -> Origin | None:
    try:
        origin = Origin(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    texts = (origin.url, origin.etag, origin.last_modified)
    sound = all(isinstance(text, str) for text in texts) and (origin.size is None or type(origin.size) is int)
    return origin if sound else None


class PartialFile:
    """What has come of a file so far. A context manager; what is not `place`\\ d or `discard`\\ ed is kept for the next time.

    origin: the version that the bytes are of; None if there are none, or if they cannot be continued. continued: bytes of an
    earlier download that are still in use.
    """

    def __init__(self, target: Path, url: str) -> None:
        """Raises BusyError if another process is at it (where the system has advisory locks), OSError as the file system does."""
        self._target = target
        self.path = _beside(target, ".part")
        self._state = _beside(target, ".part.json")
        self._file = self.path.open("ab")
        try:
            self._own()
            origin = _read(self._state)
            continues = origin is not None and origin.url == url and bool(origin.validator)
            self.origin = origin if continues and self.size else None
            self.continued = self.size if self.origin is not None else 0
            if self.origin is None:
                self._file.truncate(0)
        except BaseException:
            self._file.close()
            raise

    def _own(self) -> None:
        if sys.platform == "win32":
            return
        import fcntl  # noqa: PLC0415 - not on every system

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # It may have become the target of another process between being opened and being locked.
            mine = os.fstat(self._file.fileno()).st_ino == self.path.stat().st_ino
        except (BlockingIOError, FileNotFoundError):
            mine = False
        if not mine:
            raise BusyError(f"{self._target} is being downloaded by another process")

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file.closed:
            return
        empty = True
        with contextlib.suppress(OSError):  # the disk is full: what is in the buffer does not count
            self._file.flush()
        with contextlib.suppress(OSError):
            empty = os.fstat(self._file.fileno()).st_size == 0
        if empty:
            self._remove()
        with contextlib.suppress(OSError):
            self._file.close()

    def restart(self, origin: Origin) -> None:
        """Begin again, with this version."""
        self.forget()
        self.origin = origin
        self._state.write_text(json.dumps(asdict(origin)), encoding="utf-8")

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def flush(self) -> None:
        """Everything written is in the file of the system, which others read."""
        self._file.flush()

    def kept(self) -> int:
        """Bytes that the next call finds here."""
        return 0 if self._file.closed else self.size

    def forget(self) -> None:
        """Begin again, with whatever version comes."""
        self._file.truncate(0)
        self.origin = None
        self.continued = 0

    def discard(self) -> None:
        """Remove what has come."""
        self._remove()
        self._file.close()

    def _remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self._state.unlink(missing_ok=True)

    def place(self, version: Origin) -> Origin:
        """Put the file, which is now all of this version, in the place of the target; gives its origin, with its size."""
        self._file.flush()
        os.fsync(self._file.fileno())
        origin = replace(version, size=self.size)
        if sys.platform == "win32":
            self._file.close()  # an open file cannot be renamed there
        self.path.replace(self._target)
        # In this order: an origin that is older than its file only makes the next download a whole one.
        _beside(self._target, ".origin.json").write_text(json.dumps(asdict(origin)), encoding="utf-8")
        self._state.unlink(missing_ok=True)
        self._file.close()
        return origin
