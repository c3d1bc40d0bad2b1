"""The date of today. Every rule that depends on the date asks here, since a clock may be wrong by years.

Rules about one reference also use the dates of its evidence (`pytest_citecheck.checks.ReferenceCase`).
"""

from __future__ import annotations

import datetime

RELEASED = datetime.datetime(2026, 11, 27, tzinfo=datetime.UTC)
"""Release date of the package, or a later date that has passed."""


def now() -> datetime.datetime:
    """Return the time in UTC: that of the clock, but never a time before the release of this package."""
    return max(datetime.datetime.now(tz=datetime.UTC), RELEASED)


def today() -> datetime.date:
    """Return the date of `now`."""
    return now().date()


def seconds() -> float:
    """Return `now` in seconds since the epoch."""
    return now().timestamp()


def stamp() -> str:
    """Return `now` in ISO 8601, to the second."""
    return now().isoformat(timespec="seconds")


def age(date: str) -> int | None:
    """Return the days since a date (ISO 8601, maybe with a time): 0 for a date to come, None for no date."""
    try:
        return max(0, (today() - datetime.date.fromisoformat(date[:10])).days)
    except ValueError:
        return None
