"""How items are handed to xdist's workers: the checks of one reference to one worker.

They share what was found out about it, so that a worker evaluates each reference once. xdist's own ways to keep items together
(``loadscope``, ``loadgroup``) take time that grows with the square of the number of items (pytest-dev/pytest-xdist#1212).
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScheduling

__all__ = ["EntryScheduling", "by_entry"]


class EntryScheduling(LoadScheduling):  # type: ignore[misc]  # xdist has no types
    """Scheduling by load, in portions that end where a reference ends."""

    def _send_tests(self, node: Any, num: int) -> None:
        super()._send_tests(node, self._whole(num))

    def _whole(self, num: int) -> int:
        """``num`` and so many more that no reference is divided."""
        pending, collection = self.pending, self.collection
        assert collection is not None  # noqa: S101 - nothing is sent before all have collected
        while 0 < num < len(pending) and _entry(collection[pending[num - 1]]) == _entry(collection[pending[num]]):
            num += 1
        return num


def _entry(nodeid: str) -> str:
    """All of a node id but the check; other items are never alike."""
    return nodeid.rpartition("[")[0] or nodeid


def by_entry(config: Any, log: Any, scheduler: Any) -> Any:
    """The scheduler to use instead of xdist's choice: ours for the usual one, else the one that somebody wanted."""
    return EntryScheduling(config, log) if type(scheduler) is LoadScheduling else scheduler
