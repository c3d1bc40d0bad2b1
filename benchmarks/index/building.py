"""Build an index of dumps with several numbers of processes, and print what each takes.

    python -m benchmarks.index.building DUMP… [--jobs 1,2]

The files are compared byte by byte. "rest" is the time in which one process writes the tables of buckets after all dumps are
read: more processes do not shorten it. Wall times mean something only on an idle machine; CPU times show the extra work.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BUILD = """
import resource, sys, time
from pytest_citecheck.cli import main
from pytest_citecheck.index import builder

finish = builder.Writing.finish

def timed(*arguments):
    before = time.process_time()
    try:
        return finish(*arguments)
    finally:
        print("rest", time.process_time() - before)

builder.Writing.finish = timed
if __name__ == "__main__":
    code = main(sys.argv[1:])
    peak = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print("peak", *peak)
    sys.exit(code)
"""


def main() -> None:
    """Print one row for each number of processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dumps", nargs="+")
    parser.add_argument("--jobs", default="1,2")
    chosen = parser.parse_args()
    print("| processes | wall s | CPU s | rest, CPU s | MB, main process | MB, largest other | bytes | same file |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "building.py")
        script.write_text(_BUILD, encoding="utf-8")
        first: Path | None = None
        for jobs in chosen.jobs.split(","):
            out = Path(folder, f"{jobs}.index")
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            command = [sys.executable, str(script), "index", "build", str(out), *chosen.dumps, "-j", jobs]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            said = {line.split()[0]: line.split()[1:] for line in told if line.startswith(("rest ", "peak "))}
            first = first or out
            same = "yes" if out.read_bytes() == first.read_bytes() else "no"
            memory = " | ".join(f"{int(size) / 1024:,.0f}" for size in said["peak"])
            size = out.stat().st_size
            print(
                f"| {jobs} | {wall:.0f} | {cpu:.0f} | {float(said['rest'][0]):.1f} | {memory} | {size:,} | {same} |",
                flush=True,
            )
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
