"""Measure how long a run waits for each service, with a simulated clock.

    python -m benchmarks.waiting [FILE.bib ...] [--types TYPE,TYPE] [--lacking] [--contact] [--latency SECONDS] [--requests]

Looks up the references with all services (no keys, no web pages) at the rates that the services announce. The local services
answer in this process. Whenever the program would wait, the clock jumps to the end of the wait, so the result depends neither on
the machine nor on chance. The time for computing is not included. The services have the works of fixtures/; with ``--lacking``,
none has those of fixtures/conventions.bib, so that every service is asked for them.

``--types`` keeps only references of these types; ``--contact`` sets a contact address, for which some services allow more.
``--latency`` is the time that each service takes to answer a request, and to accept a new connection. The default is 0.3 s, about
the round trips of an encrypted request to another continent. A higher value matters little as long as it is shorter than the time
between two requests, which is 1 s at Crossref, and 3 s at Semantic Scholar and arXiv.

Prints for each service the requests, and the seconds for which the run waited for it and for no other service: what the run would
gain if this service took no time. ``--requests`` also prints each request with the second in which it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import selectors
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.parse import unquote_plus, urlsplit

from benchmarks.gather_many import references
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import Network, RawResponse, Transport, TransportSettings, system_lookup
from pytest_citecheck.sources import SOURCES, WEB_PAGE
from tests.stand_ins import CONVENTIONS_FILE, FACTS_FILE, load_facts
from tests.stand_ins.server import LocalServices

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_citecheck.lookup import Gathered
    from pytest_citecheck.model import Reference
    from pytest_citecheck.sources import Request

LATENCY = 0.3
_IDLE_SECONDS = 5.0  # after which the program closes a connection
_FIXTURES = Path(__file__).parents[1] / "fixtures"
_TODAY = datetime.date(2026, 1, 1)
_URLS = {source.name: source.base_url for source in SOURCES}


class _Selector(selectors.SelectSelector):
    """Moves the clock of its loop instead of waiting. Threads take no time: it waits for those that compute."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.on_wait: Callable[[float], object] = lambda _: None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        for thread in threading.enumerate():
            if thread.name.startswith("citecheck "):
                thread.join()
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("the run waits for something that never happens")
        if not ready and timeout:
            self.on_wait(timeout)
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    """An event loop with a simulated clock, which starts at 0."""

    def __init__(self) -> None:
        self.clock = _Selector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


@dataclass
class Wait:
    """Result of a run: its requests with the second in which each was sent, the seconds in all, and the seconds for which it
    waited for one service alone."""

    requests: list[tuple[float, str, str]] = field(default_factory=list)
    seconds: float = 0.0
    alone: dict[str, float] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[str]:
        """The number of requests to each service."""
        return Counter(service for _, service, _ in self.requests)


class _Exchanger:
    """Takes the place of the HTTP client: the local services answer after the latency."""

    def __init__(self, services: LocalServices, latency: float, clock: Callable[[], float], wait: Wait) -> None:
        self.network = Network(system_lookup, latency)
        self._services = services
        self._latency = latency
        self._clock = clock
        self._wait = wait
        self._idle: dict[str, list[float]] = {}  # for each host, since when each open connection has been idle

    async def exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        *,
        own_headers: Mapping[str, str] | None = None,
        on_connected: Callable[[], Awaitable[object]] | None = None,
        **__: object,
    ) -> RawResponse:
        on_send()
        host = urlsplit(request.url).netloc
        idle = [since for since in self._idle.get(host, []) if self._clock() - since < _IDLE_SECONDS]
        self._idle[host] = idle
        if idle:
            idle.pop()
        else:
            await asyncio.sleep(self._latency)
            if on_connected is not None:
                await on_connected()
        path = request.url.removeprefix(_URLS[request.service])
        self._wait.requests.append((self._clock(), request.service, unquote_plus(path) + request.body.decode()))
        await asyncio.sleep(self._latency)
        target = f"/{request.service}{path}"
        _, reply = self._services.respond("POST" if request.body else "GET", target, own_headers or {}, request.body)
        self._idle[host].append(self._clock())
        headers = {"content-type": reply.content_type, **{name.lower(): said for name, said in reply.headers.items()}}
        return RawResponse(reply.status, headers, reply.body)

    async def aclose(self) -> None:
        """Close nothing."""


class _Transport(Transport):
    """A transport whose requests reach the local services."""

    def __init__(
        self,
        settings: TransportSettings,
        *,
        on_answer: Callable[[str, int], object] | None = None,
        services: LocalServices,
        latency: float,
        wait: Wait,
    ) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _Loop)
        super().__init__(settings, on_answer=on_answer, clock=loop.time, jitter=lambda: 0.5)
        self._made = [_Exchanger(services, latency, loop.time, wait)]  # type: ignore[list-item]
        self._wait = wait
        loop.clock.on_wait = self._waited

    def _waited(self, seconds: float) -> None:
        names, _ = self.waiting()
        if len(names) == 1:
            self._wait.alone[names[0]] = self._wait.alone.get(names[0], 0.0) + seconds


def measured(
    cited: Mapping[str, Reference], latency: float = LATENCY, contact: str = "", *, lacking: bool = False
) -> tuple[Wait, Gathered]:
    """Look up these references; return what the run waited for, and its result."""
    sources = [source for source in SOURCES if source is not WEB_PAGE]
    facts = load_facts(FACTS_FILE)
    if not lacking:
        facts = facts.joined_with(load_facts(CONVENTIONS_FILE))
    wait = Wait()
    with LocalServices(facts) as services, asyncio.Runner(loop_factory=_Loop) as runner:
        transport = partial(_Transport, services=services, latency=latency, wait=wait)
        with patch("pytest_citecheck.lookup.run.Transport", transport):
            result = runner.run(gather(cited, sources, TransportSettings(contact=contact), _TODAY))
        wait.seconds = runner.get_loop().time()
    return wait, result


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.waiting")
    parser.add_argument("files", metavar="FILE.bib", type=Path, nargs="*")
    parser.add_argument("--types", default="", help="only entries of these types, with commas between them")
    parser.add_argument("--lacking", action="store_true", help="no service has the works of fixtures/conventions.bib")
    parser.add_argument(
        "--contact", action="store_const", const="citecheck@example.org", default="", help="send an address"
    )
    parser.add_argument("--latency", metavar="SECONDS", type=float, default=LATENCY, help="of each request")
    parser.add_argument("--requests", action="store_true", help="print each request")
    options = parser.parse_args(arguments)
    cited = {
        f"{file}:{key}": reference
        for file in options.files or sorted(_FIXTURES.glob("*.bib"))
        for key, reference in references(file.read_text(encoding="utf-8")).items()
        if not options.types or reference.type in options.types.split(",")
    }
    wait, _ = measured(cited, options.latency, options.contact, lacking=options.lacking)
    if options.requests:
        for second, service, asked in wait.requests:
            print(f"{second:8.2f} {service} {asked}")
    counts, alone = wait.counts, wait.alone
    print("| service | requests | a reference | waited for alone, s |\n|---|---|---|---|")
    for name in sorted(counts, key=lambda name: (-alone.get(name, 0.0), -counts[name], name)):
        print(f"| {name} | {counts[name]} | {counts[name] / len(cited):.2f} | {alone.get(name, 0.0):.1f} |")
    total = f"{counts.total()} | {counts.total() / len(cited):.2f} | {sum(alone.values()):.1f}"
    print(f"| all | {total} |\n\n{len(cited)} references: {wait.seconds:.1f} s")


if __name__ == "__main__":
    main()
