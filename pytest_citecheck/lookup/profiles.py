"""Profiles: the rounds of queries that a run takes, and the sources that it searches for titles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_citecheck.model import QueryKind
from pytest_citecheck.thresholds import OWN_QUERIES, OWN_QUERIES_ARENA

RoundName = Literal[
    "short DOIs", "identifiers", "undeclared sources", "other agencies", "DOI registry", "DOI prefixes", "DOI content",
    "standards and software", "broad titles", "learned identifiers", "catalogues", "batched titles", "parts of titles",
    "reference strings", "places", "tables of contents", "versions", "slow titles", "single titles", "search results",
    "preprints", "author searches", "venue-year lists", "publishers' lists", "second opinions", "web pages",
]  # fmt: skip
"""The rounds of `pytest_citecheck.lookup.rounds`."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Order of the queries.

    rounds: rounds to run, in the order of the table of rounds. identifiers: kinds of cited identifiers to look up.
    routes: for each discipline (of the query, else of the reference), the sources to search for single titles, in order;
        ``other`` is for unknown ones. None: as the sources declare.
    own_questions: maximum number of queries for one reference alone, without batches.
    """

    name: str
    rounds: frozenset[RoundName] = frozenset(get_args(RoundName))
    identifiers: tuple[QueryKind, ...] = ("doi", "arxiv", "pmid", "pmcid", "isbn", "hal", "nnt")
    routes: Mapping[str, tuple[str, ...]] | None = None
    own_questions: int = OWN_QUERIES


_ARENA = Profile(
    "arena",
    frozenset({"identifiers", "undeclared sources", "versions", "slow titles", "single titles", "search results"}),
    ("doi", "arxiv", "pmid"),
    {
        "computer_science": ("crossref", "dblp_sparql", "arxiv", "pubmed"),
        "biomedical": ("crossref", "pubmed", "arxiv", "dblp_sparql"),
        "physics": ("crossref", "arxiv", "dblp_sparql", "pubmed"),
        "chemistry": ("crossref", "pubmed", "arxiv", "dblp_sparql"),
        "social_science": ("crossref", "pubmed", "dblp_sparql", "arxiv"),
        "other": ("crossref", "arxiv", "pubmed", "dblp_sparql"),
    },
    own_questions=OWN_QUERIES_ARENA,
)

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (Profile("default"), _ARENA)}
"""The profiles by name. A new one is a table here."""
