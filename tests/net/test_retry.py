"""Waiting times, and the headers that determine them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.net import backoff, http_date, retry_after, stated_rate

NOW = 1_795_248_000.0  # 2026-11-21T08:00:00Z


def test_backoff_doubles_within_its_cap() -> None:
    assert [backoff(attempt, 1.0) for attempt in (1, 2, 3, 9)] == [0.5, 1.0, 2.0, 8.0]
    assert backoff(2, 0.25) == 0.25
    assert [backoff(attempt, 1.0, 2.0, 60.0) for attempt in (1, 2, 9)] == [2.0, 4.0, 60.0]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 08:00:20 GMT"}, 20.0),
        ({"retry-after": "Sat, 21 Nov 2026 08:00:20 GMT", "date": "Sat, 21 Nov 2026 08:00:15 GMT"}, 5.0),
        ({"retry-after": "Sat, 21 Nov 2026 07:00:00 GMT"}, 0.0),
        ({"retry-after": "9" * 400}, 999_999_999.0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 253_402_300_799.0 - NOW),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 -2300"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "²"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("Sat, 21 Nov 2026 08:00:00 GMT", "2026-11-21T08:00:00Z"),
        ("Sat, 21 Nov 2026 10:00:00 +0200", "2026-11-21T08:00:00Z"),
        ("", ""),
        ("yesterday", ""),
        ("Sat, 99 Nov 2026 08:00:00 GMT", ""),
        ("Fri, 31 Dec 9999 23:59:59 -2300", ""),
        ("Sat, 07 Mar 0133 00:00:00 GMT", "0133-03-07T00:00:00Z"),
    ],
)
def test_http_date(value: str, iso: str) -> None:
    assert http_date(value) == iso


@given(st.text(max_size=40))
def test_any_header_is_survived(value: str) -> None:
    assert isinstance(http_date(value), str)
    seconds = retry_after({"retry-after": value, "date": value}, NOW)
    assert seconds is None or seconds >= 0
    rate = stated_rate({"x-rate-limit-limit": value, "x-rate-limit-interval": value})
    assert rate is None or rate > 0


@pytest.mark.parametrize(
    ("limit", "interval", "rate"),
    [
        ("50", "1s", 50.0),
        ("10", "2s", 5.0),
        ("60", "1m", 1.0),
        ("30", "60", 0.5),
        ("3600", "1 hour", 1.0),
        ("0", "1s", None),
        ("-1", "1s", None),
        ("nan", "1s", None),
        ("inf", "1s", None),
        ("50", "0s", None),
        ("50", "soon", None),
        ("many", "1s", None),
        ("100", "1s", 100.0),
        ("101", "1s", None),
        ("1e300", "1s", None),
        ("1", "10s", 0.1),
        ("1", "11s", 0.1),
        ("1e-9", "1s", 0.1),
        ("5e-324", "1d", 0.1),
        ("50", "9" * 400, 0.1),
    ],
)
def test_stated_rate(limit: str, interval: str, rate: float | None) -> None:
    assert stated_rate({"x-rate-limit-limit": limit, "x-rate-limit-interval": interval}) == rate
    assert stated_rate({"x-ratelimit-limit": limit, "x-ratelimit-interval": interval}) == rate


def test_limit_without_interval_says_nothing() -> None:
    assert stated_rate({"x-ratelimit-limit": "100000"}) is None
