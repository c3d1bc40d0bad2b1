"""Stops asking a host that does not answer."""

from __future__ import annotations

__all__ = ["FAILURES_IN_A_ROW", "Breaker"]

FAILURES_IN_A_ROW = 3


class Breaker:
    """Opens after `FAILURES_IN_A_ROW`, or at once, and stays open for the run; ``cause`` says why."""

    def __init__(self) -> None:
        self.cause = ""
        self.offline = False
        self._failures = 0

    @property
    def is_open(self) -> bool:
        return bool(self.cause)

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self, cause: str) -> None:
        """Count a failure; the third in a row opens the breaker."""
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            self.open(f"{FAILURES_IN_A_ROW} failures in a row, the last: {cause}")

    def open(self, cause: str, *, offline: bool = False) -> None:
        """Open at once; the first cause is kept. ``offline``: the host was never reached, nor perhaps any
        other.
        """
        if not self.cause:
            self.cause = cause
            self.offline = offline
