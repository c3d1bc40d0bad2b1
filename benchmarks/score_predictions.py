"""Seconds to score a prediction file: ``python benchmarks/score_predictions.py [SPLIT PREDICTIONS]``.

Without files it makes a split of 1,119 entries up: 14 types and valid ones, with confidences that are tied as tools tie them.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pytest_citecheck.benchmark import bootstrap_intervals, load_predictions, pair, score
from pytest_citecheck.inputs import TIERS, LabelledEntry, Prediction, load_split

REPLICATES = 10_000


def made_up(count: int) -> tuple[list[LabelledEntry], list[Prediction]]:
    """Return entries, and predictions that are right in four of five cases."""
    rng = random.Random(1)
    entries: list[LabelledEntry] = []
    predictions: list[Prediction] = []
    for number in range(count):
        kind = rng.choice([*TIERS, *["valid"] * 12])
        wrong = kind != "valid"
        entries.append(
            LabelledEntry(
                key=str(number),
                type="article",
                fields={},
                label="HALLUCINATED" if wrong else "VALID",
                hallucination_type=kind if wrong else None,
                tier=TIERS.get(kind),
            )
        )
        flagged = wrong if rng.random() < 0.8 else not wrong
        predictions.append(
            Prediction(str(number), "HALLUCINATED" if flagged else "VALID", rng.choice((0.5, 0.7, 0.85, 0.9, 0.95)))
        )
    return entries, predictions


def measure(label: str, action: Callable[[], object]) -> None:
    """Prints the best of three times in seconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    print(f"{label:52s} {min(times):8.3f} s")


def main() -> None:
    if len(sys.argv) > 2:
        split, predicted = map(Path, sys.argv[1:3])
        entries, predictions = list(load_split(split).entries), list(load_predictions(predicted).predictions)
        measure("read split and predictions", lambda: (load_split(split), load_predictions(predicted)))
    else:
        entries, predictions = made_up(1119)
    print(f"{len(entries)} entries, {len(predictions)} predictions")
    measure("score, no intervals", lambda: score(entries, predictions))
    pairs = pair(entries, predictions)
    measure(f"{REPLICATES} bootstrap replicates of seven metrics", lambda: bootstrap_intervals(pairs, REPLICATES))
    measure("score with intervals", lambda: score(entries, predictions, replicates=REPLICATES))


if __name__ == "__main__":
    main()
