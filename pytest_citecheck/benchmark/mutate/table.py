"""The mutation for each of the 14 hallucination types (HALLMARK, arXiv:2607.18360).

`pytest_citecheck.readers.hallmark.schema` lists the sub-tests that each type makes false.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.benchmark.mutate import authors, combinations, dates, identifiers, titles, venues
from pytest_citecheck.benchmark.mutate.material import Make

__all__ = ["MUTATIONS"]

MUTATIONS: Mapping[str, Make] = {
    "fabricated_doi": identifiers.fabricated_doi,
    "nonexistent_venue": venues.nonexistent_venue,
    "placeholder_authors": authors.placeholder_authors,
    "future_date": dates.future_date,
    "chimeric_title": titles.chimeric_title,
    "wrong_venue": venues.wrong_venue,
    "swapped_authors": authors.swapped_authors,
    "preprint_as_published": venues.preprint_as_published,
    "hybrid_fabrication": combinations.hybrid_fabrication,
    "merged_citation": combinations.merged_citation,
    "partial_author_list": authors.partial_author_list,
    "near_miss_title": titles.near_miss_title,
    "plausible_fabrication": combinations.plausible_fabrication,
    "arxiv_version_mismatch": combinations.arxiv_version_mismatch,
}
