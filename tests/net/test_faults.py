"""Every fault of a network, against a real server: never an exception, never an absence, no storm of retries."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.model import Found, Query, QueryResult, Unavailable
from pytest_citecheck.net import RedirectError, Transport, TransportSettings, exchange
from pytest_citecheck.sources import LARGEST_BODY, Rate, Request
from tests.support.transport_support import (
    CLOSE,
    RESET,
    FakeSource,
    FakeTime,
    Reply,
    dois,
    reply,
    serving,
    titles,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_citecheck.net import Lookup

CAPTCHA = "<!DOCTYPE html><html><title>Are you human?</title></html>"


def ask(
    source: FakeSource,
    queries: Sequence[Query],
    base_url: str,
    *,
    timeout: float = 20,
    time_source: FakeTime | None = None,
    lookup: Lookup | None = None,
) -> tuple[dict[Query, QueryResult], Transport]:
    fake = time_source or FakeTime()
    settings = TransportSettings(base_urls={source.name: base_url}, timeout=timeout, connect_timeout=10)
    options: dict[str, Any] = {} if lookup is None else {"lookup": lookup}

    async def main() -> tuple[dict[Query, QueryResult], Transport]:
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep, jitter=lambda: 0.5, **options) as transport:
            return await transport.ask(source, queries), transport

    return asyncio.run(main())


def reasons(answers: dict[Query, QueryResult]) -> list[str]:
    return [
        asked.answer.reason if isinstance(asked.answer, Unavailable) else type(asked.answer).__name__
        for asked in answers.values()
    ]


@pytest.mark.parametrize(
    ("script", "reason", "requests"),
    [
        pytest.param(lambda _: reply("", 429), "http-429", 3, id="429"),
        pytest.param(lambda _: reply("", 429, retry_after="2"), "http-429", 3, id="429 with Retry-After"),
        pytest.param(lambda _: reply("", 429, retry_after="600"), "http-429", 1, id="429 for too long"),
        pytest.param(lambda _: reply("", 500), "http-500", 6, id="500"),
        pytest.param(lambda _: reply(CAPTCHA, 503), "http-503", 6, id="503"),
        pytest.param(lambda _: reply(CAPTCHA, 401), "http-401", 1, id="401"),
        pytest.param(lambda _: reply(CAPTCHA, 403), "http-403", 1, id="403"),
        pytest.param(lambda _: reply(CAPTCHA, 418), "http-418", 1, id="418"),
        pytest.param(lambda _: reply(CAPTCHA, 451), "http-451", 1, id="451"),
        pytest.param(lambda _: reply("", 304), "http-304", 1, id="304"),
        pytest.param(lambda _: [RESET], "connection", 6, id="reset"),
        pytest.param(lambda _: [CLOSE], "connection", 6, id="closed without a word"),
        pytest.param(lambda _: [b"SSH-2.0-OpenSSH\r\n\r\n", CLOSE], "connection", 6, id="not HTTP"),
        pytest.param(lambda _: [whole('{"a": "T"}')[:-4], CLOSE], "connection", 6, id="truncated body"),
        pytest.param(lambda path: reply("", 302, location=path), "redirect", 4, id="redirect loop"),
        pytest.param(
            lambda _: reply("", 302, location="http://169.254.169.254/"), "redirect", 1, id="private redirect"
        ),
        pytest.param(
            lambda _: reply("", 302, location="https://else.example.com/"), "redirect", 1, id="foreign redirect"
        ),
        pytest.param(lambda _: reply("", 302), "http-302", 1, id="redirect to nowhere"),
        pytest.param(lambda _: reply(""), "malformed", 4, id="empty body"),
        pytest.param(lambda _: reply('{"a": "T'), "malformed", 4, id="malformed JSON"),
        pytest.param(lambda _: reply('{"b": "T"}'), "malformed", 4, id="about something else"),
        pytest.param(lambda _: reply(CAPTCHA, content_type="text/html"), "malformed", 4, id="captcha"),
        pytest.param(lambda _: reply(CAPTCHA, 404, content_type="text/html"), "http-404", 2, id="captcha 404"),
        pytest.param(lambda _: reply(CAPTCHA, 400, content_type="text/html"), "http-400", 1, id="captcha 400"),
        pytest.param(lambda _: reply("x", content_encoding="gzip"), "malformed", 4, id="broken gzip"),
    ],
)
def test_fault_is_unavailable(script: Callable[[str], Reply], reason: str, requests: int) -> None:
    source = FakeSource()
    with serving(script) as server:
        answers, transport = ask(source, dois("a"), server.url)
    assert reasons(answers) == [reason]
    assert len(server.requests) == requests
    tally = transport.statistics["fake"]
    assert (tally.requests, tally.answered, tally.unavailable) == (requests, 0, {reason: 1})
    (asked,) = answers.values()
    assert (asked.source, asked.endpoint) == ("fake", "https://api.fake.example.org/works?ids=a")


def test_too_large_body_is_given_up_while_it_comes() -> None:
    head = whole("", content_length="9000000")
    with serving(lambda _: [head, *[b" " * 1_000_000] * 9]) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["too-large"]
    assert len(server.requests) == 1
    assert LARGEST_BODY == 8_000_000


@pytest.mark.exhaustive
def test_compressed_bomb_is_given_up() -> None:
    bomb = gzip.compress(b" " * 60_000_000)
    with serving(lambda _: reply(bomb, content_encoding="gzip")) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["too-large"]


def test_compressed_body_is_read() -> None:
    body = gzip.compress(b'{"a": "A"}')
    with serving(lambda _: reply(body, content_encoding="gzip")) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Found"]
    assert server.requests[0][1]["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([60.0], id="before the head"),
        pytest.param([whole("", content_length="1000"), 60.0], id="in the body"),
        pytest.param([whole("", content_length="1000"), *[b" ", 0.03] * 2000], id="drop by drop"),
    ],
)
def test_deadline_is_that_of_the_whole_exchange(steps: Reply) -> None:
    with serving(lambda _: steps) as server:
        start = time.monotonic()
        answers, transport = ask(FakeSource(), dois("a"), server.url, timeout=0.15)
        assert time.monotonic() - start < 30
    assert reasons(answers) == ["timeout"]
    assert transport.statistics["fake"].requests == 2


def test_recovers_after_one_failure() -> None:
    replies = [reply("", 503), reply('{"a": "A"}')]
    with serving(lambda _: replies.pop(0)) as server:
        answers, transport = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Found"]
    assert transport.statistics["fake"].retries == 1


@pytest.mark.parametrize("label", ["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"])
def test_what_is_labelled_as_a_page_is_no_answer_even_if_it_parses(label: str) -> None:
    with serving(lambda _: reply('{"a": "A"}', content_type=label)) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["malformed"]
    assert len(server.requests) == 4


def test_an_absence_may_be_told_in_a_page_and_a_page_may_be_asked_for() -> None:
    class Reader(FakeSource):
        def request(self, queries: Sequence[Query]) -> Request:
            return replace(super().request(queries), accept="*/*")

    with serving(lambda _: reply('{"a": null}', 404, content_type="text/html")) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Absent"]
    with serving(lambda _: reply('{"a": "A"}', content_type="text/html")) as server:
        answers, _ = ask(Reader(), dois("a"), server.url)
    assert reasons(answers) == ["Found"]


def test_truncated_answer_is_asked_again() -> None:
    replies = [reply('{"a": '), reply('{"a": "A"}')]
    with serving(lambda _: replies.pop(0)) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Found"]


def test_a_404_that_cannot_be_read_is_asked_again() -> None:
    replies = [reply("", 404), reply('{"a": null}', 404)]
    with serving(lambda _: replies.pop(0)) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Absent"]


def test_absence_is_read_from_a_404() -> None:
    with serving(lambda _: reply('{"a": null}', 404)) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Absent"]


def test_three_failures_stop_all_questions_to_the_host() -> None:
    queries = dois(*(f"q{number}" for number in range(50)))
    with serving(lambda _: reply("", 500)) as server:
        answers, _ = ask(FakeSource(rate=Rate(10_000, 1)), queries, server.url)
    assert reasons(answers) == ["http-500"] * 3 + ["breaker"] * 47
    assert len(server.requests) == 9
    last = answers[queries[-1]].answer
    assert isinstance(last, Unavailable)
    assert "HTTP status 500" in last.detail


def test_concurrent_tasks_do_not_storm_a_host_that_is_down() -> None:
    queries = dois(*(f"q{number}" for number in range(200)))
    with serving(lambda _: reply("", 503)) as server:
        answers, _ = ask(FakeSource(rate=Rate(10_000, 4)), queries, server.url)
    assert set(reasons(answers)) == {"http-503", "breaker"}
    assert len(server.requests) <= (4 + 2) * 3


def test_failures_between_successes_stop_nothing() -> None:
    def script(path: str) -> Reply:
        return reply("", 500) if "bad" in path else titles(path)

    queries = dois(*(name for number in range(5) for name in (f"bad{number}", f"good{number}")))
    with serving(script) as server:
        answers, _ = ask(FakeSource(rate=Rate(10_000, 1)), queries, server.url)
    assert reasons(answers) == ["http-500", "Found"] * 5


def test_three_time_outs_stop_a_host_whichever_questions_met_them() -> None:
    with serving(lambda _: [5.0]) as server:
        answers, transport = ask(FakeSource(rate=Rate(10_000, 1)), dois("a", "b", "c"), server.url, timeout=0.1)
    assert reasons(answers) == ["timeout", "timeout", "breaker"]
    assert transport.statistics["fake"].requests == 3


def test_one_failing_question_does_not_stop_the_others() -> None:
    def script(path: str) -> Reply:
        return reply("", 500) if path.endswith("bad") else titles(path)

    queries = dois("a", "bad", "b", "bad", "c")
    with serving(script) as server:
        answers, _ = ask(FakeSource(rate=Rate(10_000, 1)), queries, server.url)
    assert reasons(answers) == ["Found", "http-500", "Found", "Found"]


def test_long_retry_after_gives_the_host_up_and_says_how_long() -> None:
    with serving(lambda _: reply("", 429, retry_after="45")) as server:
        answers, _ = ask(FakeSource(rate=Rate(10_000, 1)), dois("a", "b"), server.url)
    assert reasons(answers) == ["http-429", "breaker"]
    assert all(isinstance(a.answer, Unavailable) and "45 s" in a.answer.detail for a in answers.values())
    assert len(server.requests) == 1


def test_retry_after_stops_all_tasks() -> None:
    fake = FakeTime()
    seen: list[float] = []
    replies = [reply("", 429, retry_after="7")]

    def script(path: str) -> Reply:
        seen.append(fake.seconds)
        return replies.pop(0) if replies else titles(path)

    with serving(script) as server:
        answers, transport = ask(FakeSource(rate=Rate(1000, 1)), dois("a", "b", "c"), server.url, time_source=fake)
    assert reasons(answers) == ["Found"] * 3
    assert seen[0] < 7
    assert all(moment >= 7 for moment in seen[1:])
    assert transport.statistics["fake"].waited >= 7


def moments_of(source: FakeSource, number: int, replies: list[list[bytes]]) -> list[float]:
    fake = FakeTime()
    seen: list[float] = []

    def script(path: str) -> Reply:
        seen.append(fake.seconds)
        return replies.pop(0) if replies else titles(path)

    with serving(script) as server:
        answers, _ = ask(source, dois(*(f"q{n}" for n in range(number))), server.url, time_source=fake)
    assert reasons(answers) == ["Found"] * number
    return seen


def test_a_429_slows_the_host_down() -> None:
    seen = moments_of(FakeSource(rate=Rate(1, 1)), 4, [reply("", 429)])
    assert seen == pytest.approx([moment / 0.95 for moment in (0, 2, 4, 6, 8)])


def test_rate_in_the_headers_is_kept() -> None:
    first = reply('{"q0": "T"}', x_rate_limit_limit="1", x_rate_limit_interval="4s")
    assert moments_of(FakeSource(rate=Rate(1, 1)), 3, [first]) == pytest.approx([moment / 0.95 for moment in (0, 4, 8)])


def test_refused_connection_is_tried_once() -> None:
    with serving(titles) as server:
        url = server.url
    answers, transport = ask(FakeSource(rate=Rate(10_000, 1)), dois("a", "b"), url)
    assert reasons(answers) == ["connection", "breaker"]
    assert transport.statistics["fake"].requests == 1


def test_plain_text_where_tls_was_expected_is_a_tls_fault() -> None:
    def speak_plainly() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=speak_plainly)
        thread.start()
        answers, transport = ask(FakeSource(), dois("a"), f"https://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert reasons(answers) == ["tls"]
    assert transport.statistics["fake"].requests == 1


def test_untrusted_certificate_explains_itself() -> None:
    error = ssl.SSLCertVerificationError(1, "verify failed")
    error.verify_message = "self-signed certificate"
    outer = OSError("wrapped")
    outer.__cause__ = error
    assert exchange.tls_problem(outer) == "self-signed certificate"
    assert exchange.tls_problem(ssl.SSLEOFError(8, "EOF")) == ""


def test_redirect_on_the_same_host_is_followed() -> None:
    def script(path: str) -> Reply:
        return titles(path) if path.startswith("/new") else reply("", 301, location="/new?ids=a")

    with serving(script) as server:
        answers, transport = ask(FakeSource(), dois("a"), server.url)
    assert reasons(answers) == ["Found"]
    assert transport.statistics["fake"].requests == 2


def test_redirect_to_another_host_is_checked_for_private_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[tuple[object, ...]] = []

    def refuse(*hosts: object) -> None:
        checked.append(hosts)
        raise RedirectError("private")

    monkeypatch.setattr(exchange, "refuse_private", refuse)
    with serving(lambda _: reply("", 302, location="http://inner.example.org/")) as server:
        url = server.url.replace("127.0.0.1", "outer.example.org")
        answers, _ = ask(FakeSource(), dois("a"), url, lookup=lambda _: ["127.0.0.1"])
    assert reasons(answers) == ["redirect"]
    assert checked == [("outer.example.org", ("127.0.0.1",), "inner.example.org", ("127.0.0.1",))]


def test_no_cookie_is_sent_back() -> None:
    with serving(lambda path: [titles(path)[0].replace(b"date:", b"set-cookie: a=b\r\ndate:")]) as server:
        ask(FakeSource(rate=Rate(10_000, 1)), dois("a", "b"), server.url)
    assert len(server.requests) == 2
    assert all("cookie" not in headers for _, headers in server.requests)


def test_a_batch_that_is_refused_is_asked_in_halves() -> None:
    def script(path: str) -> Reply:
        return reply("bad request", 400) if "bad" in path else titles(path)

    with serving(script) as server:
        answers, _ = ask(FakeSource(size=8), dois("a", "b", "c", "bad", "d", "e"), server.url)
    assert reasons(answers) == ["Found", "Found", "Found", "http-400", "Found", "Found"]
    assert len(server.requests) == 5


def test_halving_down_to_the_bad_question_is_no_failure_of_the_host() -> None:
    def script(path: str) -> Reply:
        return reply("", 414) if "bad" in path else titles(path)

    queries = dois("bad", *(f"q{number}" for number in range(15)))
    with serving(script) as server:
        answers, _ = ask(FakeSource(size=16), queries, server.url)
    assert reasons(answers) == ["http-414", *["Found"] * 15]


def test_halving_stops_when_everything_is_refused() -> None:
    queries = dois(*(f"q{number}" for number in range(64)))
    with serving(lambda _: reply(CAPTCHA, 404)) as server:
        answers, _ = ask(FakeSource(size=64), queries, server.url)
    assert set(reasons(answers)) == {"http-404", "breaker"}
    assert len(server.requests) < 15


class Clumsy(FakeSource):
    """A source with a bug in each function, one after the other."""

    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug

    def request(self, queries: Sequence[Query]) -> Any:
        if self.bug == "request":
            raise KeyError("request")
        return super().request(queries)

    def parse(self, queries: Sequence[Query], response: Any) -> Any:
        if self.bug == "parse":
            raise RecursionError("parse")
        return {} if self.bug == "silence" else super().parse(queries, response)


@pytest.mark.parametrize("bug", ["request", "parse", "silence"])
def test_bug_in_a_source_costs_its_answer_only(bug: str) -> None:
    with serving(titles) as server:
        answers, _ = ask(Clumsy(bug), dois("a"), server.url)
    assert reasons(answers) == ["malformed"]


def test_good_answer_carries_date_and_canonical_endpoint() -> None:
    with serving(titles) as server:
        answers, _ = ask(FakeSource(), dois("a"), server.url)
    (asked,) = answers.values()
    assert isinstance(asked.answer, Found)
    assert asked.date == "2026-11-21T08:00:00Z"
    assert asked.endpoint == "https://api.fake.example.org/works?ids=a"
