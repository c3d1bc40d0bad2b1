"""Hooks that a conftest.py can implement to extend the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["pytest_citecheck_sources"]


@pytest.hookspec
def pytest_citecheck_sources(config: pytest.Config, sources: list[Source]) -> None:
    """Add, replace or remove bibliographic sources by changing the list in place, before anything is asked.

    A source of your own inherits from `pytest_citecheck.services.base.Source`. It is asked for the identifiers that it takes, and
    for titles while something is lacking; its answers are not kept in the cache.
    """
