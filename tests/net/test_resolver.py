"""Look-ups of names have a deadline, are shared, and never raise anything else."""

from __future__ import annotations

import asyncio
import threading

import pytest

from pytest_citecheck.net import LOOKUPS_AT_ONCE, ExchangeError, Network


def test_address_needs_no_look_up() -> None:
    def forbidden(host: str) -> list[str]:
        raise AssertionError(host)

    network = Network(forbidden, 1)
    assert asyncio.run(network.addresses("127.0.0.1")) == ("127.0.0.1",)
    assert asyncio.run(network.addresses("[::1]")) == ("::1",)


def test_simultaneous_look_ups_are_one() -> None:
    seen: list[str] = []

    def lookup(host: str) -> list[str]:
        seen.append(host)
        return ["192.0.2.1"]

    async def main() -> list[tuple[str, ...]]:
        network = Network(lookup, 1)
        return await asyncio.gather(*(network.addresses("h.example.org") for _ in range(5)))

    assert asyncio.run(main()) == [("192.0.2.1",)] * 5
    assert seen == ["h.example.org"]


def test_hanging_look_up_meets_its_deadline_and_ends_in_peace() -> None:
    release, ended = threading.Event(), threading.Event()

    def hang(host: str) -> list[str]:
        release.wait()
        ended.set()
        return ["192.0.2.1"]

    with pytest.raises(ExchangeError, match=r"within 0\.05 s") as caught:
        asyncio.run(Network(hang, 0.05).addresses("h.example.org"))
    assert caught.value.offline
    left = [thread for thread in threading.enumerate() if "h.example.org" in thread.name]
    assert [thread.daemon for thread in left] == [True]
    release.set()
    assert ended.wait(2)


@pytest.mark.parametrize("problem", [OSError(-2, "Name or service not known"), UnicodeError("label too long"), None])
def test_failed_look_up_is_no_hang(problem: Exception | None) -> None:
    def lookup(host: str) -> list[str]:
        if problem is not None:
            raise problem
        return []

    with pytest.raises(ExchangeError, match=r"h\.example\.org (could not be looked up|has no address)"):
        asyncio.run(Network(lookup, 1).addresses("h.example.org"))


@pytest.mark.exhaustive
def test_thousands_of_names_take_a_few_threads() -> None:
    names = [f"h{number}.example.org" for number in range(1_000)]
    most = 0

    def lookup(host: str) -> list[str]:
        nonlocal most
        most = max(most, len([thread for thread in threading.enumerate() if thread.name.startswith("look-up")]))
        return ["192.0.2.1"]

    async def main() -> list[tuple[str, ...]]:
        network = Network(lookup, 60)
        return await asyncio.gather(*(network.addresses(name) for name in names))

    assert asyncio.run(main()) == [("192.0.2.1",)] * 1_000
    assert 1 <= most <= LOOKUPS_AT_ONCE


def test_names_behind_hanging_ones_meet_the_deadline_too() -> None:
    release = threading.Event()

    def hang(host: str) -> list[str]:
        release.wait()
        return []

    async def main() -> list[BaseException | tuple[str, ...]]:
        network = Network(hang, 0.1)
        names = [f"h{number}.example.org" for number in range(LOOKUPS_AT_ONCE + 5)]
        return await asyncio.gather(*(network.addresses(name) for name in names), return_exceptions=True)

    answers = asyncio.run(main())
    release.set()
    assert all(isinstance(answer, ExchangeError) for answer in answers)
    assert ["could not start" in str(answer) for answer in answers] == [False] * LOOKUPS_AT_ONCE + [True] * 5


def test_a_name_that_waits_is_looked_up_when_there_is_room() -> None:
    def lookup(host: str) -> list[str]:
        threading.Event().wait(0.02)
        return ["192.0.2.1"]

    async def main() -> list[tuple[str, ...]]:
        network = Network(lookup, 60)
        return await asyncio.gather(*(network.addresses(f"h{number}.example.org") for number in range(64)))

    assert asyncio.run(main()) == [("192.0.2.1",)] * 64
