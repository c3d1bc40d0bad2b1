"""Lists of identifiers, one a line: DOIs, arXiv ids, PubMed numbers, as they are, with their names or as addresses."""

from __future__ import annotations

import re

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.doi import find_dois
from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.exchange.fields import exchanged
from pytest_citecheck.text.blanks import BLANKS
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["identifier_lines"]

_PMID = lazy_pattern(r"(?:pmid\s*+(?::\s*+)?|https?://pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,8})/?", re.IGNORECASE)
_PMCID = lazy_pattern(r"(?:pmcid\s*+(?::\s*+)?|https?://\S*/)?(PMC\d{3,9})/?", re.IGNORECASE)
_ARXIV = lazy_pattern(
    r"(?:arxiv\s*+(?::\s*+)?|https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/)?"
    r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_DOI = lazy_pattern(r"(?:doi\s*+(?::\s*+)?|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)
_REMARK = lazy_pattern(rf"{BLANKS}#.*|^#.*")


def identifier_lines(path: str, text: str) -> list[Reference] | None:
    """One reference a line; None if a line holds anything but an identifier. Empty lines and ``#`` remarks count for nothing."""
    found: list[Reference] = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = _REMARK.sub("", line).strip().strip(",;")
        if not said:
            continue
        stated = _identifier(said)
        if not stated:
            return None
        place = Location(path, number, number)
        found.append(exchanged(said, "identifier", stated, place, said))
    return found


def _identifier(said: str) -> dict[str, str]:
    if _ARXIV.fullmatch(said):
        arxiv, version = normalise_arxiv(said if not said[:1].isdigit() else f"arXiv:{said}")
        return {"eprint": f"{arxiv}v{version}" if version else arxiv, "archiveprefix": "arXiv"} if arxiv else {}
    if _DOI.fullmatch(said):
        dois = list(find_dois(said))
        return {"doi": dois[0]} if len(dois) == 1 else {}
    if match := _PMID.fullmatch(said):
        return {"pmid": match[1]}
    if match := _PMCID.fullmatch(said):
        return {"pmcid": match[1].upper()}
    return {}
