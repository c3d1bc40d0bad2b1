"""User configuration of endpoints, limits and prices, and the messages about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from pytest_citecheck.models.chat import PRICES, ChatModels, ChatSettings, Endpoint, Reply, SpendingLimits
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
    "wrong",
    [
        {"base_url": "example.org"},
        {"base_url": "http://["},
        {"model": ""},
        {"api": "other"},
        {"api_key": "a\nb"},
        {"concurrency": 0},
        {"concurrency": 101},
        {"rate": 0.0},
        {"timeout": 0.0},
        {"attempts": 0},
        {"parameters": {"seed": float("inf")}},
        {"parameters": {"extra_headers": [1]}},
    ],
)
def test_an_endpoint_that_cannot_work_is_an_error(wrong: dict[str, object]) -> None:
    given = {"name": "e", "base_url": "https://h", "model": "m", "api_key": KEY, **wrong}
    with pytest.raises(ValueError, match="endpoint e: ") as caught:
        Endpoint(**given).check()  # type: ignore[arg-type]
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


def test_names_are_unique() -> None:
    one = Endpoint("e", "https://h", "m")
    with pytest.raises(ValueError, match="two endpoints have the name 'e'"):
        ChatModels([one, one], ChatSettings())


def test_the_prices_lie_in_the_package() -> None:
    assert PRICES.is_file()
