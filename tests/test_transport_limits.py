"""Spacing, concurrency, and what a host says about them; no test sleeps."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.sources.base import Rate
from pytest_citecheck.transport.limits import Pacer
from tests.transport_support import FakeTime

if TYPE_CHECKING:
    from collections.abc import Coroutine


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 5))


def test_requests_are_evenly_spaced() -> None:
    async def main() -> None:
        fake = FakeTime()
        pacer = Pacer(Rate(4, 1), fake.clock, fake.sleep)
        moments = []
        for _ in range(4):
            assert await pacer.enter()
            assert await pacer.turn() is not None
            moments.append(fake.seconds)
            pacer.leave()
        assert moments == [0, 0.25, 0.5, 0.75]

    run(main())


def test_concurrency_is_kept() -> None:
    async def main() -> None:
        fake = FakeTime()
        pacer = Pacer(Rate(1e6, 3), fake.clock, fake.sleep)
        inside = most = 0

        async def task() -> None:
            nonlocal inside, most
            assert await pacer.enter()
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1
            pacer.leave()

        await asyncio.gather(*(task() for _ in range(20)))
        assert most == 3

    run(main())


def test_hold_stops_everybody() -> None:
    async def main() -> None:
        fake = FakeTime()
        pacer = Pacer(Rate(100, 4), fake.clock, fake.sleep)
        pacer.hold(9)
        pacer.hold(3)
        waits = [await pacer.turn(), await pacer.turn()]
        assert waits == pytest.approx([9, 0.01])

    run(main())


def test_close_wakes_who_waits() -> None:
    async def forever(_: float) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        pacer = Pacer(Rate(0.001, 1), lambda: 0.0, forever)
        assert await pacer.enter()
        assert await pacer.turn() == 0
        waiting = [asyncio.create_task(pacer.turn()) for _ in range(2)]
        outside = [asyncio.create_task(pacer.enter()) for _ in range(2)]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in waiting + outside)
        pacer.close()
        assert await asyncio.gather(*waiting) == [None, None]
        assert await asyncio.gather(*outside) == [False, False]
        assert await pacer.turn() is None

    run(main())


def test_cancelled_task_leaves_no_gap() -> None:
    async def main() -> None:
        fake = FakeTime()
        pacer = Pacer(Rate(1000, 1), fake.clock, fake.sleep)
        assert await pacer.enter()
        waiting = asyncio.create_task(pacer.enter())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        pacer.leave()
        assert await pacer.enter()

    run(main())


def test_a_429_halves_the_rate_once_for_requests_under_way_and_calm_restores_it() -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(16, 1), fake.clock, fake.sleep)
    fake.seconds = 10
    pacer.slow_down(sent_at=8)
    pacer.slow_down(sent_at=9)
    assert pacer.per_second == 8
    for _ in range(10):
        fake.seconds += 1
        pacer.slow_down(sent_at=fake.seconds)
    assert pacer.per_second == 1
    fake.seconds += 29
    pacer.note({})
    assert pacer.per_second == 1
    fake.seconds += 1
    pacer.note({})
    assert pacer.per_second == 2
    for _ in range(9):
        fake.seconds += 30
        pacer.note({})
    assert pacer.per_second == 16


def test_headers_lower_and_raise_the_rate_and_lower_the_concurrency() -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(10, 4), fake.clock, fake.sleep)
    pacer.note({"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"})
    assert pacer.per_second == 50
    pacer.slow_down(sent_at=0)
    pacer.note({"x-rate-limit-limit": "5", "x-rate-limit-interval": "1s", "x-concurrency-limit": "1"})
    assert pacer.per_second == 2.5

    async def main() -> None:
        assert await pacer.enter()
        second = asyncio.create_task(pacer.enter())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not second.done()
        pacer.leave()
        assert await second

    run(main())


def test_shared_host_keeps_the_stricter_rate() -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(10, 4), fake.clock, fake.sleep)
    pacer.tighten(Rate(2, 8))
    pacer.tighten(Rate(20, 1))
    assert pacer.per_second == 2
