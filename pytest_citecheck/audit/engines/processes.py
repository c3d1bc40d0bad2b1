"""Processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for

from pytest_citecheck.audit.engines.base import ATTEMPTS, EngineError, Job, Outcome, perform

__all__ = ["Processes", "cores"]

_AHEAD = 2  # jobs a worker waits with: the queue never runs dry, and little has to be begun again


class Processes:
    """A pool of processes. If one is killed, the system takes the pool down: a new one goes on with what is not done."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Raises EngineError if a job has been begun too often, and what a job raises."""
        left = list(reversed(jobs))
        begun: Counter[Job] = Counter()
        running: dict[Future[Outcome], Job] = {}
        while left or running:
            while left and len(running) < self.workers * _AHEAD:
                job = left.pop()
                try:
                    running[self._open().submit(perform, job)] = job
                except BrokenProcessPool:
                    left.append(job)
                    break
                begun[job] += 1
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                job = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    if begun[job] >= ATTEMPTS:
                        raise EngineError(f"workers died {ATTEMPTS} times over partition {job.number}") from None
                    left.append(job)
                    self.close()

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, context, initializer=_begin)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin() -> None:
    """A worker ends with its parent, however that ends, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(parent: int) -> None:
    wait_for([parent])
    os._exit(1)
