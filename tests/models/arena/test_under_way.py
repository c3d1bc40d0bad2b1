"""Interrupted conversations: completed calls are not paid for again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.models.arena import ArenaQuery, ConversationLog, cells_of, searched_answer
from pytest_citecheck.models.chat import (
    CallFailure,
    ChatRequest,
    Endpoint,
    Reply,
    SearchOptions,
    Tool,
    ToolCall,
    ToolSpec,
)

CELL, OTHER = cells_of(
    [Endpoint("n", "http://x", "m", search=SearchOptions())], [ArenaQuery(1, "a"), ArenaQuery(2, "b")]
)
ANSWER = "@misc{k, title={A title of a work}, year=2001}"


class Model:
    """Searches once and answers; calls beyond ``most`` fail."""

    name = "n"

    def __init__(self, most: int) -> None:
        self.most, self.calls = most, 0

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        if self.calls >= self.most:
            return CallFailure("connection", "gone")
        self.calls += 1
        if any(message.role == "tool" for message in request.messages):
            return Reply(ANSWER, cost=0.25)
        call = ToolCall("1", "web_search", '{"query": "a"}')
        return Reply("", "tool_calls", tool_calls=(call,), cost=0.5, native={"mark": [1]})


def answered(path: Path, model: Model) -> tuple[str | None, float | None, int]:
    searches = 0

    async def search(arguments: Mapping[str, Any]) -> str:
        nonlocal searches
        searches += 1
        return f"hit {searches}"

    kept = ConversationLog(path)
    tool = kept.tool(Tool(ToolSpec("web_search", "Searches.", {}), search), CELL)
    answer = asyncio.run(searched_answer(kept.model(model, CELL), CELL, [tool], 10))
    return answer.text, answer.cost, searches


def test_a_conversation_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "conversations.jsonl"
    assert answered(path, Model(1))[0] is None
    with path.open("ab") as file:
        file.write(b'{"key": "torn')
    model = Model(9)
    text, cost, searches = answered(path, model)
    assert (text, cost, searches, model.calls) == (ANSWER, 0.75, 0, 1)
    again = Model(0)
    assert answered(path, again)[0] == ANSWER  # also the line behind the torn one
    ConversationLog(path).forget()
    assert not path.exists()


def test_another_query_and_damaged_lines_know_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "conversations.jsonl"
    answered(path, Model(9))
    model = Model(9)
    asked = ChatRequest(())
    kept = ConversationLog(path)
    asyncio.run(kept.model(model, OTHER).ask(asked))
    assert model.calls == 1
    damaged = [
        json.dumps({"key": json.loads(line)["key"], "said": {"content": []}})
        for line in path.read_text().splitlines()
        if line
    ]
    path.write_text("\n".join(damaged))
    assert answered(path, Model(9))[2] == 1
