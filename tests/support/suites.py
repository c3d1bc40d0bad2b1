"""Choice of the cases of a parametrised test for the fast suite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

_Case = TypeVar("_Case")


def first_fast(cases: Iterable[object], fast: int = 1) -> list[object]:
    """Return all cases; those after the first `fast` ones get the marker `exhaustive`.

    A tuple has a value for each of several parameters.
    """
    return [
        case
        if place < fast
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.exhaustive)
        for place, case in enumerate(cases)
    ]


def identified(cases: Iterable[_Case], name: Callable[[_Case], str], fast: int) -> list[object]:
    """Return all cases with their ids; those after the first `fast` ones get the marker `exhaustive`."""
    return [
        pytest.param(case, id=name(case), marks=() if place < fast else pytest.mark.exhaustive)
        for place, case in enumerate(cases)
    ]
