"""What an entry of a split and a prediction about it are.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["FALSE_SUBTESTS", "STRESS_TYPES", "SUBTESTS", "TIERS", "Label", "LabelledEntry", "Prediction", "Verdict3"]

Label = Literal["VALID", "HALLUCINATED"]
Verdict3 = Literal["VALID", "HALLUCINATED", "UNCERTAIN"]

SUBTESTS: Mapping[str, str] = {
    "doi_resolves": "doi",
    "title_exists": "title",
    "authors_match": "authors",
    "venue_correct": "venue",
    "fields_complete": "completeness",
    "cross_db_agreement": "cross_db",
}
"""The names of HALLMARK's sub-tests, and of the checks that answer them."""

TIERS: Mapping[str, int] = {
    "fabricated_doi": 1,
    "nonexistent_venue": 1,
    "placeholder_authors": 1,
    "future_date": 1,
    "chimeric_title": 2,
    "wrong_venue": 2,
    "swapped_authors": 2,
    "preprint_as_published": 2,
    "hybrid_fabrication": 2,
    "merged_citation": 2,
    "partial_author_list": 2,
    "near_miss_title": 3,
    "plausible_fabrication": 3,
    "arxiv_version_mismatch": 3,
}
"""The 14 types of hallucination, and how hard each is to see (1 to 3)."""

FALSE_SUBTESTS: Mapping[str, frozenset[str]] = {
    "fabricated_doi": frozenset({"doi_resolves"}),
    "nonexistent_venue": frozenset({"venue_correct"}),
    "placeholder_authors": frozenset({"authors_match"}),
    "future_date": frozenset({"fields_complete"}),
    "chimeric_title": frozenset({"title_exists"}),
    "wrong_venue": frozenset({"venue_correct"}),
    "swapped_authors": frozenset({"authors_match"}),
    "preprint_as_published": frozenset({"venue_correct"}),
    "hybrid_fabrication": frozenset({"title_exists", "authors_match"}),
    "merged_citation": frozenset({"authors_match", "venue_correct"}),
    "partial_author_list": frozenset({"authors_match"}),
    "near_miss_title": frozenset({"title_exists"}),
    "plausible_fabrication": frozenset({"title_exists", "authors_match"}),
    "arxiv_version_mismatch": frozenset({"venue_correct"}),
}
"""The sub-tests that each type makes false by its construction, besides ``cross_db_agreement``, which every type does."""

STRESS_TYPES = frozenset({"merged_citation", "partial_author_list", "arxiv_version_mismatch"})


@dataclass(frozen=True, slots=True)
class LabelledEntry:
    """One line of a split. A blind line has no ``label``.

    type and fields: those of the BibTeX entry. hallucination_type and tier: None unless the label is HALLUCINATED.
    subtests: what each sub-test should say, None where it does not apply. publication_date: ISO 8601, possibly only
    the year, or empty. raw: the BibTeX source, or None. line: where it stands in its file, from 1.
    """

    key: str
    type: str
    fields: Mapping[str, str]
    label: Label | None = None
    hallucination_type: str | None = None
    tier: int | None = None
    explanation: str = ""
    generation_method: str = ""
    source_conference: str = ""
    source: str = ""
    publication_date: str = ""
    added: str = ""
    subtests: Mapping[str, bool | None] = field(default_factory=dict)
    raw: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a tool says of one entry.

    confidence: the probability (0 to 1) that ``label`` is right, not that the entry is hallucinated.
    subtests: the outcome by the name of the sub-test, None where it could not be decided.
    sources: the services that were asked. seconds: of the wall clock. calls: to services.
    type: the predicted type of hallucination. stage: of a cascade (stage1_db, stage2_diagnosis, prescreening).
    status: how bibtex-updater words its outcome (``btu_status``); empty for other tools, and never written.
    """

    key: str
    label: Verdict3
    confidence: float = 0.5
    reason: str = ""
    subtests: Mapping[str, bool | None] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    seconds: float = 0.0
    calls: int = 0
    source: str = ""
    type: str | None = None
    stage: str | None = None
    status: str = ""
