"""A benchmark made from correct references: each one unchanged, and with every mutation that applies to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.benchmark.mutate import fields, venues
from pytest_citecheck.benchmark.mutate.original import (
    A_DOI,
    A_PREPRINT,
    PERSONS,
    Changed,
    DoesNotApply,
    Make,
    Material,
    Nearby,
    Need,
    Original,
    Stream,
    Unfit,
    digest,
    originals,
)
from pytest_citecheck.benchmark.mutate.venues import A_PLACE, PREPRINT_OR_PLACE
from pytest_citecheck.benchmark.splits import earlier_titles
from pytest_citecheck.inputs import FALSE_SUBTESTS, SUBTESTS, TIERS, LabelledEntry
from pytest_citecheck.model import Reference

MUTATIONS: Mapping[str, tuple[Make, *tuple[Need, ...]]] = {
    "fabricated_doi": (fields.fabricated_doi, A_DOI),
    "nonexistent_venue": (venues.nonexistent_venue, A_PLACE),
    "placeholder_authors": (fields.placeholder_authors, PERSONS),
    "future_date": (fields.future_date,),
    "chimeric_title": (fields.chimeric_title,),
    "wrong_venue": (venues.wrong_venue, A_PLACE),
    "swapped_authors": (fields.swapped_authors, PERSONS),
    "preprint_as_published": (venues.preprint_as_published, A_PREPRINT),
    "hybrid_fabrication": (fields.hybrid_fabrication, A_DOI, PERSONS),
    "merged_citation": (fields.merged_citation, A_PLACE, PERSONS),
    "partial_author_list": (fields.partial_author_list, PERSONS),
    "near_miss_title": (fields.near_miss_title,),
    "plausible_fabrication": (fields.plausible_fabrication, A_PLACE, PERSONS),
    "arxiv_version_mismatch": (fields.arxiv_version_mismatch, PREPRINT_OR_PLACE),
}
"""The mutation for each of the 14 hallucination types (HALLMARK, arXiv:2607.18360), and what it needs."""

_KEY_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark made from a file.

    entries: ordered by key; a key does not reveal the label. unfit: the references that cannot be used. skipped: how often a
    hallucination type (first) did not apply for a reason (second).
    """

    entries: tuple[LabelledEntry, ...]
    unfit: tuple[Unfit, ...]
    skipped: Mapping[tuple[str, str], int]


def benchmark(
    references: Iterable[Reference],
    seed: int,
    types: Collection[str],
    per_type: int | None,
    this_year: int,
    nearby: Nearby | None = None,
) -> Benchmark:
    """Labelled entries from all usable references: one VALID entry each, and their mutations.

    seed: selects the mutations. types: hallucination types, of ``schema.TIERS``. per_type: the most entries of each type; None
    for all. this_year: the calendar year; later dates are in the future. nearby: finds works of an index by title, whose titles,
    authors and venues are material too. The same arguments give the same result. An additional reference changes mutations of
    related ones; another mutation only if it becomes its donor or displaces it from the first ``per_type``.
    """
    fit, unfit = _without_repeats(*originals(references))
    skipped: Counter[tuple[str, str]] = Counter()
    entries = [_valid(original, seed, this_year) for original in fit]
    entries += _mutations(fit, Material(fit, seed, this_year, nearby), seed, types, per_type, skipped)
    entries.sort(key=lambda entry: entry.key)
    return Benchmark(tuple(entries), tuple(unfit), skipped)


def _without_repeats(fit: Sequence[Original], unfit: Sequence[Unfit]) -> tuple[list[Original], list[Unfit]]:
    """The same without references whose title an earlier one has: a split must not contain a title twice as VALID."""
    earlier = earlier_titles(original.fields.get("title", "") for original in fit)
    repeats = [
        Unfit(fit[place].reference, f"it has the title of {fit[first].key}") for place, first in sorted(earlier.items())
    ]
    return [original for place, original in enumerate(fit) if place not in earlier], [*unfit, *repeats]


def mutations(
    references: Iterable[Reference], seed: int, types: Collection[str], per_type: int | None, this_year: int
) -> Iterator[LabelledEntry]:
    """Only the mutations, type by type; see `benchmark`. ``source`` is the key of the changed reference."""
    fit = originals(references)[0]
    return _mutations(fit, Material(fit, seed, this_year), seed, types, per_type, Counter())


def _mutations(
    fit: Sequence[Original],
    material: Material,
    seed: int,
    types: Collection[str],
    per_type: int | None,
    skipped: Counter[tuple[str, str]],
) -> Iterator[LabelledEntry]:
    for type_name in TIERS:
        if type_name not in types:
            continue
        made = 0
        # An additional reference does not change the order of the others.
        for original in sorted(fit, key=lambda original: digest("order", seed, type_name, original.key)):
            if per_type is not None and made >= per_type:
                break
            try:
                changed = _changed(original, material, type_name, Stream("mutation", seed, type_name, original.key))
            except DoesNotApply as reason:
                skipped[type_name, str(reason)] += 1
                continue
            made += 1
            yield _hallucinated(original, changed, type_name, seed, material.this_year)


def _changed(original: Original, material: Material, type_name: str, stream: Stream) -> Changed:
    make, *needs = MUTATIONS[type_name]
    for needed, is_met in needs:
        if not is_met(original):
            raise DoesNotApply(f"needs {needed}")
    return make(original, material, stream)


def _entry(
    original: Original, content: Changed, type_name: str, seed: int, this_year: int, **more: Any
) -> LabelledEntry:
    key = digest("key", seed, type_name, original.key, content.type, dict(content.fields))[:_KEY_LENGTH]
    return LabelledEntry(
        key=key,
        type=content.type,
        fields=content.fields,
        source=original.key,
        publication_date=f"{original.year:04}",
        added=f"{this_year:04}",
        **more,
    )


def _valid(original: Original, seed: int, this_year: int) -> LabelledEntry:
    stated: dict[str, Any] = {"label": "VALID", "generation_method": "scraped", "subtests": _subtests(original)}
    return _entry(original, original.changed({}), "", seed, this_year, **stated)


def _hallucinated(original: Original, changed: Changed, type_name: str, seed: int, this_year: int) -> LabelledEntry:
    gold = _subtests(original)
    if "doi" not in changed.fields:
        gold["doi_resolves"] = None
    gold |= dict.fromkeys((*FALSE_SUBTESTS[type_name], "cross_db_agreement"), False)
    return _entry(
        original,
        changed,
        type_name,
        seed,
        this_year,
        label="HALLUCINATED",
        hallucination_type=type_name,
        tier=TIERS[type_name],
        explanation=_explanation(original, changed),
        generation_method="perturbation",
        subtests=gold,
    )


def _subtests(original: Original) -> dict[str, bool | None]:
    """The sub-tests of a correct reference: None if there is nothing to test."""
    nothing = {"doi_resolves": not original.doi, "venue_correct": not original.cited.venue}
    return {name: None if nothing.get(name) else True for name in SUBTESTS}


def _explanation(original: Original, changed: Changed) -> str:
    before, after = original.fields, changed.fields
    said = [
        f"{name}: changed “{before[name]}” to “{after[name]}”" if name in before else f"{name}: added “{after[name]}”"
        for name in after
        if before.get(name) != after[name]
    ]
    if changed.type != original.reference.type:
        said.append(f"entry type: changed “{original.reference.type}” to “{changed.type}”")
    if removed := [name for name in before if name not in after]:
        said.append(f"removed: {', '.join(removed)}")
    return "; ".join(said)
