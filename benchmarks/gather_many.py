"""Measure the cost of gathering evidence for very many references.

    python -m benchmarks.gather_many [REFERENCES] [--profile FILE]

The local services run in another process. Prints the time for a bibliography of REFERENCES entries (default 10,000), CPU time
per reference, the same without the time of the bare HTTP library, peak memory, and requests per reference. With
``--profile``, writes the statistics of cProfile to this file; the times are then meaningless.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import cProfile
import datetime
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import httpx

from pytest_citecheck.inputs import reader_for
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, WEB_PAGE, Rate
from tests.stand_ins.generated import generated_world
from tests.stand_ins.replies import Reply
from tests.stand_ins.server import LocalServices

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pytest_citecheck.lookup import Gathered
    from pytest_citecheck.model import Reference

_RATE = Rate(100_000, 8)
_TODAY = datetime.date(2026, 1, 1)


class Sent(NamedTuple):
    """A request as the services saw it."""

    url: str
    body: bytes


@dataclass(frozen=True, slots=True)
class World:
    """Addresses of the services, the references to check, and a function that returns the requests since its last call."""

    base_urls: Mapping[str, str]
    bibliography: str
    sent: Callable[[], list[Sent]]


class _RememberingServices(LocalServices):
    """Answers a request that was made before without work."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._given: dict[tuple[str, bytes], tuple[str, Reply]] = {}

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> tuple[str, Reply]:
        known = self._given.get((target, body))
        if known is None:
            known = self._given[target, body] = super().respond(method, target, headers, body)
        return known


def _serve(connection: Connection, count: int) -> None:
    world = generated_world(count)
    with _RememberingServices(world.facts) as services:
        connection.send((services.base_urls, world.bibliography))
        told = 0
        while connection.recv():
            requests = services.requests
            connection.send([Sent(services.base_urls[one.service] + one.path, one.body) for one in requests[told:]])
            told = len(requests)


@contextlib.contextmanager
def served(count: int) -> Iterator[World]:
    """Serve a world of ``count`` references from another process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, count))
    process.start()
    base_urls, bibliography = here.recv()

    def sent() -> list[Sent]:
        here.send(True)
        requests: list[Sent] = here.recv()
        return requests

    try:
        yield World(base_urls, bibliography, sent)
    finally:
        here.send(False)
        process.join()


def references(bibliography: str) -> dict[str, Reference]:
    """The references of a .bib file by key."""
    reader = reader_for("refs.bib")
    assert reader is not None
    return {reference.key: reference for reference in reader.read("refs.bib", bibliography.encode()).references}


def gathered(world: World, cited: Mapping[str, Reference], cache: Path) -> Gathered:
    """Gather the evidence as a run would."""
    sources = [source for source in SOURCES if source is not WEB_PAGE]
    settings = TransportSettings(base_urls=world.base_urls, rates={s.name: _RATE for s in sources}, cache=cache)
    return asyncio.run(gather(cited, sources, settings, _TODAY))


def exchanged(requests: Sequence[Sent]) -> None:
    """Make the same requests with httpx alone."""

    async def main() -> None:
        left = iter(requests)

        async def work(client: httpx.AsyncClient) -> None:
            for url, body in left:
                if body:
                    response = await client.post(url, content=body)
                else:
                    response = await client.get(url)
                assert response.content

        async with httpx.AsyncClient() as client:
            await asyncio.gather(*(work(client) for _ in range(_RATE.concurrency)))

    asyncio.run(main())


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gather_many")
    parser.add_argument("count", metavar="REFERENCES", type=int, nargs="?", default=10_000)
    parser.add_argument("--profile", metavar="FILE", type=Path)
    options = parser.parse_args()
    count = options.count
    with served(count) as world, tempfile.TemporaryDirectory() as folder:
        cited = references(world.bibliography)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        wall, cpu = time.perf_counter(), time.process_time()
        if options.profile:
            with cProfile.Profile() as profile:
                gathered(world, cited, Path(folder))
            profile.dump_stats(options.profile)
            return
        result = gathered(world, cited, Path(folder))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        assert len(result.evidence) == count
        requests = world.sent()
        bare = time.process_time()
        exchanged(requests)
        bare = time.process_time() - bare
    own = (cpu - bare) / count * 1e3
    print(f"{count:,} references in {wall:.1f} s: {count / wall:.0f} a second")
    print(f"{len(requests):,} requests, {len(requests) / count:.3f} a reference")
    print(f"CPU per reference: {cpu / count * 1e3:.2f} ms, of which {own:.2f} ms are not the HTTP library's")
    print(f"peak memory: {peak:.0f} MB, of which {before:.0f} MB before gathering")


if __name__ == "__main__":
    main()
