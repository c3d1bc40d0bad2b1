"""How old a recorded answer may be (``citecheck_max_age``)."""

from __future__ import annotations

import datetime

__all__ = ["oldest_day"]


def oldest_day(text: str) -> str:
    """The first day of which a recorded answer is young enough, as ISO 8601; empty if the age does not matter.

    text: a number of days. Raises ValueError.
    """
    if not text.strip():
        return ""
    try:
        days = datetime.timedelta(days=float(text))
        return (datetime.datetime.now(tz=datetime.UTC).date() - days).isoformat() if days else ""
    except (ValueError, OverflowError) as error:
        raise ValueError(f"citecheck_max_age is a number of days, not {text!r}") from error
