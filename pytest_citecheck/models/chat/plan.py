"""Forecast of the calls of a run: number, tokens, cost and time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.models.chat.dialects.base import answer_limit
from pytest_citecheck.models.chat.endpoint import ChatRequest
from pytest_citecheck.models.chat.spending import LARGEST_ANSWER, bound

if TYPE_CHECKING:
    from pytest_citecheck.models.chat.endpoint import Endpoint
    from pytest_citecheck.models.chat.spending import Price

_CHARACTERS = 4  # of a token, in English
_TOKENS_A_SECOND = 50.0  # that a hosted model writes
_FIRST_TOKEN = 1.0  # seconds until it begins

# A model with a search asks about three times before it answers, and reads its results again with each call.
_CALLS_WITH_SEARCH = 3
_TOKENS_OF_RESULTS = 1_000


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """The calls to one model. dollars, most: as expected and at most, without retries; None if its price is unknown."""

    model: str
    calls: int
    tokens: int
    dollars: float | None
    most: float | None
    seconds: float


def model_plan(endpoint: Endpoint, price: Price | None, asked: Sequence[tuple[str, int]], iterations: int) -> ModelPlan:
    """The plan for one endpoint.

    asked: the prompt of each answer, and the tokens that are expected of it. iterations: calls for one answer at most.
    """
    calls = min(_CALLS_WITH_SEARCH, iterations)
    read = sum(calls * len(prompt) // _CHARACTERS + sum(range(calls)) * _TOKENS_OF_RESULTS for prompt, _ in asked)
    written = sum(tokens for _, tokens in asked)
    largest = answer_limit(endpoint, ChatRequest(())) or LARGEST_ANSWER
    bounds = [bound(prompt.encode("utf-8", "replace"), largest, price) for prompt, _ in asked]
    most = None if price is None or None in bounds else sum(cap.nanos for cap in bounds if cap is not None) / 1e9
    seconds = written / _TOKENS_A_SECOND + len(asked) * calls * _FIRST_TOKEN
    at_once = min(endpoint.concurrency, max(1, len(asked)))
    paced = len(asked) * calls / endpoint.rate if endpoint.rate else 0.0
    return ModelPlan(
        endpoint.name,
        len(asked) * calls,
        read + written,
        None if price is None else (read * price.input + written * price.output) / 1_000_000,
        None if most is None else most * iterations,
        max(math.ceil(seconds / at_once), paced),
    )
