"""Models that count their requests, and kill the run at a certain call."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.stand_ins.model_endpoints import Call, Said

if TYPE_CHECKING:
    from tests.support.pytest_processes import Forked


class KillingModels:
    """The script of `ModelEndpoints`. asked: all requests. moment: number of the call at which to kill, from 1; 0 for never."""

    def __init__(self, answer: Callable[[Call], Said]) -> None:
        self.asked: list[str] = []
        self.victim: Forked | None = None
        self.moment = 0
        self._answer = answer
        self._lock = threading.Lock()

    def script(self, call: Call) -> Said:
        """Count, kill, answer."""
        if not call.body:
            return Said()  # its process was killed before it had sent the request
        with self._lock:
            self.asked.append(json.dumps(call.body, sort_keys=True))
            if len(self.asked) == self.moment and self.victim is not None:
                self.victim.send_signal(signal.SIGKILL)
        return self._answer(call)
