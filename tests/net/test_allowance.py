"""The cost of a service is counted, and no query exceeds the daily allowance."""

from __future__ import annotations

import asyncio

import pytest

from pytest_citecheck.model import Query, Unavailable
from pytest_citecheck.net import Allowance, Transport, TransportSettings
from pytest_citecheck.sources import Credentials
from tests.support.transport_support import FakeSource, dois, reply, serving, titles


def test_the_service_knows_best_what_is_left() -> None:
    allowance = Allowance(0.1)
    assert allowance.take(0.001)
    assert allowance.left == pytest.approx(0.099)
    allowance.note({"x-ratelimit-remaining-usd": "0.002"})
    assert not allowance.take(0.003)
    assert allowance.take(0.002)
    for stated in ("nan", "5", "x", ""):
        allowance.note({"x-ratelimit-remaining-usd": stated})
    assert not allowance.take(0.001)
    assert allowance.take(0.0)


def ask(source: FakeSource, queries: list[Query], **settings: object) -> list[object]:
    async def main() -> list[object]:
        async with Transport(TransportSettings(**settings)) as transport:  # type: ignore[arg-type]
            answers = await transport.ask(source, queries)
            return [answers[query].answer for query in queries]

    return asyncio.run(main())


def reasons(answers: list[object]) -> list[str]:
    return [answer.reason if isinstance(answer, Unavailable) else "answered" for answer in answers]


def test_free_questions_go_on_when_the_money_is_spent() -> None:
    source = FakeSource()
    source.costs, source.dollars = {"title": 0.001}, 0.002
    source.credentials = Credentials("FAKE", header="x-key", dollars=1.0)
    asked = [*(Query("title", value) for value in "abc"), *dois("d")]
    with serving(titles) as server:
        source.base_url = server.url
        assert sorted(reasons(ask(source, asked))) == ["allowance", "answered", "answered", "answered"]
        assert reasons(ask(source, asked, keys={"fake": "a-key"})) == ["answered"] * 4
        assert reasons(ask(source, asked, base_urls={"fake": server.url})) == ["answered"] * 4


def test_what_others_have_spent_counts() -> None:
    source = FakeSource()
    source.costs, source.dollars = {"doi": 0.001}, 0.1
    with serving(lambda _: reply('{"a": "A title"}', x_ratelimit_remaining_usd="0.0004")) as server:
        source.base_url = server.url

        async def main() -> list[object]:
            async with Transport(TransportSettings()) as transport:
                return [(await transport.ask(source, dois(value)))[dois(value)[0]].answer for value in "ab"]

        assert reasons(asyncio.run(main())) == ["answered", "allowance"]
        assert len(server.requests) == 1
