"""One partition after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_citecheck.audit.engines.base import Job, Outcome, perform

__all__ = ["InProcess"]


class InProcess:
    """No workers."""

    workers = 1

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Perform the jobs in their order. Raises what a job raises."""
        return map(perform, jobs)

    def close(self) -> None:
        """Nothing is open."""
