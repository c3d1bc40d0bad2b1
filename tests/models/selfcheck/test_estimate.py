"""Cost estimate of a run, from the published means."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.chat import Endpoint, Price
from pytest_citecheck.models.selfcheck import Method, Options, estimate

ENDPOINT = Endpoint("gpt", "https://llm.test/v1", "gpt-4", "key", concurrency=5)
GPT_4 = Price("gpt-4", 30.0, 60.0, "2023-03-14", "OpenAI")


def test_q12_the_estimate_is_that_of_the_published_means() -> None:
    found = estimate(1000, ("iq", "dq1", "dq2", "dq3"), Options(engine="lm"), ENDPOINT, GPT_4)
    assert found.calls == 36_000
    assert found.tokens == 2_160_100
    assert (found.model, found.seconds) == ("gpt", 36_000 * 2 / 5)
    assert found.most == pytest.approx(57.309 + 14.988)
    only: tuple[Method, ...] = ("iq",)
    local = estimate(1000, only, Options(), ENDPOINT, GPT_4)
    assert (local.calls, local.tokens) == (3000, 291_750)  # half of the calls


def test_fewer_samples_take_less_and_no_price_is_no_cost() -> None:
    few = estimate(10, ("dq1", "year"), Options(direct=5, indirect=2), ENDPOINT, None)
    assert (few.calls, few.most) == (70, None)
    assert few.tokens == round(10 * (221.2 + 67.2) / 2 + 10 * (443.4 + 140.1) / 3)
