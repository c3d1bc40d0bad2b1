"""The discipline and the type of a cited work, by which planning chooses where to search for its title."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_citecheck.model import CitedMetadata, Discipline, WorkType
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup

__all__ = ["discipline", "work_types"]

_WORK_TYPES: Mapping[WorkType, frozenset[str]] = {
    "article": frozenset({"article"}),
    "book": frozenset(
        {"book", "mvbook", "collection", "mvcollection", "booklet", "manual", "proceedings", "mvproceedings"}
    ),
    "thesis": frozenset({"thesis", "phdthesis", "mastersthesis"}),
    "report": frozenset({"techreport", "report"}),
    "data": frozenset({"dataset", "software"}),
    "standard": frozenset({"standard"}),
    "misc": frozenset({"misc", "unpublished"}),
}
"""The types of entries of each type of work; all others are papers."""
_NOT_COVERED = frozenset({
    "online", "electronic", "www", "webpage", "patent", "legislation", "jurisdiction", "commentary", "letter", "audio", "video",
    "movie", "music", "image", "artwork", "performance", "bibnote",
})  # fmt: skip
"""Types of entries that no source lists by title; their identifiers are looked up all the same."""

_ARCHIVES: Mapping[str, Discipline] = {
    "cs": "computer_science", "stat": "computer_science", "eess": "computer_science", "q-bio": "biomedical",
    "econ": "social_science", "q-fin": "social_science", "math": "mathematics", "physics": "physics", "astro-ph": "physics",
    "cond-mat": "physics", "gr-qc": "physics", "hep-ex": "physics", "hep-lat": "physics", "hep-ph": "physics",
    "hep-th": "physics", "math-ph": "physics", "nlin": "physics", "nucl-ex": "physics", "nucl-th": "physics",
    "quant-ph": "physics", "alg-geom": "mathematics", "dg-ga": "mathematics", "q-alg": "mathematics",
    "funct-an": "mathematics",
}  # fmt: skip
"""The archives of arXiv (arxiv.org/category_taxonomy), as used in primaryclass or in old identifiers."""
_JOURNALS: tuple[tuple[Discipline, re.Pattern[str]], ...] = (
    ("other", lazy_pattern(r"\bchem|\bbio|\bmedic|\bclin|physiol|psych")),
    (
        "physics",
        lazy_pattern(
            r"\bphys|\bastron|\bastroph|\bapj|\bmnras\b|royal astronomical|\bnucl(?:ear|\.|\b)|\bjhep\b|\bjcap\b|high energy|"
            r"cosmolog|\bgravit|\beconf\b"
        ),
    ),
    (
        "mathematics",
        lazy_pattern(
            r"\bmath|\balgebr|\bgeom(?:etr|\.)|\btopol|\binvent\.|\binventiones|\bnumber theory|bourbaki|\bihes\b"
        ),
    ),
)
"""Words of journals that DBLP does not have, the telling ones first."""


def work_types(metadata: CitedMetadata) -> frozenset[WorkType]:
    """The type of the work, and ``preprint`` if it is cited as one; empty for what no source lists by title."""
    entry_type = metadata.reference.type
    if entry_type in _NOT_COVERED:
        return frozenset()
    kind: WorkType = next((kind for kind, entry_types in _WORK_TYPES.items() if entry_type in entry_types), "paper")
    return frozenset((kind, "preprint") if metadata.preprint else (kind,))


def discipline(metadata: CitedMetadata) -> Discipline:
    """The discipline of a reference, as far as its venue, its identifiers and its type tell; else ``other``."""
    named = metadata.identifiers
    if named.pmid or named.pmcid:
        return "biomedical"
    if named.acl or named.openreview or named.dblp:
        return "computer_science"
    fields = metadata.reference.fields
    archive = (fields.get("primaryclass") or fields.get("eprintclass") or named.arxiv.rpartition("/")[0]).partition(
        "."
    )[0]
    if archive.lower() in _ARCHIVES:
        return _ARCHIVES[archive.lower()]
    venue = lookup(metadata.venue) if metadata.venue else None
    if venue is not None and venue.dblp and venue.kind in ("journal", "conference", "workshop"):
        return "computer_science"
    if of_science := _by_catalogue(metadata) or _by_journal(
        metadata.venue if venue is None else f"{venue.name} {metadata.venue}"
    ):
        return of_science
    if venue is not None and venue.kind in ("journal", "conference", "workshop"):
        return "other"
    # Outside of computer science few proceedings papers are cited, and Crossref has most of them.
    return "computer_science" if metadata.reference.type in ("inproceedings", "conference") else "other"


def _by_catalogue(metadata: CitedMetadata) -> Discipline | None:
    """The discipline of the catalogue whose number is cited."""
    named, fields = metadata.identifiers, metadata.reference.fields
    if named.texkey or named.bibcode or "slaccitation" in fields:
        return "physics"
    return "mathematics" if named.zbl or fields.get("mrnumber") or fields.get("mrclass") else None


def _by_journal(name: str) -> Discipline | None:
    folded = name.lower()
    return next((discipline for discipline, words in _JOURNALS if words.search(folded)), None)
