"""Regular expressions that are compiled on first use: the package has a thousand, and a run needs few of them."""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["LazyPattern", "lazy_pattern"]


class LazyPattern:
    """Stands in for a compiled pattern. Its methods are those of the pattern, which is compiled when the first one is read."""

    def __init__(self, text: str, flags: int) -> None:
        self._source = text, flags

    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self.compiled(), name)  # next time, the method is found at once
        return found


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern, compiled when it is first used. Where ``re`` itself takes a pattern, use ``re.compile``."""
    return cast("re.Pattern[str]", LazyPattern(text, flags))
