"""The last stage: further sources about what the indexes left open, document by document, within a budget of requests.

A document is asked about as `pytest --citecheck` would ask about it, if the most that this can take (`gather.forecast`) is
left of the budget; what is asked again later comes from the cache of answers.
"""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_citecheck.audit.inputs.reading import read_pieces
from pytest_citecheck.audit.judging import ASKED, rows_of
from pytest_citecheck.audit.tables import REFERENCES, metadata_of, read_rows, write_rows
from pytest_citecheck.gather import PROFILES, forecast
from pytest_citecheck.readers.base import NO_WORKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_citecheck.audit.inputs.reading import Cited
    from pytest_citecheck.audit.workbench import Workbench
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["ask_online", "spent"]

_REQUESTS = "requests"


def spent(bench: Workbench) -> int:
    """The requests of earlier starts. Raises OSError."""
    parts = range(len(bench.plan.partitions))
    return sum(
        int(metadata_of(bench.folder.online(number)).get(_REQUESTS, 0))
        for number in parts
        if bench.folder.online(number).exists()
    )


def ask_online(bench: Workbench, transport: TransportSettings, budget: int) -> Iterator[tuple[int, int, int]]:
    """Ask about what is open, partition by partition: gives number, requests sent, references left for want of budget.

    Raises OSError.
    """
    left = budget - spent(bench)
    for number, pieces in enumerate(bench.plan.partitions):
        if bench.folder.online(number).exists():
            continue
        rows = read_rows(bench.folder.references(number))
        if all(row["settled"] for row in rows):
            continue
        cited, _ = read_pieces(pieces)
        bench.propose(number)
        requests = skipped = 0
        replaced: list[dict[str, Any]] = []
        for document, grouped in groupby(zip(cited, rows, strict=True), key=lambda pair: pair[0].document):
            pairs = list(grouped)
            open_rows = sum(not row["settled"] for _, row in pairs)
            of_document = [one for one, _ in pairs]
            if not open_rows or _most(of_document, bench, transport) > left:
                skipped += open_rows
                replaced += [row for _, row in pairs]
                continue
            fresh, statistics = rows_of(of_document, bench, transport)
            used = sum(tally.requests for tally in statistics.values())
            requests, left = requests + used, left - used
            replaced += fresh
            del document
        if not skipped:  # else there is more to ask with another budget
            write_rows(bench.folder.online(number), replaced, REFERENCES, {_REQUESTS: str(requests)})
        yield number, requests, skipped


def _most(cited: Sequence[Cited], bench: Workbench, transport: TransportSettings) -> int:
    works = {
        str(place): one.reference
        for place, one in enumerate(cited)
        if one.reference.readable and one.reference.type not in NO_WORKS
    }
    settings = bench.plan.settings
    expected = asyncio.run(forecast(works, ASKED, transport, settings.day, PROFILES[settings.profile], bench.indexes))
    return sum(one.most for one in expected)
