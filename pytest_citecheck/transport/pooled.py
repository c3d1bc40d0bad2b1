"""Asks a service that counts some requests apart: each goes through the lane of its pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_citecheck.model import Asked, Question
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.delivery import Delivery

__all__ = ["PooledDelivery"]


class PooledDelivery:
    """One `Delivery` a pool, under its name; that without a name is the one for all other requests."""

    def __init__(self, source: Source, deliveries: Mapping[str, Delivery]) -> None:
        self._source = source
        self._deliveries = deliveries

    @property
    def concurrency(self) -> int:
        """How many batches may be under way at the same time."""
        return max(delivery.concurrency for delivery in self._deliveries.values())

    @property
    def given_up(self) -> bool:
        """Whether the service is not asked any more."""
        return all(delivery.given_up for delivery in self._deliveries.values())

    async def deliver(self, questions: Sequence[Question]) -> dict[Question, Asked]:
        """The answer to each question of a batch, which is of one pool. Raises nothing but cancellation."""
        return await self._deliveries[self._source.pool(questions[0])].deliver(questions)
