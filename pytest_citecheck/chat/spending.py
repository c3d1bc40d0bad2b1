"""What the calls of a run take, and when it is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_citecheck.chat.prices import Price
    from pytest_citecheck.chat.protocol import ChatRequest, Reply

__all__ = ["Spending", "SpendingLimits"]

# Where an endpoint counts no tokens, its share of the limit is an estimate: English has four characters a token, Chinese one.
_CHARACTERS = 3


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The most that a run may take; None: no limit. calls: each counts once, however often it is retried.

    Calls under way when a limit is reached are finished. Raises ValueError for a limit below 0.
    """

    dollars: float | None = None
    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("dollars", "calls", "tokens"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:
                raise ValueError(f"the limit of {name} must be at least 0")


class Spending:
    """The account of one run, over all endpoints."""

    def __init__(self, limits: SpendingLimits) -> None:
        self._limits = limits
        self.calls = 0
        self.tokens = 0
        self.dollars = 0.0

    def admit(self) -> str:
        """Count one more call; or say why there is none."""
        for name in ("calls", "tokens", "dollars"):
            limit, spent = getattr(self._limits, name), getattr(self, name)
            if limit is not None and spent >= limit:
                amount = f"${limit:g}" if name == "dollars" else f"{limit:,} {name}"
                return f"the limit of {amount} for this run is reached"
        self.calls += 1
        return ""

    def add(self, asked: ChatRequest, reply: Reply, price: Price | None) -> None:
        """Count what a reply took. price: of the model, for replies that state no tokens."""
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        if prompt is None:
            prompt = sum(len(message.content) for message in asked.messages) // _CHARACTERS
        if completion is None:
            completion = (len(reply.content) + len(reply.reasoning)) // _CHARACTERS
        self.tokens += prompt + completion
        if reply.cost is not None:
            self.dollars += reply.cost
        elif price is not None:
            self.dollars += replace(price, largest_prompt=math.inf).cost(prompt, completion) or 0.0
