"""What calls of models cost."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.chat.endpoint import Endpoint

__all__ = ["PRICES", "Price", "Prices"]

PRICES = Path(__file__).parent / "data" / "prices.toml"
"""The prices that come with the package."""

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """One row: US dollars for a million tokens.

    models: a pattern of names (`fnmatch`), in lower case. largest_prompt: tokens of a prompt up to which the price holds. date:
    since when it is known. source: who states it.
    """

    models: str
    input: float
    output: float
    date: str
    source: str
    largest_prompt: float = math.inf

    def cost(self, prompt: int, completion: int) -> float | None:
        """The cost of a call in US dollars; None if the price does not hold for it."""
        if prompt > self.largest_prompt:
            return None
        return (prompt * self.input + completion * self.output) / _MILLION


class Prices:
    """The rows of a file; of several that fit a name the first counts."""

    def __init__(self, rows: Iterable[Price]) -> None:
        self.rows = tuple(rows)
        self._found: dict[str, Price | None] = {}

    @classmethod
    def read(cls, path: Path = PRICES) -> Prices:
        """The prices in a file. Raises OSError, and ValueError for one that is no list of prices."""
        try:
            stated = tomllib.loads(path.read_text(encoding="utf-8")).get("price", [])
            return cls([_price(row) for row in stated])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"missing {error}" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{path}: not a list of prices ({reason})") from error

    def price(self, model: str) -> Price | None:
        """The price of a model; None if it is not known."""
        if model not in self._found:
            name = model.lower()
            self._found[model] = next((row for row in self.rows if fnmatchcase(name, row.models)), None)
        return self._found[model]

    def of(self, endpoint: Endpoint, served: str = "") -> Price | None:
        """The price of the model behind an endpoint: its own, that of the model's name, or that of the model served."""
        if endpoint.token_prices is not None:
            return Price(endpoint.model, *endpoint.token_prices, date="", source="configuration")
        return self.price(endpoint.model) or self.price(served)


def _price(row: dict[str, Any]) -> Price:
    price = Price(
        str(row["models"]).lower(),
        float(row["input"]),
        float(row["output"]),
        str(row["date"]),
        str(row["source"]),
        float(row.get("largest_prompt", math.inf)),
    )
    if not (0 <= price.input < math.inf and 0 <= price.output < math.inf):
        raise ValueError(f"the price of {price.models} is not a number from 0")
    return price
