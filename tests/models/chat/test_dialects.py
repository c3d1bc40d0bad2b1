"""Requests and response parsing of each API, for any form of response."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest

from pytest_citecheck.models.chat import DIALECTS, ChatRequest, Endpoint, Message, Post, Reply, ToolCall, ToolSpec
from pytest_citecheck.sources import MalformedAnswerError
from tests.support.mistyped_json import mistyped

SEARCH = ToolSpec("web_search", "Searches.", {"type": "object", "properties": {"query": {"type": "string"}}})
CALLED = ToolCall("call_0", "web_search", '{"query": "x"}')
CONVERSATION = (
    Message("system", "Be brief."),
    Message("user", "Find x."),
    Message("assistant", "", (CALLED, ToolCall("call_1", "web_search", "not JSON"))),
    Message("tool", "found", tool_call_id="call_0"),
    Message("tool", "nothing", tool_call_id="call_1"),
)


def posted(api: str, asked: ChatRequest, base_url: str = "https://api.example.org", **given: Any) -> Post:
    endpoint = Endpoint("e", base_url, "m-1", "sk-secret", api, **given)
    return DIALECTS[api].post(endpoint, asked)


def body(post: Post) -> Any:
    return json.loads(post.body)


def read(api: str, answer: object) -> Reply:
    return DIALECTS[api].reply(json.dumps(answer).encode())


def test_every_api_that_a_configuration_may_name_is_there() -> None:
    assert {"anthropic", "gemini", "openai"} <= DIALECTS.keys()
    for api in DIALECTS:
        assert Endpoint("e", "https://h.example", "m", api=api).api == api


def test_openai_is_sent_the_conversation_and_nothing_that_was_not_asked_for() -> None:
    post = posted("openai", ChatRequest(CONVERSATION, (SEARCH,)), parameters={"temperature": 0, "top_k": 7})
    assert post.url == "https://api.example.org/chat/completions"
    assert post.headers == {"authorization": "Bearer sk-secret"}
    sent = body(post)
    assert sent.keys() == {"model", "messages", "tools", "temperature", "top_k"}
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert sent["messages"][2]["content"] is None
    assert [call["function"]["arguments"] for call in sent["messages"][2]["tool_calls"]] == [
        '{"query": "x"}',
        "not JSON",
    ]
    assert sent["messages"][4]["tool_call_id"] == "call_1"
    assert sent["tools"][0]["function"]["name"] == "web_search"


def test_anthropic_gets_one_message_for_the_results_of_all_tools() -> None:
    post = posted("anthropic", ChatRequest(CONVERSATION, (SEARCH,)))
    assert (post.url, post.headers["x-api-key"]) == ("https://api.example.org/v1/messages", "sk-secret")
    sent = body(post)
    assert sent["system"] == "Be brief."
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert [block["input"] for block in sent["messages"][1]["content"]] == [{"query": "x"}, {}]
    assert [block["tool_use_id"] for block in sent["messages"][2]["content"]] == ["call_0", "call_1"]
    assert sent["max_tokens"] > 0  # the API demands one
    assert body(posted("anthropic", ChatRequest(CONVERSATION), parameters={"max_tokens": 5}))["max_tokens"] == 5


def test_gemini_gets_parameters_where_it_expects_them() -> None:
    post = posted("gemini", ChatRequest(CONVERSATION, (SEARCH,)), parameters={"temperature": 0, "safetySettings": []})
    assert post.url == "https://api.example.org/v1beta/models/m-1:generateContent"
    assert post.headers == {"x-goog-api-key": "sk-secret"}
    sent = body(post)
    assert (sent["generationConfig"], sent["safetySettings"]) == ({"temperature": 0}, [])
    assert [content["role"] for content in sent["contents"]] == ["user", "model", "user"]
    assert [part["functionResponse"]["name"] for part in sent["contents"][2]["parts"]] == ["web_search", "web_search"]
    assert sent["systemInstruction"]["parts"][0]["text"] == "Be brief."


@pytest.mark.parametrize(
    ("api", "base_url", "url"),
    [
        ("openai", "https://h/v1", "https://h/v1/chat/completions"),
        ("openai", "https://h/v1/", "https://h/v1/chat/completions"),
        ("openai", "https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("openai", "https://h/d/m?api-version=1", "https://h/d/m/chat/completions?api-version=1"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
        ("gemini", "https://h/v1beta", "https://h/v1beta/models/m-1:generateContent"),
    ],
)
def test_a_base_url_may_end_in_several_ways(api: str, base_url: str, url: str) -> None:
    assert posted(api, ChatRequest(CONVERSATION), base_url).url == url


def test_parameters_of_the_client_of_openai_go_where_it_sends_them() -> None:
    extra = {"extra_body": {"enable_thinking": False}, "extra_headers": {"X-A": "1"}, "extra_query": {"v": "2"}}
    post = posted("openai", ChatRequest(CONVERSATION, parameters={"seed": 1}), parameters={**extra, "stream": True})
    assert post.url.endswith("/chat/completions?v=2")
    assert post.headers["x-a"] == "1"
    sent = body(post)
    assert (sent["enable_thinking"], sent["seed"]) == (False, 1)
    assert not {"stream", *extra} & sent.keys()


OPENAI = {
    "model": "m-2",
    "choices": [{"message": {"content": "text", "reasoning_content": "because"}, "finish_reason": "length"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
}
ANTHROPIC = {
    "model": "m-2",
    "content": [{"type": "thinking", "thinking": "because"}, {"type": "text", "text": "text"}],
    "stop_reason": "max_tokens",
    "usage": {"input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens": 4},
}
GEMINI = {
    "modelVersion": "m-2",
    "candidates": [
        {"content": {"parts": [{"text": "because", "thought": True}, {"text": "text"}]}, "finishReason": "MAX_TOKENS"}
    ],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "thoughtsTokenCount": 3},
}
ANSWERS: dict[str, Any] = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GEMINI}
"""A documented answer of each API; all of them say the same."""


@pytest.mark.parametrize("api", DIALECTS)
def test_an_answer_is_read_alike(api: str) -> None:
    expected = Reply("text", "length", prompt_tokens=3, completion_tokens=4, model="m-2")
    assert read(api, ANSWERS[api]) == expected


@pytest.mark.parametrize(
    ("message", "finish", "content", "reason"),
    [
        ({"content": None}, "stop", "", "stop"),
        ({}, None, "", "other"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "stop", "ab", "stop"),
        ({"content": None, "refusal": "I cannot."}, "stop", "I cannot.", "content_filter"),
        ({"content": "half \ud83d"}, "stop", "half ", "stop"),
        ({"content": None}, "content_filter", "", "content_filter"),
    ],
)
def test_content_is_never_none(message: object, finish: str | None, content: str, reason: str) -> None:
    reply = read("openai", {"choices": [{"message": message, "finish_reason": finish}]})
    assert (reply.content, reply.finish_reason) == (content, reason)


def test_a_prompt_that_gemini_blocks_is_an_answer() -> None:
    assert read("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}).finish_reason == "content_filter"


# A documented call of a tool in each API. The part with "kept" must go back to the provider: its reasoning, or else the id.
CALLS: dict[str, Any] = {
    "openai": {
        "choices": [
            {
                "message": {
                    "content": None,
                    "reasoning_content": "kept",
                    "tool_calls": [{"id": "1", "function": {"name": "web_search", "arguments": '{"query": "x"}'}}],
                },
                "finish_reason": "tool_calls",
            }
        ]
    },
    "anthropic": {
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "kept"},
            {"type": "tool_use", "id": "1", "name": "web_search", "input": {"query": "x"}},
        ],
        "stop_reason": "tool_use",
    },
    "gemini": {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"functionCall": {"name": "web_search", "args": {"query": "x"}}, "thoughtSignature": "kept"}
                    ]
                },
                "finishReason": "STOP",
            }
        ]
    },
}


@pytest.mark.parametrize("api", DIALECTS)
def test_the_call_of_a_tool_goes_back_as_it_came(api: str) -> None:
    """Providers require it to contain thought signatures, or the reasoning itself."""
    reply = read(api, CALLS[api])
    (call,) = reply.tool_calls
    assert (reply.finish_reason, call.name, json.loads(call.arguments)) == ("tool_calls", "web_search", {"query": "x"})
    result = Message("tool", "found", tool_call_id=call.id)
    sent = posted(api, ChatRequest((Message("user", "q"), reply.message, result), (SEARCH,))).body.decode()
    assert '"kept"' in sent
    assert "citecheck-call" not in sent


@pytest.mark.parametrize("api", DIALECTS)
def test_an_answer_of_other_types_is_malformed_or_read_in_part(api: str) -> None:
    for answer in (ANSWERS[api], CALLS[api]):
        for seed in range(200):
            try:
                reply = DIALECTS[api].reply(mistyped(answer, seed).encode())
            except MalformedAnswerError:
                continue
            assert isinstance(reply.content, str)
            assert all(isinstance(number, int | None) for number in (reply.prompt_tokens, reply.completion_tokens))
            # What was read can be said again, or is no JSON (infinity): that is a failure of the next call.
            with contextlib.suppress(ValueError):
                posted(api, ChatRequest((reply.message,)))
