"""Who is asked for a title, in which order: one table a profile, by discipline and type of entry.

The ``default`` profile asks services that take many titles in one request before those that take one, and the service
that is likeliest to have a work before the others. ``arena`` is the order of the Reference Hallucination Arena
(agentscope-ai/OpenJudge, cookbooks/ref_hallucination_arena, routing table), for results that can be compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pytest_citecheck.model import CitedMetadata
from pytest_citecheck.thresholds import OWN_QUESTIONS, OWN_QUESTIONS_ARENA
from pytest_citecheck.venues.comparison import lookup

__all__ = ["PROFILES", "Discipline", "Profile", "discipline"]

Discipline = Literal[
    "computer_science", "biomedical", "physics", "chemistry", "social_science", "interdisciplinary", "other"
]

_DATA = frozenset({"dataset", "software"})
_BOOKS = frozenset(
    {"book", "mvbook", "collection", "mvcollection", "booklet", "manual", "proceedings", "mvproceedings"}
)
_THESES = frozenset({"thesis", "phdthesis", "mastersthesis"})
_REPORTS = frozenset({"techreport", "report"})
_LOOSE = frozenset({"misc", "unpublished"})
_NOT_COVERED = frozenset({
    "online", "electronic", "www", "webpage", "patent", "legislation", "jurisdiction", "commentary", "letter", "audio", "video",
    "movie", "music", "image", "artwork", "performance", "bibnote",
})  # fmt: skip
"""Types of entries that no source lists by title; their identifiers are looked up all the same."""

_ARCHIVES: Mapping[str, Discipline] = {
    "cs": "computer_science", "stat": "computer_science", "eess": "computer_science", "q-bio": "biomedical",
    "econ": "social_science", "q-fin": "social_science", "math": "other", "physics": "physics", "astro-ph": "physics",
    "cond-mat": "physics", "gr-qc": "physics", "hep-ex": "physics", "hep-lat": "physics", "hep-ph": "physics",
    "hep-th": "physics", "math-ph": "physics", "nlin": "physics", "nucl-ex": "physics", "nucl-th": "physics",
    "quant-ph": "physics",
}  # fmt: skip
"""The archives of arXiv (arxiv.org/category_taxonomy), as they stand in primaryclass or in old identifiers."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A way of asking.

    routes: for each discipline the sources that are asked for one title at a time, in order, until the evidence suffices.
    agencies: whether a DOI that Crossref does not have is followed to its own agency. together: sources that take many titles
    in one request and are asked before. opinions: sources that give a second opinion by identifier. most_singles: requests
    that may be made for one reference alone. places: whether absence from the cited venue is looked into.
    """

    name: str
    routes: Mapping[Discipline, tuple[str, ...]]
    agencies: bool = True
    together: bool = True
    opinions: tuple[str, ...] = field(default=())
    most_singles: int = OWN_QUESTIONS
    places: bool = True

    def route(self, metadata: CitedMetadata) -> tuple[str, ...]:
        """The sources to ask for the title of this reference, one after the other."""
        kind = metadata.reference.type
        if not self.together:
            return self.routes[discipline(metadata)]
        named = metadata.identifiers
        first = [
            source
            for source, value in (
                ("dblp_record", named.dblp),
                ("acl_anthology", named.acl),
                ("openreview", named.openreview),
                ("openreview_v1", named.openreview),
            )
            if value
        ]
        if kind in _NOT_COVERED:
            rest: tuple[str, ...] = ()
        elif kind in _BOOKS:
            rest = ("crossref", "open_library", "dblp")
        elif kind in _DATA:
            rest = ("crossref",)
        elif kind in _THESES:
            rest = ("crossref", "dblp", "openalex")
        elif kind == "standard":
            rest = ("crossref",)
        else:
            rest = self.routes[discipline(metadata)]
        if named.dblp:
            rest = tuple(source for source in rest if source != "dblp")
        return (*first, *(source for source in rest if source != "dblp" or may_be_in_dblp(metadata)))

    def batched(self, metadata: CitedMetadata) -> tuple[tuple[str, ...], ...]:
        """The sources that are asked for this title in batches: first these, then those if that did not suffice."""
        kind = metadata.reference.type
        if not self.together or kind in _NOT_COVERED:
            return ()
        second = []
        if kind in _DATA | _THESES | _REPORTS | _LOOSE:
            second.append("datacite")
        if metadata.preprint:
            second.append("arxiv")
        if kind == "article" and not (metadata.preprint or ((known := lookup(metadata.venue)) and known.dblp)):
            second.append("europe_pmc")
        return (("semantic_scholar",), tuple(second))


def may_be_in_dblp(metadata: CitedMetadata) -> bool:
    """Whether DBLP may list this: a journal or conference that is known, and not to DBLP, is of another field."""
    venue = lookup(metadata.venue) if metadata.venue else None
    return venue is None or bool(venue.dblp) or venue.kind not in ("journal", "conference", "workshop")


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
    if venue is not None and venue.kind in ("journal", "conference", "workshop"):
        return "computer_science" if venue.dblp else "other"
    # Outside of computer science few proceedings papers are cited, and Crossref has most of them.
    return "computer_science" if metadata.reference.type in ("inproceedings", "conference") else "other"


_DEFAULT = Profile(
    "default",
    {
        "computer_science": ("dblp", "crossref"),
        "biomedical": ("crossref", "pubmed"),
        "physics": ("crossref", "dblp"),
        "chemistry": ("crossref", "pubmed"),
        "social_science": ("crossref", "dblp"),
        "interdisciplinary": ("crossref", "dblp"),
        "other": ("crossref", "dblp"),
    },
    opinions=("semantic_scholar", "openalex"),
)
_ARENA = Profile(
    "arena",
    {
        "computer_science": ("crossref", "dblp", "arxiv", "pubmed"),
        "biomedical": ("crossref", "pubmed", "arxiv", "dblp"),
        "physics": ("crossref", "arxiv", "dblp", "pubmed"),
        "chemistry": ("crossref", "pubmed", "arxiv", "dblp"),
        "social_science": ("crossref", "pubmed", "dblp", "arxiv"),
        "interdisciplinary": ("crossref", "arxiv", "pubmed", "dblp"),
        "other": ("crossref", "arxiv", "pubmed", "dblp"),
    },
    agencies=False,
    together=False,
    most_singles=OWN_QUESTIONS_ARENA,
    places=False,
)

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (_DEFAULT, _ARENA)}
"""The profiles by name. A new one is a table here."""
