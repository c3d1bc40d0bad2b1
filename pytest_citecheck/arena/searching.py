"""The answer of a model that may search before it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_citecheck.arena.answer_log import ModelAnswer
from pytest_citecheck.chat.protocol import CallFailure, ChatRequest, Message, Reply
from pytest_citecheck.chat.tools import Fallback, converse
from pytest_citecheck.model import Location
from pytest_citecheck.readers.answers.text import references_in

if TYPE_CHECKING:
    from pytest_citecheck.arena.cells import Cell
    from pytest_citecheck.chat.protocol import ChatModel
    from pytest_citecheck.chat.tools import Tool

__all__ = ["searched_answer"]

_TIMES = 3
"""A conversation may take so many times as long as a call: the Reference Hallucination Arena allows that too."""

_NUDGE = {
    False: "The search is over. Give your final answer now, from what you have found: each work as a BibTeX entry.",
    True: "搜索已经结束。请根据已找到的内容立即给出最终答案:每篇文献用一个 BibTeX 条目。",
}
"""What is said to a model that has not answered, by whether the query is in Chinese."""


def _has_references(text: str) -> bool:
    return bool(references_in(text, Location("answer", 1, 1))[0])


async def searched_answer(model: ChatModel, cell: Cell, tools: Sequence[Tool], seconds: float) -> ModelAnswer:
    """The answer to a cell after as many searches as the model wants. seconds: of one call."""
    messages = (Message("system", cell.prompt), Message("user", cell.query.text))
    options, price = cell.endpoint.tools, cell.endpoint.price
    talk = await converse(
        model,
        ChatRequest(messages, sample=cell.sample - 1),
        tools,
        iterations=options.iterations,
        seconds=_TIMES * seconds,
        fallback=Fallback(_has_references, _NUDGE[cell.query.language == "zh"]),
    )
    said = talk.said
    searches = sum(talk.tools.get(tool.spec.name, 0) for tool in tools)
    failed = isinstance(said, CallFailure)
    # What a replay takes says nothing of the model, and would differ from run to run.
    took = 0.0 if isinstance(said, Reply) and said.replayed else round(talk.seconds, 3)
    cost = None if talk.cost is None else talk.cost + searches * (price.search or 0.0)
    return ModelAnswer(
        None if isinstance(said, CallFailure) else said.content,
        said.reason if isinstance(said, CallFailure) else "",
        said.detail if isinstance(said, CallFailure) else "",
        finish="" if isinstance(said, CallFailure) else said.finish_reason,
        prompt_tokens=talk.prompt_tokens,
        completion_tokens=talk.completion_tokens,
        cost=cost,
        calls=talk.calls - failed,
        searches=searches,
        iterations=talk.iterations,
        fallback=talk.fell_back,
        attempts=talk.attempts,
        seconds=took,
        served_by="" if isinstance(said, CallFailure) else said.model,
    )
