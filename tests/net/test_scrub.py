"""Secrets and addresses are removed from stored and displayed data."""

from __future__ import annotations

from pytest_citecheck.net import KEPT_REQUEST_HEADERS, KEPT_RESPONSE_HEADERS, REDACTED, Scrubber, kept


def test_contact_is_replaced_in_every_spelling() -> None:
    scrubber = Scrubber(["Jane.Doe@example.org"])
    assert scrubber.text("hello jane.doe@EXAMPLE.org, jane.doe%40example.org") == f"hello {REDACTED}, {REDACTED}"
    assert scrubber.body(b'{"you":"Jane.Doe@example.org"}') == b'{"you":"REDACTED"}'
    assert scrubber.text("janeXdoe@example.org") == "janeXdoe@example.org"


def test_secrets_are_learnt_from_urls() -> None:
    scrubber = Scrubber()
    scrubber.learn("https://user:pass%77ord@h/?api_key=s3cr3t%2B99&q=ordinary&tool=pytest-citecheck&key=12")
    assert (
        scrubber.body(b"key s3cr3t+99, ordinary pytest-citecheck 12") == b"key REDACTED, ordinary pytest-citecheck 12"
    )
    assert scrubber.url("https://h/s3cr3t%2B99?q=ordinary&api_key=s3cr3t%2B99") == "https://h/REDACTED?q=ordinary"
    assert scrubber.text("pass%77ord") == REDACTED


def test_nothing_secret_changes_nothing() -> None:
    scrubber = Scrubber([""])
    assert scrubber.text("any") == "any"
    assert scrubber.body(b"any") == b"any"


def test_only_listed_headers_are_kept() -> None:
    response = {
        "Content-Type": ["application/json"],
        "Date": ["d"],
        "X-Rate-Limit-Limit": ["50"],
        "X-RateLimit-Interval": ["1s"],
        "Retry-After": ["1"],
        "Location": ["/x"],
        "Set-Cookie": ["a=b"],
        "Server": ["nginx"],
        "X-Date": ["no"],
    }
    assert list(kept(response, KEPT_RESPONSE_HEADERS)) == [
        "content-type",
        "date",
        "location",
        "retry-after",
        "x-rate-limit-limit",
        "x-ratelimit-interval",
    ]
    request = {"Accept": "application/json", "Authorization": ["Bearer x"], "Cookie": ["a"], "x-api-key": ["k"]}
    assert kept(request, KEPT_REQUEST_HEADERS) == {"accept": ["application/json"]}
