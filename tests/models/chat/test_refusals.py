"""Parsing of the body of a failed call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.models.chat import Refusal, read_refusal
from tests.support.mistyped_json import mistyped

LOW = "Your credit balance is too low to access the API"
DAILY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"error": {"message": "no", "code": "insufficient_quota"}}, Refusal("no", quota=True)),
        ({"error": {"message": "no", "code": "rate_limit_exceeded"}}, Refusal("no")),
        ({"error": {"message": LOW}}, Refusal(LOW, quota=True)),
        ({"error": {"message": "no", "details": [{"reason": "API_KEY_INVALID"}]}}, Refusal("no", key=True)),
        ({"error": {"message": "no", "details": [{"retryDelay": "34.5s"}]}}, Refusal("no", wait=34.5)),
        ({"error": {"message": "no", "details": [DAILY]}}, Refusal("no", quota=True)),
        ([{"error": {"code": 503, "message": "no"}}], Refusal("no", status=503)),
        ({"error": {"message": "no", "code": "content_filter"}}, Refusal("no", filtered=True)),
        (
            {"error": {"message": "no", "code": 403, "metadata": {"flagged_input": "x"}}},
            Refusal("no", filtered=True, status=403),
        ),
        ({"error": "no"}, Refusal("no")),
        ({"detail": "no"}, Refusal("no")),
        ({"detail": [{"loc": []}]}, Refusal("")),
        (None, Refusal("")),
        ({"error": {"message": "Incorrect key: sk-ab*****yz."}}, Refusal("Incorrect key: REDACTED")),
    ],
)
def test_the_words_of_a_refusal(said: Any, expected: Refusal) -> None:
    assert read_refusal(json.dumps(said).encode()) == expected


@pytest.mark.parametrize("body", [b"<html><h1>Bad\n gateway</h1></html>", b"Bad gateway"])
def test_a_page_is_its_text(body: bytes) -> None:
    assert read_refusal(body) == Refusal("Bad gateway")


def test_a_refusal_may_be_anything() -> None:
    for seed in range(300):
        refusal = read_refusal(mistyped({"error": {"message": "no", "code": 429, "details": [DAILY]}}, seed).encode())
        assert isinstance(refusal.message, str)
        assert refusal.status is None or 400 <= refusal.status <= 599
