"""Identifiers as services state them, in the normal form of the model's questions.

Services state identifiers exactly, so nothing is guessed or trimmed here; identifiers written by authors are
the business of the matching package. Forms: DOI Handbook (section 2, names are case-insensitive), arXiv
identifier scheme (arxiv.org/help/arxiv_identifier).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

__all__ = ["arxiv_id", "arxiv_id_of_doi", "doi_name", "is_arxiv_id"]

_RESOLVER = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
_DOI = re.compile(r"10\.\d[\d.]*/\S", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."
_ARXIV_LEAD = re.compile(r"(?:https?://)?(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:|abs/", re.IGNORECASE)
_ARXIV_NEW = re.compile(r"(\d{4}\.\d{4,5})(?:v\d+)?")
_ARCHIVES = frozenset(
    """
    acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga
    funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph
    q-alg q-bio quant-ph solv-int supr-con
    """.split()  # noqa: SIM905 - thirty-four quoted names would be harder to read
)
# Year and month: the old scheme ran from July 1991 to March 2007, five digits follow since January 2015.
_FIRST_OLD, _LAST_OLD, _FIRST_NEW, _FIRST_OF_FIVE_DIGITS = 9107, 703, 704, 1501
_ARXIV_OLD = re.compile(r"([a-z][a-z-]+)(?:\.[a-z]{2})?/(\d{7})(?:v\d+)?", re.IGNORECASE)


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
    value = value.strip()
    match = _ARXIV_LEAD.match(value)
    if match:
        value = value[match.end() :]
    if value.lower().endswith(".pdf"):
        value = value[:-4]
    new = _ARXIV_NEW.fullmatch(value)
    if new:
        return new.group(1)
    old = _ARXIV_OLD.fullmatch(value)
    return f"{old.group(1).lower()}/{old.group(2)}" if old else ""


def is_arxiv_id(value: str) -> bool:
    """Whether arXiv can have given this id: archive, month and number of digits fit one of its two schemes.

    arXiv refuses a whole list of ids for one that cannot be its own.
    """
    name = arxiv_id(value)
    archive, _, digits = name.rpartition("/")
    if not digits or not 1 <= int(digits[2:4]) <= 12:
        return False
    month = int(digits[:4])
    if archive:
        return archive in _ARCHIVES and (month >= _FIRST_OLD or month <= _LAST_OLD)
    return month >= _FIRST_NEW and len(digits) == (9 if month < _FIRST_OF_FIVE_DIGITS else 10)


def arxiv_id_of_doi(doi: str) -> str:
    """The arXiv id behind a DOI that DataCite registered for arXiv, or empty."""
    return arxiv_id(doi[len(_ARXIV_DOI) :]) if doi.lower().startswith(_ARXIV_DOI) else ""
