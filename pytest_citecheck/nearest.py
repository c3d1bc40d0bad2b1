"""The end of a message about an unknown name: the nearest known one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MOST = 40  # names in a message


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean title?``; without a near name ``; known are doi, title``, or empty if there are many."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(name, names, 1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known are {', '.join(names)}" if 0 < len(names) <= _MOST else ""
