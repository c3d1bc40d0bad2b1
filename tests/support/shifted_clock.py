"""Run pytest with a shifted clock: ``python -m tests.support.shifted_clock 1970-01-02 OPTIONS``.

Everything that asks Python for the date or the time gets the shifted one; monotonic clocks keep running as they are.
"""

from __future__ import annotations

import datetime
import sys
import time
from typing import Self

_now = time.time
_datetime, _date = datetime.datetime, datetime.date


class _ShiftedDatetime(_datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Self:
        return cls.fromtimestamp(time.time(), tz)


class _ShiftedDate(_date):
    @classmethod
    def today(cls) -> Self:
        return cls.fromtimestamp(time.time())


def shift(day: str) -> None:
    """Set the clock of this process to this day (ISO 8601)."""
    offset = _datetime.fromisoformat(day).replace(tzinfo=datetime.UTC).timestamp() - _now()
    time.time = lambda: _now() + offset
    datetime.datetime, datetime.date = _ShiftedDatetime, _ShiftedDate  # type: ignore[misc]


if __name__ == "__main__":
    shift(sys.argv[1])
    import pytest

    sys.exit(pytest.main(sys.argv[2:]))
