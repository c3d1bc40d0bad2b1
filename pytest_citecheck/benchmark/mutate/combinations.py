"""Mutations that change several parts of a reference."""

from __future__ import annotations

from pytest_citecheck.benchmark.mutate.authors import other_authors, recombined
from pytest_citecheck.benchmark.mutate.dates import dated, year_beside
from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.benchmark.mutate.titles import invented_title, reworded_title, titled
from pytest_citecheck.benchmark.mutate.venues import (
    NEEDS_PLACE,
    are_different,
    is_placed,
    preprint_as_published,
    without_venue,
    wrong_venue,
)

__all__ = ["arxiv_version_mismatch", "hybrid_fabrication", "merged_citation", "plausible_fabrication"]


def hybrid_fabrication(original: Original, material: Material, stream: Stream) -> Changed:
    """A correct DOI with invented authors and two or three replaced words in the title."""
    if not original.doi:
        raise DoesNotApply("needs a DOI")
    title = titled(original, reworded_title(original, material, stream))
    authors = recombined(original, material, stream)
    return Changed(title.type, {**title.fields, "author": authors})


def merged_citation(original: Original, material: Material, stream: Stream) -> Changed:
    """Title and identifiers of this reference, authors of a second, venue and year of the second or of a third."""
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)

    def suits(other: Original) -> bool:
        return is_placed(other) and are_different(other, original)

    second = other_authors(original, material, stream)
    third = second if suits(second) else material.donor(original, stream, suits, "another reference in another venue")
    field = third.cited.venue_field
    fields = {
        **dated(without_venue(original.fields), third.year),
        "author": second.fields["author"],
        field: third.fields[field],
    }
    return Changed(third.reference.type, fields)


def plausible_fabrication(original: Original, material: Material, stream: Stream) -> Changed:
    """Only venue and year are correct: a title made from two others, authors made from other names, no identifier."""
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)
    field = original.cited.venue_field
    kept = {name: value for name, value in original.fields.items() if name in (field, "year", "date")}
    title = invented_title(original, material, stream)
    authors = recombined(original, material, stream)
    return Changed(original.reference.type, {**kept, "title": title, "author": authors})


def arxiv_version_mismatch(original: Original, material: Material, stream: Stream) -> Changed:
    """Another venue and the year before or after, as of another version of the work."""
    change = preprint_as_published if original.cited.preprint else wrong_venue
    moved = change(original, material, stream)
    return Changed(moved.type, dated(moved.fields, year_beside(original, material, stream)))
