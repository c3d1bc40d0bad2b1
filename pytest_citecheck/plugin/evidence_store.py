"""The evidence of a run as one file that xdist workers read a reference at a time."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_citecheck.model import Evidence

__all__ = ["read_evidence", "write_evidence"]


def write_evidence(path: Path, evidence: Mapping[str, Evidence]) -> None:
    """Write all evidence so that no reader ever sees half of it."""
    # Pickle, because the reader is a process that this one started, the folder is private to the user (mkdtemp), and
    # a worker must not pay for the references that it does not test: each is a blob of its own.
    blobs = {name: pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL) for name, value in evidence.items()}
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(pickle.dumps(blobs, protocol=pickle.HIGHEST_PROTOCOL))
    temporary.replace(path)


class _Lazy(Mapping[str, Evidence]):
    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs = blobs

    def __getitem__(self, name: str) -> Evidence:
        value = pickle.loads(self._blobs[name])  # noqa: S301 - written by the controller of this very run
        assert isinstance(value, Evidence)  # noqa: S101 - narrows the type
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def read_evidence(path: Path) -> Mapping[str, Evidence]:
    """The evidence that the controller wrote, decoded when it is asked for."""
    return _Lazy(pickle.loads(path.read_bytes()))  # noqa: S301 - written by the controller of this very run
