"""A page that demands a browser ends all queries to its host: at once, with one message, without caching."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from pytest_citecheck.model import Query, QueryResult, Unavailable
from pytest_citecheck.net import Transport, TransportSettings, demands_browser
from tests.support.transport_support import FakeSource, FakeTime, dois, reply, serving

WALL = (
    b"<!doctype html><html><head><title>Making sure you&#39;re not a bot!</title>"
    b'<script id="anubis_challenge" type="application/json">{}</script></head></html>'
)
HTML = {"content-type": "text/html; charset=utf-8"}


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (HTML, WALL, True),
        (HTML, b'<html><script id="anubis_version">"1.21"</script></html>', True),
        (HTML, b"<html><h1>503 Service Unavailable</h1></html>", False),
        ({"content-type": "application/json"}, b'{"title": "How id=\\"anubis_challenge\\" works"}', False),
        ({}, WALL, False),
    ],
)
def test_which_page_demands_a_browser(headers: dict[str, str], body: bytes, expected: bool) -> None:
    assert demands_browser(headers, body) is expected


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("status", [200, 403, 429, 500])
def test_a_wall_is_not_asked_twice_nor_kept(status: int, packed: bool, tmp_path: Path) -> None:
    headers = {"content_type": "text/html"} | ({"content_encoding": "gzip"} if packed else {})
    page = reply(gzip.compress(WALL) if packed else WALL, status, **headers)
    fake = FakeTime()

    async def ask(url: str) -> tuple[dict[Query, QueryResult], tuple[str, ...]]:
        settings = TransportSettings(
            base_urls={"fake": url}, cassettes=tmp_path / "cassettes", record="new", cache=tmp_path / "cache"
        )
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            first = await transport.ask(FakeSource(), dois("a"))
            second = await transport.ask(FakeSource(), dois("b", "c"))
            return first | second, transport.problems

    with serving(lambda _: page) as server:
        answers, problems = asyncio.run(ask(server.url))
        assert len(server.requests) == 1
    reasons = [asked.answer.reason for asked in answers.values() if isinstance(asked.answer, Unavailable)]
    assert reasons == ["browser", "breaker", "breaker"]
    assert [problem for problem in problems if "browser" in problem] == [
        "Fake demands a browser, so it is not queried again in this run"
    ]
    assert not list((tmp_path / "cassettes").glob("*.json"))
    assert fake.seconds < 1
