"""A pytest plugin that writes the CPU time of its process to the folder PROCESS_TIMES: `-p benchmarks.process_times`."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    name = getattr(config, "workerinput", {"workerid": "controller"})["workerid"]
    path = Path(os.environ["PROCESS_TIMES"]) / name
    path.write_text(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}", encoding="ascii")
