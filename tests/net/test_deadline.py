"""Queries end at the deadline or if no service responds; after that there is no network traffic."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest

from pytest_citecheck.model import Answer, Query, QueryResult, Unavailable
from pytest_citecheck.net import SILENCE_SECONDS, Deadline, Transport, TransportSettings
from pytest_citecheck.sources import Rate, Response
from tests.support.transport_support import FakeSource, Reply, dois, reply, serving, titles

QUESTIONS = dois(*(f"q{number}" for number in range(20)))
NEVER: Reply = [60.0]


def reasons(answers: dict[Query, QueryResult]) -> Counter[str]:
    return Counter(
        asked.answer.reason if isinstance(asked.answer, Unavailable) else type(asked.answer).__name__
        for asked in answers.values()
    )


def ask(names: str, url: str, queries: list[Query] = QUESTIONS, **given: float) -> list[Counter[str]]:
    """Query one source after the other and count the results."""
    settings = TransportSettings(base_urls={name: f"{url}/{name}" for name in names}, **given)  # type: ignore[arg-type]

    async def main() -> list[Counter[str]]:
        async with Transport(settings) as transport:
            return [reasons(await transport.ask(FakeSource(name, rate=Rate(10_000, 2)), queries)) for name in names]

    return asyncio.run(main())


def test_where_nobody_answers_all_asking_ends_together() -> None:
    with serving(lambda _: NEVER) as server:
        answers = ask("abcdefgh", server.url, silence_timeout=0.2)
        assert len(server.requests) == 2  # those who are asked afterwards are not asked at all
    assert answers == [Counter(silent=20)] * 8


@pytest.mark.exhaustive
def test_one_answer_of_anybody_is_no_silence() -> None:
    def script(path: str) -> Reply:
        return titles(path) if path.startswith("/a") else NEVER

    with serving(script) as server:
        first, second = ask("ab", server.url, timeout=0.6, silence_timeout=0.3)
    assert first == Counter(Found=20)
    assert set(second) == {"timeout", "breaker"}


@pytest.mark.exhaustive
def test_a_refusal_is_an_answer() -> None:
    def script(path: str) -> Reply:
        return reply("", 403) if path.startswith("/a") else NEVER

    with serving(script) as server:
        _, second = ask("ab", server.url, timeout=0.6, silence_timeout=0.3)
    assert set(second) == {"timeout", "breaker"}


@pytest.mark.exhaustive
def test_the_smaller_of_both_times_counts() -> None:
    with serving(lambda _: NEVER) as server:
        assert ask("ab", server.url, silence_timeout=0.2, total_timeout=30) == [Counter(silent=20)] * 2
        assert ask("ab", server.url, silence_timeout=30, total_timeout=0.2) == [Counter(deadline=20)] * 2


def test_silence_begins_with_the_first_request() -> None:
    async def main() -> None:
        deadline = Deadline(None, 0.0)
        deadline.begin()
        async with deadline.limit():
            await asyncio.sleep(0.01)
        assert deadline.over() is None
        deadline.sent()
        assert deadline.over() == Unavailable("silent", "no service answered anything within 0 s")
        deadline.answered()
        assert deadline.over() is not None

    asyncio.run(main())


def test_silence_need_not_end_anything() -> None:
    async def main() -> None:
        deadline = Deadline(None, None)
        deadline.begin()
        deadline.sent()
        async with deadline.limit():
            await asyncio.sleep(0.01)
        assert deadline.over() is None

    asyncio.run(main())


def test_who_waits_already_hears_of_the_first_request_and_of_the_first_answer() -> None:
    async def main() -> list[str]:
        deadline = Deadline(None, 0.05)

        async def wait(seconds: float) -> str:
            try:
                async with deadline.limit():
                    await asyncio.sleep(seconds)
            except TimeoutError:
                return "ended"
            return "whole"

        waiting = asyncio.create_task(wait(60))
        await asyncio.sleep(0)
        deadline.sent()
        ended = await waiting
        deadline = Deadline(None, 0.05)
        waiting = asyncio.create_task(wait(0.1))
        await asyncio.sleep(0)
        deadline.sent()
        deadline.answered()
        return [ended, await waiting]

    assert asyncio.run(main()) == ["ended", "whole"]


@pytest.mark.exhaustive
def test_after_the_time_nothing_is_read_or_sent() -> None:
    class Slow(FakeSource):
        """Takes longer to read than there is time."""

        def parse(self, queries: object, response: Response) -> dict[Query, Answer]:
            self.parsed.append(())
            time.sleep(1.2)
            return super().parse(queries, response)  # type: ignore[arg-type]

    source = Slow(rate=Rate(10_000, 4))

    async def main(url: str) -> Counter[str]:
        settings = TransportSettings(base_urls={"fake": url}, total_timeout=1)
        async with Transport(settings) as transport:
            return reasons(await transport.ask(source, QUESTIONS))

    with serving(titles) as server:
        counted = asyncio.run(main(server.url))
    assert counted == Counter(Found=1, deadline=19)
    assert source.parsed.count(()) == 1


@pytest.mark.parametrize("seconds", [0, -1])
def test_no_time_at_all_is_a_mistake(seconds: float) -> None:
    with pytest.raises(ValueError, match="timeouts must be greater than 0"):
        TransportSettings(silence_timeout=seconds)


def test_one_slow_exchange_is_no_silence() -> None:
    assert TransportSettings().timeout < SILENCE_SECONDS < 2 * TransportSettings().timeout
