"""Prices, costs, and the limits of a run."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from pytest_citecheck.models.chat import (
    Amount,
    ConfigurationError,
    Document,
    Endpoint,
    Prices,
    SpendingLimits,
    read_call_options,
)

PRICES = Prices.read()


def cost(model: str, prompt: int, completion: int) -> float | None:
    price = PRICES.price(model)
    return price.cost(prompt, completion) if price else None


def test_the_cost_of_a_call_is_that_of_its_tokens() -> None:
    assert cost("gpt-4o-mini", 1_000_000, 100_000) == pytest.approx(0.15 + 0.06)
    assert cost("Claude-Sonnet-4-5-20250929", 1_000, 1_000) == pytest.approx(0.018)


@pytest.mark.parametrize("model", ["gpt-4o-audio-preview", "openai/gpt-4o", "llama-3", "gpt-5-pro", ""])
def test_a_model_that_the_table_does_not_name_has_no_price(model: str) -> None:
    assert PRICES.price(model) is None


def test_a_price_does_not_hold_beyond_its_longest_prompt() -> None:
    assert cost("gemini-2.5-pro", 200_000, 0) == pytest.approx(0.25)
    assert cost("gemini-2.5-pro", 200_001, 0) is None


def test_every_row_has_a_date_and_a_source() -> None:
    assert all(date.fromisoformat(row.date) and row.source for row in PRICES.rows)
    assert all(PRICES.price(row.models.replace("*", "-x")) is row for row in PRICES.rows)


def test_the_price_of_a_configuration_comes_before_the_table() -> None:
    endpoint = Endpoint("e", "https://h", "gpt-4o", token_prices=(1.0, 2.0))
    price = PRICES.of(endpoint)
    assert price is not None
    assert price.cost(1_000_000, 1_000_000) == 3.0


def test_the_model_served_has_a_price_where_the_one_configured_has_none() -> None:
    assert PRICES.of(Endpoint("e", "https://h", "my-deployment"), "gpt-4o-mini") is PRICES.price("gpt-4o-mini")


@pytest.mark.parametrize(
    "text",
    ["[[price]]\nmodels = 'x'", "[[price]]\nmodels='x'\ninput=-1\noutput=1\ndate='d'\nsource='s'", "price = 5", "[["],
)
def test_a_file_that_is_no_list_of_prices_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"prices\.toml: not a list of prices"):
        Prices.read(file)


@pytest.mark.parametrize("limits", [{"dollars": -1.0}, {"calls": -1}, {"tokens": -1}, {"dollars": float("nan")}])
def test_a_limit_below_zero_is_an_error(limits: dict[str, float], tmp_path: Path) -> None:
    text = f"evaluation: {{budget: {json.dumps(limits).replace('NaN', '.nan')}}}"
    document = Document("models.yaml", text, {})
    read_call_options(document.root.section("evaluation"), tmp_path)
    with pytest.raises(ConfigurationError, match=r"number from 0 upwards"):
        document.finish()


def test_a_limit_of_zero_allows_nothing() -> None:
    assert SpendingLimits(tokens=0).exceeded(Amount(calls=1, tokens=1, nanos=0)) == "tokens"
