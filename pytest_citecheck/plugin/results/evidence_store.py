"""Evidence as it travels between the processes of a run, and the answers that reports show, by reference."""

from __future__ import annotations

import marshal
import pickle
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Evidence
from pytest_citecheck.reports.results import asked_json
from pytest_citecheck.transport.tally import Tally

if TYPE_CHECKING:
    from pytest_citecheck.reports.results import EvidenceData

__all__ = ["MARSHAL", "AnswersStore", "lines_of", "packed", "unpacked"]

MARSHAL = 4
"""The version of marshal's format that every Python reads which pytest-xdist connects."""

_LEVEL = 1  # of deflate: the fastest


def packed(evidence: Evidence) -> bytes:
    """The evidence for one reference."""
    return zlib.compress(pickle.dumps(evidence, protocol=pickle.HIGHEST_PROTOCOL), _LEVEL)


def unpacked(blob: bytes) -> Evidence:
    """What `packed` was given."""
    # Pickle is safe: processes of this run wrote it, to a folder that is private to the user (mkdtemp), or this one to memory.
    value = pickle.loads(zlib.decompress(blob))  # noqa: S301
    assert isinstance(value, Evidence)  # noqa: S101 - narrows the type
    return value


def lines_of(evidence: Evidence) -> bytes:
    """What reports show of the evidence for one reference."""
    lines: tuple[Any, ...] = asked_json(evidence)
    return zlib.compress(marshal.dumps(lines, MARSHAL), _LEVEL)


class AnswersStore(Mapping[str, "tuple[EvidenceData, ...]"]):
    """What reports show of the evidence, by reference id, unpacked on each access."""

    def __init__(self) -> None:
        self._lines: dict[str, bytes] = {}
        self._tallies: dict[str, Tally] | None = None

    def put(self, name: str, lines: bytes) -> None:
        """Store what `lines_of` gave; a reference whose checks ran in several processes comes from each of them."""
        self._lines.setdefault(name, lines)
        self._tallies = None

    def release(self) -> None:
        """Let go of the answers; how many there were is still known."""
        self._lines.clear()

    def tallies(self, local: Collection[str], indexes: Collection[str]) -> dict[str, Tally]:
        """How many questions were answered for all references together. local: sources that were only looked up on this machine.

        A question that two references have in common counts for each: the sums are the same however references are distributed.
        """
        if self._tallies is None:
            self._tallies = self._counted(local, indexes)
        return self._tallies

    def _counted(self, local: Collection[str], indexes: Collection[str]) -> dict[str, Tally]:
        found: dict[str, Tally] = defaultdict(Tally)
        for name in self._lines if local else ():
            for line in self[name]:
                if line["source"] not in local:
                    continue
                tally = found[line["source"]]
                tally.local += line["source"] in indexes
                if line["answer"] == "unavailable":
                    tally.unavailable[line["reason"]] += 1
                else:
                    tally.answered += 1
                    tally.cached += line["source"] not in indexes
        return dict(found)

    def __getitem__(self, name: str) -> tuple[EvidenceData, ...]:
        # marshal is safe here: processes of this run wrote it.
        lines: tuple[EvidenceData, ...] = marshal.loads(zlib.decompress(self._lines[name]))  # noqa: S302
        return lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)
