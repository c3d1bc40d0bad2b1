"""Workers of a Dask cluster as processes that can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def unguarded_environment() -> dict[str, str]:
    """Without the guard of the network: Dask asks the system for its own address, which looks like leaving the machine."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}


@contextmanager
def dask_workers(address: str, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start workers of one thread each, without a nanny that would replace them."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    running = [
        subprocess.Popen(
            [*command, "--no-nanny"], env=unguarded_environment(), stderr=subprocess.DEVNULL, start_new_session=True
        )
        for _ in range(count)
    ]
    try:
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait()
