"""The index that a worker reads: a file that it sees, or its own copy of one at an address, which is the same to the last bit."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from pytest_citecheck.index.storage.layout import IndexFileError, is_sealed
from pytest_citecheck.transport.settings import user_cache

__all__ = ["identity", "local_index"]

_SEAL = 4  # bytes at the end of an index: the checksum of all before it


def identity(address: str) -> str:
    """What identifies the content of an index: its size and the checksum that it ends with. Raises IndexFileError."""
    try:
        if "://" not in address:
            path = Path(address)
            with path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(size - _SEAL, 0))
                return f"{size}:{file.read().hex()}"
        filesystem, remote = _remote(address)
        size = int(filesystem.size(remote))
        return f"{size}:{filesystem.read_block(remote, max(size - _SEAL, 0), _SEAL).hex()}"
    except (OSError, ValueError, TypeError) as error:
        raise IndexFileError(f"{address}: the index cannot be opened: {error}") from error


def local_index(address: str, expected: str, copies: Path | None = None) -> Path:
    """The index at an address as a file of this machine. expected: its `identity`.

    What is at an address of fsspec (``s3://…``) is copied once into ``copies``, by default the user's cache, and its checksum
    compared. Raises IndexFileError if it is not the one that is expected.
    """
    if "://" not in address:
        if identity(address) != expected:
            raise IndexFileError(f"{address} is another index than at the start of the audit")
        return Path(address)
    folder = copies or user_cache() / "indexes"
    name = hashlib.sha256(f"{address} {expected}".encode()).hexdigest()[:16]
    copy = folder / f"{name}.index"
    if not copy.exists():
        _fetch(address, expected, copy)
    return copy


def _fetch(address: str, expected: str, copy: Path) -> None:
    filesystem, remote = _remote(address)
    copy.parent.mkdir(parents=True, exist_ok=True)
    fresh = copy.with_name(f"{copy.name}.{secrets.token_hex(8)}.tmp")  # another worker may be copying
    try:
        filesystem.get_file(remote, str(fresh))
        if identity(str(fresh)) != expected or not is_sealed(fresh):
            raise IndexFileError(
                f"{address} is another index than at the start of the audit, or was damaged on its way"
            )
        fresh.replace(copy)
    except OSError as error:
        raise IndexFileError(f"{address}: the index cannot be copied: {error}") from error
    finally:
        fresh.unlink(missing_ok=True)


def _remote(address: str):  # type: ignore[no-untyped-def]
    import fsspec  # noqa: PLC0415 - of an extra

    return fsspec.core.url_to_fs(address)
