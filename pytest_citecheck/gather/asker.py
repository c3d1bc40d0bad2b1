"""Who answers questions on behalf of the sources: the transport, or what takes its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.model import Asked, Question, QuestionKind

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["Asker"]


class Asker(Protocol):
    """Answers questions on behalf of the sources: the transport, or a forecast."""

    async def ask(self, source: Source, questions: Iterable[Question]) -> dict[Question, Asked]:
        """The answer of the source to each question."""
        ...

    def admits(self, source: Source, kind: QuestionKind) -> bool:
        """Whether asking this source for this makes sense."""
        ...

    def answerable(self, source: Source, questions: Iterable[Question]) -> list[Question]:
        """The questions that have an answer in what is replayed; all of them if nothing is."""
        ...
