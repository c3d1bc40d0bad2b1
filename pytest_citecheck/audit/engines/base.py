"""The protocol of an engine: jobs in, outcomes out, whoever dies on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["ATTEMPTS", "Engine", "EngineError", "Job", "Outcome", "perform"]

ATTEMPTS = 5
"""How often a partition is begun whose workers die; it may be what kills them."""


class EngineError(Exception):
    """The work cannot be done: the message says what fails."""


@dataclass(frozen=True, slots=True)
class Job:
    """One stage of one partition. folder: of the audit, which every worker sees."""

    folder: str
    stage: Literal["keys", "judge"]
    number: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A job that is done. references: new ones, none if another worker had done it."""

    number: int
    references: int


class Engine(Protocol):
    """Where jobs are performed.

    workers: how many at a time.
    """

    @property
    def workers(self) -> int: ...

    def run(self, jobs: Sequence[Job]) -> Iterator[Outcome]:
        """Perform the jobs; the outcomes come as they are done. What a worker had begun that died is begun again, at most
        `ATTEMPTS` times in all. Raises EngineError, and what a job raises."""
        ...

    def close(self) -> None:
        """Let go of the workers."""
        ...


def perform(job: Job) -> Outcome:
    """Do a job in this process. Raises OSError, IndexFileError, OtherAuditError."""
    from pytest_citecheck.audit.stages import STAGES  # noqa: PLC0415 - only where work is done
    from pytest_citecheck.audit.workbench import workbench  # noqa: PLC0415

    return Outcome(job.number, STAGES[job.stage](workbench(job.folder), job.number))
