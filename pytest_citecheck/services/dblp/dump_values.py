"""Titles, names and links as dblp writes them, the same in its XML and its RDF.

Source: dblp FAQ "What do the numbers behind author names mean?" (dblp.org/faq/1474704); dblp closes every title with a
period of its own, and gives papers of arXiv the journal CoRR and the volume ``abs/ID``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.names.parsing import strip_homonym_number
from pytest_citecheck.services.dumps.xml_pieces import resolve
from pytest_citecheck.text.blanks import BLANKS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PREPRINTS", "arxiv_of", "doi_of", "isbns_of", "person", "titled"]

PREPRINTS = frozenset({"corr", "iacr cryptol. eprint arch."})
"""The series, in lower case, whose informal publications are preprints."""

_RESOLVER = "https://doi.org/10."
_DOI = re.compile(
    r"https?://(?:(?:dx\.|www\.)?doi\.org|doi\.acm\.org|doi\.ieeecomputersociety\.org)/(10\.\d[\d.]*/\S+)\Z",
    re.IGNORECASE,
)
_ARXIV_DOI = "10.48550/arxiv."
_ABSTRACT = re.compile(r"(?:abs/)?(\S+)")
# Theses carry their title in a second language: "Title. (Titre)".
_TRANSLATED = re.compile(r"(?P<title>.+?)\.?" + BLANKS + r"\([^()]++(?:\([^()]*+\)[^()]*+)*+\)")


def titled(stated: str, *, thesis: bool = False) -> str:
    """The title without the period that dblp puts at its end, and that of a thesis without its translation."""
    title = " ".join(stated.split())
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1].rstrip()
    if thesis and (match := _TRANSLATED.fullmatch(title)):
        return match["title"].strip()
    return title


def person(stated: str) -> str:
    """The name on one line, without the number that tells namesakes apart."""
    return strip_homonym_number(" ".join(stated.split()))


def doi_of(links: Iterable[str]) -> str:
    """The first DOI among the links (addresses as XML writes them), in lower case; empty if there is none."""
    for link in links:
        if link.startswith(_RESOLVER) and "%" not in link and "&" not in link and " " not in link and "/" in link[19:]:
            return link[16:].lower()
        if (match := _DOI.match(resolve(link) if "&" in link else link)) is not None:
            return unquote(match[1]).lower()
    return ""


def arxiv_of(doi: str, volume: str, links: Iterable[str]) -> str:
    """The arXiv id of a paper of CoRR, out of its DOI, its volume or its links; empty if none states one."""
    if doi.startswith(_ARXIV_DOI) and (found := normalise_arxiv(doi[len(_ARXIV_DOI) :])[0]):
        return found
    stated = _ABSTRACT.fullmatch(volume)
    if stated and (found := normalise_arxiv(stated[1])[0]):
        return found
    return next((found for link in links if (found := normalise_arxiv(link)[0])), "")


def isbns_of(stated: Iterable[str]) -> tuple[str, ...]:
    """The ISBNs that are right, as 13 digits each."""
    return tuple(dict.fromkeys(number for value in stated for number in find_isbns(value)[0]))
