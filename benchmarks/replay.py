"""CPU time for replaying a big cassette: load 5,000 interactions with 2.7 KB bodies and look each of them up.

Run as ``python benchmarks/replay.py [interactions]``. Prints CPU seconds (user and system) of each step.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from pytest_citecheck.model import Answer, Found, Query, QueryKind, Record
from pytest_citecheck.net import Interaction, Transport, TransportSettings, load, save
from pytest_citecheck.sources import Rate, Request, Response, Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INTERACTIONS = 5_000
BODY_BYTES = 2_700


class Registry(Source):
    """The cheapest possible source, so that the benchmark measures the transport."""

    name = "registry"
    label = "Registry"
    base_url = "https://api.registry.example.org"
    documentation = ""
    limits = absence = ""
    keeps_author_order = True
    rate = Rate(10, 1)
    batch: Mapping[QueryKind, int] = {"doi": 1}

    def accepts(self, query: Query) -> bool:
        return query.kind == "doi"

    def request(self, queries: Sequence[Query]) -> Request:
        return Request(self.name, f"{self.base_url}/works/{quote(queries[0].value, safe='')}")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        message = json.loads(response.body)
        record = Record(self.name, message["DOI"], title=message["title"])
        return {query: Found((record,)) for query in queries}


def write_cassette(folder: Path, queries: Sequence[Query]) -> None:
    source = Registry()
    headers = {"date": "Sat, 21 Nov 2026 08:00:00 GMT", "content-type": "application/json"}
    interactions = []
    for query in queries:
        message = {"DOI": query.value, "title": f"On {query.value}", "abstract": ""}
        message["abstract"] = 'é"x ' * ((BODY_BYTES - len(json.dumps(message))) // 6)
        body = json.dumps(message, ensure_ascii=False).encode()
        interactions.append(Interaction.of(source.request([query]), 200, headers, body))
    save(folder / "registry.json", interactions)


def main(count: int) -> None:
    queries = [Query("doi", f"10.1000/example.{number}") for number in range(count)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.process_time()
        write_cassette(folder, queries)
        written = time.process_time() - start

        path = folder / "registry.json"
        start = time.process_time()
        bodies = [interaction.body for interaction in load(path)]
        loaded = time.process_time() - start

        random.Random(1).shuffle(queries)

        async def replay() -> int:
            async with Transport(TransportSettings(cassettes=folder, record="none")) as transport:
                answers = await transport.ask(Registry(), queries)
            return sum(isinstance(asked.answer, Found) for asked in answers.values())

        start = time.process_time()
        found = asyncio.run(replay())
        replayed = time.process_time() - start
        assert found == count

        size = path.stat().st_size / 1e6
        average = sum(map(len, bodies)) / count
    print(f"{count:,} interactions, bodies of {average:,.0f} bytes, file of {size:.1f} MB")
    print(f"write                                {written:6.2f} s CPU")
    print(f"load the file                        {loaded:6.2f} s CPU")
    print(f"load, look up and read in random order {replayed:4.2f} s CPU")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else INTERACTIONS)
