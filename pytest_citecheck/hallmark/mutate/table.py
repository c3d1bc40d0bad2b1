"""The 14 types of hallucination, how each is made and which sub-tests it makes false (HALLMARK, arXiv:2607.18360)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_citecheck.hallmark.mutate import authors, combinations, dates, identifiers, titles, venues
from pytest_citecheck.hallmark.mutate.material import Make

__all__ = ["MUTATIONS", "Mutation"]


@dataclass(frozen=True, slots=True)
class Mutation:
    """How a type is made, and the sub-tests that are then false; ``cross_db_agreement`` always is.

    anonymous: whether it leaves no identifier, so that there is no DOI to resolve.
    """

    make: Make
    false: frozenset[str]
    anonymous: bool = False


def _mutation(make: Make, *false: str, anonymous: bool = False) -> Mutation:
    return Mutation(make, frozenset({*false, "cross_db_agreement"}), anonymous)


MUTATIONS: Mapping[str, Mutation] = {
    "fabricated_doi": _mutation(identifiers.fabricated_doi, "doi_resolves"),
    "nonexistent_venue": _mutation(venues.nonexistent_venue, "venue_correct"),
    "placeholder_authors": _mutation(authors.placeholder_authors, "authors_match"),
    "future_date": _mutation(dates.future_date, "fields_complete"),
    "chimeric_title": _mutation(titles.chimeric_title, "title_exists"),
    "wrong_venue": _mutation(venues.wrong_venue, "venue_correct"),
    "swapped_authors": _mutation(authors.swapped_authors, "authors_match"),
    "preprint_as_published": _mutation(venues.preprint_as_published, "venue_correct"),
    "hybrid_fabrication": _mutation(combinations.hybrid_fabrication, "title_exists", "authors_match"),
    "merged_citation": _mutation(combinations.merged_citation, "authors_match", "venue_correct"),
    "partial_author_list": _mutation(authors.partial_author_list, "authors_match"),
    "near_miss_title": _mutation(titles.near_miss_title, "title_exists"),
    "plausible_fabrication": _mutation(
        combinations.plausible_fabrication, "title_exists", "authors_match", anonymous=True
    ),
    "arxiv_version_mismatch": _mutation(combinations.arxiv_version_mismatch, "venue_correct"),
}
"""The tier of each type is in ``hallmark.schema.TIERS``."""
