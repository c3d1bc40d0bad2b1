"""Run jobs in one process, several processes or on a Dask cluster. A worker that dies loses no job."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from typing import Any, Literal, TypeAlias

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


def perform(job: Job) -> int:
    """Do a job in this process; return its new references, none if another worker had done it.

    Raises OSError, IndexFileError, OtherAuditError.
    """
    from pytest_citecheck.audit.run import STAGES  # noqa: PLC0415 - only where work is done
    from pytest_citecheck.audit.worker import worker_state  # noqa: PLC0415

    return STAGES[job.stage](worker_state(job.folder), job.number)


_AHEAD = 4  # jobs per worker: few to repeat, but enough for workers that join


class _Pool:
    """Repeats the jobs of workers that died. died: exceptions that say so."""

    died: type[Exception]

    @property
    @abstractmethod
    def workers(self) -> int: ...

    @abstractmethod
    def submit(self, job: Job, attempt: int) -> Future[int]:
        """Start a job."""

    @abstractmethod
    def close(self) -> None: ...

    def run(self, jobs: Sequence[Job]) -> Iterator[int]:
        """Perform the jobs; yield the new references of each as it is completed.

        Jobs of a worker that died are repeated. Raises EngineError if a job kills workers too often, and exceptions of jobs.
        """
        left = list(reversed(jobs))
        begun: Counter[Job] = Counter()
        running: dict[Future[int], Job] = {}
        while left or running:
            while left and len(running) < self.workers * _AHEAD:
                job = left.pop()
                try:
                    running[self.submit(job, begun[job])] = job
                except self.died:
                    left.append(job)
                    break
                begun[job] += 1
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                job = running.pop(future)
                try:
                    yield future.result()
                except self.died:
                    if begun[job] >= ATTEMPTS:
                        raise EngineError(f"workers died {ATTEMPTS} times over partition {job.number}") from None
                    left.append(job)
                    self.replace()

    def replace(self) -> None:
        """Get new workers for those that died."""


class DaskCluster(_Pool):
    """The workers of a scheduler at an address. Others, or new ones, replace workers that die."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        """Raises EngineError if no scheduler answers, or Dask is not installed."""
        try:
            dask: Any = importlib.import_module("distributed")  # of an extra
        except ModuleNotFoundError as error:
            raise EngineError("--scheduler needs Dask: pip install '.[dask]' in a checkout") from error
        self.died = dask.KilledWorker
        try:
            self._client = dask.Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(f"no Dask scheduler answers at {address}: {error}") from error
        self._executor = self._client.get_executor(pure=False)

    @property
    def workers(self) -> int:
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def submit(self, job: Job, attempt: int) -> Future[int]:
        # The dashboard shows the stage. A unique key: Dask would return the result of an earlier job with the same key.
        key = f"citecheck-{job.stage}-{job.number}-{attempt}-{id(self)}"
        future: Future[int] = self._executor.submit(perform, job, key=key)
        return future

    def close(self) -> None:
        self._client.close()


class InProcess:
    """One job after the other, in this process."""

    def run(self, jobs: Sequence[Job]) -> Iterator[int]:
        """Perform the jobs in order. Exceptions of jobs pass through."""
        return map(perform, jobs)

    def close(self) -> None:
        """Nothing is open."""


class Processes(_Pool):
    """A pool of processes. If one is killed, the pool breaks, and a new pool continues with the remaining jobs."""

    workers = 0
    died = BrokenProcessPool

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, job: Job, attempt: int) -> Future[int]:  # noqa: ARG002 - the same for each attempt
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, context, initializer=_begin)
        return self._pool.submit(perform, job)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    replace = close


Engine: TypeAlias = DaskCluster | InProcess | Processes
"""Something that performs jobs, until it is closed."""


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
