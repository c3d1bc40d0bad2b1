"""Report data: content of a reference, the same for every producer."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.reports import ReferenceResult


@pytest.mark.parametrize(
    ("where", "place"),
    [(Location("refs.bib", 12, 15), "refs.bib:12"), (Location("paper.pdf", 4, 4, "page"), "paper.pdf, page 4")],
)
def test_a_reference_keeps_its_place(where: Location, place: str) -> None:
    reference = Reference("key", "article", {"title": "Looms of time"}, where)
    result = ReferenceResult.of(reference, "x::key", None, {}, submission="paper")
    assert (result.id, result.key, result.title, result.place) == ("x::key", "key", "Looms of time", place)
    assert (result.submission, result.gold, tuple(result.evidence)) == ("paper", None, ())
