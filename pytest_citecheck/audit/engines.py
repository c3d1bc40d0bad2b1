"""Run jobs in one process, several processes or on a Dask cluster. A worker that dies loses no job."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from typing import Any, Literal, Protocol

ATTEMPTS = 5
"""Maximum number of attempts for a partition whose workers die; the partition may be the cause."""


class EngineError(Exception):
    """The work failed; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Job:
    """One stage of one partition; the join is one job for all. folder: of the audit, which every worker sees."""

    folder: str
    stage: Literal["read", "join", "judge"]
    number: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A job that is done. references: new ones, none if another worker had done it."""

    number: int
    references: int


class Engine(Protocol):
    """Executes jobs.

    workers: maximum number of concurrent jobs.
    """

    @property
    def workers(self) -> int: ...

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Perform the jobs; yield results as they are completed. Jobs of a worker that died are repeated, with at most
        `ATTEMPTS` attempts. Raises EngineError, and exceptions of jobs."""
        ...

    def close(self) -> None:
        """Let go of the workers."""
        ...


def perform(job: Job) -> Outcome:
    """Do a job in this process. Raises OSError, IndexFileError, OtherAuditError."""
    from pytest_citecheck.audit.run import STAGES  # noqa: PLC0415 - only where work is done
    from pytest_citecheck.audit.worker import worker_state  # noqa: PLC0415

    return Outcome(job.number, STAGES[job.stage](worker_state(job.folder), job.number))


# A cluster of Dask distributed: workers on many machines, which see the folder of the audit.


_AHEAD = 4  # jobs per thread: few for the scheduler to store, but enough for workers that join


class DaskCluster:
    """The workers of a scheduler at an address. Others, or new ones, replace workers that die."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        """Raises EngineError if no scheduler answers, or Dask is not installed."""
        try:
            self._dask: Any = importlib.import_module("distributed")  # of an extra
        except ModuleNotFoundError as error:
            raise EngineError("--scheduler needs Dask: pip install '.[dask]' in a checkout") from error
        try:
            self._client = self._dask.Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(f"no Dask scheduler answers at {address}: {error}") from error

    @property
    def workers(self) -> int:
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Raises EngineError if a job kills workers too often, and exceptions of jobs."""
        left = list(reversed(jobs))
        begun: Counter[Job] = Counter()
        running: dict[str, Job] = {}
        completed = self._dask.as_completed(loop=self._client.loop)
        while left or running:
            while left and len(running) < self.workers * _AHEAD:
                job = left.pop()
                begun[job] += 1
                # The dashboard shows the stage. A unique key: Dask would return the result of an earlier job with the same key.
                future = self._client.submit(
                    perform, job, key=f"citecheck-{job.stage}-{job.number}-{begun[job]}-{id(self)}", pure=False
                )
                running[future.key] = job
                completed.add(future)
            future = next(completed)
            job = running.pop(future.key)
            try:
                yield future.result()
            except self._dask.KilledWorker as error:
                if begun[job] >= ATTEMPTS:
                    raise EngineError(f"workers died over partition {job.number}: {error}") from None
                left.append(job)

    def close(self) -> None:
        self._client.close()


# One partition after the other, in this process.


class InProcess:
    """No workers."""

    workers = 1

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Perform the jobs in order. Exceptions of jobs pass through."""
        return map(perform, jobs)

    def close(self) -> None:
        """Nothing is open."""


# Processes of this machine.


_PROCESSES_AHEAD = 2  # jobs queued for each worker: the queue never runs dry, and little must be repeated


class Processes:
    """A pool of processes. If one is killed, the pool breaks, and a new pool continues with the remaining jobs."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Raises EngineError if a job was started too often, and exceptions of jobs."""
        left = list(reversed(jobs))
        begun: Counter[Job] = Counter()
        running: dict[Future[Outcome], Job] = {}
        while left or running:
            while left and len(running) < self.workers * _PROCESSES_AHEAD:
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
