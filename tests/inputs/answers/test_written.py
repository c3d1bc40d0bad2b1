"""References in answers of every layout: containers, styles, decorations and languages."""

from __future__ import annotations

import pytest

from benchmarks.answers import measure, shares


@pytest.mark.exhaustive
def test_a_sample_of_all_layouts() -> None:
    counts = measure(180, seed=7)
    found, titles, invented = shares(counts.whole)
    assert (found >= 0.97, titles >= 0.95, invented <= 0.01) == (True, True, True), (found, titles, invented)


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", ["container", "language"])
def test_every_layout_and_language(side: str) -> None:
    counts = measure(5000, seed=3)
    poor = {
        name: shares(score)
        for name, score in counts.sides[side].items()
        if shares(score)[0] < 0.97 or shares(score)[1] < 0.95 or shares(score)[2] > 0.01
    }
    assert poor == {}
