"""A proxy of the environment is used, and its failures are outages like any other."""

from __future__ import annotations

import asyncio

import pytest

from pytest_citecheck.model import Found, QueryResult, Unavailable
from pytest_citecheck.net import Transport, TransportSettings
from tests.support.transport_support import FakeSource, dois, serving, titles


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def ask(base_url: str) -> QueryResult:
    def no_such_host(host: str) -> list[str]:
        raise OSError(-2, f"Name or service not known: {host}")

    async def main() -> QueryResult:
        settings = TransportSettings(base_urls={"fake": base_url}, connect_timeout=0.2)
        async with Transport(settings, lookup=no_such_host, jitter=lambda: 0.0) as transport:
            (asked,) = (await transport.ask(FakeSource(), dois("a"))).values()
            return asked

    return asyncio.run(main())


def test_proxy_gets_the_request_and_looks_up_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(titles) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        asked = ask("http://mirror.example.org")
    assert isinstance(asked.answer, Found)
    assert proxy.paths == ["http://mirror.example.org/works?ids=a"]


def test_only_the_proxy_gets_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(titles) as proxy, serving(titles) as server:
        monkeypatch.setenv("http_proxy", proxy.url.replace("http://", "http://user:hunter2@"))
        assert isinstance(ask("http://mirror.example.org").answer, Found)
        assert isinstance(ask(server.url).answer, Found)
    sent = [(headers.get("proxy-authorization"), headers.get("authorization")) for _, headers in proxy.requests]
    assert sent == [("Basic dXNlcjpodW50ZXIy", None)]
    assert [header for _, headers in server.requests for header in headers if "authorization" in header] == []


def test_loopback_and_exceptions_are_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with serving(titles) as server:
        assert isinstance(ask(server.url).answer, Found)
    monkeypatch.setenv("no_proxy", "example.org")
    answer = ask("http://mirror.example.org").answer
    assert isinstance(answer, Unavailable)
    assert "mirror.example.org could not be looked up" in answer.detail


def test_answer_through_a_proxy_proves_that_there_is_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_such_host(host: str) -> list[str]:
        raise OSError(-2, "Name or service not known")

    async def main() -> QueryResult:
        mirrors = {"fake": "http://mirror.example.org", "inner": "http://inner.example.net"}
        async with Transport(TransportSettings(base_urls=mirrors), lookup=no_such_host) as transport:
            await transport.ask(FakeSource(), dois("a"))
            (asked,) = (await transport.ask(FakeSource("inner"), dois("a"))).values()
            return asked

    with serving(titles) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "example.net")
        answer = asyncio.run(main()).answer
    assert isinstance(answer, Unavailable)
    assert answer.reason == "dns"


@pytest.mark.parametrize(
    ("proxy", "reason", "detail"),
    [
        ("http://127.0.0.1:9", "connection", "the proxy 127.0.0.1 refused"),
        ("http://proxy.example.org:3128", "offline", "proxy.example.org could not be looked up"),
        ("socks5h://127.0.0.1:9", "connection", "the proxy 127.0.0.1"),
        ("http://user:hunter2hunter2@127.0.0.1:9", "connection", "the proxy 127.0.0.1 refused"),
    ],
)
def test_proxy_that_is_gone(monkeypatch: pytest.MonkeyPatch, proxy: str, reason: str, detail: str) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    answer = ask("https://mirror.example.org").answer
    assert isinstance(answer, Unavailable)
    assert answer.reason == reason
    assert detail in answer.detail
    assert "hunter2" not in answer.detail
