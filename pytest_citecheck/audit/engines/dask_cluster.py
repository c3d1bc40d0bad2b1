"""A cluster of Dask distributed: workers on many machines, which see the folder of the audit."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_citecheck.audit.engines.base import ATTEMPTS, EngineError, Job, Outcome, perform

__all__ = ["DaskCluster"]

_AHEAD = 4  # jobs a thread: the scheduler holds little, and workers that join find some


class DaskCluster:
    """The workers of the scheduler at an address. Those that die are replaced by the others, or by new ones."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        """Raises EngineError if no scheduler answers, or Dask is not installed."""
        try:
            self._dask: Any = importlib.import_module("distributed")  # of an extra
        except ModuleNotFoundError as error:
            raise EngineError("--scheduler needs Dask: pip install 'pytest-citecheck[dask]'") from error
        try:
            self._client = self._dask.Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(f"no Dask scheduler answers at {address}: {error}") from error

    @property
    def workers(self) -> int:
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Raises EngineError if workers die over a job too often, and what a job raises."""
        left = list(reversed(jobs))
        begun: Counter[Job] = Counter()
        running: dict[str, Job] = {}
        completed = self._dask.as_completed(loop=self._client.loop)
        while left or running:
            while left and len(running) < self.workers * _AHEAD:
                job = left.pop()
                begun[job] += 1
                # A key of its own: Dask would give the outcome of an earlier one of the same key.
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
