"""Identifiers as services state them, in the normal form of the model's questions.

Services state identifiers exactly, so nothing is guessed or trimmed here; identifiers written by authors are
the business of the matching package. Forms: DOI Handbook (section 2, names are case-insensitive), arXiv
identifier scheme (arxiv.org/help/arxiv_identifier), PubMed and PubMed Central ids (ncbi.nlm.nih.gov/pmc/pmctopmid).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["arxiv_id", "arxiv_id_of_doi", "doi_name", "isbn_numbers", "pmc_id", "pubmed_id"]

_RESOLVER = lazy_pattern(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
_DOI = lazy_pattern(r"10\.\d[\d.]*/\S", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."
_PUBMED_ID = lazy_pattern(r"[1-9]\d{0,7}", re.ASCII)
_PMC_ID = lazy_pattern(r"(PMC[1-9]\d{0,8})(?:\.\d+)?", re.ASCII)


def doi_name(value: str) -> str:
    """The DOI in lower case without its resolver; empty if the value is no DOI."""
    value = value.strip()
    match = _RESOLVER.match(value)
    if match:
        value = value[match.end() :]
        if "%" in value:
            value = unquote(value)
    return value.lower() if _DOI.match(value) else ""


def arxiv_id(value: str) -> str:
    """The arXiv id without version and subject class (``math/0309136`` of ``math.GT/0309136v1``), else ""."""
    return normalise_arxiv(value)[0]


def arxiv_id_of_doi(doi: str) -> str:
    """The arXiv id in a DOI that DataCite registered for arXiv, or empty."""
    return arxiv_id(doi[len(_ARXIV_DOI) :]) if doi.lower().startswith(_ARXIV_DOI) else ""


def isbn_numbers(stated: Iterable[str]) -> tuple[str, ...]:
    """The ISBNs that are right, as 13 digits each, in their order."""
    return tuple(dict.fromkeys(number for value in stated for number in find_isbns(value.rpartition("/")[2])[0]))


def pubmed_id(value: str) -> str:
    """The PubMed id, 1 to 8 digits; empty if the value is none."""
    return value if _PUBMED_ID.fullmatch(value) else ""


def pmc_id(value: str) -> str:
    """The id in PubMed Central without its version (``PMC2883744`` of ``PMC2883744.1``); empty if the value is none."""
    match = _PMC_ID.fullmatch(value)
    return match.group(1) if match else ""
