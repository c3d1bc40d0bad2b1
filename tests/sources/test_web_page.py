"""Web pages: interpretation of a server's response."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Found, Query, QueryResult, Unavailable
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import WEB_PAGE, MalformedAnswerError, Rate, Request, Response
from tests.support.transport_support import Reply, reply, serving

PAGE = Query("url", "https://example.org/page")
HTML = {"content-type": "text/html; charset=utf-8"}


def ask(url: str, **given_settings: object) -> QueryResult:
    query = Query("url", url)

    async def run() -> QueryResult:
        settings = TransportSettings(rates={"web_page": Rate(1000, 4)}, **given_settings)  # type: ignore[arg-type]
        async with Transport(settings, lookup=lambda _: ["127.0.0.1"]) as transport:
            return (await transport.ask(WEB_PAGE, [query]))[query]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("body", "headers", "title"),
    [
        (b"<html><head><title>On Pages &amp; Links</title></head></html>", HTML, "On Pages & Links"),
        (b"<TITLE lang='en'>\n Two\n lines </TITLE>", HTML, "Two lines"),
        ("<title>Über</title>".encode("latin-1"), {"content-type": "text/html; charset=iso-8859-1"}, "Über"),
        ("<title>Über</title>".encode(), {"content-type": "text/html; charset=no-such-thing"}, "Über"),
        (b"%PDF-1.7 <title>no</title>", {"content-type": "application/pdf"}, ""),
        (b"", {}, ""),
    ],
)
def test_a_page_that_exists_is_found_with_its_title(body: bytes, headers: dict[str, str], title: str) -> None:
    answer = WEB_PAGE.parse([PAGE], Response(200, body, headers))[PAGE]
    assert isinstance(answer, Found)
    assert [(record.title, record.compiled) for record in answer.records] == [(title, True)]


@pytest.mark.parametrize("status", [404, 410])
def test_gone_is_the_server_s_word(status: int) -> None:
    assert WEB_PAGE.parse([PAGE], Response(status, b"whatever"))[PAGE] == Absent(f"example.org answers {status}")


def test_a_bad_request_says_nothing() -> None:
    with pytest.raises(MalformedAnswerError):
        WEB_PAGE.parse([PAGE], Response(400, b""))


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("HTTP://Example.ORG/a b?x=1&y=é#part", "http://example.org/a%20b?x=1&y=%C3%A9"),
        ("https://example.org/already%20encoded", "https://example.org/already%20encoded"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://example.org", "https://example.org/"),
    ],
)
def test_requests(url: str, sent: str) -> None:
    assert WEB_PAGE.request([Query("url", url)]).url == sent


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/x", "file:///etc/passwd", "https://", "http://user:pw@example.org/", "http://[::1", "plain"],
)
def test_other_addresses_are_not_asked(url: str) -> None:
    assert not WEB_PAGE.accepts(Query("url", url))


@given(st.text(max_size=60))
def test_any_text_is_refused_or_asked_in_ascii(text: str) -> None:
    query = Query("url", f"https://example.org/{text}")
    if WEB_PAGE.accepts(query):
        assert WEB_PAGE.request([query]).url.isascii()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("status", "reason"), [(401, "http-401"), (403, "http-403"), (429, "http-429"), (503, "http-503")]
)
def test_refusals_and_outages_mean_unknown(status: int, reason: str) -> None:
    with serving(lambda _: reply("", status)) as server:
        asked = ask("https://example.org/page", base_urls={"web_page": server.url})
    assert isinstance(asked.answer, Unavailable)
    assert asked.answer.reason == reason


def test_a_large_file_is_not_loaded() -> None:
    def script(path: str) -> Reply:
        return [
            b"HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 900000000\r\n\r\n",
            b"x" * 200_000,
        ]

    with serving(script) as server:
        assert isinstance(ask("https://example.org/big.pdf", base_urls={"web_page": server.url}).answer, Found)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "rebound.example.org"])
def test_private_targets_are_never_contacted(host: str) -> None:
    with serving(lambda _: reply("")) as server:
        port = server.url.rpartition(":")[2]
        asked = ask(f"http://{host}:{port}/secret")
        assert server.requests == []
    assert isinstance(asked.answer, Unavailable)
    assert asked.answer.reason == "redirect"


def test_hosts_are_asked_side_by_side_and_each_in_its_own_lane() -> None:
    queries = [Query("url", f"https://{host}.example.org/{page}") for host in "abc" for page in range(2)]

    async def run(url: str) -> dict[Query, QueryResult]:
        settings = TransportSettings(base_urls={"web_page": url}, rates={"web_page": Rate(4, 1)})
        async with Transport(settings) as transport:
            return await transport.ask(WEB_PAGE, queries)

    together = threading.Barrier(3)

    def script(path: str) -> Reply:
        if path.endswith("/0"):  # the first page of a host is answered when all three have been asked
            together.wait(60)
        return reply("")

    with serving(script) as server:
        answers = asyncio.run(run(server.url))
        assert list(answers) == queries
        assert all(isinstance(asked.answer, Found) for asked in answers.values())
        # The first page of each host goes out before the second of any.
        assert {path.rpartition("/")[2] for path in server.paths[:3]} == {"0"}


def test_a_request_is_of_the_web() -> None:
    assert WEB_PAGE.request([PAGE]) == Request("web_page", "https://example.org/page", accept="*/*")
