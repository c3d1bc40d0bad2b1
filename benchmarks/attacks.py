"""Attack the tool and count the outcomes: the table in docs/evidence/reliability.md.

    python -m benchmarks.attacks [--flips 3000]

Runs the fault matrix, damages each kind of file, pumps every regular expression of the package and reads hostile texts, some
minutes in all. Prints one table in Markdown. The exit status is 1 if anything happened that must not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import damaged_files, damaged_index, hostile_texts
from tests.stand_ins.server import LocalServices
from tests.support.fault_matrix import FAULTS, NAMES, WRONG, facts, play
from tests.support.package_patterns import collect_patterns
from tests.support.pumped_texts import pumps, superlinear_pumps

_INDEXES = 1_000
_SECONDS = 60.0  # that a hostile text may take; none takes more than some seconds


@dataclass(frozen=True, slots=True)
class Attack:
    """One kind of attack: number of trials, the forbidden outcome, and how often it occurred."""

    what: str
    tries: int
    command: str
    feared: str
    happened: int


def table(rows: Iterator[Attack]) -> str:
    """The rows in Markdown."""
    head = "| tried | times | must not happen | happened | command |\n|---|---:|---|---:|---|\n"
    return head + "".join(
        f"| {row.what} | {row.tries:,} | {row.feared} | {row.happened:,} | `python -m {row.command}` |\n"
        for row in rows
    )


def attacks(flips: int) -> Iterator[Attack]:
    """Try everything; ``flips`` in each kind of file."""
    yield _matrix()
    with tempfile.TemporaryDirectory() as folder:
        files = damaged_files.prepare(Path(folder))
        for kind in damaged_files.KINDS:
            count = damaged_files.run(files, kind, flips, 1)
            yield Attack(
                f"damaged {kind}: one byte changed, cut off, a block of zeros",
                count.tries,
                "benchmarks.damaged_files",
                "an exception, an accusation",
                count.exceptions + count.accusations,
            )
    with tempfile.TemporaryDirectory() as folder:
        counts = damaged_index.measure(Path(folder), _INDEXES)
        yield Attack(
            "damaged index, right and invented references",
            _INDEXES,
            "benchmarks.damaged_index",
            "an accusation, an invented reference passed, damage not found by `citecheck index verify`",
            sum(counts[what] for what in damaged_index.FAULTS),
        )
    patterns, _ = collect_patterns()
    yield Attack(
        f"texts that pump one of {len(patterns)} regular expressions",
        sum(len(pumps(found.pattern)) for found in patterns),
        "benchmarks.pumped_patterns",
        "more than linear time",
        sum(1 for found in patterns for _ in superlinear_pumps(found.pattern, found.methods)),
    )
    yield _texts()


def _matrix() -> Attack:
    accused = 0
    with LocalServices(facts()) as services:
        for name in NAMES:
            for fault in FAULTS.values():
                accused += bool({key for key, _ in play(name, fault, services).failing} - WRONG)
    return Attack(
        f"one of {len(NAMES)} services with one of {len(FAULTS)} faults",
        len(NAMES) * len(FAULTS),
        "tests.pages.reliability",
        "a right reference fails",
        accused,
    )


def _texts() -> Attack:
    slow = 0
    for name in hostile_texts.CASES:
        command = [sys.executable, "-m", "benchmarks.hostile_texts", "--here", name]
        try:
            slow += subprocess.run(command, timeout=_SECONDS, capture_output=True, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            slow += 1
    return Attack(
        "hostile texts of 32 kB to 70 MB, in files and in answers",
        len(hostile_texts.CASES),
        "benchmarks.hostile_texts",
        f"an exception, more than {_SECONDS:g} s",
        slow,
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks", description=__doc__)
    parser.add_argument("--flips", type=int, default=3000, help="bytes to change in each kind of file")
    rows = list(attacks(parser.parse_args().flips))
    print(table(iter(rows)), end="")
    return 1 if sum(row.happened for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
