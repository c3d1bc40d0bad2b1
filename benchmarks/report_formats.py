"""Measure the cost of all reports of a large run: `python -m benchmarks.report_formats` (30,000 checks, 3,000 failures).

Repeats the run with and without reports; the difference of the processor times is the cost of the reports.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_citecheck.reports import FORMATS

_ENTRY = """@article{{key{number},
  author = {{Ada Lovelace and Charles Babbage}}, title = {{Notes on the analysis of difference engines, part {number}}},
  journal = {{Looms}}, year = {{{year}}}, doi = {{{doi}}},
}}
"""


def bibliography(references: int, failures: int) -> str:
    """Return references, some with an invalid DOI field and a future year: two checks of each of these fail."""
    wrong = failures // 2
    return "".join(
        _ENTRY.format(
            number=number,
            year=2999 if number < wrong else 1843,
            doi="forthcoming" if number < wrong else f"10.1000/{number}",
        )
        for number in range(references)
    )


def measured(folder: Path, *options: str) -> tuple[float, float]:
    """Processor and wall seconds of a run."""
    command = [sys.executable, "-P", "-c", "from pytest_citecheck.cli import main; raise SystemExit(main())"]
    begun, before = time.monotonic(), os.times()
    arguments = ["check", "refs.bib", "--offline", "--cache=off", "-q", *options]
    subprocess.run([*command, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, time.monotonic() - begun


def main() -> None:
    """Print the times and the sizes of the reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--references", type=int, default=5000)
    parser.add_argument("--failures", type=int, default=3000)
    parser.add_argument("--each", action="store_true", help="also measure each report alone")
    chosen = parser.parse_args()
    reports = {name: f"--format={name}={name}.out" for name in FORMATS}
    reports |= {"html": "--html=html.out", "markdown": "--markdown=markdown.out"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "refs.bib").write_text(bibliography(chosen.references, chosen.failures), encoding="utf-8")
        without = measured(folder)
        print(f"without reports: {without[0]:.1f} s of a processor, {without[1]:.1f} s")
        together = measured(folder, *reports.values())
        print(f"with all reports: {together[0]:.1f} s of a processor, {together[1]:.1f} s")
        print(f"the reports: {together[0] - without[0]:.1f} s of a processor")
        for report, option in reports.items():
            size = (folder / f"{report}.out").stat().st_size
            alone = f", {measured(folder, option)[0] - without[0]:.1f} s" if chosen.each else ""
            print(f"  {report}: {size / 1e6:.1f} MB{alone}")


if __name__ == "__main__":
    main()
