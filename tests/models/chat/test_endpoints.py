"""User configuration of endpoints, limits and prices, and the messages about it."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.models.chat import (
    DIALECTS,
    PRICES,
    ChatModels,
    ChatSettings,
    Endpoint,
    Reply,
    SpendingLimits,
    read_chat_endpoints,
)
from tests.stand_ins.model_endpoints import ModelEndpoints, Said
from tests.support.chat_support import KEY, QUESTION, ask, endpoint


def test_a_limit_of_money_needs_a_price() -> None:
    one = Endpoint("local", "http://h", "llama-3")
    with pytest.raises(ValueError, match="endpoint local: the spending limit needs a price"):
        ChatModels([one], ChatSettings(limits=SpendingLimits(dollars=1)))
    ChatModels([replace(one, token_prices=(0.0, 0.0))], ChatSettings(limits=SpendingLimits(dollars=1)))


def test_a_cost_is_unknown_where_price_or_tokens_are() -> None:
    with ModelEndpoints(lambda call: Said(tokens=None) if call.model == "gpt-4o" else Said()) as local:
        for model in ("gpt-4o", "unheard-of"):
            (said,) = ask(endpoint(local, model=model))
            assert isinstance(said, Reply)
            assert said.cost is None


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ("base_url: example.org", "endpoint e: base_url"),
        ("base_url: 'http://['", "endpoint e: base_url"),
        ("model: ''", "e.model: is empty"),
        ("api: other", f"e.api: must be one of {', '.join(DIALECTS)}, not 'other'"),
        (r'api_key: "${KEY}a\nb"', "endpoint e: api_key"),
        ("max_concurrency: 0", "e.max_concurrency: must be a whole number from 1 to 100"),
        ("max_concurrency: 101", "e.max_concurrency: must be a whole number from 1 to 100"),
        ("rate: 0.0", "e.rate: must be a number from 0.001"),
        ("extra_params: {seed: .inf}", "endpoint e: extra_params"),
        ("extra_params: {extra_headers: [1]}", "endpoint e: extra_params.extra_headers"),
        ("tool_config: {enabled: true, provider: json}", "e.tool_config.search_url: is required for the provider json"),
        ("{}\nevaluation: {timeout: 0}", "evaluation.timeout: must be a number from 0.001"),
        ("{}\nevaluation: {retry_times: 0}", "evaluation.retry_times: must be a whole number from 1 upwards"),
    ],
)
def test_an_endpoint_that_cannot_work_is_an_error(wrong: str, place: str, tmp_path: Path) -> None:
    stated = {"base_url": "https://h", "model": "m", "api_key": "${KEY}"}
    name, _, rest = wrong.partition("\n")
    key, _, value = name.partition(": ")
    lines = [f"    {key}: {value}" for key, value in {**stated, **({key: value} if value else {})}.items()]
    text = "\n".join(["target_endpoints:", "  e:", *lines, rest])
    with pytest.raises(ValueError, match=re.escape(place)) as caught:
        read_chat_endpoints(tmp_path / "models.yaml", text, {"KEY": KEY}, secrets=True)
    assert KEY not in str(caught.value)


def test_what_a_parameter_names_as_a_key_is_a_secret_and_nothing_else() -> None:
    headers = {"Authorization": "Bearer aaaaaa", "X-Api-Key": "bbbbbb", "X-Title": "cccccc"}
    parameters = {
        "extra_headers": headers,
        "extra_body": {"accessToken": "dddddd", "max_tokens": 100_000},
        "keywords": "e",
    }
    one = Endpoint("e", "https://h", "m", "ollama", parameters=parameters, secrets=frozenset({"ffffff"}))
    assert one.all_secrets() - {""} == {"Bearer aaaaaa", "aaaaaa", "bbbbbb", "dddddd", "ffffff"}


def test_notes_name_what_is_not_sent() -> None:
    one = Endpoint("e", "https://h", "m", parameters={"stream": True, "temperature": 1})
    assert ChatModels([one], ChatSettings()).notes == (
        "endpoint e: the parameter stream is not sent: answers are not streamed",
    )


def test_an_endpoint_that_is_called_no_more_is_noted() -> None:
    async def main(one: Endpoint) -> tuple[str, ...]:
        async with ChatModels([one], ChatSettings()) as models:
            await models[one.name].ask(QUESTION)
            return models.notes

    with ModelEndpoints() as local:
        local.fault("401")
        detail = "HTTP status 401: Incorrect API key provided"
        assert asyncio.run(main(endpoint(local))) == (f"endpoint openai: no longer called in this run: {detail}",)


def test_the_prices_lie_in_the_package() -> None:
    assert PRICES.is_file()
