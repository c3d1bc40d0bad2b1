"""Measure CPU time for publishers' lists of a venue and year, and the longest pause of the event loop meanwhile.

    python -m benchmarks.venue_lists [--papers 4400]

A local server sends a list of each publisher, and a run's transport reads it. A task that wakes up every two milliseconds
measures its longest delay, which also delays other exchanges and deadlines. Prints a table; two of its rows are in
docs/evidence/performance.md.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from itertools import cycle, islice

from pytest_citecheck.matching import VenueYearList, all_lists
from pytest_citecheck.model import Found, Query
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import VenueYearLists, source
from tests.stand_ins.venue_year_lists import Listed, list_as_sent, listed_papers
from tests.support.transport_support import reply, serving

_NAMES = ("pmlr", "pmlr_page", "neurips", "iclr", "acl_events", "cvf")
_TICK = 0.002


def _papers(listed: VenueYearList, number: int) -> list[Listed]:
    known = listed_papers(listed)
    more = (Listed(f"{one.title} {at}", one.authors) for at, one in enumerate(cycle(known[1:])))
    return [*known[:1], *islice(more, number - 1)]


async def _late() -> float:
    """The longest time by which a task is late, until it is cancelled."""
    worst, ended = 0.0, False
    while not ended:
        asleep = time.perf_counter()
        try:
            await asyncio.sleep(_TICK)
        except asyncio.CancelledError:
            ended = True
        worst = max(worst, time.perf_counter() - asleep - _TICK)
    return worst


async def _asked(kept: VenueYearLists, query: Query, url: str) -> tuple[bool, float]:
    """Return True if the list was read, and the delay of the event loop."""
    async with Transport(TransportSettings(base_urls={kept.name: url})) as transport:
        watching = asyncio.create_task(_late())
        answers = await transport.ask(kept, [query])
        watching.cancel()
        return isinstance(answers[query].answer, Found), await watching


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the reading of publishers' lists.")
    parser.add_argument("--papers", type=int, default=4400)
    papers = parser.parse_args().papers
    print("| list | papers | kB | processor, s | event loop late by, ms |\n|---|---|---|---|---|")
    for name in _NAMES:
        kept = source(name)
        assert isinstance(kept, VenueYearLists)
        listed = max((one for one in all_lists() if name in one.sources), key=lambda one: one.papers)
        sent = list_as_sent(name, listed, _papers(listed, papers))
        query = Query("author_search", listed.venue.id, ("Lovelace",), listed.year, listed.control)
        with serving(lambda _, sent=sent: reply(sent.body, content_type=sent.content_type)) as server:  # type: ignore[misc]
            began = time.process_time()
            read, late = asyncio.run(_asked(kept, query, server.url))
        taken = time.process_time() - began
        told = f"{taken:.2f} | {late * 1000:.0f}" if read else "not read |"
        print(f"| {kept.label} | {papers:,} | {len(sent.body) // 1000:,} | {told} |")


if __name__ == "__main__":
    main()
