"""A breaker opens for failures in a row only, lets a probe through now and then, and keeps the first cause."""

from __future__ import annotations

from pytest_citecheck.net import Breaker


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock)
    for cause in ("one", "two", "three"):
        assert breaker.allows()
        breaker.failed(cause)
    return breaker


def test_opens_after_three_in_a_row() -> None:
    breaker = Breaker(Clock())
    for _ in range(4):
        breaker.failed("one")
        breaker.failed("two")
        breaker.succeeded()
    assert not breaker.is_open
    for cause in ("one", "two", "three", "four"):
        assert breaker.allows() is (cause != "four")
        breaker.failed(cause)
    assert breaker.is_open
    assert breaker.cause == "3 failures in a row, the last: three"


def test_what_was_under_way_when_it_opened_changes_nothing() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.seconds += 29
    breaker.succeeded()
    breaker.failed("late")
    assert not breaker.allows()
    assert breaker.cause == "3 failures in a row, the last: three"
    clock.seconds += 1
    assert breaker.allows()


def test_one_probe_after_the_cool_down_and_its_success_closes() -> None:
    clock = Clock()
    breaker = opened(clock)
    assert not breaker.allows()
    clock.seconds += 30
    assert [breaker.allows() for _ in range(3)] == [True, False, False]
    assert breaker.is_open
    breaker.succeeded()
    assert (breaker.is_open, breaker.cause) == (False, "")
    assert breaker.allows()
    breaker.failed("one")
    breaker.failed("two")
    assert not breaker.is_open
    breaker.failed("three")
    clock.seconds += 30
    assert breaker.allows()


def test_each_failed_probe_doubles_the_cool_down_up_to_five_minutes() -> None:
    clock = Clock()
    breaker = opened(clock)
    for cool_down in (30, 60, 120, 240, 300, 300):
        clock.seconds += cool_down - 1
        assert not breaker.allows()
        clock.seconds += 1
        assert breaker.allows()
        breaker.failed("probe")
    assert breaker.cause == "9 failures in a row, the last: probe"


def test_a_probe_that_never_reports_does_not_keep_the_host_away_for_ever() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.seconds += 30
    assert breaker.allows()
    clock.seconds += 29
    assert not breaker.allows()
    clock.seconds += 1
    assert breaker.allows()
    breaker.succeeded()
    assert not breaker.is_open


def test_what_is_opened_for_good_stays_open_and_keeps_the_first_cause() -> None:
    clock = Clock()
    breaker = opened(clock)
    breaker.open("no such host", offline=True)
    breaker.open("something else")
    clock.seconds += 1_000
    assert not breaker.allows()
    breaker.succeeded()
    breaker.failed("again")
    assert (breaker.is_open, breaker.cause, breaker.offline) == (True, "no such host", True)


def test_opened_for_good_while_a_probe_is_under_way() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.seconds += 30
    assert breaker.allows()
    breaker.open("asks to wait too long")
    breaker.succeeded()
    clock.seconds += 1_000
    assert not breaker.allows()
