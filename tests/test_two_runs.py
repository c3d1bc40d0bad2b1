"""Two runs at the same time share the rate that a service allows, and use all of it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.two_runs import measure


def test_two_runs_keep_the_rate_together_and_use_it(tmp_path: Path) -> None:
    """Crossref's headers say 50 a second; it is limited to fewer, as the runs were told."""
    measured = measure(tmp_path, 240, 40)
    assert measured.shares == (120, 120)
    assert measured.refused <= 0.01 * measured.requests
    assert measured.seconds <= 1.1 * 240 / 40
    assert all("480 passed" in end for end in measured.ends), measured.ends
