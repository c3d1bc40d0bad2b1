"""Hooks that a conftest.py can implement to extend the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source

__all__ = ["pytest_citecheck_sources"]


@pytest.hookspec
def pytest_citecheck_sources(config: pytest.Config, sources: list[Source]) -> None:
    """Add, replace or remove bibliographic sources by changing the list in place, before anything is asked."""
