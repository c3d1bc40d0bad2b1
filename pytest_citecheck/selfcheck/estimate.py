"""What a run of self-checks will take, before it starts.

The means are those that were published for GPT-4; questions for year and venue are taken to be like that for authors.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.selfcheck.subject import DIRECT

if TYPE_CHECKING:
    from pytest_citecheck.chat.prices import Price
    from pytest_citecheck.selfcheck.subject import Method, Options

__all__ = ["USAGE", "Estimate", "Usage", "estimate", "read_usage"]

USAGE = Path(__file__).parent / "data" / "usage.toml"


@dataclass(frozen=True, slots=True)
class Usage:
    """Mean tokens of all calls about one reference."""

    prompt: float
    completion: float
    calls: int

    def cost(self, price: Price) -> float:
        """In US dollars."""
        return (self.prompt * price.input + self.completion * price.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """At most, for all references. cost: in US dollars; None if the price is unknown."""

    calls: int
    tokens: int
    cost: float | None


def read_usage(path: Path = USAGE) -> dict[str, Usage]:
    """The means by method."""
    stated = tomllib.loads(path.read_text(encoding="utf-8"))["methods"]
    return {
        name: Usage(float(row["prompt"]), float(row["completion"]), int(row["calls"])) for name, row in stated.items()
    }


def estimate(references: int, methods: Collection[Method], options: Options, price: Price | None) -> Estimate:
    """What asking about so many references takes at most: adaptive sampling asks less."""
    usage = read_usage()
    calls, prompt, completion = 0, 0.0, 0.0
    for method in methods:
        mean = usage.get(method, usage["iq"])
        if method in DIRECT:
            wanted = options.direct
        else:
            judged = options.indirect * (options.indirect - 1) // 2 if options.engine == "lm" and method == "iq" else 0
            wanted = options.indirect + judged
        calls += references * wanted
        prompt += references * mean.prompt * wanted / mean.calls
        completion += references * mean.completion * wanted / mean.calls
    cost = None if price is None else Usage(prompt, completion, calls).cost(price)
    return Estimate(calls, round(prompt + completion), cost)
