"""Requests that a service counts separately have separate budgets and rate limit headers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

from pytest_citecheck.model import Query
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import Pool, Rate, Request
from tests.support.transport_support import FakeSource, FakeTime, dois, reply, serving


class TwoPools(FakeSource):
    """Counts ids that begin with s apart."""

    pools: Mapping[str, Pool] = {"single": Pool(Rate(5.0, 1), Rate(10.0, 3))}

    def pool(self, query: Query) -> str:
        return "single" if query.value.startswith("s") else ""

    def request(self, queries: Sequence[Query]) -> Request:
        return Request(self.name, self.url([query.value for query in queries]))


def moments(values: str, contact: str = "", stated_rate: str = "") -> dict[str, list[float]]:
    """Return the times of the queries for each id, in seconds, by first letter."""
    fake = FakeTime()
    seen: dict[str, list[float]] = {"s": [], "l": []}
    source = TwoPools(rate=Rate(1.0, 1))
    source.contact_rate = Rate(3.0, 1)

    def script(path: str) -> list[bytes]:
        ids = parse_qs(urlsplit(path).query)["ids"][0].split(",")
        seen[ids[0][0]].append(fake.seconds)
        body = json.dumps(dict.fromkeys(ids, "A title"))
        if stated_rate and ids[0][0] == "s":
            return reply(body, x_rate_limit_limit=stated_rate, x_rate_limit_interval="1s")
        return reply(body)

    async def main(url: str) -> None:
        settings = TransportSettings(base_urls={"fake": url}, contact=contact)
        async with Transport(settings, clock=fake.clock, sleep=fake.sleep) as transport:
            for value in values.split():
                await transport.ask(source, dois(value))

    with serving(script) as server:
        asyncio.run(main(server.url))
    return seen


def gaps(seen: list[float]) -> list[float]:
    return [round(later - earlier, 1) for earlier, later in pairwise(seen)]


def test_each_pool_has_its_own_rate() -> None:
    assert gaps(moments("l1 l2 l3")["l"]) == [1.1, 1.1]
    assert gaps(moments("s1 s2 s3")["s"]) == [0.2, 0.2]
    assert gaps(moments("s1 s2 s3", "me@example.org")["s"]) == [0.1, 0.1]
    assert gaps(moments("l1 l2 l3", "me@example.org")["l"]) == [0.4, 0.4]


def test_what_the_headers_say_of_one_pool_is_not_taken_for_the_other() -> None:
    seen = moments("s1 l1 s2 l2 s3 l3", stated_rate="50")
    assert gaps(seen["l"]) == [1.1, 1.1]


def test_ids_of_two_pools_are_not_asked_together() -> None:
    source = TwoPools(size=10)
    paths = []

    def script(path: str) -> list[bytes]:
        paths.append(path)
        ids = parse_qs(urlsplit(path).query)["ids"][0].split(",")
        return reply(json.dumps(dict.fromkeys(ids, "A title")))

    async def main(url: str) -> None:
        async with Transport(TransportSettings(base_urls={"fake": url})) as transport:
            await transport.ask(source, dois("l1", "s1", "l2", "s2"))

    with serving(script) as server:
        asyncio.run(main(server.url))
    assert sorted(path.partition("=")[2] for path in paths) == ["l1%2Cl2", "s1%2Cs2"]
