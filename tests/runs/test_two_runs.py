"""Two runs at the same time share the rate that a service allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.two_runs import measure


@pytest.mark.exhaustive
def test_two_runs_keep_the_rate_together(tmp_path: Path) -> None:
    """Crossref's headers allow 50 per second; the runs are configured for fewer, and so is the service.

    `python -m benchmarks.two_runs` measures how much of the rate they use. On a busy machine a request may be early by the
    clock of the service; it is then refused and repeated.
    """
    measured = measure(tmp_path, 240, 40)
    assert sum(measured.shares) == measured.requests
    assert measured.requests - measured.refused == 240
    assert measured.refused <= 0.05 * measured.requests
    assert all("480 passed" in end for end in measured.ends), measured.ends
