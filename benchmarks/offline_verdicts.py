"""Shared code of the benchmarks over real records.

Provides a sample of the records, an index of all of them, and offline verdicts computed like those of users (reader, questions,
index, checks).
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from pytest_citecheck.checks import Evaluation
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import IndexSource, LookupState, look_up
from pytest_citecheck.model import Finding, Reference
from tests.conformance.rendering import Row, read_rows

TODAY = datetime.date(2026, 11, 21)
RECORDS = "records.jsonl.zst"
_SOME = 5
_AT_ONCE = 500


def sample(count: int) -> list[Row]:
    """Return ``count`` records of all sources, the same in every run: a random sample of every fifth title."""
    rows = list(read_rows(RECORDS, every=_SOME))
    return Random(1).sample(rows, count)


@contextlib.contextmanager
def index_of(records: Path, kind: type[IndexSource] = IndexSource) -> Iterator[IndexSource]:
    """An index of a file of records, which is gone afterwards. The whole collection takes a minute."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(kind(built(Path(folder, "works.index"), records), "index")) as index,
    ):
        yield index


def built(path: Path, records: Path, scopes: Path | None = None) -> Path:
    """Build an index of a file of records at ``path``, with the scopes that a file declares. Return ``path``."""
    command = [sys.executable, "-c", "import sys; from pytest_citecheck.cli import main; sys.exit(main())"]
    options = ("--scopes", scopes) if scopes else ()
    subprocess.run([*command, "index", "build", path, records, *options], check=True)
    return path


def full_index(
    path: Path | None, kind: type[IndexSource] = IndexSource
) -> contextlib.AbstractContextManager[IndexSource]:
    """The index at ``path``, or one that is built of all records of the folder that CITECHECK_SHARED names."""
    if path is None:
        return index_of(Path(os.environ["CITECHECK_SHARED"], "records", RECORDS), kind)
    return contextlib.closing(kind(path, "index"))


def read(entries: Iterable[str]) -> dict[str, Reference]:
    """The references of a ``.bib`` file made of these entries, by their keys."""
    references = read_bibtex("records.bib", "\n".join(entries).encode()).references
    return {reference.key: reference for reference in references}


def judged(references: Iterable[Reference], index: IndexSource, prior: float | None = None) -> Iterator[Evaluation]:
    """Yield the evaluation of each reference from the index alone.

    prior: the share of invented references to expect, 0 to 1; None for that of papers, with absences left open.
    """
    rest = iter(references)
    while some := list(itertools.islice(rest, _AT_ONCE)):
        states = [LookupState.of(reference, TODAY) for reference in some]
        look_up(index, states)
        if prior is None:
            yield from (state.evaluate_so_far() for state in states)
        else:
            yield from (state.evaluate_finally(AbsenceContext(prior=prior)) for state in states)


def accusations(evaluation: Evaluation) -> list[Finding]:
    """The findings that decide a verdict against the reference."""
    return [
        finding
        for finding in evaluation.findings.values()
        if finding.outcome == "failed" and finding.check != "completeness"
    ]
