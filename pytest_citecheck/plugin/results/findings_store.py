"""The findings of a run, compressed: tens of thousands of references stay in memory until the reports are written."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["FindingsStore"]

_LEVEL = 1  # of deflate: the fastest; six similar payloads of 1.5 kB become 2 kB

Payloads = dict[str, dict[str, Any]]


class FindingsStore(Mapping[str, Payloads]):
    """The payloads (`run_result.payload`) by reference id and check, unpacked on each access.

    The six uncompressed payloads of a reference take 25 kB. Changes to an unpacked payload are lost.
    """

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._last = ""  # the reference whose checks arrive now; it is packed when those of the next one arrive
        self._open: Payloads = {}

    def put(self, payload: dict[str, Any]) -> None:
        """Store the payload of a check; it replaces an earlier one of the same check."""
        name = payload["id"]
        if name != self._last:
            self._close()
            self._last, self._open = name, self[name] if name in self._packed else {}
            self._packed.setdefault(name, b"")  # its place in the order
        self._open[payload["check"]] = payload

    def _close(self) -> None:
        if self._open:
            self._packed[self._last] = zlib.compress(marshal.dumps(self._open), _LEVEL)

    def __getitem__(self, reference_id: str) -> Payloads:
        packed = self._packed[reference_id]
        if reference_id == self._last:
            return dict(self._open)
        # marshal is safe here: this process wrote the data. It keeps tuples and shares equal strings.
        found: Payloads = marshal.loads(zlib.decompress(packed))  # noqa: S302
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)
