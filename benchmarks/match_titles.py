"""Processor time per title comparison, in microseconds: ``python benchmarks/match_titles.py [number of titles]``.

Titles are put together from a fixed vocabulary with a fixed seed, so that runs can be compared. Each case is timed
with titles that were never seen before ("first") and again with warm caches ("again"), as in a run where every
reference is compared with several candidates by several checks.
"""

from __future__ import annotations

import random
import sys
import time

from pytest_citecheck.matching import compare_titles, normalise_doi, title_key

CONTENT = [
    "neural",
    "graph",
    "learning",
    "robust",
    "proof",
    "bounds",
    "kernel",
    "vision",
    "speech",
    "causal",
    "market",
    "protein",
    "sampling",
    "quantum",
    "logic",
    "fairness",
    "transformer",
    "pre-training",
    "self-supervised",
    "diffusion",
    "language",
    "model",
    "inference",
    "estimation",
    "behaviour",
    "reinforcement",
    "multi-agent",
    "planning",
    "optimization",
    "network",
    "attention",
    "retrieval",
    "translation",
    "summarization",
    "parsing",
]
LINKS = ("for", "of", "with", "in", "via", "and")


def _titles(count: int, chance: random.Random) -> list[str]:
    result: list[str] = []
    for number in range(count):
        chosen = [chance.choice(CONTENT) for _ in range(chance.randint(5, 9))]
        chosen.insert(chance.randint(1, 4), chance.choice(LINKS))
        head = f"Sys{number}: " if chance.random() < 0.4 else f"{number} "
        result.append(head + " ".join(chosen).title())
    return result


def _one_word_changed(title: str, chance: random.Random) -> str:
    parts = title.split()
    parts[chance.randrange(1, len(parts))] = "Otherwise"
    return " ".join(parts)


def _report(label: str, pairs: list[tuple[str, str]]) -> None:
    timings: list[float] = []
    for _ in range(2):
        start = time.process_time()
        for cited, found in pairs:
            compare_titles(cited, found)
        timings.append((time.process_time() - start) / len(pairs) * 1e6)
    print(f"{label:<34} first {timings[0]:7.1f} µs   again {timings[1]:7.2f} µs")


def main(count: int) -> None:
    """Print the time of preparing a title, of comparing pairs of each kind, and of reading a DOI."""
    chance = random.Random(20)
    titles = _titles(count, chance)
    start = time.process_time()
    for title in titles:
        title_key(title)
    print(f"{'title_key':<34} first {(time.process_time() - start) / count * 1e6:7.1f} µs")
    _report("equal but for case (one title new)", [(title, title.upper() + ".") for title in titles])
    _report("unrelated (both titles known)", list(zip(titles, titles[1:] + titles[:1], strict=True)))
    _report("one word changed (one title new)", [(title, _one_word_changed(title, chance)) for title in titles])
    start = time.process_time()
    for number in range(count):
        normalise_doi(f"https://doi.org/10.1145/{number}.3445922")
    print(f"{'normalise_doi':<34} first {(time.process_time() - start) / count * 1e6:7.1f} µs")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
