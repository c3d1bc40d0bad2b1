"""Chat completions of OpenAI (https://platform.openai.com/docs/api-reference/chat), which most other servers speak too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.models.chat.dialects.base import (
    OWN_CALL_ID,
    Post,
    body_object,
    count,
    first_of,
    mapping,
    post,
    sent_parameters,
    string,
    tools_of,
)
from pytest_citecheck.models.chat.endpoint import ChatRequest, FinishReason, Message, Reply, ToolCall
from pytest_citecheck.sources import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.models.chat.endpoint import Endpoint

_FINISH: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}

# DeepSeek and OpenRouter want the reasoning back that led to a tool call.
_KEPT = ("reasoning_content", "reasoning_details")


class OpenAI:
    """``POST {base_url}/chat/completions``."""

    name = "openai"
    limit = "max_tokens"

    def post(self, endpoint: Endpoint, asked: ChatRequest) -> Post:
        body: dict[str, Any] = {
            **sent_parameters(endpoint, asked),
            "model": endpoint.model,
            "messages": [_message(message) for message in asked.messages],
        }
        if asked.tools:
            body["tools"] = [{"type": "function", "function": tool} for tool in tools_of(asked)]
        return post(endpoint, asked, "/chat/completions", "authorization", body)

    def reply(self, body: bytes) -> Reply:
        answer = body_object(body)
        choice = first_of(answer.get("choices"))
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise MalformedAnswerError("the answer has no message")
        calls = message.get("tool_calls")
        tool_calls = tuple(
            _call(position, call) for position, call in enumerate(calls if isinstance(calls, list) else ())
        )
        finish = _FINISH.get(string(choice.get("finish_reason")), "other")
        content, refusal = _text(message.get("content")), string(message.get("refusal"))
        usage = mapping(answer.get("usage"))
        return Reply(
            content or refusal,
            "content_filter" if refusal and not content else finish,
            tool_calls,
            count(usage.get("prompt_tokens")),
            count(usage.get("completion_tokens")),
            string(answer.get("model")),
            native={name: message[name] for name in _KEPT if tool_calls and message.get(name)},
        )


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        said["content"] = message.content or None
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        said |= {name: message.native[name] for name in _KEPT if name in message.native}
    if message.role == "tool":
        said["tool_call_id"] = message.tool_call_id
    return said


def _text(content: object) -> str:
    """The text of a content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(string(part) or string(mapping(part).get("text")) for part in content)
    return string(content)


def _call(position: int, call: object) -> ToolCall:
    stated = mapping(call)
    function = mapping(stated.get("function"))
    arguments = function.get("arguments")
    text = json.dumps(arguments) if isinstance(arguments, dict) else string(arguments)
    return ToolCall(string(stated.get("id")) or f"{OWN_CALL_ID}{position}", string(function.get("name")), text)


DIALECT = OpenAI()
