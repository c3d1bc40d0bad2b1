"""Peak memory of a big run in one process.

    python -m benchmarks.plugin_memory [REFERENCES] [--index]

A generated .bib (default 20,000 references, 120,000 checks, a tenth of the references wrong), checked offline with a JSON report
and JUnit XML, without other installed plugins. With ``--index`` a local index holds the works: every check finds something.
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

from benchmarks.generated import bibtex, works
from benchmarks.start import only_plugin
from pytest_citecheck.index import build

_ROOT = Path(__file__).parent.parent
_WRONG = 0.1


def peak(folder: Path, options: list[str]) -> float:
    """Peak resident memory of a run in MB (of 2**20 bytes)."""
    environment = only_plugin() | {"PYTHONPATH": str(_ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--citecheck=refs.bib"]
    started = time.perf_counter()
    run = subprocess.run(
        [*command, "--citecheck-offline", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode not in (0, 1):
        raise SystemExit(run.stdout[-2000:] + run.stderr[-2000:])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(run.stdout.strip().splitlines()[-1])
    print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU, {time.perf_counter() - started:.0f} s")
    return used.ru_maxrss / 1024


def prepared(folder: Path, references: int, *, with_index: bool) -> list[str]:
    """Write the files into the folder; return the options that refer to them."""
    records = works(references)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "refs.bib").write_text(bibtex(records, wrong=_WRONG), encoding="utf-8")
    options = ["--citecheck-json=r.json", "--junitxml=r.xml"]
    if with_index:
        child = os.fork()  # so that the memory of the build is nobody's
        if not child:
            build(folder / "works.index", records)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        options.append("--citecheck-index=works.index")
    return options


def main() -> None:
    """Print the peak."""
    parser = argparse.ArgumentParser(description="Measure the peak memory of a run over a big bibliography.")
    parser.add_argument("references", nargs="?", type=int, default=20_000)
    parser.add_argument("--index", action="store_true", help="with a local index of all works")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = prepared(folder, chosen.references, with_index=chosen.index)
        print(f"{chosen.references:,} references: {peak(folder, options):,.0f} MB at most")


if __name__ == "__main__":
    main()
