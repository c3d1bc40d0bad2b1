"""Names of publishers and repositories, which databases put where the name of a journal belongs."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import is_preprint_venue

__all__ = ["is_publisher", "is_repository"]

_PUBLISHER = lazy_pattern(
    r"\b(?:Pub(?:l|lishing|lishers|lications)?\.?(?: Co(?:mpany|rp)?\.?)?(?: Pte)?(?: Ltd?\.?)?|Verlag|Ltd|LLC|Inc|GmbH|B\.?V"
    r"|University Press)\.?\Z|\A(?:Association|Institute|Institution)\b[^()]*\([A-Za-z]{2,}\)\Z"
)
"""Crossref's names of members: "World Scientific Pub Co Pte Lt", "Association for Computing Machinery (ACM)"."""

_REPOSITORY = lazy_pattern(
    r"\b(?:ar[xχ]iv|CoRR|Zenodo|HAL|SSRN|bioRxiv|medRxiv|chemRxiv|techRxiv|PsyArXiv|EdArXiv|OSF|figshare|Research ?Square|"
    r"ResearchGate|Open ?Review|DSpace|e-?Prints?|DROPS|Dagstuhl|PubMed(?: Central)?|Europe PMC|Semantic Scholar|Manubot|"
    r"Social Science Research Network|Archive(?:s)? ouverte(?:s)?|(?:digital|open|institutional|data|research) repository|"
    r"repository of [^()]+|repositor(?:io|ium)|preprints(?:\.org)?)\b",
    re.IGNORECASE,
)


def is_repository(name: str) -> bool:
    """True for preprint servers, archives and submission platforms, which keep works but do not publish them."""
    return is_preprint_venue(name) or _REPOSITORY.search(name) is not None


def is_publisher(name: str) -> bool:
    """Whether a name is that of a publisher, and of no journal or conference."""
    return _PUBLISHER.search(name.strip()) is not None
