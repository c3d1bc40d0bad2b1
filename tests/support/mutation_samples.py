"""References to mutate: the file of real works, and small files made for a purpose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pytest_citecheck.benchmark import Benchmark, benchmark
from pytest_citecheck.inputs import TIERS, LabelledEntry, blind_reference, cited_metadata, read_bibtex
from pytest_citecheck.model import CitedMetadata, Reference

REFS = Path(__file__).parents[2] / "fixtures" / "refs.bib"
THIS_YEAR = 2026


def references(bibtex: str) -> tuple[Reference, ...]:
    return read_bibtex("mine.bib", bibtex.encode("utf-8")).references


@cache
def real() -> tuple[Reference, ...]:
    return read_bibtex(str(REFS), REFS.read_bytes()).references


@cache
def made_of_real(seed: int) -> Benchmark:
    return benchmark(real(), seed, tuple(TIERS), None, THIS_YEAR)


def made_of(
    given: Sequence[Reference], *types: str, seed: int = 0, per_type: int | None = None, this_year: int = THIS_YEAR
) -> Benchmark:
    return benchmark(given, seed, types or tuple(TIERS), per_type, this_year)


def the_only(given: Sequence[Reference], kind: str, seed: int = 0) -> LabelledEntry:
    (entry,) = (entry for entry in made_of(given, kind, seed=seed).entries if entry.label == "HALLUCINATED")
    return entry


def claimed(entry: LabelledEntry) -> CitedMetadata:
    """Return the entry's metadata as a checker sees it."""
    return cited_metadata(blind_reference(entry, "split.jsonl"))
