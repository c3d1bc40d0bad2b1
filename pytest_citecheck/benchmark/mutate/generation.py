"""A benchmark out of references that are right: each as it is, and changed in every way that applies to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original, Unfit, originals
from pytest_citecheck.benchmark.mutate.stream import Stream, digest
from pytest_citecheck.benchmark.mutate.table import MUTATIONS
from pytest_citecheck.model import Reference
from pytest_citecheck.readers.hallmark.schema import FALSE_SUBTESTS, SUBTESTS, TIERS, LabelledEntry

__all__ = ["Benchmark", "benchmark", "mutations"]

_KEY_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What was made of a file.

    entries: ordered by their keys, which tell nothing of the label. unfit: references that were left out. skipped: how
    often a type (first) did not apply for a reason (second).
    """

    entries: tuple[LabelledEntry, ...]
    unfit: tuple[Unfit, ...]
    skipped: Mapping[tuple[str, str], int]


def benchmark(
    references: Iterable[Reference], seed: int, types: Collection[str], per_type: int | None, this_year: int
) -> Benchmark:
    """Labelled entries of all references that are fit: one VALID for each, and their mutations.

    seed: another one gives other mutations. types: of ``schema.TIERS``. per_type: the most entries of a type, None for all.
    this_year: the calendar year, from which dates in the future are counted. Same arguments, same result; a reference more
    changes a mutation of another only where it becomes its donor, or takes its place among the first ``per_type``.
    """
    fit, unfit = originals(references)
    skipped: Counter[tuple[str, str]] = Counter()
    entries = [_valid(original, seed) for original in fit]
    entries += _mutations(fit, seed, types, per_type, this_year, skipped)
    entries.sort(key=lambda entry: entry.key)
    return Benchmark(tuple(entries), tuple(unfit), skipped)


def mutations(
    references: Iterable[Reference], seed: int, types: Collection[str], per_type: int | None, this_year: int
) -> Iterator[LabelledEntry]:
    """The mutations alone, type by type; see `benchmark`. ``source`` is the key of the reference that was changed."""
    return _mutations(originals(references)[0], seed, types, per_type, this_year, Counter())


def _mutations(
    fit: Sequence[Original],
    seed: int,
    types: Collection[str],
    per_type: int | None,
    this_year: int,
    skipped: Counter[tuple[str, str]],
) -> Iterator[LabelledEntry]:
    material = Material(fit, seed, this_year)
    for kind in TIERS:
        if kind not in types:
            continue
        made = 0
        for original in _in_random_order(fit, seed, kind):
            if per_type is not None and made >= per_type:
                break
            try:
                changed = MUTATIONS[kind](original, material, Stream("mutation", seed, kind, original.key))
            except DoesNotApply as reason:
                skipped[kind, str(reason)] += 1
                continue
            made += 1
            yield _hallucinated(original, changed, kind, seed)


def _in_random_order(fit: Iterable[Original], seed: int, kind: str) -> list[Original]:
    """In an order in which a further reference leaves that of the others as it is."""
    return sorted(fit, key=lambda original: digest("order", seed, kind, original.key))


def _valid(original: Original, seed: int) -> LabelledEntry:
    right = Changed(original.reference.type, original.fields)
    return LabelledEntry(
        key=_key(original, right, "", seed),
        type=right.type,
        fields=right.fields,
        label="VALID",
        generation_method="scraped",
        source=original.key,
        publication_date=f"{original.year:04}",
        subtests=_subtests(original),
    )


def _hallucinated(original: Original, changed: Changed, kind: str, seed: int) -> LabelledEntry:
    gold = _subtests(original)
    if "doi" not in changed.fields:
        gold["doi_resolves"] = None
    false = {*FALSE_SUBTESTS[kind], "cross_db_agreement"}
    return LabelledEntry(
        key=_key(original, changed, kind, seed),
        type=changed.type,
        fields=changed.fields,
        label="HALLUCINATED",
        hallucination_type=kind,
        tier=TIERS[kind],
        explanation=_explanation(original, changed),
        generation_method="perturbation",
        source=original.key,
        publication_date=f"{original.year:04}",
        subtests={name: False if name in false else value for name, value in gold.items()},
    )


def _subtests(original: Original) -> dict[str, bool | None]:
    """What the sub-tests say of a reference that is right: None where there is nothing to test."""
    nothing = {"doi_resolves": not original.doi, "venue_correct": not original.cited.venue}
    return {name: None if nothing.get(name) else True for name in SUBTESTS}


def _key(original: Original, content: Changed, kind: str, seed: int) -> str:
    return digest("key", seed, kind, original.key, content.type, dict(content.fields))[:_KEY_LENGTH]


def _explanation(original: Original, changed: Changed) -> str:
    before, after = original.fields, changed.fields
    said = [
        f"{name}: “{before[name]}” was changed to “{after[name]}”"
        if name in before
        else f"{name}: “{after[name]}” was added"
        for name in after
        if before.get(name) != after[name]
    ]
    if changed.type != original.reference.type:
        said.append(f"entry type: “{original.reference.type}” was changed to “{changed.type}”")
    gone = [name for name in before if name not in after]
    if gone:
        said.append(f"left out: {', '.join(gone)}")
    return "; ".join(said)
