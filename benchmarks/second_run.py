"""Time a run over a bibliography that was checked before.

    python -m benchmarks.second_run [REFERENCES]

Prints the wall time and the requests for REFERENCES references (default 500): of the first run and of each of three later runs,
including pytest's start.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.stand_ins.generated import generated_world
from tests.stand_ins.server import LocalServices
from tests.support.pytest_processes import arguments, start

_RATE = 1000.0


def main(count: int) -> None:
    """Print the figures."""
    world = generated_world(count)
    with tempfile.TemporaryDirectory() as name, LocalServices(world.facts) as services:
        folder = Path(name) / "project"
        folder.mkdir()
        folder.joinpath("refs.bib").write_text(world.bibliography, encoding="utf-8")
        command = arguments(services.base_urls, _RATE, "-q")
        environment = {**os.environ, "CITECHECK_CACHE": str(Path(name) / "cache")}
        for run in ("first run", "second run", "third run", "fourth run"):
            asked, begin = len(services.requests), time.perf_counter()
            output, _ = start(command, folder, environment).communicate()
            wall = time.perf_counter() - begin
            requests = len(services.requests) - asked
            print(f"{run}: {wall:.2f} s, {requests} requests ({output.strip().splitlines()[-1]})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
