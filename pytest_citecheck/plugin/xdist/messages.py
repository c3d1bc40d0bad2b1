"""What the checks of a reference report travels from a worker to the controller as one message.

pytest-xdist sends four messages for each test, and turns each into bytes and back in Python: more work than most checks. A bundle
is turned into bytes by the interpreter, and a thread wakes for it once.
"""

from __future__ import annotations

import marshal
import threading
from typing import TYPE_CHECKING, Any

from pytest_citecheck.plugin.results.evidence_store import MARSHAL

if TYPE_CHECKING:
    import pytest

__all__ = ["Bundles", "bundles_of", "unbundle"]

_BUNDLE = "citecheck_bundle"
_DONE = "runtest_protocol_complete"
_BUNDLED = frozenset({"logstart", "testreport", "logfinish", _DONE})


class Bundles:
    """Stands where the channel of an xdist worker stood, and sends what happens within a group of items as one message."""

    def __init__(self, channel: Any, queue: Any) -> None:
        self._channel, self._queue = channel, queue
        self._lock = threading.Lock()  # commands are answered from another thread
        self._group = ""
        self._events: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def enter(self, group: str) -> None:
        """The items that come now are of this group; empty: of none, and each message is sent at once."""
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
            # A worker waits for items when it has none left: then the controller has to know what is done.
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
