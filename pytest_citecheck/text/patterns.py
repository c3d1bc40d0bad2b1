"""Regular expressions that are compiled on first use: the package has a thousand, and a run needs few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

__all__ = ["LazyPattern", "lazy_pattern"]


class LazyPattern(Generic[AnyStr]):
    """Stands in for a compiled pattern. Its methods are those of the pattern, which is compiled when the first one is read."""

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._source: tuple[AnyStr, int] = text, flags

    @property
    def pattern(self) -> AnyStr:
        """The text of the pattern, which need not be compiled for it."""
        return self._source[0]

    def compiled(self) -> re.Pattern[AnyStr]:
        """The pattern itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self.compiled(), name)  # next time, the method is found at once
        return found


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the pattern, compiled when it is first used. Where ``re`` itself takes a pattern, use ``re.compile``."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))
