"""Lets a model call tools until it answers: the loop of function calling, with its cost."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pytest_citecheck.models.chat.endpoint import CallFailure, ChatRequest, Message, Reply, ToolCall, ToolSpec

if TYPE_CHECKING:
    from pytest_citecheck.models.chat.endpoint import ChatModel
    from pytest_citecheck.net import Clock

LONGEST_RESULT = 4_000
"""Characters of the result of a tool; the rest is cut off."""

MOST_CALLS = 16
"""Calls of tools that one reply may make; those beyond are refused."""

Number = TypeVar("Number", int, float)

_CUT = f"\n[cut off after {LONGEST_RESULT:,} characters]"


class ToolError(Exception):
    """A tool has no result; the text goes to the model, so it contains no secrets."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that models may call. run: from its arguments to its result; raises ToolError."""

    spec: ToolSpec
    run: Callable[[Mapping[str, Any]], Awaitable[str]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Fallback:
    """One more call without tools if the conversation ends without an answer. nudge: the user's message for it."""

    is_answer: Callable[[str], bool]
    nudge: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Result of a conversation.

    said: the answer, or the failure that ended it. messages: all but the answer. calls: of the model, without retries;
    iterations: calls with tools. tools: calls by tool, failed ones too. fallback: True if a call without tools was
    made; fell_back: True if that call gave the answer. tokens and cost: of all calls together; None if one of them is
    not known.
    """

    said: Reply | CallFailure
    messages: tuple[Message, ...]
    calls: int = 0
    iterations: int = 0
    tools: Mapping[str, int] = field(default_factory=dict)
    fallback: bool = False
    fell_back: bool = False
    attempts: int = 0
    seconds: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


async def converse(
    model: ChatModel,
    request: ChatRequest,
    tools: Sequence[Tool],
    *,
    iterations: int = 10,
    seconds: float = 360.0,
    fallback: Fallback | None = None,
    clock: Clock = time.monotonic,
) -> Conversation:
    """Ask the model, run the tools that it calls, in order, and ask again, until it calls none or the iterations are
    over.

    seconds: for the conversation, and again for the fallback, waiting for a free slot not counted; after that, the
    model is not called again. Raises only cancellation.
    """
    talk = _Talk(model, request, {tool.spec.name: tool for tool in tools}, clock)
    said = await talk.until_answered(iterations, seconds)
    if isinstance(said, CallFailure) or fallback is None or await _is_answer(fallback, said):
        return talk.summary(said)
    talk.say(said)
    # Left as they are, calls without results would be refused.
    talk.refuse(said.tool_calls, "not called: the search is over")
    talk.messages.append(Message("user", fallback.nudge))
    late = await talk.ask(())
    chosen = said
    if isinstance(late, Reply) and late.content.strip():
        better = not said.content.strip() or await _is_answer(fallback, late)
        chosen = late if better else said
    return replace(talk.summary(chosen), fallback=True, fell_back=chosen is late)


async def _is_answer(fallback: Fallback, reply: Reply) -> bool:
    """Evaluated in a thread: parsing a long answer takes a while, and other conversations continue."""
    return await asyncio.to_thread(fallback.is_answer, reply.content)


class _Talk:
    """A conversation under way."""

    def __init__(self, model: ChatModel, request: ChatRequest, tools: Mapping[str, Tool], clock: Clock) -> None:
        self._model = model
        self._request = request
        self._tools = tools
        self._clock = clock
        self.messages = list(request.messages)
        self._replies: list[Reply] = []
        self._called: Counter[str] = Counter()
        self._calls = self._iterations = self._attempts = 0
        self._seconds = 0.0

    async def until_answered(self, iterations: int, seconds: float) -> Reply | CallFailure:
        specs = tuple(tool.spec for tool in self._tools.values())
        while True:
            said = await self.ask(specs)
            self._iterations += 1
            if isinstance(said, CallFailure) or not said.tool_calls or self._iterations >= iterations:
                return said
            self.say(said)
            for call in said.tool_calls[:MOST_CALLS]:
                await self._run(call)
            self.refuse(said.tool_calls[MOST_CALLS:], f"not called: at most {MOST_CALLS} calls at once")
            if self._seconds >= seconds:
                detail = f"no answer after {self._iterations} iterations and {self._seconds:.0f} s"
                return CallFailure("timeout", detail, self._attempts, self._seconds)

    async def ask(self, specs: tuple[ToolSpec, ...]) -> Reply | CallFailure:
        said = await self._model.ask(replace(self._request, messages=tuple(self.messages), tools=specs))
        self._calls += 1
        self._attempts += said.attempts
        self._seconds += said.seconds
        if isinstance(said, Reply):
            self._replies.append(said)
        return said

    def say(self, said: Reply) -> None:
        self.messages.append(said.message)

    def refuse(self, calls: Iterable[ToolCall], why: str) -> None:
        self.messages += [Message("tool", f"Error: {why}", tool_call_id=call.id) for call in calls]

    async def _run(self, call: ToolCall) -> None:
        start = self._clock()
        try:
            result = await self._result(call)
        except ToolError as error:
            result = f"Error: {error}"
        self._seconds += self._clock() - start
        self._called[call.name] += 1
        cut = result if len(result) <= LONGEST_RESULT else result[:LONGEST_RESULT] + _CUT
        self.messages.append(Message("tool", cut, tool_call_id=call.id))

    async def _result(self, call: ToolCall) -> str:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"there is no tool {call.name!r}; there are {', '.join(self._tools) or 'none'}")
        try:
            arguments = json.loads(call.arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise ToolError(f"the arguments are not JSON: {error}") from None
        if not isinstance(arguments, dict):
            raise ToolError("the arguments are not a JSON object")
        try:
            return await tool.run(arguments)
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(f"{call.name} failed: {type(error).__name__}") from error

    def summary(self, said: Reply | CallFailure) -> Conversation:
        """Combine answers and counts; a sum is unknown if one call's value is unknown."""
        replies = self._replies
        return Conversation(
            said,
            tuple(self.messages),
            self._calls,
            self._iterations,
            dict(sorted(self._called.items())),
            attempts=self._attempts,
            seconds=self._seconds,
            prompt_tokens=total_of_known([reply.prompt_tokens for reply in replies]),
            completion_tokens=total_of_known([reply.completion_tokens for reply in replies]),
            cost=total_of_known([reply.cost for reply in replies]),
        )


def total_of_known(values: Sequence[Number | None]) -> Number | None:
    """The sum, exact for floats; None if a value is unknown, or there are none."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return cast("Number", sum(known) if all(isinstance(value, int) for value in known) else math.fsum(known))
