"""Run pytest twice at the same time, over different bibliographies, against a service that limits its requests.

    python -m benchmarks.two_runs [REQUESTS PER_SECOND]

Without arguments: 2,000 requests at 5 per second, which takes 7 minutes. The service refuses requests over the limit with
status 429. Prints the number of refused requests and the duration of the queries, compared with the minimum under the limit.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_plus

from tests.stand_ins.generated import generated_world
from tests.stand_ins.server import LocalServices
from tests.support.pytest_processes import arguments, start

_SERVICE = "crossref"
_ONLY = f"""
def pytest_citecheck_sources(config, sources):
    sources[:] = [source for source in sources if source.name == {_SERVICE!r}]
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Combined measurements of two runs.

    requests: number of complete responses, including refusals. refused: number of responses with status 429. seconds: from the
    first to the last request. shares: requests of each run. ends: last output line of each run.
    """

    requests: int
    refused: int
    seconds: float
    shares: tuple[int, ...]
    ends: tuple[str, ...]


def measure(folder: Path, requests: int, per_second: float) -> Measured:
    """Let two runs each make half of the requests: one per reference, none of which has an identifier.

    Crossref is the only source: it takes one title per request, and this profile queries it for all references.
    """
    # Seven in ten references are of articles that Crossref has.
    world = generated_world(requests * 10 // 7 + 20)
    articles = [entry for entry in re.split(r"\n(?=@)", world.bibliography) if entry.startswith("@article")]
    entries = [re.sub(r",\n  doi = .*", "", entry) for entry in articles[:requests]]
    parts = {"one": entries[::2], "two": entries[1::2]}
    with LocalServices(world.facts) as services:
        services.limit(_SERVICE, per_second)
        command = arguments(services.base_urls, per_second, "--citecheck-profile=arena", "-q")
        environment = {**os.environ, "CITECHECK_CACHE": str(folder / "cache")}
        runs = []
        for name, own in parts.items():
            folder.joinpath(name).mkdir()
            folder.joinpath(name, "conftest.py").write_text(_ONLY, encoding="utf-8")
            folder.joinpath(name, "refs.bib").write_text("\n".join(own), encoding="utf-8")
            runs.append(start(command, folder / name, environment))
        outputs = [run.communicate() for run in runs]
        finished = services.finished
    moments = [answer.moment for answer in finished]
    asked = [unquote_plus(answer.request.path) for answer in finished]
    return Measured(
        requests=len(finished),
        refused=sum(answer.status == 429 for answer in finished),
        seconds=max(moments) - min(moments),
        shares=tuple(sum(any(title in path for title in _titles(own)) for path in asked) for own in parts.values()),
        ends=tuple((output or errors).strip().splitlines()[-1] for output, errors in outputs),
    )


def _titles(entries: Sequence[str]) -> list[str]:
    return [title for entry in entries for title in re.findall(r"title = {(.*)}", entry)]


def main(requests: int, per_second: float) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), requests, per_second)
    ideal = requests / per_second
    print(f"{measured.requests:,} requests, {' and '.join(map(str, measured.shares))} of the two runs")
    print(f"answered with 429: {measured.refused} ({measured.refused / measured.requests:.2%})")
    print(f"{measured.seconds:.1f} s where the limit allows {ideal:.1f} s: {measured.seconds / ideal - 1:+.1%}")
    print("\n".join(measured.ends))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, float(sys.argv[2]) if len(sys.argv) > 2 else 5.0)
