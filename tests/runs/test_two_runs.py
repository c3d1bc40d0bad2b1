"""Two runs at the same time share the rate that a service allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.two_runs import measure


@pytest.mark.exhaustive
def test_two_runs_keep_the_rate_together(tmp_path: Path) -> None:
    """Crossref's headers say 50 a second; it is limited to fewer, as the runs were told.

    How much of the rate they use, `python -m benchmarks.two_runs` says: on a busy machine a request may come too early by the
    clock of the service, is refused and repeated.
    """
    measured = measure(tmp_path, 240, 40)
    assert sum(measured.shares) == measured.requests
    assert measured.requests - measured.refused == 240
    assert measured.refused <= 0.05 * measured.requests
    assert all("480 passed" in end for end in measured.ends), measured.ends
