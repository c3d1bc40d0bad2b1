"""Asking the models of an arena for the answers that are missing, and keeping each as it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pytest_citecheck.arena.answer_log import AnswerLog, Kept, ModelAnswer, best_answers, read_log
from pytest_citecheck.arena.cells import Cell
from pytest_citecheck.chat.protocol import CallFailure, ChatModel, ChatRequest, Message

__all__ = ["ASK", "Ask", "Outcome", "ask", "bare_answer", "one_answer", "to_ask"]

Ask = Literal["missing", "failed", "all", "none"]
ASK: tuple[Ask, ...] = ("missing", "failed", "all", "none")
Progress = Callable[[str, int, int], object]
One = TypeVar("One", bound=Kept)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What asking did: how many cells there are, had an answer, were asked, failed; the reasons of failures, counted.

    spent: the state of the budget, in words.
    """

    cells: int
    kept: int
    asked: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    spent: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """Calls without an answer."""
        return sum(self.failures.values())


def to_ask(cells: Sequence[One], log: AnswerLog, mode: Ask) -> list[One]:
    """The cells to ask.

    ``missing``: those without an answer, failed calls too; ``failed``: failed calls only; ``all``; ``none``. Raises OSError.
    """
    if mode == "none":
        return []
    if mode == "all":
        return list(cells)
    known = best_answers(read_log(log.path))
    failed = {key for key, one in known.items() if one.answer.text is None}
    if mode == "failed":
        return [cell for cell in cells if cell.key in failed]
    return [cell for cell in cells if cell.key not in known or cell.key in failed]


async def ask(
    cells: Sequence[One],
    log: AnswerLog,
    converse: Callable[[One], Awaitable[ModelAnswer]],
    progress: Progress | None = None,
) -> Outcome:
    """Ask for all these cells at once; the models keep to their limits. The log is open. Raises OSError.

    converse: how the answer to a cell is had, by one call or a conversation with a tool.
    """
    failures: dict[str, int] = {}
    done = 0

    async def one(cell: One) -> None:
        nonlocal done
        answer = await converse(cell)
        if answer.text is not None or answer.attempts:  # else nothing was sent, and it has not been asked
            log.append(cell, answer)
        if answer.text is None:
            failures[answer.failure] = failures.get(answer.failure, 0) + 1
        done += 1
        if progress is not None:
            progress("asking models", done, len(cells))

    try:
        async with asyncio.TaskGroup() as group:
            for cell in cells:
                group.create_task(one(cell))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # the file cannot be written: the others were cancelled
    return Outcome(len(cells), 0, len(cells), dict(sorted(failures.items())))


async def bare_answer(model: ChatModel, cell: Cell) -> ModelAnswer:
    """The answer to a cell in one call, without a tool."""
    return await one_answer(model, cell.prompt, cell.query.text, cell.sample - 1)


async def one_answer(model: ChatModel, system: str, user: str, sample: int = 0) -> ModelAnswer:
    """The answer to one call. sample: from 0."""
    said = await model.ask(ChatRequest((Message("system", system), Message("user", user)), sample=sample))
    if isinstance(said, CallFailure):
        return ModelAnswer(
            None, said.reason, said.detail, calls=0, attempts=said.attempts, seconds=round(said.seconds, 3)
        )
    return ModelAnswer(
        said.content,
        finish=said.finish_reason,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        cost=said.cost,
        attempts=said.attempts,
        seconds=round(said.seconds, 3),
        served_by=said.model,
    )
