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


class Prices:
    """The rows of a file; of several that fit a name the first counts."""

    def __init__(self, rows: Iterable[Price]) -> None:
        self.rows = tuple(rows)

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
        name = model.lower()
        return next((row for row in self.rows if fnmatchcase(name, row.models)), None)

    def cost(self, models: Iterable[str], prompt: int | None, completion: int | None) -> float | None:
        """The cost of a call in US dollars, for the first of these names that has a price; None if it is not known."""
        price = next(filter(None, map(self.price, models)), None)
        if price is None or prompt is None or completion is None or prompt > price.largest_prompt:
            return None
        return (prompt * price.input + completion * price.output) / _MILLION


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
