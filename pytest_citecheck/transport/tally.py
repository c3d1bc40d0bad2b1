"""Counters of one run, per source."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Tally"]


@dataclass(slots=True)
class Tally:
    """What asking one source took.

    requests: HTTP requests sent, redirects and retries included. replayed: recorded responses that were read. cached:
    questions answered from earlier runs. local: questions answered by an index.
    retries: requests sent again after a failure. waited: seconds spent waiting for the rate limit, a Retry-
    After or a retry, added up over concurrent tasks. answered: questions with an answer. unavailable:
    questions without, by reason.
    recorded: responses taken into the cassette. unrecordable: answers that a cassette cannot hold (not
    UTF-8).
    """

    requests: int = 0
    replayed: int = 0
    cached: int = 0
    local: int = 0
    retries: int = 0
    waited: float = 0.0
    answered: int = 0
    recorded: int = 0
    unrecordable: int = 0
    unavailable: Counter[str] = field(default_factory=Counter)
