"""Count the work for a reference checked offline from an index: evaluations, comparisons, and rows of the index read.

    CITECHECK_SHARED=FOLDER python -m benchmarks.work_per_reference --index works.index [FILE ...]

checks HALLMARK's dev_public of that folder, or the BibTeX files. The counts are the same on every machine. An evaluation is a run
of all checks; a check that runs alone is a part of one.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.offline_evidence import hallmark_references
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import IndexSource, gather
from pytest_citecheck.matching import compare_authors, compare_titles, compare_venues
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

    from pytest_citecheck.model import Reference

_TODAY = datetime.date(2026, 11, 20)
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "titles": compare_titles,
    "authors": compare_authors,
    "venues": compare_venues,
}
_ROWS = ("Rows._reading.<locals>.read", "Rows.some")


@dataclass(frozen=True)
class Work:
    """Counts for some references. checks: runs by check. comparisons: by kind of text. rows: rows of the index read."""

    references: int
    checks: Mapping[str, int]
    comparisons: Mapping[str, int]
    rows: int

    @property
    def evaluations(self) -> float:
        """Runs of all checks a reference."""
        return sum(self.checks.values()) / len(CHECKS) / self.references


@contextmanager
def _called(functions: Mapping[CodeType, str]) -> Iterator[Counter[str]]:
    """Count the calls of these functions in the block, and the rows that the index returns."""
    counts: Counter[str] = Counter()

    def note(frame: FrameType, event: str, returned: Any) -> None:
        code = frame.f_code
        if event == "call" and code in functions:
            counts[functions[code]] += 1
        elif event == "return" and code.co_qualname in _ROWS and returned is not None:
            counts["rows"] += len(returned) if isinstance(returned, dict) else 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield counts
    finally:
        sys.setprofile(before)


def _functions() -> dict[CodeType, str]:
    checks: dict[str, Callable[..., Any]] = {
        name: getattr(import_module(f"pytest_citecheck.checks.{name}"), f"check_{name}") for name in CHECKS
    }
    compared: dict[str, Callable[..., Any]] = {f"compare {name}": one for name, one in _COMPARISONS.items()}
    functions = {name: inspect.unwrap(one) for name, one in (checks | compared).items()}
    return {one.__code__: name for name, one in functions.items()}


def count_work(references: Mapping[str, Reference], index: IndexSource, prior: float = PRIOR_OF_PAPERS) -> Work:
    """Look up the references in the index, evaluate them, and count. prior: the expected share of wrong references."""
    with _called(_functions()) as counts:
        gathered = asyncio.run(gather(references, SOURCES, TransportSettings(offline=True), _TODAY, indexes=[index]))
        for state in gathered.states.values():
            evaluation = state.evaluate_finally(AbsenceContext(prior=prior))
            if len(list(evaluation.findings.values())) != len(CHECKS) or not evaluation.verdict.reason:
                raise SystemExit("an evaluation is incomplete")
    return Work(
        len(references),
        {name: counts[name] for name in CHECKS},
        {name: counts[f"compare {name}"] for name in _COMPARISONS},
        counts["rows"],
    )


def _bibtex(paths: Iterable[Path]) -> dict[str, Reference]:
    read = [(path, read_bibtex(path.name, path.read_bytes()).references) for path in paths]
    return {f"{path.name}::{one.key}": one for path, references in read for one in references if one.readable}


def main() -> None:
    parser = argparse.ArgumentParser(description="Count evaluations, comparisons and rows read for each reference.")
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="BibTeX files")
    parser.add_argument("--index", type=Path, required=True)
    chosen = parser.parse_args()
    if chosen.files:
        name, references, prior = "BibTeX", _bibtex(chosen.files), PRIOR_OF_PAPERS
    else:
        split = Path(os.environ["CITECHECK_SHARED"], "hallmark", "dev_public.jsonl")
        name, references, prior = "dev_public", hallmark_references(split), PRIOR_OF_MODELS
    index = IndexSource(chosen.index, "index")
    work = count_work(references, index, prior)
    index.close()
    print("| references | n | evaluations each | by check | comparisons each | rows each |\n|---|---|---|---|---|---|")
    runs = ", ".join(f"{check} {number / work.references:.2f}" for check, number in work.checks.items())
    compared = ", ".join(f"{kind} {number / work.references:.1f}" for kind, number in work.comparisons.items())
    rows = work.rows / work.references
    print(f"| {name} | {work.references:,} | {work.evaluations:.2f} | {runs} | {compared} | {rows:.1f} |")


if __name__ == "__main__":
    main()
