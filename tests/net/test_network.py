"""Without a network, the run ends at once with a message. Without one host, only that host is skipped."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import httpcore
import pytest

from pytest_citecheck.model import Query, QueryResult, Unavailable
from pytest_citecheck.net import (
    ExchangeError,
    Lookup,
    Network,
    NetworkBackend,
    Transport,
    TransportSettings,
    network,
    unconnected,
)
from pytest_citecheck.sources import Rate
from tests.support.transport_support import FakeSource, dois, serving, titles

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTIONS = dois(*(f"q{number}" for number in range(60)))


def ask_all(
    sources: Sequence[FakeSource], lookup: Lookup, base_urls: dict[str, str] | None = None, connect_timeout: float = 10
) -> tuple[list[dict[Query, QueryResult]], Transport]:
    settings = TransportSettings(base_urls=base_urls or {}, connect_timeout=connect_timeout)

    async def main() -> tuple[list[dict[Query, QueryResult]], Transport]:
        async with Transport(settings, lookup=lookup) as transport:
            return await asyncio.gather(*(transport.ask(source, QUESTIONS) for source in sources)), transport

    return asyncio.run(main())


def reasons(answers: dict[Query, QueryResult]) -> Counter[str]:
    return Counter(
        asked.answer.reason if isinstance(asked.answer, Unavailable) else type(asked.answer).__name__
        for asked in answers.values()
    )


def no_such_host(host: str) -> list[str]:
    raise OSError(-2, "Name or service not known")


def five_slow_sources() -> list[FakeSource]:
    return [FakeSource(name, rate=Rate(0.1, 2)) for name in "abcde"]


def test_failing_resolver_is_offline_at_once() -> None:
    start = time.monotonic()
    answers, transport = ask_all(five_slow_sources(), no_such_host)
    assert time.monotonic() - start < 60  # the rate alone would take ten minutes
    assert [reasons(each) for each in answers] == [Counter(offline=60)] * 5
    assert all(tally.requests <= 2 for tally in transport.statistics.values())


def test_hanging_resolver_is_offline_after_one_deadline() -> None:
    release = threading.Event()

    def hang(host: str) -> list[str]:
        release.wait()
        return []

    start = time.monotonic()
    answers, _ = ask_all(five_slow_sources(), hang, connect_timeout=0.2)
    assert time.monotonic() - start < 10  # sixty deadlines are twelve seconds
    release.set()
    assert [reasons(each) for each in answers] == [Counter(offline=60)] * 5


@pytest.mark.exhaustive
def test_hanging_resolver_costs_sources_asked_one_after_the_other_little(monkeypatch: pytest.MonkeyPatch) -> None:
    assert network._SECOND_DEADLINE <= 0.1
    monkeypatch.setattr(network, "_SECOND_DEADLINE", 0.01)
    release = threading.Event()

    def hang(host: str) -> list[str]:
        release.wait()
        return []

    async def main() -> list[Counter[str]]:
        async with Transport(TransportSettings(connect_timeout=0.3), lookup=hang) as transport:
            return [reasons(await transport.ask(source, QUESTIONS)) for source in five_slow_sources()]

    start = time.monotonic()
    assert asyncio.run(main()) == [Counter(offline=60)] * 5
    assert time.monotonic() - start < 1.2
    release.set()


def test_unreachable_network_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unreachable(*_: object, **__: object) -> None:
        raise httpcore.ConnectError from OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", unreachable)
    answers, _ = ask_all(five_slow_sources(), lambda _: ["192.0.2.1", "2001:db8::1"])
    assert [reasons(each) for each in answers] == [Counter(offline=60)] * 5


def test_silent_firewall_is_offline_after_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def swallowed(*_: object, timeout: float, **__: object) -> None:
        await asyncio.sleep(timeout)
        raise httpcore.ConnectTimeout

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", swallowed)
    start = time.monotonic()
    answers, _ = ask_all(five_slow_sources(), lambda _: ["192.0.2.1", "2001:db8::1"], connect_timeout=0.2)
    assert time.monotonic() - start < 10  # sixty deadlines are twelve seconds
    assert [reasons(each) for each in answers] == [Counter(offline=60)] * 5


@pytest.mark.exhaustive
def test_one_name_gone_while_another_host_answers_is_dns() -> None:
    with serving(titles) as server:
        good, gone = FakeSource("good"), FakeSource("gone")
        (answers, others), _ = ask_all([good, gone], no_such_host, {"good": server.url})
    assert reasons(answers) == Counter(Found=60)
    assert reasons(others) == Counter(dns=8, breaker=52)
    last = others[QUESTIONS[-1]].answer
    assert isinstance(last, Unavailable)
    assert "api.gone.example.org could not be looked up" in last.detail


def test_hosts_are_looked_up_once() -> None:
    seen: list[str] = []

    def lookup(host: str) -> list[str]:
        seen.append(host)
        return ["127.0.0.1"]

    with serving(titles) as server:
        port = server.url.rpartition(":")[2]
        (answers,), _ = ask_all([FakeSource()], lookup, {"fake": f"http://mirror.example.org:{port}"})
    assert reasons(answers) == Counter(Found=60)
    assert seen == ["mirror.example.org"]
    assert server.requests[0][1]["host"] == f"mirror.example.org:{port}"


def test_second_family_is_tried_and_remembered() -> None:
    async def main(port: int) -> list[tuple[str, ...]]:
        backend = NetworkBackend(Network(lambda _: ["::1", "127.0.0.1"], 10))
        for _ in range(2):
            stream = await backend.connect_tcp("h.example.org", port)
            await stream.aclose()
        return [tuple(backend._candidates("h.example.org", ("::1", "127.0.0.1")))]

    with serving(titles) as server:
        assert asyncio.run(main(int(server.url.rpartition(":")[2]))) == [("127.0.0.1",)]


def test_what_failures_to_connect_mean() -> None:
    refused = unconnected(ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "h")
    assert refused is not None
    assert (refused.reason, refused.hopeless, refused.offline) == ("connection", True, False)
    unreachable = unconnected(OSError(errno.EHOSTUNREACH, "unreachable"), "h")
    assert unreachable is not None
    assert unreachable.offline
    assert unconnected(ConnectionResetError(), "h") is None


def test_other_family_says_more_than_the_unreachable_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(_: object, address: str, *__: object, timeout: float, **___: object) -> None:
        if ":" in address:
            raise httpcore.ConnectError from OSError(errno.ENETUNREACH, "Network is unreachable")
        raise httpcore.ConnectError from ConnectionRefusedError(errno.ECONNREFUSED, "refused")

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)

    async def main(addresses: list[str]) -> None:
        await NetworkBackend(Network(lambda _: addresses, 10)).connect_tcp("h.example.org", 80)

    for addresses in (["192.0.2.1", "2001:db8::1"], ["2001:db8::1", "192.0.2.1"]):
        with pytest.raises(ExchangeError, match="refused"):
            asyncio.run(main(addresses))


def test_slow_connection_is_no_proof_once_something_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    async def swallowed(*_: object, **__: object) -> None:
        raise httpcore.ConnectTimeout

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", swallowed)

    async def main() -> None:
        network = Network(lambda _: ["192.0.2.1"], 0.2)
        network.reached = True
        await NetworkBackend(network).connect_tcp("h.example.org", 80)

    with pytest.raises(ExchangeError) as caught:
        asyncio.run(main())
    assert (caught.value.reason, caught.value.hopeless) == ("timeout", False)
