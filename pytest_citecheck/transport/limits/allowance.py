"""What may be spent on a service today, in US dollars: counted here, and corrected by what the service says is left."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Allowance"]


class Allowance:
    """``dollars`` at the beginning; infinite for a service that costs nothing."""

    def __init__(self, dollars: float = math.inf) -> None:
        self.left = dollars

    def take(self, cost: float) -> bool:
        """Whether a request of this price may be sent; it counts as sent then."""
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def note(self, headers: Mapping[str, str]) -> None:
        """Take up what is left for all runs of this address or key, as ``x-ratelimit-remaining-usd`` says."""
        try:
            stated = float(headers.get("x-ratelimit-remaining-usd", ""))
        except ValueError:
            return
        if math.isfinite(stated):
            self.left = min(self.left, stated)
