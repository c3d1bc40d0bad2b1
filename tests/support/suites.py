"""Which cases of a parametrised test the fast suite runs."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

__all__ = ["first_fast"]


def first_fast(cases: Iterable[object], fast: int = 1) -> list[object]:
    """All cases; those after the first `fast` ones have the marker `exhaustive`.

    A tuple has a value for each of several parameters.
    """
    return [
        case
        if place < fast
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.exhaustive)
        for place, case in enumerate(cases)
    ]
