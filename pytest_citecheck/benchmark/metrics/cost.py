"""What predictions cost: seconds of the wall clock and calls to services, over the predictions about entries of the split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_citecheck.benchmark.metrics.pairs import Pairs

__all__ = ["Cost", "cost", "percentile"]

_FALLBACK = "[Error fallback]"  # begins the reason of a prediction that stands for a failed request


@dataclass(frozen=True, slots=True)
class Cost:
    """entries_per_second: None if no time was stated. fallbacks: predictions that stand for a failed request."""

    total_seconds: float
    entries_per_second: float | None
    mean_api_calls: float | None
    mean_seconds: float | None
    median_seconds: float | None
    p95_seconds: float | None
    fallbacks: int


def percentile(values: Sequence[float], share: float) -> float | None:
    """By linear interpolation at position share * (n - 1) of the sorted values; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def cost(pairs: Pairs) -> Cost:
    """Add up. All of it is None or 0 without predictions."""
    answers = [answer for _, answer in pairs.answered()]
    seconds = [answer.seconds for answer in answers]
    total, count = math.fsum(seconds), len(answers)
    return Cost(
        total_seconds=total,
        entries_per_second=count / total if total else None,
        mean_api_calls=sum(answer.calls for answer in answers) / count if count else None,
        mean_seconds=total / count if count else None,
        median_seconds=percentile(seconds, 0.5),
        p95_seconds=percentile(seconds, 0.95),
        fallbacks=sum(answer.reason.startswith(_FALLBACK) for answer in answers),
    )
