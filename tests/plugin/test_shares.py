"""Distribution of the work to pytest-xdist workers, and its serialisation."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_citecheck.plugin import (
    NOBODY,
    Bundles,
    EntryScheduling,
    owners,
    read_evidence,
    read_shares,
    share_of,
    unbundle,
    write_evidence,
    write_share,
)

NAMES = [f"refs.bib::k{n}" for n in range(40)]
NODEIDS = [f"{name}[{check}]" for name in NAMES for check in ("syntax", "doi", "title")] + ["test_x.py::test[1]"]


def test_each_reference_is_in_one_share_and_its_owner_is_known() -> None:
    shares = [share_of(number, 3, NAMES) for number in range(3)]
    assert sorted(name for share in shares for name in share) == sorted(NAMES)
    assert max(map(len, shares)) - min(map(len, shares)) <= 8
    assert share_of(NOBODY, 3, NAMES) == []
    expected = [number for name in NAMES for number in range(3) if name in shares[number] for _ in range(3)]
    # The parameter of a test is not the check of a reference; that it looks like one costs nothing but its place.
    assert owners(3, NODEIDS[:-1]) == expected


def test_what_one_process_writes_the_other_reads(tmp_path: Path) -> None:
    write_share(tmp_path, 0, {"a": None, "b": b"evidence"})
    assert read_shares(tmp_path, 2) == {"a": None, "b": b"evidence"}  # the second worker has crashed
    with pytest.raises(FileNotFoundError):  # on another machine
        read_evidence(tmp_path)
    write_evidence(tmp_path, {"b": b"more"})
    assert read_evidence(tmp_path) == {"b": b"more"}


class Node:
    """A worker that takes items and runs none."""

    shutting_down = False

    def __init__(self, number: int) -> None:
        self.workerinput = {"citecheck_share": number}
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.sent: list[list[int]] = []

    def send_runtest_some(self, items: list[int]) -> None:
        self.sent.append(list(items))

    def shutdown(self) -> None:
        self.shutting_down = True


@pytest.fixture
def scheduling() -> tuple[EntryScheduling, list[Node]]:
    config = SimpleNamespace(
        getvalue=lambda _: ["popen"] * 2, getoption=lambda _: None, option=SimpleNamespace(debug=False)
    )
    log = SimpleNamespace(loadsched=lambda *_: None)
    scheduling = EntryScheduling.__new__(EntryScheduling)
    scheduling.__dict__.update(
        numnodes=2, node2collection={}, node2pending={}, pending=[], collection=None, log=log.loadsched, config=config,
        maxschedchunk=None,
    )  # fmt: skip
    nodes = [Node(0), Node(1)]
    for node in nodes:
        scheduling.add_node(node)
        scheduling.add_node_collection(node, NODEIDS[:-1])
    return scheduling, nodes


def test_a_worker_gets_its_share_first_and_references_stay_whole(
    scheduling: tuple[EntryScheduling, list[Node]],
) -> None:
    scheduler, nodes = scheduling
    scheduler.schedule()
    # The first worker finishes all that it gets before the other finishes anything.
    while scheduler.node2pending[nodes[0]]:
        scheduler.mark_test_complete(nodes[0], scheduler.node2pending[nodes[0]][0])
    of = owners(2, NODEIDS[:-1])
    got = [item for portion in nodes[0].sent for item in portion]
    own = [item for item in range(len(of)) if of[item] == 0]
    assert got[: len(own)] == own
    assert got[len(own) :], "then it takes from the share of the other"
    for node in nodes:
        for portion in node.sent:
            names = [NODEIDS[item].partition("[")[0] for item in portion]
            assert all(names.count(name) == 3 for name in names)
    given = [item for node in nodes for portion in node.sent for item in portion]
    assert sorted(given) == sorted(set(given))
    assert sorted([*given, *scheduler.pending]) == list(range(len(of)))


class Channel:
    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.gateway = "a gateway"

    def send(self, event: Any) -> None:
        self.sent.append(event)


class Queue:
    def __init__(self, items: list[int]) -> None:
        self.items = deque(items)
        self._lock = threading.RLock()

    @contextmanager
    def lock(self) -> Iterator[deque[int]]:
        with self._lock:
            yield self.items


def received(sent: list[Any]) -> list[Any]:
    events: list[Any] = []
    node = SimpleNamespace(process_from_remote=events.append)
    assert unbundle(node)
    for event in sent:
        node.process_from_remote(event)
    return events


def test_what_a_reference_reports_is_one_message() -> None:
    channel, queue = Channel(), Queue([5, 6])
    bundles = Bundles(channel, queue)
    report = {"data": {"nodeid": "r::a[doi]", "citecheck": b"\x00", "location": ("r", None, "x")}}
    events: list[tuple[str, dict[str, Any]]] = [
        ("logstart", {"nodeid": "r::a[doi]"}),
        ("testreport", report),
        ("runtest_protocol_complete", {"item_index": 0, "duration": 0.1}),
    ]
    bundles.enter("r::a")
    for event in events:
        bundles.send(event)
    assert channel.sent == []
    bundles.send(("warning_recorded", {}))  # whatever else is sent does not overtake it
    assert len(channel.sent) == 2
    bundles.send(events[0])
    bundles.enter("r::b")
    assert len(channel.sent) == 3
    queue.items.clear()  # the controller hands out no more before it hears what is done
    bundles.send(events[2])
    assert len(channel.sent) == 4
    bundles.enter("")
    bundles.send(events[0])
    assert channel.sent[-1] == events[0]
    assert received(channel.sent) == [*events, ("warning_recorded", {}), events[0], events[2], events[0]]
    assert bundles.gateway == "a gateway"
    assert not unbundle(SimpleNamespace())
