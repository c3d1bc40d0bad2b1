"""How an author writes venues, so that a correction reads like the rest of the bibliography: short stays short."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup
from pytest_citecheck.venues.table import Venue

__all__ = ["worded_as"]

_ACRONYM = lazy_pattern(r"(?<!\w)[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[-/&+][A-Za-z]+)*(?!\w)")
_YEAR = lazy_pattern(r"(?<!\d)(?:(?:19|20)\d\d|(?<=['’])\d\d)(?!\d)")
_PROCEEDINGS = lazy_pattern(
    r"\b(?:in|proceedings|proc|of|the|conference|conf)\b|[^\w\s]|\d+(?:st|nd|rd|th)\b", re.IGNORECASE
)
_PROCEEDINGS_OF = lazy_pattern(r"(?:In\s+)?Proc(?:eedings|\.)?\s+of\s+(?:the\s+)?", re.IGNORECASE)
_TAIL = lazy_pattern(r"(?:,|\s\[[^\[\],]{0,200},)\s+[A-Z][\w'’/&-]*[A-Z]\w*\s+(?:19|20)\d\d\b.*", re.DOTALL)
"""What DBLP appends to the title of proceedings: acronym, year, place, days."""


def worded_as(cited: str, found: Sequence[str], year: int | None) -> str:
    """The name of the venue of a record (its names, the primary one first) in the form of the cited venue.

    year: which to write where the cited name contains one; None to leave it.
    """
    known = lookup(found[0])
    short = _cited_acronym(cited)
    if short:
        name = _acronym(known, found)
        if name:
            text = cited.replace(short, name, 1)
            return _YEAR.sub(lambda match: str(year)[-len(match[0]) :], text) if year is not None else text
    full = (
        known.name
        if known is not None and len(found[0]) < len(known.name)
        else _TAIL.sub("", found[0].replace("_", " "))
    )
    return _in_proceedings(cited, full, known)


def _cited_acronym(cited: str) -> str:
    """The acronym that the cited name is, apart from a year and "Proceedings of"; empty if it is written out."""
    for match in _ACRONYM.finditer(cited):
        rest = _PROCEEDINGS.sub(" ", _YEAR.sub(" ", cited[: match.start()] + " " + cited[match.end() :]))
        if not rest.strip():
            return match[0]
    return ""


def _acronym(known: Venue | None, found: Sequence[str]) -> str:
    names = (known.dblp, *known.aliases) if known is not None else found
    return next((name for name in names if _ACRONYM.fullmatch(name)), "")


def _in_proceedings(cited: str, name: str, known: Venue | None) -> str:
    """The name with "Proceedings of the" before it if the cited one has it, or with neither."""
    said = _PROCEEDINGS_OF.match(cited)
    bare = _PROCEEDINGS_OF.sub("", name, count=1) if _PROCEEDINGS_OF.match(name) else name
    if said is None:
        return bare
    volumes = [alias for alias in known.aliases if alias.startswith("Advances in")] if known is not None else []
    if volumes or bare.startswith("Advances in"):
        return volumes[0] if volumes else bare
    return f"{said[0]}{bare}" if known is None or known.kind == "conference" else bare
