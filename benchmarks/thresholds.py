"""Count the decisions that depend on each threshold: findings and verdicts that change if it moves by one step.

    CITECHECK_SHARED=FOLDER python -m benchmarks.thresholds [--evidence FILE] [--index FILE] [--real] [--extremes] [NAME ...]

The decisions are those for the 1,119 entries of HALLMARK's public split, with ``--real`` also those for the references of the
real bibliographies, over an index of all records of the folder (2 minutes, unless ``--index`` names one). Each value is tried in
a separate process, which imports the package after the change (10 s each). Without names: all thresholds. evidence: keeps the
evidence of the index between runs. extremes: tries 0 and a thousandfold value in place of a step: a threshold that decides
nothing even then belongs to a rule that these references never meet.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from pytest_citecheck import thresholds

_TODAY = datetime.date(2026, 11, 21)


def decisions(evidence: Path) -> list[list[str]]:
    """Return verdict and codes of each reference, computed by the package in this process."""
    importlib.import_module("pytest_citecheck.sources.registry")  # declares who states what
    evaluate = importlib.import_module("pytest_citecheck.checks.verdict").evaluate
    rows = []
    for reference, known in pickle.loads(evidence.read_bytes()):  # noqa: S301 - written by this script
        found = evaluate(reference, known, _TODAY)
        rows.append(
            [
                f"{found.verdict.name} {found.verdict.type}",
                *(f"{one.outcome} {one.code}" for one in found.findings.values()),
            ]
        )
    return rows


def gathered(evidence: Path, full: Path | None, *, real: bool) -> None:
    """Write the evidence from an index of all records for each entry of the split. real: also of the real bibliographies."""
    offline = importlib.import_module("benchmarks.offline_evidence")
    verdicts = importlib.import_module("benchmarks.offline_verdicts")
    split = Path(os.environ["CITECHECK_SHARED"], "hallmark", "dev_public.jsonl")
    bibtex = importlib.import_module("pytest_citecheck.inputs")
    folder = Path(os.environ["CITECHECK_SHARED"], "real_bibs")
    with verdicts.full_index(full) as index:
        rows = offline.offline_evidence(offline.hallmark_references(split), index, (), _TODAY)
        for path in sorted(folder.glob("*.bib")) if real else ():
            read = bibtex.read_bibtex(path.name, path.read_bytes()).references
            rows += offline.offline_evidence({one.key: one for one in read if one.readable}, index, (), _TODAY)
    evidence.write_bytes(pickle.dumps(rows))


def changed(name: str, value: float, evidence: Path, before: list[list[str]]) -> str:
    """Count the verdicts (findings) that change if a threshold has this value; ``fails`` if the package cannot work with it."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.thresholds",
        "--evidence",
        str(evidence),
        "--decide",
        f"{name}={value!r}",
    ]
    run = subprocess.run(command, check=False, capture_output=True)
    if run.returncode:
        return "fails"
    after = json.loads(run.stdout)
    pairs = list(zip(before, after, strict=True))
    findings = sum(one != other for old, new in pairs for one, other in zip(old[1:], new[1:], strict=True))
    return f"{sum(old[0] != new[0] for old, new in pairs)} ({findings})"


def main() -> int:
    """Print a row a threshold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="of thresholds (default: all)")
    parser.add_argument("--evidence", type=Path, help="file to keep what the index says in")
    parser.add_argument("--index", type=Path, help="an index of all records of the folder")
    parser.add_argument("--real", action="store_true", help="count the references of the real bibliographies too")
    parser.add_argument("--extremes", action="store_true", help="try 0 and a thousandfold value in place of a step")
    parser.add_argument("--decide", metavar="NAME=VALUE", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.decide:
        name, _, value = given.decide.partition("=")
        if name:
            setattr(thresholds, name, float(value) if "." in value else int(value))
        print(json.dumps(decisions(given.evidence)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        evidence = given.evidence or Path(folder, "evidence")
        if not evidence.exists():
            gathered(evidence, given.index, real=given.real)
        before = decisions(evidence)
        print(f"{len(before)} references. Verdicts (findings) that change:")
        for name in given.names or thresholds.THRESHOLDS:
            row = thresholds.THRESHOLDS[name]
            values = (
                (0 * row.value, 1000 * row.value) if given.extremes else (row.value - row.step, row.value + row.step)
            )
            counts = (changed(name, value, evidence, before) for value in values)
            told = "  ".join(f"{value:g}: {count}" for value, count in zip(values, counts, strict=True))
            print(f"{name:24} {row.value:8.4g}  {told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
