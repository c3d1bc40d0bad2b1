"""Variables of the environment in a configuration."""

from __future__ import annotations

import pytest

from pytest_citecheck.chat.variables import Substituted, substituted

ENVIRONMENT = {"KEY": "sk-1\n", "EMPTY": " ", "NESTED": "${KEY}"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain {num_refs} $KEY", Substituted("plain {num_refs} $KEY")),
        ("Bearer ${KEY}", Substituted("Bearer sk-1", (), frozenset({"sk-1"}))),
        ("${KEY}${KEY}", Substituted("sk-1sk-1", (), frozenset({"sk-1"}))),
        ("${GONE}/${EMPTY}/${}", Substituted("//", ("GONE", "EMPTY", ""))),
        ("${NESTED}", Substituted("${KEY}", (), frozenset({"${KEY}"}))),
    ],
)
def test_variables_are_replaced_once(text: str, expected: Substituted) -> None:
    assert substituted(text, ENVIRONMENT) == expected


def test_what_had_a_variable_is_never_shown() -> None:
    assert "sk-1" not in repr(substituted("Bearer ${KEY}", ENVIRONMENT))
