"""How often references with a stated probability are wrong: real bibliographies and the labelled split.

    CITECHECK_SHARED=FOLDER python -m benchmarks.reliability --index works.index [--prior 0.54]

Reads every fourth reference of real bibliographies, whose accusations were judged by hand (`benchmarks.judged_bibliographies`),
at the prior of papers, and HALLMARK's dev_public at the given prior. Prints for each range of the stated probability the number
of references, the mean and the share of wrong ones with its 95% interval (Wilson 1927), and the expected calibration error.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from benchmarks.judged_bibliographies import judged_bibliographies
from benchmarks.offline_evidence import hallmark_references
from benchmarks.offline_verdicts import judged
from pytest_citecheck.inputs import load_split
from pytest_citecheck.lookup import IndexSource

_EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95, 0.98, 1.0)


def interval(hits: int, trials: int) -> tuple[float, float]:
    """The 95% interval of a share."""
    z, share = 1.96, hits / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def tell(name: str, stated: Sequence[tuple[float, bool]]) -> None:
    """Print the table of some references: the probability stated, and whether it is wrong."""
    print(f"\n{name}, {len(stated):,} references:\n\n| stated | n | mean | wrong | interval |\n|---|---|---|---|---|")
    error = 0.0
    for low, high in pairwise(_EDGES):
        inside = [one for one in stated if low <= one[0] < high]
        if inside:
            mean, wrong = sum(chance for chance, _ in inside) / len(inside), sum(bad for _, bad in inside)
            error += abs(mean * len(inside) - wrong) / len(stated)
            least, most = interval(wrong, len(inside))
            print(
                f"| {low:g} to {high:g} | {len(inside):,} | {mean:.3f} | {wrong / len(inside):.3f} | {least:.3f} to {most:.3f} |"
            )
    print(f"\ncalibration error: {error:.3f}")


def of_split(path: Path, index: Path, prior: float) -> Iterable[tuple[float, bool]]:
    """The probabilities of the entries of a split, and whether they are labelled as hallucinated."""
    labels = {entry.key: entry.label == "HALLUCINATED" for entry in load_split(path).entries}
    with closing(IndexSource(index, "index")) as source:
        for evaluation in judged(hallmark_references(path).values(), source, prior):
            yield evaluation.verdict.probability, labels[evaluation.case.reference.key]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--prior", type=float, default=0.54, help="the share of wrong references of the split")
    given = parser.parse_args()
    folder = Path(os.environ["CITECHECK_SHARED"])
    today = datetime.datetime.now(tz=datetime.UTC).date()
    real = judged_bibliographies(folder / "real_bibs", given.index, today)
    tell("Real bibliographies", [(one.probability, one.wrong) for one in real])
    decided = [(one.probability, one.wrong) for one in real if one.verdict != "undecided"]
    tell("Real bibliographies, decided", decided)
    for name in ("dev_public", "temporal_448"):
        tell(name, list(of_split(folder / "hallmark" / f"{name}.jsonl", given.index, given.prior)))


if __name__ == "__main__":
    main()
