"""Measure the gain from pytest-xdist: a split checked from a local index by one process, two workers and eight.

    CITECHECK_SHARED=FOLDER python -m benchmarks.parallel --index works.index [--online] [--repeat N]

Checks ``hallmark/dev_public.jsonl`` of that folder with ``--citecheck-offline``, without other installed plugins. With
``--online``, the controller queries services, or detects that there is no network. For each number of workers it prints
wall-clock time, CPU time (user and system) of all processes, of the controller and of the busiest worker, user-space instructions
if `perf` can count them, peak memory of the biggest process, and whether the JSON report is identical. Each figure is the minimum
of several runs (default 3). On a busy machine only the instructions are meaningful; the load before the first run is printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.start import only_plugin

_ROOT = Path(__file__).parent.parent
_WORKERS = (0, 2, 8)


class Run(NamedTuple):
    """Seconds on the clock, CPU seconds of all, of the controller and of the busiest worker; 10⁹ instructions; MB; the report."""

    clock: float
    cpu: float
    controller: float
    worker: float
    instructions: float
    memory: float
    report: bytes


def run(workers: int, options: list[str], folder: Path) -> Run:
    """One pytest run."""
    times = folder / "times"
    shutil.rmtree(times, ignore_errors=True)
    times.mkdir()
    environment = only_plugin("xdist.plugin") | {
        "PYTHONPATH": str(_ROOT),
        "PROCESS_TIMES": str(times),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    command = [
        *(sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "benchmarks.process_times"),
        *("--rootdir", str(folder), "--citecheck-json=r.json", f"-n{workers}", *options),
    ]
    if shutil.which("perf"):
        command = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(folder / "perf"), *command]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    clock = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    used = {path.name: tuple(map(float, path.read_text(encoding="ascii").split())) for path in times.iterdir()}
    controller = used.pop("controller")
    return Run(
        clock,
        controller[0] + sum(cpu for cpu, _ in used.values()),
        controller[0],
        max((cpu for cpu, _ in used.values()), default=0.0),
        _instructions(folder / "perf"),
        max(controller[1], *(memory for _, memory in used.values()), 0.0) / 1024,
        (folder / "r.json").read_bytes() if (folder / "r.json").exists() else b"",
    )


def _instructions(path: Path) -> float:
    """10⁹ instructions, as `perf` has counted them; 0 if it could not."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    counts = [line.partition(",")[0] for line in lines if "instructions" in line]
    return int(counts[0]) / 1e9 if counts and counts[0].isdecimal() else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure a run with pytest-xdist.")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--online", action="store_true", help="query services too")
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    split = Path(os.environ["CITECHECK_SHARED"]) / "hallmark" / "dev_public.jsonl"
    options = [f"--citecheck={split.absolute()}", f"--citecheck-index={chosen.index.absolute()}"]
    options += [] if chosen.online else ["--citecheck-offline"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        print(f"load before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
        run(2, [*options, "--co"], folder)  # compiles
        runs = {workers: [run(workers, options, folder) for _ in range(chosen.repeat)] for workers in _WORKERS}
    first = runs[_WORKERS[0]][0].report
    print(
        "| run | clock | faster | CPU of all | controller | busiest worker | 10⁹ instructions | peak memory | report |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    alone = min(one.clock for one in runs[0])
    for workers, done in runs.items():
        clock, cpu, controller, worker, instructions, memory = (
            min(values) for values in list(zip(*done, strict=True))[:6]
        )
        same = "same" if all(one.report == first for one in done) else "differs"
        print(
            f"| `-n {workers}` | {clock:.1f} s | {alone / clock:.2f} × | {cpu:.1f} s | {controller:.1f} s | {worker:.1f} s "
            f"| {instructions:.0f} | {memory:.0f} MB | {same} |"
        )


if __name__ == "__main__":
    main()
