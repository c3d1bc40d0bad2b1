"""Line numbers of offsets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import LineIndex, unify_line_ends


def test_lines_are_counted_from_one() -> None:
    lines = LineIndex("a\nbc\n\nd")
    assert [lines.line(offset) for offset in range(8)] == [1, 1, 2, 2, 2, 3, 4, 4]


@given(st.text("ab\r\n", max_size=30))
def test_unified_line_ends_keep_all_places_and_all_lines(text: str) -> None:
    unified = unify_line_ends(text)
    assert len(unified) == len(text)
    assert "\r" not in unified
    assert [line.rstrip(" ") for line in unified.split("\n")] == text.replace("\r\n", "\n").replace("\r", "\n").split(
        "\n"
    )
