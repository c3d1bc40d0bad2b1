"""A breaker opens for failures in a row only, and keeps the first cause."""

from __future__ import annotations

from pytest_citecheck.transport.breaker import Breaker


def test_opens_after_three_in_a_row() -> None:
    breaker = Breaker()
    for _ in range(4):
        breaker.failed("one")
        breaker.failed("two")
        breaker.succeeded()
    assert not breaker.is_open
    for cause in ("one", "two", "three", "four"):
        breaker.failed(cause)
    assert breaker.is_open
    assert breaker.cause == "3 failures in a row, the last: three"
    breaker.succeeded()
    assert breaker.is_open


def test_first_cause_is_kept() -> None:
    breaker = Breaker()
    breaker.open("no such host", offline=True)
    breaker.open("something else")
    assert (breaker.cause, breaker.offline) == ("no such host", True)
