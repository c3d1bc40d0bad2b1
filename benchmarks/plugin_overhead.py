"""CPU per check beside the same number of trivial pytest items.

    python -m benchmarks.plugin_overhead [REFERENCES]
    python -m benchmarks.plugin_overhead --co [RUNS]

A generated .bib (default 5,000 references, 30,000 checks) with prepared evidence, against 30,000 trivial test functions
(parametrised), each in a pytest process of its own: one process, two workers, and one process with 10 % failing.

With ``--co``: what the plugin costs a project that does not use it, as the CPU time of `pytest --co` over one test, with the
plugin installed and with ``-p no:citecheck``, in turns (default: 40 of each). Byte code is compiled before the first run that
counts, and other plugins are left out.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

from benchmarks.generated import bibtex, works

_ROOT = Path(__file__).parent.parent
_TRIVIAL = """
import pytest
@pytest.mark.parametrize("n", range({count}))
def test_trivial(n):
    assert not {failing} or n % 10
"""


def cpu_seconds(arguments: list[str], folder: Path) -> float:
    """User and system CPU of a pytest run, its workers included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(_ROOT), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *arguments]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stdout[-2000:] + run.stderr[-2000:])
    if "--co" not in arguments:
        print(f"    {run.stdout.strip().splitlines()[-1]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(references: int) -> None:
    """Print the table."""
    checks = 6 * references
    records = works(references)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        ours = ["-p", "benchmarks.prepared_evidence", "--citecheck=refs.bib"]
        for label, wrong, extra in (
            ("one process", 0.0, ["-p", "no:xdist"]),
            ("-n 2", 0.0, ["-n", "2"]),
            ("one process, 10 % failing, --tb=short", 0.1, ["-p", "no:xdist", "--tb=short"]),
        ):
            print(label)
            (folder / "refs.bib").write_text(bibtex(records, wrong=wrong), encoding="utf-8")
            (folder / "test_trivial.py").write_text(_TRIVIAL.format(count=checks, failing=bool(wrong)))
            own = cpu_seconds([*ours, *extra], folder)
            trivial = cpu_seconds(["test_trivial.py", *extra], folder)
            rows.append((label, own, trivial))
    print(
        f"\n{references} references, {checks} checks; {platform.machine()}, {os.cpu_count()} cores, {sys.version.split()[0]}"
    )
    print(f"{'run':<40}{'checks':>10}{'trivial':>10}{'µs a check':>12}{'µs an item':>12}{'ratio':>8}")
    for label, own, trivial in rows:
        per = (1e6 * own / checks, 1e6 * trivial / checks)
        print(f"{label:<40}{own:>9.1f}s{trivial:>9.1f}s{per[0]:>12.0f}{per[1]:>12.0f}{own / trivial:>8.2f}")


def unused(runs: int) -> None:
    """Print the cost of the plugin for a project that does not use it."""
    others = {point.name for point in entry_points(group="pytest11")} - {"citecheck"}
    with_plugin = ["--co", *(f"-pno:{name}" for name in sorted(others))]
    without = [*with_plugin, "-pno:citecheck"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "test_one.py").write_text("def test_one(): pass\n")
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        turns = [(cpu_seconds(with_plugin, folder), cpu_seconds(without, folder)) for _ in range(runs + 1)]
    pairs = turns[1:]  # the first ones compile
    for label, values in zip(("with", "without"), zip(*pairs, strict=True), strict=True):
        print(f"{label:<8}median {1e3 * statistics.median(values):.1f} ms, minimum {1e3 * min(values):.1f} ms")
    print(f"median of the differences {1e3 * statistics.median(one - other for one, other in pairs):.1f} ms")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--co"]:
        unused(int(sys.argv[2]) if len(sys.argv) > 2 else 40)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
