"""Stops asking a host that does not answer, and tries it again now and then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_citecheck.transport.limits.pacer import Clock

__all__ = ["FAILURES_IN_A_ROW", "Breaker"]

FAILURES_IN_A_ROW = 3

_FIRST_COOL_DOWN = 30.0
_LONGEST_COOL_DOWN = 300.0


class Breaker:
    """Opens after `FAILURES_IN_A_ROW`, or at once and for good; ``cause`` says why, ``offline`` whether that is what
    it looks like without a network.

    One that opened for failures lets a single probe through after 30 seconds: its success closes the breaker, its
    failure doubles the time until the next (5 minutes at most). No task waits for that: all others are refused.
    ``clock`` counts seconds and never goes back. (M. Nygard, *Release It!*, 2nd edition, 2018, "Circuit Breaker".)
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.cause = ""
        self.offline = False
        self._clock = clock
        self._failures = 0
        self._for_good = False
        self._probing = False
        self._cool_down = _FIRST_COOL_DOWN
        self._next_probe = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the host counts as one that does not answer; during a probe it still does."""
        return bool(self.cause)

    def allows(self) -> bool:
        """Whether a task may ask now. Each True of an open breaker is one probe: ask, and report how it went."""
        if not self.is_open:
            return True
        if self._for_good or self._clock() < self._next_probe:
            return False
        self._probing = True
        # A probe that is interrupted never reports: the next one must not wait for it.
        self._next_probe = self._clock() + self._cool_down
        return True

    def succeeded(self) -> None:
        """Count a success; that of a probe closes the breaker."""
        if self._for_good or (self.is_open and not self._probing):
            return
        self.cause = ""
        self._failures = 0
        self._probing = False
        self._cool_down = _FIRST_COOL_DOWN

    def failed(self, cause: str) -> None:
        """Count a failure; the third in a row opens the breaker, that of a probe keeps it open for longer."""
        if self._for_good or (self.is_open and not self._probing):
            return  # it had been sent before the breaker opened, and says nothing new
        self._failures += 1
        if self._failures < FAILURES_IN_A_ROW:
            return
        if self._probing:
            self._cool_down = min(_LONGEST_COOL_DOWN, 2 * self._cool_down)
        self._probing = False
        self.cause = f"{self._failures} failures in a row, the last: {cause}"
        self._next_probe = self._clock() + self._cool_down

    def open(self, cause: str, *, offline: bool = False) -> None:
        """Open at once and for the rest of the run; the first such cause is kept. ``offline``: the host was never
        reached, nor perhaps any other.
        """
        if not self._for_good:
            self.cause = cause
            self.offline = offline
            self._for_good = True
