"""The index that a worker reads: a file that it sees, or its own copy of one at an address, which is the same to the last bit."""

from __future__ import annotations

import hashlib
import secrets
import shutil
from pathlib import Path
from typing import Any

from pytest_citecheck.index.storage.layout import IndexFileError, is_sealed
from pytest_citecheck.index.storage.shards import shard_path, shard_paths
from pytest_citecheck.transport.settings import user_cache

__all__ = ["identity", "local_index"]

_SEAL = 4  # bytes at the end of an index: the checksum of all before it


def identity(address: str) -> str:
    """What identifies the content of an index: of each of its files the size, and the checksum with which it ends.

    Raises IndexFileError.
    """
    try:
        if "://" not in address:
            return " ".join(map(_identity_of_file, shard_paths(Path(address))))
        filesystem, files = _remote(address)
        return " ".join(_identity_of_remote(filesystem, file) for file in files)
    except (OSError, ValueError, TypeError) as error:
        raise IndexFileError(f"{address}: the index cannot be opened: {error}") from error


def _identity_of_file(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - _SEAL, 0))
        return f"{size}:{file.read().hex()}"


def _identity_of_remote(filesystem: Any, file: str) -> str:
    size = int(filesystem.size(file))
    return f"{size}:{filesystem.read_block(file, max(size - _SEAL, 0), _SEAL).hex()}"


def local_index(address: str, expected: str, copies: Path | None = None) -> Path:
    """The index at an address as a file, or a set of files, of this machine. expected: its `identity`.

    What is at an address of fsspec (``s3://…``) is copied once into ``copies``, by default the user's cache, and its checksum
    compared. Raises IndexFileError if it is not the one that is expected.
    """
    if "://" not in address:
        if identity(address) != expected:
            raise IndexFileError(f"{address} is another index than at the start of the audit")
        return Path(address)
    folder = copies or user_cache() / "indexes"
    copy = folder / f"{hashlib.sha256(f'{address} {expected}'.encode()).hexdigest()[:16]}.index"
    if not copy.exists():
        _fetch(address, expected, copy)
    return copy


def _fetch(address: str, expected: str, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    scratch = copy.with_name(f".{copy.name}.{secrets.token_hex(8)}.tmp")  # another worker may be copying
    try:
        filesystem, files = _remote(address)
        fresh = scratch / "index"
        scratch.mkdir(0o700)
        if len(files) > 1:
            fresh.mkdir()
        for number, file in enumerate(files):
            filesystem.get_file(file, str(shard_path(fresh, number) if len(files) > 1 else fresh))
        if identity(str(fresh)) != expected or not all(map(is_sealed, shard_paths(fresh))):
            raise IndexFileError(
                f"{address} is another index than at the start of the audit, or was damaged on its way"
            )
        fresh.rename(copy)
    except (OSError, ValueError) as error:
        if not copy.exists():  # else another worker was first
            raise IndexFileError(f"{address}: the index cannot be copied: {error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _remote(address: str) -> tuple[Any, list[str]]:
    """The file system of an address, and the files of the index there. Raises OSError, ValueError."""
    import fsspec  # noqa: PLC0415 - of an extra

    filesystem, remote = fsspec.core.url_to_fs(address)
    if not filesystem.isdir(remote):
        return filesystem, [remote]
    return filesystem, sorted(filesystem.glob(f"{remote}/shard-*.index"))
