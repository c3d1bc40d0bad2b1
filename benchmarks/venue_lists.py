"""How long publishers' lists of a venue and year keep the processor, and for how long the event loop stands still meanwhile.

    python -m benchmarks.venue_lists [--papers 4400]

A list of each publisher is sent by a local server and read by a run's transport; a task that wants to wake up every two
milliseconds tells the longest time that it had to wait. That is what other exchanges and deadlines are late by. Prints a table,
of which docs/evidence/performance.md has two rows.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from itertools import cycle, islice

from pytest_citecheck.matching.venue_tables import VenueYearList, all_lists
from pytest_citecheck.model import Found, Query
from pytest_citecheck.net.client import Transport
from pytest_citecheck.net.settings import TransportSettings
from pytest_citecheck.sources.proceedings import VenueYearLists
from pytest_citecheck.sources.registry import source
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


async def _asked(kept: VenueYearLists, question: Query, url: str) -> tuple[bool, float]:
    """Whether the list was read, and by how much the event loop was late."""
    async with Transport(TransportSettings(base_urls={kept.name: url})) as transport:
        watching = asyncio.create_task(_late())
        answers = await transport.ask(kept, [question])
        watching.cancel()
        return isinstance(answers[question].answer, Found), await watching


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
        question = Query("author_search", listed.venue.id, ("Lovelace",), listed.year, listed.control)
        with serving(lambda _, sent=sent: reply(sent.body, content_type=sent.content_type)) as server:  # type: ignore[misc]
            began = time.process_time()
            read, late = asyncio.run(_asked(kept, question, server.url))
        taken = time.process_time() - began
        told = f"{taken:.2f} | {late * 1000:.0f}" if read else "not read |"
        print(f"| {kept.label} | {papers:,} | {len(sent.body) // 1000:,} | {told} |")


if __name__ == "__main__":
    main()
