"""Run pytest with a shifted clock: ``python -m tests.support.shifted_clock 1970-01-02 OPTIONS``.

Everything that asks Python for the date or the time gets the shifted one; monotonic clocks keep running as they are.
"""

from __future__ import annotations

import datetime as dates
import sys
import time
from datetime import UTC, date, datetime, tzinfo
from typing import Self

_now = time.time


class _ShiftedDatetime(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(time.time(), tz)


class _ShiftedDate(date):
    @classmethod
    def today(cls) -> Self:
        return cls.fromtimestamp(time.time())


def shift(day: str) -> None:
    """Set the clock of this process to this day (ISO 8601)."""
    offset = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() - _now()
    time.time = lambda: _now() + offset
    dates.datetime, dates.date = _ShiftedDatetime, _ShiftedDate  # type: ignore[misc]


if __name__ == "__main__":
    shift(sys.argv[1])
    import pytest

    sys.exit(pytest.main(sys.argv[2:]))
