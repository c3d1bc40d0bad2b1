"""Variables of the environment in a configuration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.models.chat import HOMES, KeyRules, substituted

ENVIRONMENT = {"KEY": "sk-1\n", "EMPTY": " ", "NESTED": "${KEY}"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain {num_refs} $KEY", ("plain {num_refs} $KEY", (), frozenset())),
        ("Bearer ${KEY}", ("Bearer sk-1", (), frozenset({"sk-1"}))),
        ("${KEY}${KEY}", ("sk-1sk-1", (), frozenset({"sk-1"}))),
        ("${GONE}/${EMPTY}/${}", ("//", ("GONE", "EMPTY", ""), frozenset())),
        ("${NESTED}", ("${KEY}", (), frozenset({"${KEY}"}))),
    ],
)
def test_variables_are_replaced_once(text: str, expected: tuple[object, ...]) -> None:
    assert substituted(text, ENVIRONMENT) == expected


def test_what_had_a_variable_is_never_shown() -> None:
    assert "sk-1" not in repr(substituted("Bearer ${KEY}", ENVIRONMENT))


@pytest.mark.parametrize(
    ("variable", "url", "admitted"),
    [
        ("OPENAI_API_KEY", "https://api.openai.com/v1", True),
        ("OPENAI_API_KEY", "https://API.OPENAI.COM:443/v1", True),
        ("OPENAI_API_KEY", "http://api.openai.com/v1", False),
        ("OPENAI_API_KEY", "https://api.openai.com.evil.example/v1", False),
        ("OPENAI_API_KEY", "https://api.openai.com@evil.example/v1", False),
        ("OPENAI_API_KEY", "https://evil.example/api.openai.com", False),
        ("OPENAI_API_KEY", "https://api.anthropic.com", False),
        ("AWS_SECRET_ACCESS_KEY", "https://api.openai.com/v1", False),
        ("OPENAI_API_KEY", "https://", False),
        ("OPENAI_API_KEY", "https://[", False),
        ("ANY", "https://mine.example:8443/v1", True),
        ("ANY", "http://mine.example/v1", True),
        ("ANY", "https://sub.mine.example/v1", False),
        ("ANY", "http://127.0.0.1:8000", True),
        ("ANY", "http://127.0.0.1:8001", False),
    ],
)
def test_variables_of_providers_go_home_and_others_where_the_user_says(variable: str, url: str, admitted: bool) -> None:
    rules = KeyRules(Path("/strange"), allowed=frozenset({"Mine.Example", "127.0.0.1:8000"}))
    assert rules.admit(variable, url) is admitted
    assert replace(rules, trusted=True).admit(variable, url) is (url not in ("https://", "https://["))


def test_each_home_is_a_host() -> None:
    for hosts in HOMES.values():
        assert all(host == host.lower() and "/" not in host and "." in host for host in hosts)
