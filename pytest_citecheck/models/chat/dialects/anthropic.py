"""Messages of Anthropic (https://docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.models.chat.dialects.base import (
    OWN_CALL_ID,
    Post,
    body_object,
    count,
    json_object,
    mapping,
    post,
    sent_parameters,
    string,
    tools_of,
    total,
)
from pytest_citecheck.models.chat.endpoint import ChatRequest, FinishReason, Message, Reply, ToolCall
from pytest_citecheck.sources import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_citecheck.models.chat.endpoint import Endpoint

MAX_TOKENS = 8192
"""Sent if no ``max_tokens`` is configured, because the API requires one: every model since 2024 supports this number.
"""

_VERSION = "2023-06-01"
_FINISH: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


class Anthropic:
    """``POST {base_url}/v1/messages``."""

    name = "anthropic"
    limit = "max_tokens"

    def post(self, endpoint: Endpoint, asked: ChatRequest) -> Post:
        body: dict[str, Any] = {
            "max_tokens": MAX_TOKENS,
            **sent_parameters(endpoint, asked),
            "model": endpoint.model,
            # Calls of tools are refused in a request that defines none.
            "messages": _turns(asked.messages if asked.tools else map(_in_words, asked.messages)),
        }
        system = "\n\n".join(message.content for message in asked.messages if message.role == "system")
        if system:
            body["system"] = system
        if asked.tools:
            body["tools"] = tools_of(asked, "input_schema")
        return post(endpoint, asked, "/v1/messages", "x-api-key", body, **{"anthropic-version": _VERSION})

    def reply(self, body: bytes) -> Reply:
        answer = body_object(body)
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            raise MalformedAnswerError("the answer has no content")
        stated = [mapping(block) for block in blocks]
        tool_calls = tuple(
            ToolCall(
                string(block.get("id")) or f"{OWN_CALL_ID}{position}",
                string(block.get("name")),
                json.dumps(mapping(block.get("input")), ensure_ascii=False),
            )
            for position, block in enumerate(stated)
            if block.get("type") == "tool_use"
        )
        usage = mapping(answer.get("usage"))
        prompt = [usage.get(name) for name in usage if name.endswith("input_tokens")]
        return Reply(
            "".join(string(block.get("text")) for block in stated if block.get("type") == "text"),
            _FINISH.get(string(answer.get("stop_reason")), "other"),
            tool_calls,
            total(prompt),
            count(usage.get("output_tokens")),
            string(answer.get("model")),
            native={"content": blocks} if tool_calls else {},
        )


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Conversation without system messages; results of tools that were called together share one message."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += _blocks(message)
        else:
            turns.append({"role": role, "content": _blocks(message)})
    return turns


def _in_words(message: Message) -> Message:
    """The message with the calls of tools and their results as text."""
    if message.role == "tool":
        return Message("user", f"Result of the tool:\n{message.content}")
    calls = (f"[called {call.name} with {call.arguments}]" for call in message.tool_calls)
    return Message(message.role, "\n".join(filter(None, (message.content, *calls))))


def _blocks(message: Message) -> list[Any]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}]
    native = message.native.get("content")
    if isinstance(native, list):
        return list(native)
    # Empty text is refused.
    said: list[Any] = [{"type": "text", "text": message.content}] if message.content else []
    return said + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json_object(call.arguments)}
        for call in message.tool_calls
    ]


DIALECT = Anthropic()
