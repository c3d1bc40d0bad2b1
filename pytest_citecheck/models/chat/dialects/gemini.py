"""generateContent of Gemini (https://ai.google.dev/api/generate-content)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_citecheck.models.chat.dialects.base import (
    OWN_CALL_ID,
    Post,
    body_object,
    count,
    first_of,
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

_FINISH: Mapping[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
}

# All other parameters belong into generationConfig.
_OF_THE_REQUEST = frozenset({"safetySettings", "toolConfig", "cachedContent", "generationConfig", "tools", "labels"})


class Gemini:
    """``POST {base_url}/v1beta/models/{model}:generateContent``."""

    name = "gemini"
    limit = "maxOutputTokens"

    def post(self, endpoint: Endpoint, asked: ChatRequest) -> Post:
        given = sent_parameters(endpoint, asked)
        body: dict[str, Any] = {name: value for name, value in given.items() if name in _OF_THE_REQUEST}
        generation = {name: value for name, value in given.items() if name not in _OF_THE_REQUEST}
        if generation:
            body["generationConfig"] = {**mapping(body.get("generationConfig")), **generation}
        body["contents"] = _contents(asked.messages)
        system = [{"text": message.content} for message in asked.messages if message.role == "system"]
        if system:
            body["systemInstruction"] = {"parts": system}
        if asked.tools:
            body["tools"] = [{"functionDeclarations": tools_of(asked)}]
        model = endpoint.model.removeprefix("models/")
        return post(endpoint, asked, f"/v1beta/models/{model}:generateContent", "x-goog-api-key", body)

    def reply(self, body: bytes) -> Reply:
        answer = body_object(body)
        usage = mapping(answer.get("usageMetadata"))
        prompt = total((usage.get("promptTokenCount"), usage.get("toolUsePromptTokenCount")))
        written = total((usage.get("candidatesTokenCount"), usage.get("thoughtsTokenCount")))
        model = string(answer.get("modelVersion"))
        candidate = first_of(answer.get("candidates"))
        if not isinstance(candidate, dict):
            if mapping(answer.get("promptFeedback")).get("blockReason"):
                return Reply("", "content_filter", prompt_tokens=prompt, completion_tokens=count(written), model=model)
            raise MalformedAnswerError("the answer has no candidate")
        content = mapping(candidate.get("content"))
        listed = content.get("parts")
        parts = [mapping(part) for part in listed] if isinstance(listed, list) else []
        tool_calls = tuple(_call(position, part) for position, part in enumerate(parts) if "functionCall" in part)
        finish = _FINISH.get(string(candidate.get("finishReason")), "other")
        return Reply(
            "".join(string(part.get("text")) for part in parts if part.get("thought") is not True),
            "tool_calls" if tool_calls and finish == "stop" else finish,
            tool_calls,
            prompt,
            written,
            model,
            # With the signatures of its thoughts, without which Gemini 3 refuses the next turn.
            native={"content": content} if tool_calls else {},
        )


def _call(position: int, part: Mapping[str, Any]) -> ToolCall:
    call = mapping(part.get("functionCall"))
    arguments = json.dumps(mapping(call.get("args")), ensure_ascii=False)
    return ToolCall(string(call.get("id")) or f"{OWN_CALL_ID}{position}", string(call.get("name")), arguments)


def _contents(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Conversation without system messages; results of tools that were called together share one content."""
    contents: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role == "system":
            continue
        names |= {call.id: call.name for call in message.tool_calls}
        native = message.native.get("content")
        if isinstance(native, dict):
            contents.append({**native, "role": "model"})
            continue
        role = "model" if message.role == "assistant" else "user"
        if contents and contents[-1]["role"] == role and role == "user":
            contents[-1]["parts"] += _parts(message, names)
        else:
            contents.append({"role": role, "parts": _parts(message, names)})
    return contents


def _parts(message: Message, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if message.role == "tool":
        result: dict[str, Any] = {"name": names.get(message.tool_call_id, ""), "response": {"result": message.content}}
        if not message.tool_call_id.startswith(OWN_CALL_ID):
            result["id"] = message.tool_call_id
        return [{"functionResponse": result}]
    calls = [{"functionCall": {"name": call.name, "args": json_object(call.arguments)}} for call in message.tool_calls]
    return [{"text": message.content}, *calls] if message.content or not calls else list(calls)


DIALECT = Gemini()
