"""Which failures are worth another round of questions, and which of two says more."""

from __future__ import annotations

from pytest_citecheck.model import Answer, Asked, Unavailable
from pytest_citecheck.transport.limits.retry import RETRIED_STATUSES

__all__ = ["is_overload", "is_passing", "more_telling"]

_PASSING = frozenset({"timeout", "connection", "malformed", "not-asked", "unwitnessed"})


def is_passing(answer: Answer) -> bool:
    """Whether this is a failure that may be gone when all else has been asked."""
    return isinstance(answer, Unavailable) and (
        answer.reason in _PASSING or answer.reason in {f"http-{status}" for status in RETRIED_STATUSES}
    )


def is_overload(asked: Asked) -> bool:
    """Whether this is what a service does that has more to answer than it can."""
    return isinstance(asked.answer, Unavailable) and asked.answer.reason in {"http-429", "timeout"}


def more_telling(answer: Asked, earlier: Asked | None) -> Asked:
    """The answer, or the earlier failure if the question has now been turned away without being asked."""
    turned_away = isinstance(answer.answer, Unavailable) and answer.answer.reason == "breaker"
    return earlier if turned_away and earlier is not None else answer
