"""When recordings are saved while a run goes on: often enough to lose little, and seldom enough to cost little."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.transport.cassettes.cassette_file import CassetteError

if TYPE_CHECKING:
    from pytest_citecheck.transport.limits.pacer import Clock

__all__ = ["Saving"]

_INTERVAL = 5.0
"""Seconds between two savings, at least."""
_SHARE = 20.0
"""How many times longer than the last saving took."""


class Savable(Protocol):
    """What can be saved; raises CassetteError."""

    def save(self) -> None: ...


class Saving:
    """Saves recordings now and then. clock: seconds, monotonic."""

    def __init__(self, recordings: Callable[[], Iterable[Savable]], clock: Clock) -> None:
        self._recordings, self._clock = recordings, clock
        self._next = clock() + _INTERVAL

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return self._clock() >= self._next

    def save(self) -> None:
        """Save all of them. Raises CassetteError for the first that cannot be, when the others are."""
        start = self._clock()
        failure: CassetteError | None = None
        for recording in self._recordings():
            try:
                recording.save()
            except CassetteError as error:
                failure = failure or error
        end = self._clock()
        self._next = end + max(_INTERVAL, _SHARE * (end - start))
        if failure is not None:
            raise failure
