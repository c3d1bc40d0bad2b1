"""Whose word a record is, and who takes from whom: what one collection repeats of another is one voice, not two."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

__all__ = ["DERIVES_FROM", "independent_compilers", "independent_sources", "reached", "upstream"]

DERIVES_FROM: Mapping[str, tuple[str, ...]] = {
    # Where the publishers' own lists have gaps, its records are from these (github.com/rbnyng/mlanthology).
    "mlanthology": ("dblp", "openalex", "openreview", "semanticscholar"),
    # Lists of accepted papers as these print them (github.com/papercopilot/paperlists).
    "papercopilot": ("acl", "openreview"),
    # Both compile (Priem, Piwowar and Orr, arXiv:2205.01833; Kinney et al., arXiv:2301.10140).
    "openalex": ("arxiv", "crossref", "pubmed"),
    "semanticscholar": ("acl", "arxiv", "crossref", "dblp", "pubmed"),
    # Holds all of it (europepmc.org/About).
    "europepmc": ("pubmed",),
}
"""From which upstreams a known one takes facts, in whole or in part: what both have is one source counted twice."""
_SAME = {"aclanthology": "acl"}
_ACCESS = re.compile(r"api[-_](?=.)")


@lru_cache(maxsize=1 << 10)
def upstream(collection: str) -> str:
    """Whose word a collection is: its name up to the first hyphen, small and without underscores.

    ``dblp-2024`` and ``dblp-crawl`` are both what dblp says, and so is ``api-dblp``: how it was asked does not matter.
    """
    name = _ACCESS.sub("", collection.casefold(), count=1)
    bare = (name.partition("-")[0] or name).replace("_", "")
    return _SAME.get(bare, bare)


def reached(child: str, parents: Mapping[str, Collection[str]]) -> set[str]:
    """All from which an upstream takes facts, also through others."""
    found: set[str] = set()
    new = set(parents.get(child, ()))
    while new:
        found |= new
        new = {older for parent in new for older in parents.get(parent, ())} - found
    return found


_ANCESTORS = {child: frozenset(reached(child, DERIVES_FROM)) for child in DERIVES_FROM}


def independent_compilers(origins: Collection[str]) -> int:
    """How many of these collected for themselves: who takes from another one that is here only repeats it.

    Enough to know of what holds for a whole volume (its venue, its year): nobody types that in paper by paper.
    """
    return len(_collected(origins))


def independent_sources(origins: Collection[str]) -> int:
    """How many of these say something of their own about one paper (its title, its people).

    Of the collectors, those that take from a third which is not here may have read one page, with its slips: ML Anthology
    and PaperCopilot both print what the publishers of proceedings list.
    """
    apart: list[frozenset[str]] = []
    for name in _collected(origins):
        group = _ANCESTORS.get(name, frozenset())
        related = [other for other in apart if not other.isdisjoint(group)]
        apart = [other for other in apart if other not in related]
        apart.append(group.union(*related))
    return len(apart)


def _collected(origins: Collection[str]) -> list[str]:
    here = set(map(upstream, origins))
    return [name for name in here if here.isdisjoint(_ANCESTORS.get(name, ()))]
