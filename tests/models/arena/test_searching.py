"""Answers of models that may search."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.models import ModelAnswer
from pytest_citecheck.models.arena import ArenaConfiguration, ArenaQuery, cells_of, read_configuration, searched_answer
from pytest_citecheck.models.chat import ChatModels, ChatSettings, ConfigurationError
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

YAML = """
task: {description: d}
dataset: {path: q.json}
target_endpoints:
  one:
    base_url: BASE
    api_key: "${MODEL_KEY}"
    model: gpt-4o
    price: {prompt: 1000000, completion: 0, search: 0.5}
    tool_config: {enabled: true, TOOLS}
"""
ENVIRONMENT = {"MODEL_KEY": "sk-a1b2c3d4e5", "TAVILY_API_KEY": "tvly-f6g7h8i9"}


def read(tools: str, base: str = "http://127.0.0.1/v1", **environment: str) -> ArenaConfiguration:
    text = YAML.replace("TOOLS", tools).replace("BASE", base)
    return read_configuration(Path("arena.yaml"), text, environment or ENVIRONMENT)


def answer(local: ModelEndpoints, tools: str, settings: ChatSettings | None = None) -> ModelAnswer:
    configuration = read(tools, local.base_urls["openai"])
    (cell,) = cells_of(configuration.endpoints, [ArenaQuery(1, "graph nets", num_refs=1, language="en")])

    async def main() -> ModelAnswer:
        async with ChatModels([cell.endpoint], settings or ChatSettings()) as models:
            return await searched_answer(models["one"], cell, models.tools("one"), configuration.calls.timeout)

    return asyncio.run(main())


def script(call: Call) -> Said:
    said = [message for message in call.messages if message["role"] == "tool"]
    if not call.body.get("tools"):
        return Said("@misc{late, title={An answer without tools}}")
    wanted = (("web_search", '{"query": "graph nets"}'), ("rocket", "{}"))
    return Said("I found nothing.") if len(said) == 4 else Said(None, wanted)


def test_a_model_searches_and_its_searches_are_counted() -> None:
    with ModelEndpoints(script) as local:
        found = answer(local, f"search_url: {local.search_url}")
        assert found.text == "@misc{late, title={An answer without tools}}"
        assert (found.calls, found.searches, found.iterations, found.fallback) == (4, 2, 3, True)
        assert (found.prompt_tokens, found.completion_tokens, found.attempts) == (44, 28, 4)
        assert found.cost == pytest.approx(44 + 2 * 0.5)
        assert found.served_by == "gpt-4o-2026"


def test_a_replay_is_the_same_each_time(tmp_path: Path) -> None:
    with ModelEndpoints(script) as local:
        search = f"search_url: {local.search_url}"
        live = answer(local, search, ChatSettings(cassettes=tmp_path, record="new"))
        sent = len(local.calls)
        again = [answer(local, search, ChatSettings(cassettes=tmp_path, record="none")) for _ in range(2)]
        assert len(local.calls) == sent
        assert again == [replace(live, attempts=0, seconds=0.0)] * 2


@pytest.mark.parametrize("entry", ["@online{a, title={T}}", "@inbook{a, title={T}}", "@mastersthesis{a, title={T}}"])
def test_w22_an_answer_in_any_type_of_entry_needs_no_fallback(entry: str) -> None:
    with ModelEndpoints(lambda _: entry) as local:
        found = answer(local, f"search_url: {local.search_url}")
        assert (found.text, found.calls, found.fallback) == (entry, 1, False)


def test_w22_an_empty_answer_has_its_fallback() -> None:
    with ModelEndpoints(lambda call: Said(None) if call.body.get("tools") else Said("@misc{a, title={T}}")) as local:
        found = answer(local, f"search_url: {local.search_url}")
        assert (found.text, found.calls, found.fallback) == ("@misc{a, title={T}}", 2, True)


def test_a_call_that_fails_is_a_failed_answer() -> None:
    with ModelEndpoints(script) as local:
        local.fault("400", model="gpt-4o")
        found = answer(local, f"search_url: {local.search_url}")
        assert (found.text, found.failure, found.calls, found.attempts) == (None, "http-400", 0, 1)


def search_of(configuration: ArenaConfiguration) -> Any:
    endpoint = configuration.endpoints[0]
    assert endpoint.search is not None
    return endpoint


def test_the_key_of_tavily_comes_from_the_configuration_or_the_environment() -> None:
    stated = search_of(read("tavily_api_key: '${OTHER}'", MODEL_KEY="k-123456", OTHER="tvly-other-1"))
    assert stated.search.api_key == "tvly-other-1"
    found = search_of(read("search_depth: basic"))
    assert (found.search.api_key, found.search.depth) == ("tvly-f6g7h8i9", "basic")
    assert {"tvly-f6g7h8i9", "sk-a1b2c3d4e5"} <= found.all_secrets()
    for tools in ("search_depth: basic", "tavily_api_key: null", "tavily_api_key: '${TAVILY_API_KEY}'"):
        with pytest.raises(
            ConfigurationError, match="tavily_api_key: the environment variable TAVILY_API_KEY is not"
        ) as caught:
            read(tools, MODEL_KEY="k-123456")
        assert str(caught.value).count("TAVILY") == 1


@pytest.mark.parametrize("tools", ["provider: sources", "provider: json, search_url: http://h", "search_url: http://h"])
def test_other_searches_need_no_key(tools: str) -> None:
    assert search_of(read(tools, MODEL_KEY="k-123456")).search.api_key == ""


def test_a_json_search_needs_an_address() -> None:
    with pytest.raises(ConfigurationError, match=r"tool_config\.search_url: is required for the provider json"):
        read("provider: json")


def test_the_value_of_a_variable_in_a_prompt_is_no_secret() -> None:
    """It would be struck out of every answer."""
    text = (
        YAML.replace("TOOLS", "").replace("BASE", "http://h").replace("model:", "system_prompt: '${TOPIC}'\n    model:")
    )
    read_ = read_configuration(Path("arena.yaml"), text, {**ENVIRONMENT, "TOPIC": "attention"})
    assert read_.endpoints[0].system_prompt == "attention"
    assert "attention" not in search_of(read_).all_secrets()
