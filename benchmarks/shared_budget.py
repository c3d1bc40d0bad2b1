"""What it costs that all processes share one request budget, and whether they keep the rate.

    python -m benchmarks.shared_budget [SECONDS]

Prints for 1, 4 and 8 processes: microseconds per booking of a slot (mean and 99th percentile, as fast as they can), the
same for a lease taken and given back, and, while all of them together ask one host that allows 50 requests a second, the
rate achieved and the most that went out in any second. Slots use 95 % of what is allowed: 47.5 a second.

Measured on 2 cores (AMD EPYC, Linux 6.18, SQLite 3.40, Python 3.11), with other work on the machine:

| processes | slot, µs (p99) | lease, µs (p99) | achieved at 50/s | most in any second |
|---|---|---|---|---|
| 1 | 55 (154) | 50 (95) | 47.5 | 48 |
| 4 | 164 (255) | 191 (190) | 47.5 | 49 |
| 8 | 221 (166) | 438 (8511) | 47.5 | 48 |

A mean above the 99th percentile comes from SQLite, which sleeps for whole milliseconds where it finds the file locked.
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
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TypeVar

from pytest_citecheck.services.base import Rate
from pytest_citecheck.transport.limits.budget import Budget
from pytest_citecheck.transport.limits.budget_file import BudgetBusyError
from pytest_citecheck.transport.limits.pacer import Pacer

T = TypeVar("T")

_CALLS = 2000
_ALLOWED = 50.0


def persisting(action: Callable[[], T]) -> T:
    """The result of a call that may find the file busy."""
    while True:
        try:
            return action()
        except BudgetBusyError:
            continue


def booking(budget: Budget) -> None:
    """Book and use one slot of a host that allows everything."""
    persisting(lambda: budget.reserve("quick", 1e9))


def leasing(budget: Budget) -> None:
    """Take a lease and give it back."""
    lease = persisting(lambda: budget.acquire("quick", 1000))
    assert lease is not None
    budget.release(lease)


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
    """When the requests of one process went out."""
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


def in_processes(count: int, task: Callable[..., list[float]], argument: object) -> list[float]:
    """All results of a task that runs in so many processes at the same time."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, context.Manager() as manager, context.Pool(count) as pool:
        start = manager.Barrier(count)
        runs = [pool.apply_async(task, (Path(folder) / "budget", start, argument)) for _ in range(count)]
        return sorted(value for run in runs for value in run.get())


def most_in_a_second(sent: list[float]) -> int:
    """The most of these moments (in order) that lie within one second."""
    return max(bisect_left(sent, moment + 1) - place for place, moment in enumerate(sent))


def main(seconds: float) -> None:
    """Print the table."""
    print("| processes | slot, µs (p99) | lease, µs (p99) | achieved at 50/s | most in any second |")
    print("|---|---|---|---|---|")
    for count in (1, 4, 8):
        cells = []
        for action in (booking, leasing):
            taken = in_processes(count, durations, action)
            cells.append(f"{statistics.fmean(taken):.0f} ({taken[int(len(taken) * 0.99)]:.0f})")
        sent = in_processes(count, moments, seconds)
        achieved = (len(sent) - 1) / (sent[-1] - sent[0])
        print(f"| {count} | {' | '.join(cells)} | {achieved:.1f} | {most_in_a_second(sent)} |")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
