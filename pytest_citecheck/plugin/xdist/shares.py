"""Which worker looks up which references, and what it tells the controller of them.

References are dealt out by their place among those that are checked, a few neighbours at a time, so that shares cost about the
same however a file is sorted. The scheduler then gives a worker the checks of its own share first (`distribution.py`).
"""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pytest_citecheck.plugin.items.nodeids import split_nodeid
from pytest_citecheck.plugin.results.evidence_store import MARSHAL
from pytest_citecheck.whole_file import whole_file

__all__ = [
    "NOBODY",
    "SharedFolder",
    "owners",
    "read_evidence",
    "read_shares",
    "share_of",
    "write_evidence",
    "write_share",
]

NOBODY = -1
"""The number of a worker without a share: one that replaces another, which has crashed."""

_NEIGHBOURS = 8


def share_of(number: int, workers: int, names: Iterable[str]) -> list[str]:
    """The references that the worker of this number looks up, of all references that are checked."""
    return [name for place, name in enumerate(names) if number == place // _NEIGHBOURS % workers]


def owners(workers: int, nodeids: Sequence[str]) -> list[int]:
    """For each item the number of the worker that looks up its reference; NOBODY for other items."""
    places: dict[str, int] = {}
    named = []
    for nodeid in nodeids:
        parts = split_nodeid(nodeid)
        name = f"{parts[0]}::{parts[1]}" if parts else ""
        named.append(name)
        if parts and parts[2] != "syntax":
            places.setdefault(name, len(places))
    return [places[name] // _NEIGHBOURS % workers if name in places else NOBODY for name in named]


class SharedFolder:
    """A folder of this run, on the machine of controller and workers, private to the user."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="citecheck-")
        self.path = Path(self._folder.name)

    def close(self) -> None:
        self._folder.cleanup()


def write_share(folder: Path, number: int, found: Mapping[str, bytes | None]) -> None:
    """Write what a worker has found out of its share (`Gathering.look_up`). A file appears complete or not at all."""
    _write(folder / f"share-{number}", found)


def read_shares(folder: Path, workers: int) -> dict[str, bytes | None]:
    """What all workers have found out; what a worker did not write is not in it."""
    found: dict[str, bytes | None] = {}
    for number in range(workers):
        with suppress(FileNotFoundError):
            found |= _read(folder / f"share-{number}")
    return found


def write_evidence(folder: Path, evidence: Mapping[str, bytes]) -> None:
    """Write what the controller has gathered."""
    _write(folder / "evidence", evidence)


def read_evidence(folder: Path) -> dict[str, bytes]:
    """What the controller has gathered. Raises OSError, as for a worker on another machine, which cannot read it."""
    return {name: blob for name, blob in _read(folder / "evidence").items() if blob is not None}


def _write(path: Path, found: Mapping[str, bytes | None]) -> None:
    with whole_file(path) as file:
        marshal.dump(dict(found), file, MARSHAL)


def _read(path: Path) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = marshal.loads(path.read_bytes())  # noqa: S302 - a process of this run wrote it
    return found
