"""The protocol of a metric that a hook adds to the scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics.pairs import Pairs

__all__ = ["Metric", "MetricError", "further_scores"]


class Metric(Protocol):
    """One number that says how well predictions agree with labels.

    name: an identifier; reports and ``--citecheck-fail-under`` contain it. higher_is_better: how ``name=0.9`` is read there.
    """

    @property
    def name(self) -> str: ...

    @property
    def higher_is_better(self) -> bool: ...

    def compute(self, pairs: Pairs) -> float | None:
        """The value over labelled references with their predictions; None where it is undefined."""
        ...


class MetricError(Exception):
    """A metric from a hook failed; the text names it."""


def further_scores(metrics: Iterable[Metric], pairs: Pairs) -> dict[str, float | None]:
    """The value of each of these metrics by its name. Raises MetricError."""
    scores: dict[str, float | None] = {}
    for metric in metrics:
        try:
            value = metric.compute(pairs)
            scores[metric.name] = None if value is None else float(value)
        except Exception as error:
            raise MetricError(f"the metric {metric.name!r} failed: {type(error).__name__}: {error}") from error
    return scores
