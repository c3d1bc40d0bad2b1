"""Time the evaluation of a reference: six findings and a verdict, with all evidence available.

    python -m benchmarks.evaluate [COUNT]
    CITECHECK_SHARED=FOLDER python -m benchmarks.evaluate [COUNT] --index works.index [--profile N]

The first form prints the CPU time per reference for made-up references: with two records, with eight records of works similar
in title and people, with no record, and with 3,000 authors. The second form uses real references: HALLMARK's dev_public, and
COUNT records of the folder in the styles of `benchmarks.styles`, with the evidence of an index. Another process gathers that
evidence. The first pass starts with empty caches and without tables, the second with those of the first. ``--profile`` instead
prints the modules and the N functions in which the first pass spends its time.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime
import gc
import multiprocessing
import os
import pstats
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from benchmarks.generated import bibtex, evidence, works
from benchmarks.offline_evidence import hallmark_references, offline_evidence
from benchmarks.offline_verdicts import full_index, read, sample
from benchmarks.styles import STYLES, styled_entry
from pytest_citecheck.checks import evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.model import Evidence, Found, Person, Query, QueryResult, Record, Reference
from pytest_citecheck.sources import SOURCES

_TODAY = datetime.date(2026, 11, 20)
Judged = tuple[Reference, Evidence]


def _with_lookalikes(record: Record, made: Sequence[Record], dice: random.Random) -> Evidence:
    """The two records of the work, and six of other works by the same people, as a search by title brings them."""
    others = tuple(
        replace(other, authors=record.authors, title=f"{record.title.rsplit(' ', 3)[0]} {other.title}")
        for other in dice.sample(made, 6)
    )
    line = QueryResult("crossref", Query("title", record.title), Found(others))
    return Evidence((*evidence(record).asked, line))


def _nothing(record: Record) -> Evidence:
    return Evidence((QueryResult("crossref", Query("title", record.title), Found(())),))


def _time(name: str, references: Sequence[Reference], made: Sequence[Evidence]) -> None:
    start = time.process_time()
    for reference, known in zip(references, made, strict=True):
        evaluate(reference, known, _TODAY)
    taken = (time.process_time() - start) / len(references)
    print(f"{name:<28}{taken * 1e6:>10.0f} µs a reference")


def _many_authors(count: int) -> tuple[Reference, Evidence]:
    names = tuple(Person(family=f"Physicist{number:04}".translate(_LETTERS), given="Ada") for number in range(count))
    record = replace(works(1)[0], authors=names)
    return read_bibtex("refs.bib", bibtex([record]).encode()).references[0], evidence(record)


_LETTERS = str.maketrans("0123456789", "abcdefghij")


def _real(index: Path, count: int) -> dict[str, list[Judged]]:
    """References with the evidence that the index has for them."""
    split = Path(os.environ["CITECHECK_SHARED"], "hallmark", "dev_public.jsonl")
    dice, names = random.Random(1), list(STYLES)
    entries = [styled_entry(row, dice.choice(names), f"key{number}", dice) for number, row in enumerate(sample(count))]
    with full_index(index) as source:
        return {
            "dev_public": offline_evidence(hallmark_references(split), source, SOURCES, _TODAY),
            f"{count} records": offline_evidence(read(entries), source, SOURCES, _TODAY),
        }


def _time_real(name: str, judged: Sequence[Judged]) -> None:
    for number in ("first", "second"):
        taken, candidates = [], 0
        for reference, known in judged:
            start = time.process_time()
            evaluation = evaluate(reference, known, _TODAY)
            taken.append((time.process_time() - start) * 1e3)
            candidates += len(evaluation.case.candidates)
        high = statistics.quantiles(taken, n=100)[98]
        figures = (statistics.fmean(taken), statistics.median(taken), high, max(taken))
        print(
            f"| {name}, {number} pass | {len(taken)} | {candidates / len(taken):.1f} | "
            + " | ".join(f"{figure:.2f}" for figure in figures)
            + " |"
        )


def _profile(judged: Sequence[Judged], functions: int) -> None:
    with cProfile.Profile() as profile:
        for reference, known in judged:
            evaluate(reference, known, _TODAY)
    own: Counter[str] = Counter()
    statistics_of = pstats.Stats(profile)
    for (file, _, _), (_, _, own_time, _, _) in statistics_of.stats.items():  # type: ignore[attr-defined]
        own["/".join(Path(file).parts[-2:])] += own_time
    total = own.total()
    for file, taken in own.most_common(functions):
        print(f"{taken / total:>6.1%} {file}")
    statistics_of.sort_stats("tottime").print_stats(functions)


def _made_up(count: int) -> None:
    dice = random.Random(1)
    made = works(count)
    references = read_bibtex("refs.bib", bibtex(made, wrong=0.1).encode()).references
    situations: dict[str, Callable[[Record], Evidence]] = {
        "two records": evidence,
        "eight records": lambda record: _with_lookalikes(record, made, dice),
        "nothing found": _nothing,
    }
    for name, situation in situations.items():
        _time(name, references, [situation(record) for record in made])
    reference, known = _many_authors(3000)
    _time("3,000 authors", [reference], [known])


def main() -> None:
    parser = argparse.ArgumentParser(description="Print what CPU time the verdict on a reference takes.")
    parser.add_argument("count", metavar="COUNT", type=int, nargs="?", default=5000)
    parser.add_argument("--index", type=Path, help="time real references, with the evidence of this index")
    parser.add_argument("--profile", metavar="N", type=int, help="with --index: profile the first pass instead")
    chosen = parser.parse_args()
    if chosen.index is None:
        _made_up(chosen.count)
        return
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        real = other.submit(_real, chosen.index, chosen.count).result()
    gc.freeze()  # as the plugin does before the first check
    if not chosen.profile:
        print("| references | n | candidates | mean ms | median | 99 % | most |\n|---|---|---|---|---|---|---|")
    for name, judged in real.items():
        if chosen.profile:
            print(f"\n{name}\n")
            _profile(judged, chosen.profile)
        else:
            _time_real(name, judged)


if __name__ == "__main__":
    main()
