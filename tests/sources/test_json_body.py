"""JSON bodies: whole or refused, fields of any type."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import (
    MalformedAnswerError,
    first_text,
    listing,
    mapping,
    parse_json,
    text,
    texts,
    whole_number,
    year_of,
)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  \n",
        b'{"message": {"items": [',
        b"<!DOCTYPE html><html><body>Are you a robot?</body></html>",
        b"  <html>",
        b'{"a": "\xff"}',
        '{"a": 1}'.encode("utf-16"),
        b"[" * 200_000 + b"]" * 200_000,
        b'{"year": ' + b"9" * 10_000 + b"}",
        b'{"a": 1} trailing',
    ],
)
def test_what_is_not_a_whole_document_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_json(body)


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": [1]}') == {"a": [1]}


@given(JSON_VALUES)
def test_fields_of_any_type_are_read(value: object) -> None:
    assert parse_json(json.dumps(value).encode()) == value
    assert isinstance(text(value), str)
    assert isinstance(first_text(value), str)
    assert all(texts(value))
    assert isinstance(listing(value), list)
    assert isinstance(dict(mapping(value)), dict)
    assert year_of(value) is None or 1400 <= (year_of(value) or 0) < 2100
    assert whole_number(value) is None or (whole_number(value) or 0) >= 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [("2017-06-12T17:57:34Z", 2017), (2017, 2017), ("c1995.", 1995), ("20171", None), (None, None), ([2017], None)],
)
def test_years(value: object, expected: int | None) -> None:
    assert year_of(value) == expected


def test_numbers_are_written_out_and_booleans_are_not() -> None:
    assert (text(12), text(True), text(1.5), text(" x "), text(None)) == ("12", "", "", "x", "")
    assert texts("one") == ("one",)
    assert texts([None, "", 3, "a", ["b"]]) == ("3", "a")


@pytest.mark.parametrize(("value", "expected"), [("10", 10), (10, 10), ("-1", None), ("²", None), ("9" * 40, None)])
def test_counts(value: object, expected: int | None) -> None:
    assert whole_number(value) == expected


@pytest.mark.parametrize(("depth", "refused"), [(100, False), (101, True)])
@pytest.mark.parametrize("opening", ["[", '{"a":', "[1,"])
def test_nesting_is_limited(opening: str, depth: int, refused: bool) -> None:
    closing = "}" if opening.startswith("{") else "]"
    body = (opening * depth + "1" + closing * depth).encode()
    if refused:
        with pytest.raises(MalformedAnswerError, match="nested"):
            parse_json(body)
    else:
        assert parse_json(body)


def test_the_number_of_values_is_limited() -> None:
    assert len(parse_json(b"[" + b"1," * 499_998 + b"1]")) == 499_999
    for unit in (b"1", b"[]", b"{}"):
        with pytest.raises(MalformedAnswerError, match="500,000 values"):
            parse_json(b"[" + b",".join([unit] * 500_001) + b"]")


@pytest.mark.parametrize("number", ["1" * 5_000, "-" + "9" * 1_000_000])
def test_numbers_of_thousands_of_digits_are_refused(number: str) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_json(number.encode())


@pytest.mark.parametrize("number", ["1e999999999", "0." + "1" * 1_000_000, "1" * 4_000, "NaN", "-Infinity"])
def test_strange_numbers_are_no_text(number: str) -> None:
    value = parse_json(number.encode())
    assert (text(value), whole_number(value), year_of(value)) == ("", None, None)
