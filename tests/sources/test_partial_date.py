"""Partial dates of Crossref and CSL-JSON."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import iso_date, partial_year

DATES = [
    ({"date-parts": [[2015, 5, 4]]}, 2015, "2015-05-04"),
    ({"date-parts": [["2017", "07", "07"]]}, 2017, "2017-07-07"),
    ({"date-parts": [[2015, 5]]}, 2015, "2015-05"),
    ({"date-parts": [[2015]]}, 2015, "2015"),
    ({"date-parts": [[2015, 5, 1], [2016, 1, 1]]}, 2015, "2015-05-01"),
    ({"date-parts": [2015, 5]}, 2015, "2015"),
    ({"date-parts": [[2015, 13, 1]]}, 2015, "2015"),
    ({"date-parts": [[2015, 12, 32]]}, 2015, "2015-12"),
    ({"date-parts": [[2015, None, 4]]}, 2015, "2015"),
    ({"date-parts": [[None]]}, None, ""),
    ({"date-parts": [[]]}, None, ""),
    ({"date-parts": []}, None, ""),
    ({"date-parts": None}, None, ""),
    ({"date-parts": [[None]], "raw": "Spring 2015"}, 2015, "2015"),
    ({"raw": "2015-05"}, 2015, "2015"),
    ({"literal": "around 1850"}, 1850, "1850"),
    ({"raw": "n.d."}, None, ""),
    ({}, None, ""),
    (None, None, ""),
    ("2015", None, ""),
]


@pytest.mark.parametrize(("value", "year", "date"), DATES)
def test_dates(value: object, year: int | None, date: str) -> None:
    assert partial_year(value) == year
    assert iso_date(value) == date


@given(st.dates(min_value=dt.date(1400, 1, 1), max_value=dt.date(2099, 12, 31)), st.integers(1, 3))
def test_as_much_is_kept_as_is_stated(day: dt.date, known: int) -> None:
    parts = [day.year, day.month, day.day][:known]
    assert iso_date({"date-parts": [parts]}) == day.isoformat()[: (4, 7, 10)[known - 1]]
