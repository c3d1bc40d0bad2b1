"""Cascades: the next model is called if the verdict is uncertain or accuses."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.claims import NOT_ASKED, Cascade, ResultRow, cascade_row, cascade_state, margin

CASCADE = Cascade("both", ("cheap", "dear"), margin=10)


def row(provider: str, verdict: str, confidence: float | None, **more: object) -> ResultRow:
    return ResultRow("a", provider, verdict=verdict, confidence=confidence, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "confidence", "expected"),
    [
        ("Supported", 95, 15.0),
        ("Supported", 80, 0.0),
        ("Supported", 60, 0.0),  # stated for another verdict
        ("Partially supported", 55, 5.0),
        ("Partially supported", 75, 5.0),
        ("Not supported", 2, 48.0),
        ("Not supported", 45, 5.0),
        ("Supported", None, 0.0),
        ("PARSE_ERROR", 90, 0.0),
    ],
)
def test_the_margin_is_the_distance_to_another_verdict(verdict: str, confidence: float | None, expected: float) -> None:
    assert margin(row("m", verdict, confidence)) == expected


@pytest.mark.parametrize(
    ("first", "escalates"),
    [
        (row("cheap", "Supported", 95), False),
        (row("cheap", "Supported", 85), True),
        (row("cheap", "Not supported", 1), True),
        (row("cheap", "PARSE_ERROR", None), True),
        (row("cheap", "ERROR", None, error="http-500"), True),
    ],
)
def test_what_is_uncertain_or_accuses_is_passed_on(first: ResultRow, escalates: bool) -> None:
    state = cascade_state(CASCADE, iter([first, row("dear", "", None, error=NOT_ASKED)]))
    assert state.next == ("dear" if escalates else None)


def test_the_last_verdict_counts_and_all_calls_are_paid_for() -> None:
    one, two = row("cheap", "Not supported", 10, cost=0.1, latency=5), row("dear", "Supported", 90, cost=0.5, latency=7)
    found = cascade_row(CASCADE, cascade_state(CASCADE, iter([one, two])).asked)
    assert (found.provider, found.verdict, found.cost, found.latency) == ("both", "Supported", 0.6, 12)
    assert found.panel == ("Not supported", "Supported")
    failed = row("dear", "ERROR", None, error="http-500")
    assert cascade_row(CASCADE, (one, failed)).verdict == "Not supported"  # said once, by who was asked
