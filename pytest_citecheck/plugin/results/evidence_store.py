"""The evidence of a run, compressed per reference: in memory, and as one file for xdist workers."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from pytest_citecheck.model import Evidence
from pytest_citecheck.whole_file import whole_file

__all__ = ["PackedEvidence", "read_evidence", "write_evidence"]

_LEVEL = 1  # of deflate: the fastest


class PackedEvidence(Mapping[str, Evidence]):
    """Evidence by reference id, unpacked on access."""

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self.blobs = blobs

    @classmethod
    def of(cls, evidence: Mapping[str, Evidence]) -> Self:
        # Pickle is safe: this process or its workers read it, from a folder that is private to the user (mkdtemp). Each
        # reference is a separate blob, so that a worker unpacks only the references that it tests.
        return cls(
            {
                name: zlib.compress(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL), _LEVEL)
                for name, value in evidence.items()
            }
        )

    def __getitem__(self, name: str) -> Evidence:
        value = pickle.loads(zlib.decompress(self.blobs[name]))  # noqa: S301 - written by the controller of this run
        assert isinstance(value, Evidence)  # noqa: S101 - narrows the type
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.blobs)

    def __len__(self) -> int:
        return len(self.blobs)


def write_evidence(path: Path, evidence: Mapping[str, Evidence]) -> None:
    """Write all evidence to a file. The file appears complete or not at all."""
    packed = evidence if isinstance(evidence, PackedEvidence) else PackedEvidence.of(evidence)
    with whole_file(path) as file:
        pickle.dump(dict(packed.blobs), file, protocol=pickle.HIGHEST_PROTOCOL)


def read_evidence(path: Path) -> PackedEvidence:
    """The evidence that the controller wrote."""
    return PackedEvidence(pickle.loads(path.read_bytes()))  # noqa: S301 - written by the controller of this run
