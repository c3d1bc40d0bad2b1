"""When to ask again and how long to wait: full jitter, Retry-After, rate-limit headers."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.limits.ledger import LEAST_STATED

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "RETRIED_STATUSES",
    "RETRIES",
    "backoff",
    "http_date",
    "retry_after",
    "stated_rate",
]

RETRIES = 2
"""Tries after the first."""

RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
# Requests a second: of the services that are asked Crossref states most, 50. A statement of more than twice as much is a
# mistake, and would let a run go on without any spacing.
_MOST_STATED = 100.0
_INTERVAL = lazy_pattern(r"\s*+(\d++(?:\.\d++)?)\s*+([smhd]?)[a-z]*+\s*+\Z", re.IGNORECASE)
_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def backoff(attempt: int, jitter: float, first: float = _FIRST_PAUSE, longest: float = _LONGEST_PAUSE) -> float:
    """Seconds to wait before try number ``attempt`` + 1, for ``jitter`` drawn evenly from 0 to 1.

    first, longest: seconds after the first try, and the most, before jitter.

    "Full jitter" of M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
    """
    return min(longest, first * 2.0 ** (attempt - 1)) * jitter


@lru_cache(maxsize=1024)
def _moment(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
        # A zone may carry a moment out of the years that there are.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def http_date(value: str) -> str:
    """An HTTP date (RFC 9110, section 5.6.7) as ISO 8601 in UTC (``2026-11-21T08:00:00Z``); empty if
    unreadable.
    """
    moment = _moment(value) if value else None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else ""


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a Retry-After header (RFC 9110, section 10.2.3) asks to wait; None without a readable one.

    A date is measured against the response's own Date, else against ``now`` (seconds since the epoch). Header
    names are in lower case.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    moment = _moment(value) if value else None
    if moment is None:
        return None
    sent = _moment(headers["date"]) if headers.get("date") else None
    return max(0.0, moment.timestamp() - (sent.timestamp() if sent else now))


def stated_rate(headers: Mapping[str, str]) -> float | None:
    """Requests a second that ``x-rate-limit-limit`` and ``x-rate-limit-interval`` allow, LEAST_STATED at least; None if
    they do not say, or what no service allows.

    Crossref sends both (https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-
    authentication/), some services spell them ``x-ratelimit-``. A limit without an interval may be meant for
    a day, and says nothing.
    """
    for prefix in ("x-rate-limit-", "x-ratelimit-"):
        interval = _INTERVAL.match(headers.get(f"{prefix}interval", ""))
        try:
            limit = float(headers.get(f"{prefix}limit", ""))
        except ValueError:
            continue
        if interval is None or not math.isfinite(limit) or limit <= 0:
            continue
        seconds = float(interval[1]) * _UNIT_SECONDS[interval[2].lower()]
        if seconds > 0 and limit / seconds <= _MOST_STATED:
            return max(LEAST_STATED, limit / seconds)
    return None
