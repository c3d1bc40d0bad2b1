"""Spacing, concurrency, and a host's own limits; no test sleeps."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.atomic_write import locked
from pytest_citecheck.net import Budget, Pacer
from pytest_citecheck.sources import Rate
from tests.support.transport_support import FakeTime

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 5))


def test_requests_are_evenly_spaced() -> None:
    async def main() -> None:
        fake = FakeTime()
        pacer = Pacer(Rate(4 / 0.95, 1), fake.clock, fake.sleep)
        moments = []
        for _ in range(4):
            assert await pacer.enter()
            assert await pacer.turn() is not None
            moments.append(fake.seconds)
            pacer.leave()
        assert moments == pytest.approx([0, 0.25, 0.5, 0.75])

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
        assert waits == pytest.approx([9, 0.01 / 0.95])

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
        pacer.leave()
        pacer.reopen()
        assert await pacer.enter()

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


def test_the_slot_of_a_cancelled_task_goes_to_the_next_one() -> None:
    async def main() -> None:
        fake = FakeTime()
        asleep = asyncio.Event()

        async def sleep(seconds: float) -> None:
            asleep.set()
            await asyncio.sleep(0.001)
            await fake.sleep(seconds)

        pacer = Pacer(Rate(1 / 0.95, 1), fake.clock, sleep)
        assert await pacer.turn() == 0
        waiting = asyncio.create_task(pacer.turn())
        await asleep.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert await pacer.turn() == pytest.approx(1)

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


def test_headers_do_not_raise_the_rate_above_what_the_user_allows() -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(10, 4), fake.clock, fake.sleep)
    pacer.limit(10)
    pacer.note({"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"})
    assert pacer.per_second == 10
    pacer.note({"x-rate-limit-limit": "5", "x-rate-limit-interval": "1s"})
    assert pacer.per_second == 5


def test_shared_host_keeps_the_stricter_rate() -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(10, 4), fake.clock, fake.sleep)
    pacer.tighten(Rate(2, 8))
    pacer.tighten(Rate(20, 1))
    assert pacer.per_second == 2


class Calendar:
    """A clock for tasks that sleep at the same time: it advances to the next wake-up time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []

    def clock(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        awake = asyncio.Event()
        heapq.heappush(self._sleepers, (self.seconds + seconds, id(awake), awake))
        await awake.wait()

    async def pass_by(self) -> None:
        while True:
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers:
                self.seconds, _, awake = heapq.heappop(self._sleepers)
                awake.set()


def test_processes_with_one_budget_keep_one_rate_and_take_turns(tmp_path: Path) -> None:
    async def main() -> None:
        time = Calendar()
        passing = asyncio.create_task(time.pass_by())
        moments: list[tuple[float, int]] = []
        budgets = [Budget(tmp_path / "budget", time.clock) for _ in range(3)]

        async def work(number: int, pacer: Pacer) -> None:
            for _ in range(10):
                assert await pacer.turn() is not None
                moments.append((time.seconds, number))

        pacers = [Pacer(Rate(10 / 0.95, 4), time.clock, time.sleep, budget, "host") for budget in budgets]
        # Many tasks do not get a process more than its share.
        await asyncio.gather(*(work(number, pacer) for number, pacer in enumerate([*pacers, *pacers[:2]])))
        passing.cancel()
        for budget in budgets:
            budget.close()
        assert [moment for moment, _ in moments] == pytest.approx([0.1 * slot for slot in range(50)])
        counts = Counter(number % 3 for _, number in moments[:30])
        assert min(counts.values()) >= 9  # the first one has a second slot before the others come

    run(main())


def test_a_task_waits_until_another_process_makes_room(tmp_path: Path) -> None:
    async def main() -> None:
        fake = FakeTime()
        with (
            closing(Budget(tmp_path / "budget", fake.clock)) as one,
            closing(Budget(tmp_path / "budget", fake.clock)) as two,
        ):
            first = Pacer(Rate(10, 1), fake.clock, fake.sleep, one, "host")
            second = Pacer(Rate(10, 1), fake.clock, fake.sleep, two, "host")
            assert await first.enter()
            waiting = [asyncio.create_task(second.enter()) for _ in range(2)]
            while fake.seconds < 1:
                await asyncio.sleep(0)
            assert not any(task.done() for task in waiting)
            assert len(fake.slept) < 30  # one task looks for all
            again = asyncio.create_task(first.enter())
            await asyncio.sleep(0)
            first.leave()
            # It came before the first process asked again.
            done, _ = await asyncio.wait([waiting[0], again], return_when=asyncio.FIRST_COMPLETED)
            assert done == {waiting[0]}
            second.leave()
            assert await again
            second.close()
            assert not await waiting[1]
            first.leave()

    run(main())


def test_who_goes_home_does_not_keep_its_place_in_the_line(tmp_path: Path) -> None:
    async def main() -> None:
        fake = FakeTime()
        with (
            closing(Budget(tmp_path / "budget", fake.clock)) as one,
            closing(Budget(tmp_path / "budget", fake.clock)) as two,
        ):
            first = Pacer(Rate(10, 1), fake.clock, fake.sleep, one, "host")
            second = Pacer(Rate(10, 1), fake.clock, fake.sleep, two, "host")
            assert await first.enter()
            waiting = asyncio.create_task(second.enter())
            while fake.seconds == 0:
                await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            first.leave()
            assert await first.enter()
            first.leave()

    run(main())


def test_a_slow_connection_postpones_its_slot(tmp_path: Path) -> None:
    """What arrives late counts as sent late. It takes another turn only if others have booked one since, or after a hold."""

    async def main() -> None:
        fake = FakeTime()
        with (
            closing(Budget(tmp_path / "budget", fake.clock)) as one,
            closing(Budget(tmp_path / "budget", fake.clock)) as two,
        ):
            first, second = (Pacer(Rate(1 / 0.95, 1), fake.clock, fake.sleep, each, "host") for each in (one, two))
            assert await first.turn() == 0.0
            await fake.sleep(0.4)
            assert first.postpone(sent_at=0.0)
            assert await second.turn() == pytest.approx(1.0)
            assert fake.seconds == pytest.approx(1.4)
            assert not first.postpone(sent_at=0.4)
            await fake.sleep(0.1)
            second.hold(5)
            assert not second.postpone(sent_at=1.4)
            assert await first.turn() == pytest.approx(5.0)

    run(main())


def test_what_one_process_learns_holds_for_the_other(tmp_path: Path) -> None:
    fake = FakeTime()
    with (
        closing(Budget(tmp_path / "budget", fake.clock)) as one,
        closing(Budget(tmp_path / "budget", fake.clock)) as two,
    ):
        first = Pacer(Rate(10, 1), fake.clock, fake.sleep, one, "host")
        second = Pacer(Rate(20, 1), fake.clock, fake.sleep, two, "host")
        first.note({"x-rate-limit-limit": "8", "x-rate-limit-interval": "1s"})
        assert (first.per_second, second.per_second) == (8, 8)
        first.slow_down(sent_at=fake.seconds)
        assert (first.per_second, second.per_second) == (4, 4)
        first.hold(7)
        assert second.held_for == 7
        assert Pacer(Rate(20, 1), fake.clock, fake.sleep, two, "another host").held_for == 0


def test_a_budget_that_another_process_never_unlocks_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_citecheck.net.budget._MOST_BUSY", 3)

    async def main() -> None:
        fake = FakeTime()
        with closing(Budget(tmp_path / "budget", fake.clock)) as budget:
            pacer = Pacer(Rate(10, 1), fake.clock, fake.sleep, budget, "host")
            assert await pacer.turn() is not None
            (page,) = tmp_path.glob("budget/*.json")
            with locked(page):
                assert await pacer.turn() is not None
            assert (budget.is_shared, "keeps it locked" in budget.problem) == (False, True)

    run(main())


@pytest.mark.parametrize(("seconds", "waited"), [(30, 30), (31, None)])
def test_a_long_hold_is_not_waited_for(tmp_path: Path, seconds: float, waited: float | None) -> None:
    async def main() -> None:
        fake = FakeTime()
        with (
            closing(Budget(tmp_path / "budget", fake.clock)) as one,
            closing(Budget(tmp_path / "budget", fake.clock)) as two,
        ):
            two.hold("host", seconds)
            assert await Pacer(Rate(10, 1), fake.clock, fake.sleep, one, "host").turn(30) == waited
            assert fake.seconds == (waited or 0)

    run(main())


@pytest.mark.parametrize("limit", ["1e300", "1e-300", "9" * 400, "0.0000001"])
def test_an_absurd_rate_neither_stops_nor_frees_anybody(limit: str) -> None:
    fake = FakeTime()
    pacer = Pacer(Rate(20, 1), fake.clock, fake.sleep)
    pacer.note({"x-rate-limit-limit": limit, "x-rate-limit-interval": "1s"})
    assert 0.1 <= pacer.per_second <= 20
