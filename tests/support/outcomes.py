"""Outcomes of runs over all checks of some references, however many checks there are."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import CHECKS

UNDECIDED = len(CHECKS) - 1
"""Checks of a reference that no source could be queried for; completeness needs none."""


def assert_checks(result: pytest.RunResult, references: int = 1, *, passed: int, **others: int) -> None:
    """Assert that at least so many checks passed, exactly these have other outcomes, and the rest was skipped.

    A new check passes or is skipped, because the references of the tests do not have its errors.
    """
    outcomes = {name: count for name, count in result.parseoutcomes().items() if name != "warnings"}
    skipped = outcomes.pop("skipped", 0)
    assert outcomes.pop("passed", 0) + skipped == references * len(CHECKS) - sum(others.values())
    assert result.parseoutcomes().get("passed", 0) >= passed
    assert outcomes == others
