"""The length limits are well above the lengths of real works."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import MOST_AUTHORS, longest


@pytest.mark.parametrize(
    ("field", "counted"),
    [("title", 818), ("booktitle", 346), ("doi", 66), ("url", 341), ("literal", 1_213), ("author", 81_518)],
)
def test_limits_are_several_times_what_was_counted(field: str, counted: int) -> None:
    assert 4 * counted <= longest(field) <= 100 * counted


def test_the_longest_list_of_authors_fits() -> None:
    assert MOST_AUTHORS >= 3 * 5_154
    assert longest("author") >= MOST_AUTHORS * len("A B and ")


def test_unknown_fields_may_hold_an_abstract() -> None:
    assert longest("x-notes") == longest("abstract") == 1_000_000
