"""Limits of one exchange: bytes, headers, connections, allowed hosts, and disclosure of the client's identity."""

from __future__ import annotations

import asyncio
import functools
import gzip
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.model import Found, Query, QueryResult, Unavailable
from pytest_citecheck.net import EXCHANGES_AT_ONCE, Deadline, Exchanger, NetworkBackend, Transport, TransportSettings
from pytest_citecheck.sources import WEB_PAGE, Credentials, Rate, Request, WebPage
from tests.net.test_addresses import PRIVATE, SPELLINGS_OF_LOOPBACK
from tests.support.suites import first_fast
from tests.support.transport_support import FakeSource, FakeTime, Reply, dois, reply, serving, titles, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_citecheck.net import Lookup
    from pytest_citecheck.sources import Source


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def unknown(host: str) -> list[str]:
    raise OSError(-2, f"Name or service not known: {host}")


def ask_all(
    source: Source,
    queries: Sequence[Query],
    *,
    lookup: Lookup = unknown,
    base_urls: Mapping[str, str] | None = None,
    **given: object,
) -> dict[Query, QueryResult]:
    fake = FakeTime()
    rates = {source.name: Rate(10_000, 8)}
    settings = TransportSettings(rates=rates, base_urls=base_urls or {}, connect_timeout=10, **given)  # type: ignore[arg-type]

    async def run() -> dict[Query, QueryResult]:
        async with Transport(settings, lookup=lookup, clock=fake.clock, sleep=fake.sleep) as transport:
            return await transport.ask(source, queries)

    return asyncio.run(run())


def ask(source: Source, query: Query, **given: object) -> QueryResult:
    return ask_all(source, [query], **given)[query]  # type: ignore[arg-type]


def outcome(asked: QueryResult) -> str:
    return asked.answer.reason if isinstance(asked.answer, Unavailable) else type(asked.answer).__name__


def served(script: Callable[[str], Reply], source: Source | None = None) -> str:
    source = source or FakeSource()
    with serving(script) as server:
        return outcome(ask(source, dois("a")[0], base_urls={source.name: server.url}))


# --- bodies and heads


@functools.cache
def bomb() -> bytes:
    """Blanks that take 200 MB when they are unpacked twice."""
    return gzip.compress(gzip.compress(b" " * 60_000_000, 9), 9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("encoding", first_fast(["gzip, gzip", "deflate, gzip", "gzip, gzip, gzip"]))
def test_a_body_that_is_packed_twice_is_refused_unread(encoding: str) -> None:
    assert len(bomb()) < 5_000
    script = [whole(bomb(), content_encoding=encoding)]
    tracemalloc.start()
    try:
        assert served(lambda _: script) == "malformed"
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_two_headers_name_two_encodings() -> None:
    body = gzip.compress(gzip.compress(b'{"a": "A"}'))
    (answer,) = reply(body, content_encoding="gzip")
    twice = answer.replace(b"content-encoding: gzip\r\n", b"content-encoding: gzip\r\n" * 2)
    assert served(lambda _: [twice]) == "malformed"


class Small(FakeSource):
    """Takes answers of up to 1,000,000 bytes."""

    largest_body = 1_000_000


def padded(size: int) -> bytes:
    return b'{"a": "A"}'.ljust(size)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize(("size", "reason"), [(1_000_000, "Found"), (1_000_001, "too-large")])
def test_the_limit_of_the_source_is_that_of_the_unpacked_body(size: int, reason: str, packed: bool) -> None:
    body = padded(size)
    script = reply(gzip.compress(body), content_encoding="gzip") if packed else reply(body)
    assert served(lambda _: script, Small()) == reason


@pytest.mark.exhaustive
def test_a_bomb_takes_no_more_memory_than_the_limit() -> None:
    script = reply(gzip.compress(b" " * 200_000_000), content_encoding="gzip")
    tracemalloc.start()
    try:
        assert served(lambda _: script, Small()) == "too-large"
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_packed_bytes_that_unpack_to_nothing_are_counted() -> None:
    head = whole("", content_length="9000000", content_encoding="gzip")
    nothing = gzip.compress(b"")[:10] + b"\0\0\0\xff\xff" * 13_000
    assert served(lambda _: [head, nothing, *[b"\0\0\0\xff\xff" * 13_000] * 30], Small()) == "too-large"


def test_half_of_a_batch_that_is_too_large_is_asked_for() -> None:
    class Batches(Small):
        def __init__(self) -> None:
            super().__init__(size=4)

    def script(path: str) -> Reply:
        return reply(padded(1_500_000)) if path.count("%2C") > 1 else titles(path)

    with serving(script) as server:
        answers = ask_all(Batches(), dois("a", "b", "c", "d"), base_urls={"fake": server.url})
    assert [outcome(asked) for asked in answers.values()] == ["Found"] * 4
    assert len(server.requests) == 3


@pytest.mark.parametrize(("lines", "reason"), [(190, "Found"), (250, "malformed"), (20_000, "connection")])
def test_heads_are_limited_in_lines_and_bytes(lines: int, reason: str) -> None:
    (answer,) = reply('{"a": "A"}')
    many = answer.replace(b"date:", b"".join(b"x%d: y\r\n" % number for number in range(lines)) + b"date:")
    assert served(lambda _: [many]) == reason


def test_trailers_are_limited_and_say_nothing() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\na\r\n"
    start = head + b'{"a": "A"}\r\n0\r\n'
    assert served(lambda _: [start, b"content-encoding: br\r\n\r\n"]) == "Found"
    assert served(lambda _: [start, *[b"x: " + b"y" * 50_000 + b"\r\n"] * 4]) == "connection"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_status_that_says_it_all_is_heard_whatever_the_body_is(status: int) -> None:
    script = reply(b"x" * 200_000, status, content_encoding="br, gzip", retry_after="600")
    assert served(lambda _: script) == f"http-{status}"


# --- how much is under way


@pytest.mark.parametrize(("errors", "size", "read"), [(True, 90, 90), (True, 9_000_000, 200_000), (False, 90, 0)])
def test_what_an_error_says_is_read_on_request_and_never_whole(*, errors: bool, size: int, read: int) -> None:
    async def main(url: str) -> int:
        deadline = Deadline(None, None)
        deadline.begin()
        exchanger = Exchanger(20.0, 10.0, unknown, deadline)
        try:
            request = Request("fake", url, body=b"{}")
            raw = await exchanger.exchange(request, lambda: None, largest=1_000, errors=errors)
        finally:
            await exchanger.aclose()
        assert raw.status == 429
        return len(raw.body)

    with serving(lambda _: reply(b"x" * size, 429)) as server:
        found = asyncio.run(main(server.url))
        assert (found == read) if read < 1_000 else (0 < found <= read)


@pytest.mark.exhaustive
def test_exchanges_under_way_are_bounded_over_all_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    under_way = most = 0
    monkeypatch.setattr("pytest_citecheck.net.exchange.refuse_private_host", lambda *_: None)
    connect = NetworkBackend.connect_tcp

    async def counted(self: NetworkBackend, *args: object, **options: object) -> object:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            for _ in range(20):
                await asyncio.sleep(0)
            return await connect(self, *args, **options)  # type: ignore[arg-type]
        finally:
            under_way -= 1

    monkeypatch.setattr(NetworkBackend, "connect_tcp", counted)
    with serving(lambda _: reply("")) as server:
        port = server.url.rpartition(":")[2]
        pages = [Query("url", f"http://h{number}.example.org:{port}/") for number in range(200)]
        answers = ask_all(WEB_PAGE, pages, lookup=lambda _: ["127.0.0.1"])
    assert {outcome(asked) for asked in answers.values()} == {"Found"}
    assert 1 < most <= EXCHANGES_AT_ONCE


# --- private addresses


class Pages(WebPage):
    """Web pages, also in the addresses that the source refuses itself: the transport has to refuse them again."""

    def accepts(self, query: Query) -> bool:
        return True


HOSTS = [
    *SPELLINGS_OF_LOOPBACK,
    *(f"[{address.strip('[]')}]" if ":" in address else address for address in PRIVATE if " " not in address),
    "localhost",
    "localhost.",
    "LOCALHOST",
    "x.localhost",
    "[fe80::1%25eth0]",
    "127。0。0。1",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "example.org@127.0.0.1",
    "8.8.8.8@127.0.0.1",
    "127.0.0.1#@example.org",
    "loc\xadalhost",
    "rebound.example.org",
]


@pytest.mark.sample(30)
@pytest.mark.parametrize("proxied", [False, True], ids=["direct", "through a proxy"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_cited_host_is_never_a_private_one(host: str, proxied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: reply("")) as server:
        if proxied:
            monkeypatch.setenv("http_proxy", server.url)
            monkeypatch.setenv("all_proxy", server.url)
        port = server.url.rpartition(":")[2]
        name, mark, rest = host.partition("#")
        asked = ask(Pages(), Query("url", f"http://{name}:{port}/{mark}{rest}"), lookup=lambda _: ["127.0.0.1"])
        assert server.requests == []
    assert outcome(asked) in {"redirect", "malformed"}


def leading_to(host: str, monkeypatch: pytest.MonkeyPatch, *, proxied: bool) -> tuple[QueryResult, list[str]]:
    """Return the result for a public page that redirects to this host; this machine plays the public one."""
    monkeypatch.setattr("pytest_citecheck.net.exchange.refuse_private_host", lambda *_: None)
    monkeypatch.setattr("pytest_citecheck.net.http.reach", lambda _: "loopback" if _ == "127.0.0.1" else "private")
    seen: list[str] = []

    def script(path: str) -> Reply:
        seen.append(path)
        return reply("", 302, location=f"http://{host}/inner") if "inner" not in path else reply("")

    with serving(script) as server:
        if proxied:
            monkeypatch.setenv("http_proxy", server.url)
        port = server.url.rpartition(":")[2]
        query = Query("url", f"http://public.example.org:{port}/")
        return ask(WEB_PAGE, query, lookup=lambda host: ["127.0.0.1"] if "public" in host else unknown(host)), seen


@pytest.mark.parametrize("proxied", [False, True], ids=["direct", "through a proxy"])
@pytest.mark.parametrize(
    "host", ["10.0.0.1", "2130706432", "0xa9.0xfe.0xa9.0xfe", "[::ffff:a00:1]", "hidden.example.net"]
)
def test_no_redirect_leads_to_a_private_host(host: str, proxied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, seen = leading_to(host, monkeypatch, proxied=proxied)
    assert len(seen) == 1
    assert outcome(asked) in {"redirect", "dns", "offline"}


def test_behind_a_proxy_a_cited_host_without_an_address_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: reply("")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        asked = ask(WEB_PAGE, Query("url", "http://hidden.example.org/"))
        assert proxy.requests == []
    assert isinstance(asked.answer, Unavailable)
    assert "hidden.example.org may be a private address behind the proxy" in asked.answer.detail


def test_behind_a_proxy_a_cited_host_with_a_public_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: reply("")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        asked = ask(WEB_PAGE, Query("url", "http://example.org/"), lookup=lambda _: ["104.26.8.237"])
        assert proxy.paths == ["http://example.org/"]
    assert isinstance(asked.answer, Found)


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["104.26.8.237"], ["127.0.0.1"]]
    connected: list[str] = []

    async def connect(_: object, address: str, *__: object, **___: object) -> None:
        connected.append(address)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr("httpcore.AnyIOBackend.connect_tcp", connect)
    asked = ask(WEB_PAGE, Query("url", "http://Rebinding.example.org/"), lookup=lambda _: answers.pop(0))
    assert outcome(asked) == "connection"
    assert connected == ["104.26.8.237"]
    assert len(answers) == 1


# --- who is told who asks


class Keyed(FakeSource):
    """Wants a key in a header, and an address in a parameter."""

    contact: Mapping[str, str] = {"mailto": "{contact}"}
    credentials = Credentials("FAKE_KEY", header="x-api-key")


def told(requests: list[tuple[str, dict[str, str]]]) -> list[bool]:
    """Return, for each request, True if it contains the address or the key."""
    return [
        any(secret in text for secret in ("jane", "top-secret") for text in (path, *headers.values()))
        for path, headers in requests
    ]


IDENTITY = {"contact": "jane@example.org", "keys": {"fake": "top-secret", "web_page": "top-secret"}}


def test_only_the_service_itself_learns_who_asks() -> None:
    with serving(titles) as server:
        ask(Keyed(), dois("a")[0], base_urls={"fake": server.url}, **IDENTITY)
        assert told(server.requests) == [True]
        _, headers = server.requests[0]
        assert headers["x-api-key"] == "top-secret"
        assert headers["user-agent"].endswith(" (mailto:jane@example.org)")


def test_a_redirect_to_another_host_takes_neither_headers_nor_parameters_along() -> None:
    def script(path: str) -> Reply:
        return (
            reply("", 302, location=f"http://inner.example.org:{port}/new{path}")
            if "/new" not in path
            else titles(path)
        )

    with serving(script) as server:
        port = server.url.rpartition(":")[2]
        base = {"fake": f"http://outer.example.org:{port}"}
        asked = ask(Keyed(), dois("a")[0], lookup=lambda _: ["127.0.0.1"], base_urls=base, **IDENTITY)
        assert told(server.requests) == [True, False]
        assert server.paths[1] == "/new/works?ids=a"
    assert outcome(asked) == "Found"


def test_cited_hosts_do_not_learn_who_asks() -> None:
    with serving(lambda _: reply("")) as server:
        ask(WEB_PAGE, Query("url", "http://example.org/"), base_urls={"web_page": server.url}, **IDENTITY)
        assert told(server.requests) == [False]
        assert server.requests[0][1]["user-agent"].startswith("pytest-citecheck/")


def test_a_source_that_asks_elsewhere_tells_nobody() -> None:
    class Straying(Keyed):
        def url(self, values: Sequence[str]) -> str:
            return super().url(values).replace(self.base_url, elsewhere)

    with serving(titles) as server:
        elsewhere = server.url
        ask(Straying(), dois("a")[0], **IDENTITY)
        assert told(server.requests) == [False]


def test_a_key_goes_out_in_the_clear_only_where_the_user_wants_it_so() -> None:
    class Plain(Keyed):
        def __init__(self, url: str) -> None:
            super().__init__()
            self.base_url = url

    with serving(titles) as server:
        ask(Plain(server.url), dois("a")[0], **IDENTITY)
        ask(Plain(server.url), dois("a")[0], base_urls={"fake": server.url}, **IDENTITY)
    assert ["x-api-key" in headers for _, headers in server.requests] == [False, True]


@pytest.mark.parametrize(("calls", "expected"), [(1, [200]), (2, [200, 200])])
def test_the_time_limit_does_not_count_the_wait_for_the_rate_limit(calls: int, expected: list[int]) -> None:
    waits = 0

    async def main(url: str) -> list[int]:
        nonlocal waits
        loop = asyncio.get_running_loop()
        clock, passed = loop.time, 0.0
        loop.time = lambda: clock() + passed  # type: ignore[method-assign]

        async def wait() -> None:
            nonlocal passed, waits
            waits += 1
            passed += 1_000.0

        deadline = Deadline(None, None)
        deadline.begin()
        exchanger = Exchanger(20.0, 10.0, unknown, deadline)
        try:
            request = Request("fake", url)
            responses = [
                await exchanger.exchange(request, lambda: None, largest=1_000, on_connected=wait) for _ in range(calls)
            ]
        finally:
            await exchanger.aclose()
        return [one.status for one in responses]

    with serving(lambda _: reply(b"{}")) as server:
        assert asyncio.run(main(server.url)) == expected
    assert waits >= 1


def test_only_a_new_connection_waits_for_the_rate_limit() -> None:
    """An open connection has waited: neither a redirect on it nor a later request waits again."""
    waits = 0
    paths: list[str] = []

    def script(path: str) -> Reply:
        paths.append(path)
        return reply(b"", 302, location="/second") if path == "/first" else reply(b"{}")

    async def main(url: str) -> None:
        async def wait() -> None:
            nonlocal waits
            waits += 1

        deadline = Deadline(None, None)
        deadline.begin()
        exchanger = Exchanger(20.0, 10.0, unknown, deadline)
        try:
            for _ in range(2):
                request = Request("fake", f"{url}/first")
                await exchanger.exchange(request, lambda: None, largest=1_000, on_connected=wait)
        finally:
            await exchanger.aclose()

    with serving(script) as server:
        asyncio.run(main(server.url))
    assert paths == ["/first", "/second"] * 2
    assert waits == 1
