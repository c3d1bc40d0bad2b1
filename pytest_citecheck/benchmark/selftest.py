"""Self-test of the checks: references of a user, and hallucinations made of them, as one labelled benchmark."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.mutate.generation import Benchmark, benchmark
from pytest_citecheck.inputs import TIERS, Bibliography, blind_reference
from pytest_citecheck.model import Defect

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_citecheck.index import LocalIndex
    from pytest_citecheck.inputs import LabelledEntry

_SEED = 0


def with_mutations(
    bibliography: Bibliography, per_type: int, year: int, indexes: Sequence[Path] = ()
) -> tuple[Bibliography, tuple[LabelledEntry, ...]]:
    """Usable references of a file, original and mutated, with their labels.

    per_type: mutations of each type of hallucination. year: the current year. indexes: the first provides related works
    as material. The same file gives the same result in every process. Unusable references are skipped and listed in a
    note.
    """
    with _first(indexes) as index:
        nearby = index.by_title if index else None
        made = _named(benchmark(bibliography.references, _SEED, TIERS, per_type, year, nearby))
    places = {reference.key: reference.location for reference in bibliography.references}
    seen = [
        replace(reference, location=places.get(entry.source, reference.location))
        for entry in made.entries
        for reference in [blind_reference(entry, bibliography.path)]
    ]
    left_out = [
        Defect(
            "left-out", f"{reference.key}: excluded from the self-test: {reason}", reference.location.line, note=True
        )
        for reference, reason in ((unfit.reference, unfit.reason) for unfit in made.unfit)
    ]
    notes = (*bibliography.notes, *left_out)
    return Bibliography(bibliography.path, tuple(seen), notes, benchmark=True), made.entries


def _first(indexes: Sequence[Path]) -> AbstractContextManager[LocalIndex | None]:
    """The first index; None if there is none that can be read, which the look-up reports."""
    from pytest_citecheck.index import IndexFileError, LocalIndex  # noqa: PLC0415

    try:
        return LocalIndex(indexes[0]) if indexes else nullcontext()
    except IndexFileError:
        return nullcontext()


def _named(made: Benchmark) -> Benchmark:
    """With the keys of the references, and for mutations with their type, which no check looks at."""
    entries = [
        replace(entry, key="~".join(filter(None, (entry.source, entry.hallucination_type)))) for entry in made.entries
    ]
    return replace(made, entries=tuple(entries))
