"""What tests of several commands share."""

from __future__ import annotations

import functools

import pytest


@pytest.fixture
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranking model is fitted to 5 replicates in place of 1000, which take most of a second."""
    pytest.importorskip("numpy")
    from pytest_citecheck.cli.benchmark.score import ranking  # noqa: PLC0415 - after it is known that numpy is there

    monkeypatch.setattr(ranking, "plackett_luce", functools.partial(ranking.plackett_luce, replicates=5))
