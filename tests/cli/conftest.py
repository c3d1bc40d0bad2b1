"""Fixtures shared by the tests of several commands."""

from __future__ import annotations

import functools

import pytest


@pytest.fixture
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranking model is fitted to 5 replicates in place of 1000, which take most of a second."""
    pytest.importorskip("numpy")
    from pytest_citecheck.benchmark import plackett_luce  # noqa: PLC0415 - after numpy is known to be there
    from pytest_citecheck.benchmark.commands import score_predictions as ranking  # noqa: PLC0415

    monkeypatch.setattr(ranking, "plackett_luce", functools.partial(plackett_luce, replicates=5))
