"""Work of a function, as a count that does not depend on the load of the machine."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(action: Callable[[], object]) -> int:
    """Count the Python lines executed. The cost of the interpreter's own code (a search, for example) is not included."""
    count = 0

    def on_event(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return on_event

    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def growth_of_steps(
    run: Callable[[str], object], unit: str, times: int = 50, *, prefix: str = "", suffix: str = ""
) -> float:
    """By how much the steps grow if a unit of the text is repeated four times as often: 4 at most, if they are linear."""
    number = itertools.count()  # never the same text, which would be remembered
    short, long = (
        steps(lambda many=many: run(f"{prefix}{unit * many}{suffix}{next(number)}"))  # type: ignore[misc]
        for many in (times, 4 * times)
    )
    return long / short
