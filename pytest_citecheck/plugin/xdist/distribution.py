"""How items are handed to xdist's workers: the checks of one reference to one worker, if possible to the one that looked it up.

They share what was found out about it, so that a worker evaluates each reference once. xdist's own ways to keep items together
(``loadscope``, ``loadgroup``) take time that grows with the square of the number of items (pytest-dev/pytest-xdist#1212).
"""

from __future__ import annotations

from itertools import groupby, islice
from typing import Any

from xdist.scheduler import LoadScheduling

from pytest_citecheck.plugin.xdist.shares import NOBODY, owners

__all__ = ["EntryScheduling", "by_entry"]


class EntryScheduling(LoadScheduling):  # type: ignore[misc]  # xdist has no types
    """Scheduling by load, in portions that end where a reference ends; a worker gets its share first, then of the others'."""

    owners: list[int] | None = None

    def _send_tests(self, node: Any, num: int) -> None:
        if num > 0 and self.pending:
            own = self._own_first(node, num)
            super()._send_tests(node, self._whole(min(num, own or num)))

    def _own_first(self, node: Any, num: int) -> int:
        """Bring ``num`` pending items of the share of this worker to the front, and the rest of their references; how many."""
        collection = self.collection
        assert collection is not None  # noqa: S101 - nothing is sent before all have collected
        if self.owners is None:
            self.owners = owners(self.numnodes, collection)
        number = node.workerinput.get("citecheck_share", NOBODY)
        of = self.owners
        places = list(islice((place for place, item in enumerate(self.pending) if of[item] == number), num))
        while places and (after := places[-1] + 1) < len(self.pending) and self._alike(places[-1], after):
            places.append(after)
        own = [self.pending[place] for place in places]
        # In runs, from behind: there are few, and each is one move of memory.
        runs = [[place for _, place in run] for _, run in groupby(enumerate(places), key=lambda one: one[1] - one[0])]
        for run in reversed(runs):
            del self.pending[run[0] : run[-1] + 1]
        self.pending[:0] = own
        return len(own)

    def _whole(self, num: int) -> int:
        """``num`` and so many more that no reference is divided."""
        while 0 < num < len(self.pending) and self._alike(num - 1, num):
            num += 1
        return num

    def _alike(self, place: int, other: int) -> bool:
        """Whether the pending items at these places are of one reference."""
        collection = self.collection
        assert collection is not None  # noqa: S101 - nothing is sent before all have collected
        return _entry(collection[self.pending[place]]) == _entry(collection[self.pending[other]])


def _entry(nodeid: str) -> str:
    """All of a node id but the check; other items are never alike."""
    return nodeid.rpartition("[")[0] or nodeid


def by_entry(config: Any, log: Any, scheduler: Any) -> Any:
    """The scheduler to use instead of xdist's choice: ours for the usual one, else the one that somebody wanted."""
    return EntryScheduling(config, log) if type(scheduler) is LoadScheduling else scheduler
