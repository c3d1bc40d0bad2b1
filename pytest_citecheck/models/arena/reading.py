"""The answers of an arena as a bibliography: one group of references for each cell, in the order of the cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.inputs import (
    Answered,
    AnswerRecord,
    Bibliography,
    Usage,
    duplicates,
    references_in,
    references_of,
    stub,
)
from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.models import LoggedAnswer, ModelAnswer, answered, best_answers, read_log
from pytest_citecheck.models.arena.asking import Cell
from pytest_citecheck.models.chat import CallFailure, ChatRequest, Fallback, Message, Reply, converse

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import ChatModel, Tool


def bibliography_of(
    path: str, cells: Sequence[Cell], log: Path, shown: str, remarks: Sequence[Defect] = ()
) -> Bibliography:
    """The references of the answers to these cells; a cell without an answer is an item that fails
    (``answer-not-asked``).

    path: of the configuration; shown: of the file of answers; both as in locations. Raises OSError.
    """
    known = best_answers(read_log(log))
    references: list[Reference] = []
    answered: list[Answered | None] = []
    notes = list(remarks)
    for cell in cells:
        logged = known.get(cell.key)
        group = replace(cell.group(), usage=_usage(logged))
        if logged is None:
            message = f"{cell.endpoint.name} has not been queried yet"
            found = [stub(Location(path, 1, 1), "answer", "answer-not-asked", message)]
        else:
            place = Location(shown, logged.line, logged.line)
            found, more = references_of(AnswerRecord(group, logged.answer.text, logged.line), place)
            of = f"{cell.endpoint.name}, query {cell.query.number}"
            notes += [replace(note, line=1, message=f"{of}: {note.message}") for note in more]
        references += found
        answered += [Answered(group, original) for original in duplicates(found)]
    return Bibliography(path, tuple(references), tuple(notes), tuple(answered))


def _usage(logged: LoggedAnswer | None) -> Usage:
    if logged is None:
        return Usage(calls=0)
    return Usage(**{field.name: getattr(logged.answer, field.name) for field in fields(Usage)})


_TIMES = 3
"""Maximum duration of a conversation, as a multiple of a call's: the Reference Hallucination Arena allows it too."""

_NUDGE = {
    False: "The search is over. Give your final answer now, from what you have found: each work as a BibTeX entry.",
    True: "搜索已经结束。请根据已找到的内容立即给出最终答案:每篇文献用一个 BibTeX 条目。",
}
"""Message to a model that has not answered, by language of the query (True: Chinese)."""


def _has_references(text: str) -> bool:
    return bool(references_in(text, Location("answer", 1, 1))[0])


async def searched_answer(model: ChatModel, cell: Cell, tools: Sequence[Tool], seconds: float) -> ModelAnswer:
    """The answer to a cell after as many searches as the model wants. seconds: of one call."""
    messages = (Message("system", cell.prompt), Message("user", cell.query.text))
    search = cell.endpoint.search
    price = search.price if search is not None else None
    talk = await converse(
        model,
        ChatRequest(messages, sample=cell.sample - 1),
        tools,
        iterations=cell.endpoint.iterations,
        seconds=_TIMES * seconds,
        fallback=Fallback(_has_references, _NUDGE[cell.query.language == "zh"]),
    )
    said = talk.said
    searches = sum(talk.tools.get(tool.spec.name, 0) for tool in tools)
    # The duration of a replay says nothing about the model, and would differ from run to run.
    took = 0.0 if isinstance(said, Reply) and said.replayed else round(talk.seconds, 3)
    cost = None if talk.cost is None else talk.cost + searches * (price or 0.0)
    return answered(
        said,
        prompt_tokens=talk.prompt_tokens,
        completion_tokens=talk.completion_tokens,
        cost=cost,
        calls=talk.calls - isinstance(said, CallFailure),
        searches=searches,
        iterations=talk.iterations,
        fallback=talk.fell_back,
        attempts=talk.attempts,
        seconds=took,
    )
