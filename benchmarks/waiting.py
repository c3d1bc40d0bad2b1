"""Compute how long a run waits for each service: the requests that it makes, at the limits that the services announce.

    python -m benchmarks.waiting [FILE.bib ...]

The local services answer without limits, and requests are counted. Prints a table of the services, the slowest first: requests,
and the seconds that they take at the rate without a key. Services are asked side by side, but a later round waits for an earlier
one: a run takes at least as long as the slowest service, and at most the sum.
"""

from __future__ import annotations

import asyncio
import datetime
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.gather_many import references
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, WEB_PAGE, Rate
from tests.stand_ins.server import LocalServices

_FIXTURES = Path(__file__).parents[1] / "fixtures"
_FAST = Rate(100_000, 8)
_TODAY = datetime.date(2026, 1, 1)


def requests_for(files: list[Path]) -> tuple[int, Counter[str]]:
    """Return the number of references, and the requests for them by service."""
    cited = {
        f"{file}:{key}": reference
        for file in files
        for key, reference in references(file.read_text(encoding="utf-8")).items()
    }
    sources = [source for source in SOURCES if source is not WEB_PAGE]
    with LocalServices() as services, tempfile.TemporaryDirectory() as folder:
        rates = {source.name: _FAST for source in sources}
        settings = TransportSettings(base_urls=services.base_urls, rates=rates, cache=Path(folder))
        asyncio.run(gather(cited, sources, settings, _TODAY))
        return len(cited), Counter(request.service for request in services.requests)


def main() -> None:
    """Print the table."""
    count, requests = requests_for([*map(Path, sys.argv[1:])] or sorted(_FIXTURES.glob("*.bib")))
    seconds = {s.name: requests[s.name] / s.rate.per_second for s in SOURCES if requests[s.name]}
    print("| service | requests | seconds |\n|---|---|---|")
    for name in sorted(seconds, key=seconds.__getitem__, reverse=True):
        print(f"| {name} | {requests[name]} | {seconds[name]:.1f} |")
    print(
        f"| all, for {count} references | {requests.total()} | {max(seconds.values()):.1f} to {sum(seconds.values()):.1f} |"
    )


if __name__ == "__main__":
    main()
