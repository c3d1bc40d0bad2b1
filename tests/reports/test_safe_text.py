"""Text from elsewhere does nothing to a terminal or a CI console."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import safe_line, safe_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, Erdős and ℓ₁", "plain, Erdős and ℓ₁"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\u202eb", "a\\u202eb"),
        ("bell\x07 nul\x00", "bell\\x07 nul\\x00"),
        ("two\r\nlines", "two\nlines"),
        ("a\u2028b", "a\\u2028b"),
        ("a ## heading", "a ## heading"),
    ],
)
def test_control_characters_are_shown(text: str, shown: str) -> None:
    assert safe_lines(text) == shown


@pytest.mark.parametrize("command", ["::error file=x::y", "  ::set-output name=a::b", "##[error]x", "##vso[task]y"])
def test_no_line_is_a_command(command: str) -> None:
    shown = safe_lines(f"first\n{command}")
    assert command.strip() not in [line.strip() for line in shown.splitlines()]
    assert safe_line(command).strip() != command.strip()


@pytest.mark.parametrize("before", ["", "a key ", "“20x", "[title] "])
@pytest.mark.parametrize("command", ["##[add-mask]o", "##[error]x", "##vso[task.setvariable]y"])
def test_no_command_stands_inside_a_line(before: str, command: str) -> None:
    assert command not in safe_lines(f"{before}{command}")


@given(st.text())
def test_one_line_stays_one_line(text: str) -> None:
    assert "\n" not in safe_line(text)
    assert not any(ord(character) < 32 for character in safe_line(text))
