"""Whether a DOI can be that of a work in a certain venue: publishers register all works of a venue under few prefixes, or none.

The part before the slash names the registrant (ISO 26324; Crossref, "DOI prefixes"). What the works of a venue carry was counted
(``benchmarks/registrants.py``; ``data/registrants.json`` says over what and when), and is said of the years counted only.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

from pytest_citecheck.identifiers.doi import is_placeholder
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.parsing import parse_venue

__all__ = ["foreign_publisher", "foreign_registrant", "is_registrant_of"]

# Repositories, which give DOIs to versions of works that appeared elsewhere: arXiv, Zenodo, OSF and its preprints (PsyArXiv,
# EdArXiv), ResearchGate, figshare, TechRxiv, SSRN, Research Square, bioRxiv (two), ChemRxiv, Preprints.org, Code Ocean, Hugging
# Face, the ETH, KIT, Cambridge, Imperial College and Caltech. There are many more: what a registry says counts first.
_REPOSITORIES = frozenset((
    "10.48550", "10.5281", "10.31219", "10.17605", "10.31234", "10.35542", "10.13140", "10.6084", "10.36227", "10.2139",
    "10.21203", "10.1101", "10.64898", "10.26434", "10.20944", "10.24433", "10.57967", "10.3929", "10.5445", "10.17863",
    "10.25560", "10.7907",
))  # fmt: skip


# The prefixes of publishers of proceedings, by the words that name them.
_PUBLISHERS = (
    (lazy_pattern(r"\bComputational Linguistics\b|\bACL\b"), ("10.18653", "10.3115")),
    (lazy_pattern(r"\bIEEE\b|\bElectrical and Electronics Engineers\b"), ("10.1109",)),
    (lazy_pattern(r"\bACM\b|\bAssociation for Computing Machinery\b"), ("10.1145",)),
    (lazy_pattern(r"\bAAAI\b"), ("10.1609",)),
    (lazy_pattern(r"\bSpringer\b|\bLNCS\b|\bLecture Notes in\b"), ("10.1007",)),
    (lazy_pattern(r"\bISCA\b|\bInternational Speech Communication\b"), ("10.21437",)),
    (lazy_pattern(r"\bSIAM\b|\bSociety for Industrial and Applied\b"), ("10.1137",)),
)


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[int, int, frozenset[str]]]:
    text = files("pytest_citecheck.identifiers").joinpath("data/registrants.json").read_text(encoding="utf-8")
    return {venue: (first, last, frozenset(kept)) for venue, (first, last, kept) in json.loads(text)["venues"].items()}


def _known(venue: str, year: int | None) -> tuple[str, frozenset[str]] | None:
    """Name and prefixes of the one main venue that a text names, if they were counted for the year."""
    parsed = parse_venue(venue)
    if parsed.part != "main" or len(parsed.venues) != 1 or year is None:
        return None
    (known,) = parsed.venues
    counted = _table().get(known.id)
    if counted is None or not counted[0] <= year <= counted[1]:
        return None
    return known.name, counted[2]


def is_registrant_of(venue: str, year: int | None, doi: str) -> bool:
    """Whether works of the venue and year carry DOIs of this registrant, or it is a repository, which has works of all venues."""
    known = _known(venue, year)
    prefix = doi.partition("/")[0]
    return prefix in _REPOSITORIES or (known is not None and prefix in known[1])


def foreign_publisher(venue: str, publisher: str) -> bool:
    """True if a publisher of proceedings prints none of the known venues that ``venue`` names, nor workshops beside them."""
    prefixes = {prefix for name, own in _PUBLISHERS if name.search(publisher) for prefix in own}
    counted = [_table()[known.id][2] for known in parse_venue(venue).venues if known.id in _table()]
    return bool(prefixes and counted) and all(prefixes.isdisjoint(kept) for kept in counted)


def foreign_registrant(venue: str, year: int | None, doi: str) -> str:
    """Why ``doi`` (in normal form) cannot be that of a work in this venue and year, in words; empty if it can.

    Repositories give DOIs of their own to works of any venue, and placeholders are no DOIs: of both nothing is said.
    """
    known = _known(venue, year)
    prefix = doi.partition("/")[0]
    if known is None or prefix in known[1] or prefix in _REPOSITORIES or is_placeholder(doi):
        return ""
    name, prefixes = known
    if not prefixes:
        return f"works of {name} have no publisher DOIs, and {prefix} is not a known repository"
    return f"DOIs of works of {name} begin with {' or '.join(sorted(prefixes))}, not with {prefix}"
