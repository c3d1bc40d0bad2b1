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
    from pytest_citecheck.model import Reference

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
    origins = {reference.key: reference for reference in bibliography.references}
    left_out = tuple(
        Defect(
            "left-out",
            f"{unfit.reference.key}: excluded from the self-test: {unfit.reason}",
            unfit.reference.location.line,
            note=True,
        )
        for unfit in made.unfit
    )
    return (
        Bibliography(
            bibliography.path,
            tuple(_placed(entry, bibliography.path, origins) for entry in made.entries),
            (*bibliography.notes, *left_out),
            benchmark=True,
        ),
        made.entries,
    )


def _first(indexes: Sequence[Path]) -> AbstractContextManager[LocalIndex | None]:
    """The first index; None if there is none that can be read, which the look-up reports."""
    from pytest_citecheck.index import IndexFileError, LocalIndex  # noqa: PLC0415

    try:
        return LocalIndex(indexes[0]) if indexes else nullcontext()
    except IndexFileError:
        return nullcontext()


def _named(made: Benchmark) -> Benchmark:
    """With the keys of the references, and for mutations with their type, which no check looks at."""
    return replace(
        made,
        entries=tuple(
            replace(
                entry, key=f"{entry.source}~{entry.hallucination_type}" if entry.hallucination_type else entry.source
            )
            for entry in made.entries
        ),
    )


def _placed(entry: LabelledEntry, path: str, origins: dict[str, Reference]) -> Reference:
    """Return the entry as a check sees it, at the location of its original reference."""
    reference = blind_reference(entry, path)
    origin = origins.get(entry.source)
    return reference if origin is None else replace(reference, location=origin.location)
