"""Measure the cost of a request budget shared by all processes, and check that they keep the rate.

    python -m benchmarks.shared_budget [SECONDS]

Prints for 1, 4 and 8 processes

- microseconds per booking of a slot (mean and 99th percentile, at full speed), and per place acquired and released;
- the achieved rate and the maximum in any second, while all query one host that allows 50 requests per second. Slots use 95%
  of the limit: 47.5 per second;
- for a host that allows one request of 20 ms at a time: requests per second, the minimum and maximum of one process, and the
  maximum number of concurrent requests;
- seconds for which a process killed during its request blocks the others.

Measured on 2026-11-29 on two cores (AMD EPYC, Linux 6.18, Python 3.11), with a load of 5 from other work:

| processes | slot, µs (p99) | place, µs (p99) | achieved at 50/s | most in 1 s | visits/s | of one process | most at a time |
|---|---|---|---|---|---|---|---|
| 1 | 220 (4191) | 350 (4401) | 47.5 | 48 | 44.4 | 222 to 222 | 1 |
| 4 | 1087 (30138) | 2813 (76327) | 47.5 | 48 | 18.0 | 16 to 27 | 1 |
| 8 | 1934 (36174) | 9743 (288583) | 47.5 | 48 | 19.4 | 7 to 19 | 1 |

A killed process blocks the others no longer than they sleep between two looks.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from multiprocessing.synchronize import Barrier
from pathlib import Path

from pytest_citecheck.net import Budget, Pacer
from pytest_citecheck.sources import Rate

_CALLS = 2000
_ALLOWED = 50.0
_VISIT = 0.02  # seconds


def booking(budget: Budget) -> None:
    """Book and use one slot of a host that allows everything."""
    while budget.reserve("quick", 1e9):
        pass


def visiting(budget: Budget) -> None:
    """Acquire and release a place."""
    while (place := budget.acquire("quick", 1000)) is None:
        pass
    place.release()


def durations(path: Path, start: Barrier, action: Callable[[Budget], None]) -> list[float]:
    """Microseconds of each call."""
    with closing(Budget(path)) as budget:
        action(budget)
        start.wait()
        taken = []
        for _ in range(_CALLS):
            before = time.perf_counter()
            action(budget)
            taken.append((time.perf_counter() - before) * 1e6)
    return taken


def moments(path: Path, start: Barrier, seconds: float) -> list[float]:
    """Return the times at which one process sent its requests."""
    sent = []

    async def main(budget: Budget) -> None:
        pacer = Pacer(Rate(_ALLOWED, 64), time.monotonic, asyncio.sleep, budget, "host")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await pacer.turn()
            sent.append(time.time())

    with closing(Budget(path)) as budget:
        start.wait()
        asyncio.run(main(budget))
    return sent


def visits(path: Path, start: Barrier, seconds: float) -> list[float]:
    """Return the start times of one process's requests to a host that allows one at a time."""
    begun = []

    async def main(budget: Budget) -> None:
        pacer = Pacer(Rate(1e6, 1), time.monotonic, asyncio.sleep, budget, "host")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await pacer.enter()
            begun.append(time.time())
            await asyncio.sleep(_VISIT)
            pacer.leave()

    with closing(Budget(path)) as budget:
        start.wait()
        asyncio.run(main(budget))
    return begun


def kept_out() -> float:
    """Seconds until a process gets the one place of a process that was killed."""

    async def main(budget: Budget) -> None:
        pacer = Pacer(Rate(1e6, 1), time.monotonic, asyncio.sleep, budget, "host")
        await pacer.enter()
        pacer.leave()

    with tempfile.TemporaryDirectory() as folder, closing(Budget(Path(folder) / "budget")) as budget:
        holder = multiprocessing.get_context("spawn").Process(target=_hold, args=(Path(folder) / "budget",))
        holder.start()
        while budget.acquire("host", 1) is not None or not holder.is_alive():
            budget.close()
            time.sleep(0.05)
        holder.kill()
        before = time.monotonic()
        asyncio.run(main(budget))
        holder.join()
        return time.monotonic() - before


def _hold(path: Path) -> None:
    budget = Budget(path)
    while budget.acquire("host", 1) is None:
        time.sleep(0.01)
    time.sleep(60)


def in_processes(count: int, task: Callable[..., list[float]], argument: object) -> list[list[float]]:
    """Run a task in ``count`` processes at once and return the result of each."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, context.Manager() as manager, context.Pool(count) as pool:
        start = manager.Barrier(count)
        runs = [pool.apply_async(task, (Path(folder) / "budget", start, argument)) for _ in range(count)]
        return [run.get() for run in runs]


def most_in_a_second(sent: list[float]) -> int:
    """The most of these moments (in order) that lie within one second."""
    return max(bisect_left(sent, moment + 1) - place for place, moment in enumerate(sent))


def most_at_a_time(begun: list[float]) -> int:
    """The most of these visits (in order) that overlap."""
    return max(bisect_left(begun, moment + 0.9 * _VISIT) - place for place, moment in enumerate(begun))


def main(seconds: float) -> None:
    """Print the table."""
    print("| processes | slot, µs (p99) | place, µs (p99) | achieved at 50/s | most in 1 s |", end="")
    print(" visits/s | of one process | most at a time |")
    print("|---|---|---|---|---|---|---|---|")
    for count in (1, 4, 8):
        cells = []
        for action in (booking, visiting):
            taken = sorted(chain(*in_processes(count, durations, action)))
            cells.append(f"{statistics.fmean(taken):.0f} ({taken[int(len(taken) * 0.99)]:.0f})")
        sent = sorted(chain(*in_processes(count, moments, seconds)))
        achieved = (len(sent) - 1) / (sent[-1] - sent[0])
        cells += [f"{achieved:.1f}", str(most_in_a_second(sent))]
        each = in_processes(count, visits, seconds)
        begun, counts = sorted(chain(*each)), sorted(map(len, each))
        cells += [f"{len(begun) / seconds:.1f}", f"{counts[0]} to {counts[-1]}", str(most_at_a_time(begun))]
        print(f"| {count} | {' | '.join(cells)} |")
    print(f"\na killed process keeps the others out for {kept_out():.1f} s")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
