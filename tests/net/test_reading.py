"""Long answers are parsed outside the event loop: other exchanges and deadlines go on."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence

import pytest

from pytest_citecheck.model import Answer, Found, Query
from pytest_citecheck.net import LONG_BODY, Transport, TransportSettings, in_thread
from pytest_citecheck.sources import Response
from tests.support.transport_support import FakeSource, dois, reply, serving

PATIENCE = 20.0  # seconds after which a thread that nobody lets go gives up, so that the test fails and does not hang


class WaitingReader(FakeSource):
    """Reads a body only when somebody lets it: on the event loop that would be never."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        self.begun.set()
        assert self.may_go_on.wait(PATIENCE), "the event loop stood still"
        return super().parse(queries, response)


def test_other_tasks_run_while_a_long_answer_is_read() -> None:
    source, body = WaitingReader(), json.dumps({"a": "A title", "filler": "x" * LONG_BODY})

    async def main(url: str) -> Answer:
        async with Transport(TransportSettings(base_urls={"fake": url})) as transport:
            asking = asyncio.create_task(transport.ask(source, dois("a")))
            while not source.begun.is_set():
                await asyncio.sleep(0.005)
            source.may_go_on.set()
            return (await asking)[dois("a")[0]].answer

    with serving(lambda _: reply(body)) as server:
        answer = asyncio.run(main(server.url))
    assert isinstance(answer, Found)


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(lambda: 1 // 0, "reading"))


def test_nobody_waits_for_the_thread_of_a_cancelled_task() -> None:
    begun, released = threading.Event(), threading.Event()

    def read() -> bool:
        begun.set()
        return released.wait(PATIENCE)

    async def main() -> None:
        reading = asyncio.create_task(in_thread(read, "reading"))
        while not begun.is_set():
            await asyncio.sleep(0.005)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(main())
    assert not released.is_set()  # the run has ended, and the thread still reads
    released.set()
