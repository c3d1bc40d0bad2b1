"""All reports of a reference travel from a worker to the controller as one message.

pytest-xdist sends four messages for each test, and turns each into bytes and back in Python: more work than most checks. A bundle
is turned into bytes by the interpreter, and a thread wakes for it once.
"""

from __future__ import annotations

import marshal
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadScheduling

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.plugin.items import split_nodeid
from pytest_citecheck.plugin.results import MARSHAL

if TYPE_CHECKING:
    import pytest

_BUNDLE = "citecheck_bundle"
_DONE = "runtest_protocol_complete"
_BUNDLED = frozenset({"logstart", "testreport", "logfinish", _DONE})


class Bundles:
    """Replaces the channel of an xdist worker and sends all events of an item group as one message."""

    def __init__(self, channel: Any, queue: Any) -> None:
        self._channel, self._queue = channel, queue
        self._lock = threading.Lock()  # commands are answered from another thread
        self._group = ""
        self._events: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def enter(self, group: str) -> None:
        """Group of the following items; empty: no group, and each message is sent at once."""
        with self._lock:
            if group != self._group:
                self._flush()
                self._group = group

    def send(self, event: Any) -> None:
        """Send an event of `WorkerInteractor.sendevent`, or keep it until its group is done."""
        with self._lock:
            if not self._group or event[0] not in _BUNDLED:
                self._flush()
                self._channel.send(event)
                return
            self._events.append(event)
            # A worker waits for items when it has none left: then the controller must know the finished ones.
            if event[0] == _DONE and self._is_idle():
                self._flush()

    def _is_idle(self) -> bool:
        with self._queue.lock() as items:
            return not items

    def _flush(self) -> None:
        if self._events:
            events, self._events = self._events, []
            self._channel.send((_BUNDLE, marshal.dumps(events, MARSHAL)))


def bundles_of(config: pytest.Config) -> Bundles | None:
    """Put `Bundles` in the place of this worker's channel; None where pytest-xdist has no such parts."""
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "torun") and hasattr(plugin, "channel") and hasattr(plugin.torun, "lock"):
            plugin.channel = Bundles(plugin.channel, plugin.torun)
            bundles: Bundles = plugin.channel
            return bundles
    return None


def unbundle(node: Any) -> bool:
    """Let the controller take bundles from this worker; whether it can."""
    receive = getattr(node, "process_from_remote", None)
    if receive is None:
        return False

    def process_from_remote(event: Any) -> None:
        if isinstance(event, tuple) and event[0] == _BUNDLE:
            for one in marshal.loads(event[1]):  # noqa: S302 - a worker of this run wrote it
                receive(one)
        else:
            receive(event)

    node.process_from_remote = process_from_remote
    return True


NOBODY = -1
"""The number of a worker without a share: one that replaces another, which has crashed."""

_NEIGHBOURS = 8


def share_of(number: int, workers: int, names: Iterable[str]) -> list[str]:
    """The references that the worker of this number looks up, of all references that are checked."""
    return [name for place, name in enumerate(names) if number == place // _NEIGHBOURS % workers]


def owners(workers: int, nodeids: Sequence[str]) -> list[int]:
    """For each item, the number of the worker that looks up its reference; NOBODY for other items."""
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
    """Write the results of a worker's share (`Gathering.look_up`). A file appears complete or not at all."""
    _write(folder / f"share-{number}", found)


def read_shares(folder: Path, workers: int) -> dict[str, bytes | None]:
    """Return the combined results of all workers that wrote theirs."""
    found: dict[str, bytes | None] = {}
    for number in range(workers):
        with suppress(FileNotFoundError):
            found |= _read(folder / f"share-{number}")
    return found


def write_evidence(folder: Path, evidence: Mapping[str, bytes]) -> None:
    """Write the evidence that the controller has gathered."""
    _write(folder / "evidence", evidence)


def read_evidence(folder: Path) -> dict[str, bytes]:
    """Return the controller's evidence. Raise OSError if the file cannot be read, for example on another machine."""
    return {name: blob for name, blob in _read(folder / "evidence").items() if blob is not None}


def _write(path: Path, found: Mapping[str, bytes | None]) -> None:
    with atomic_write(path) as file:
        marshal.dump(dict(found), file, MARSHAL)


def _read(path: Path) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = marshal.loads(path.read_bytes())  # noqa: S302 - a process of this run wrote it
    return found


# Distribution of items to xdist's workers: the checks of one reference go to one worker, if possible the one that
# looked it up.
class EntryScheduling(LoadScheduling):  # type: ignore[misc]  # xdist has no types
    """Scheduling by load, in portions that end with a reference; a worker gets its own share first, then others'."""

    owners: list[int] | None = None

    def _send_tests(self, node: Any, num: int) -> None:
        if num > 0 and self.pending:
            own = self._own_first(node, num)
            super()._send_tests(node, self._whole(min(num, own or num)))

    def _own_first(self, node: Any, num: int) -> int:
        """Move ``num`` pending items of this worker's share to the front, with the rest of their references; return the
        number."""
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
        """Return ``num``, rounded up so that no reference is split."""
        while 0 < num < len(self.pending) and self._alike(num - 1, num):
            num += 1
        return num

    def _alike(self, place: int, other: int) -> bool:
        """Return True if the pending items at these places are of one reference."""
        collection = self.collection
        assert collection is not None  # noqa: S101 - nothing is sent before all have collected
        return _entry(collection[self.pending[place]]) == _entry(collection[self.pending[other]])


def _entry(nodeid: str) -> str:
    """All of a node id but the check; other items are never alike."""
    return nodeid.rpartition("[")[0] or nodeid


def by_entry(config: Any, log: Any, scheduler: Any) -> Any:
    """The scheduler to use instead of xdist's choice: ours replaces the usual one, other choices are kept."""
    return EntryScheduling(config, log) if type(scheduler) is LoadScheduling else scheduler
