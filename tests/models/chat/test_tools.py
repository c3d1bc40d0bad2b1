"""Models that call tools: the loop, its errors, and its cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.models.chat import (
    LONGEST_RESULT,
    MOST_CALLS,
    CallFailure,
    ChatModels,
    ChatRequest,
    ChatSettings,
    Conversation,
    Fallback,
    Reply,
    SearchOptions,
    Tool,
    ToolCall,
    ToolError,
    ToolSpec,
    converse,
)
from tests.stand_ins.model_endpoints import PLAYED, Call, ModelEndpoints, Said
from tests.support.chat_support import QUESTION, endpoint
from tests.support.transport_support import FakeTime

FALLBACK = Fallback(lambda text: "@" in text, "Answer now.")


def call(name: str = "look", arguments: str = "{}", number: int = 0) -> ToolCall:
    return ToolCall(f"call-{number}", name, arguments)


def said(text: str = "", *calls: ToolCall, **given: Any) -> Reply:
    return Reply(text, "tool_calls" if calls else "stop", tool_calls=calls, **given)


class Scripted:
    """A model with scripted answers; it repeats the last one forever."""

    name = "scripted"

    def __init__(self, *script: Reply | CallFailure) -> None:
        self.asked: list[ChatRequest] = []
        self._script = list(script)

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        self.asked.append(request)
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]


def tool(run: Callable[[Any], str] = lambda arguments: f"saw {sorted(arguments)}") -> Tool:
    async def look(arguments: Any) -> str:
        return run(arguments)

    return Tool(ToolSpec("look", "Looks.", {"type": "object"}), look)


def talk(
    *script: Reply | CallFailure, tools: tuple[Tool, ...] | None = None, **given: Any
) -> tuple[Conversation, Scripted]:
    model = Scripted(*script)
    return asyncio.run(converse(model, QUESTION, (tool(),) if tools is None else tools, **given)), model


def results(talked: Conversation) -> list[str]:
    return [message.content for message in talked.messages if message.role == "tool"]


def test_a_model_calls_tools_until_it_answers() -> None:
    talked, model = talk(
        said(
            "", call(arguments='{"a": 1}'), call(arguments='{"b": 2}', number=1), prompt_tokens=10, completion_tokens=1
        ),
        said("@book", prompt_tokens=30, completion_tokens=2, cost=0.5),
        fallback=FALLBACK,
    )
    assert isinstance(talked.said, Reply)
    assert talked.said.content == "@book"
    assert results(talked) == ["saw ['a']", "saw ['b']"]
    assert [message.role for message in model.asked[1].messages] == ["user", "assistant", "tool", "tool"]
    assert (talked.calls, talked.iterations, talked.tools, talked.fallback) == (2, 2, {"look": 2}, False)
    # One cost is unknown, so the sum is.
    assert (talked.prompt_tokens, talked.completion_tokens, talked.cost) == (40, 3, None)


def saying(length: int) -> Callable[[Any], str]:
    def run(_: Any) -> str:
        return "x" * length

    return run


def broken(error: Exception) -> Callable[[Any], str]:
    def run(_: Any) -> str:
        raise error

    return run


@pytest.mark.parametrize(
    ("called", "run", "result"),
    [
        (call("rocket"), str, "Error: there is no tool 'rocket'; there are look"),
        (call(arguments="{not"), str, "Error: the arguments are not JSON: "),
        (call(arguments="[" * 9999), str, "Error: the arguments are not JSON: "),
        (call(arguments="[1]"), str, "Error: the arguments are not a JSON object"),
        (call(arguments=""), str, "{}"),
        (call(), broken(ToolError("nothing there")), "Error: nothing there"),
        (call(), broken(RuntimeError("with a secret")), "Error: look failed: RuntimeError"),
        (call(), saying(LONGEST_RESULT), "x" * LONGEST_RESULT),
        (call(), saying(LONGEST_RESULT + 1), "x" * LONGEST_RESULT + "\n[cut off after 4,000 characters]"),
    ],
)
def test_what_a_tool_says_goes_to_the_model_and_so_do_errors(
    called: ToolCall, run: Callable[[Any], str], result: str
) -> None:
    talked, model = talk(said("", called), said("@book"), tools=(tool(run),))
    (shown,) = results(talked)
    assert shown.startswith(result)
    assert len(shown) - len(result) < 100
    assert model.asked[1].messages[-1].tool_call_id == called.id


def test_a_reply_with_too_many_calls_gets_an_answer_to_each() -> None:
    calls = [call(number=number) for number in range(MOST_CALLS + 2)]
    talked, _ = talk(said("", *calls), said("@book"))
    assert talked.tools == {"look": MOST_CALLS}
    assert [result.startswith("Error") for result in results(talked)] == [False] * MOST_CALLS + [True] * 2


@pytest.mark.parametrize("iterations", [1, 3, 30])
def test_endless_calls_end_with_one_call_without_tools(iterations: int) -> None:
    endless = [said("", call())] * iterations
    talked, model = talk(*endless, said("@book"), iterations=iterations, fallback=FALLBACK)
    assert (talked.calls, talked.iterations, talked.fallback, talked.fell_back) == (
        iterations + 1,
        iterations,
        True,
        True,
    )
    assert [bool(asked.tools) for asked in model.asked] == [True] * iterations + [False]
    assert model.asked[-1].messages[-1].content == "Answer now."
    assert isinstance(talked.said, Reply)
    assert talked.said.content == "@book"
    # Each call of a tool has a result, or providers refuse the conversation.
    assert len(results(talked)) == iterations


@pytest.mark.parametrize(
    ("first", "late", "content", "fell_back"),
    [
        ("in prose", said("@book"), "@book", True),
        ("in prose", said("worse"), "in prose", False),
        ("in prose", said(""), "in prose", False),
        ("in prose", CallFailure("timeout", ""), "in prose", False),
        ("", said("in prose"), "in prose", True),
        ("", said(""), "", False),
    ],
)
def test_the_fallback_counts_only_if_it_is_better(
    first: str, late: Reply | CallFailure, content: str, fell_back: bool
) -> None:
    talked, _ = talk(said(first), late, fallback=FALLBACK)
    assert isinstance(talked.said, Reply)
    assert (talked.said.content, talked.fallback, talked.fell_back) == (content, True, fell_back)


def test_a_call_that_fails_ends_the_conversation() -> None:
    talked, model = talk(said("", call()), CallFailure("http-500", "", 3), fallback=FALLBACK)
    assert talked.said == CallFailure("http-500", "", 3)
    assert (len(model.asked), talked.attempts, talked.fallback) == (2, 4, False)


def test_a_conversation_that_takes_too_long_ends() -> None:
    time = FakeTime()

    def slow(_: object) -> str:
        time.seconds += 10
        return "late"

    talked, model = talk(said("", call(), seconds=5.0), tools=(tool(slow),), seconds=40.0, clock=time.clock)
    assert isinstance(talked.said, CallFailure)
    assert (talked.said.reason, len(model.asked), talked.seconds) == ("timeout", 3, 45.0)


# What the stand-in plays: a search, and then the title that it found.
def searching(asked: Call) -> Said:
    if not asked.body.get("tools"):
        return Said("@misc{a, title={Without tools}}")
    text = json.dumps(asked.messages[1:])
    return (
        Said("@book{a, title={A title}}") if "A title" in text else Said(None, (("web_search", '{"query": "titles"}'),))
    )


def converse_live(local: ModelEndpoints, api: str, **given: Any) -> Conversation:
    one = replace(endpoint(local, api), search=SearchOptions(api_key="tvly-1234567890", url=local.search_url))

    async def main() -> Conversation:
        async with ChatModels([one], ChatSettings()) as models:
            tools = models.tools(one.name)
            return await converse(models[one.name], QUESTION, tools, fallback=FALLBACK, **given)

    return asyncio.run(main())


@pytest.mark.parametrize("api", PLAYED)
def test_each_api_searches_and_answers(api: str) -> None:
    with ModelEndpoints(searching) as local:
        talked = converse_live(local, api)
        assert isinstance(talked.said, Reply)
        assert talked.said.content == "@book{a, title={A title}}"
        assert (talked.calls, talked.tools) == (2, {"web_search": 1})
        assert [asked.api for asked in local.calls] == [api, "search", api]


@pytest.mark.parametrize("api", PLAYED)
@pytest.mark.parametrize(("kind", "errors"), [("unknown-tool", 3), ("endless-tools", 0)])
def test_endless_calls_of_each_api_end(api: str, kind: str, errors: int) -> None:
    with ModelEndpoints(searching) as local:
        local.fault(kind, 3, model="m")
        talked = converse_live(local, api, iterations=3)
        assert isinstance(talked.said, Reply)
        assert talked.said.content == "@misc{a, title={Without tools}}"
        assert (talked.calls, talked.fell_back) == (4, True)


def test_anthropic_is_told_in_words_of_tools_that_it_may_no_longer_call() -> None:
    with ModelEndpoints(searching) as local:
        local.fault("endless-tools", 2, model="m")
        converse_live(local, "anthropic", iterations=2)
        last = local.calls[-1]
        assert "tools" not in last.body
        assert {block["type"] for message in last.messages for block in message["content"]} == {"text"}
        assert "A title" in json.dumps(last.body)


def test_w21_a_search_that_waits_holds_up_no_other_endpoint() -> None:
    """The first search ends only when the other model has answered."""
    answered = asyncio.Event()

    async def wait(_: Any) -> str:
        await asyncio.wait_for(answered.wait(), 20)
        return "late"

    async def main() -> None:
        waiting = Tool(ToolSpec("look", "Looks.", {"type": "object"}), wait)
        first = asyncio.create_task(converse(Scripted(said("", call()), said("@book")), QUESTION, (waiting,)))
        await asyncio.sleep(0)
        other = await converse(Scripted(said("", call()), said("@misc")), QUESTION, (tool(),))
        assert not first.done()
        answered.set()
        assert ((await first).calls, other.calls) == (2, 2)

    asyncio.run(main())
