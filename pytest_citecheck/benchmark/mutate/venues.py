"""Mutations of venues."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.benchmark.mutate.tex import escaped
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import compare_venues, is_series, lookup
from pytest_citecheck.venues.parsing import parse_venue
from pytest_citecheck.venues.table import Venue, all_venues
from pytest_citecheck.venues.words import HEADS, NOISE, venue_words

__all__ = [
    "NEEDS_PLACE",
    "are_different",
    "is_placed",
    "nonexistent_venue",
    "preprint_as_published",
    "without_venue",
    "wrong_venue",
]

NEEDS_PLACE = "needs a paper in a journal or at a conference"

_TYPES = frozenset({"article", "inproceedings", "conference"})
_KINDS = ("journal", "conference")
_FIELDS = {"journal": "journal", "conference": "booktitle"}
_ENTRIES = {"journal": "article", "conference": "inproceedings"}
# Fields of the venue, its volume and its publisher, which would contradict another venue.
_OF_THE_VENUE = frozenset({
    "journal", "journaltitle", "shortjournal", "journalsubtitle", "booktitle", "booksubtitle", "maintitle", "mainsubtitle",
    "eventtitle", "eventdate", "series", "shortseries", "volume", "number", "issue", "pages", "eid", "articleno", "month",
    "issn", "isbn", "publisher", "organization", "address", "location", "venue", "editor", "entrysubtype", "numpages",
})  # fmt: skip
_TOPIC = lazy_pattern(
    r"\b(?:Conference|Symposium|Workshop|Transactions|Journal|Letters|Annals|Archives|Reviews?|Congress)"
    r"\s+(?:on|of|in)\s+(?:the\s+)?(?P<topic>[A-Z][A-Za-z-]+(?:\s[A-Z][A-Za-z-]+){0,2})$"
)
_BODY = lazy_pattern(
    r"\b(?:Societ|Associat|Academ|Institut|Universit|Organi[sz]ation|Americ|Europ|Medicine$|Sciences$)"
)
_HEADS = {
    "journal": ("Journal of", "International Journal of", "Transactions on", "Advances in", "Annals of", "Letters in"),
    "conference": ("International Conference on", "Conference on", "Symposium on", "Proceedings of the Conference on"),
}
_COMPUTING = frozenset({"cs", "stat", "eess"})
"""The archives of arXiv whose papers appear at venues in DBLP."""
_TRIES = 1000
_STEM = 3


def nonexistent_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """A journal or conference that does not exist, named after the topics of two that do, of its field if possible."""
    del material
    kind = _kind(original)
    own = _stems(original.cited.venue)
    topics = _topics(_of_computing(original))
    for _ in range(_TRIES):
        first, second = stream.pick(topics), stream.pick(topics)
        made = f"{stream.pick(_HEADS[kind])} {first} and {second}"
        if not (_stems(first) & _stems(second) or _stems(made) & own or _known(made)):
            return _moved(original, kind, made)
    raise DoesNotApply("needs a venue with another topic than all known ones")


def wrong_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """Another real venue of the same kind: one that the file cites elsewhere if possible, otherwise any known one."""
    kind = _kind(original)
    start = stream.share()
    return _moved(original, kind, _other_venue(original, kind, material.cited_venues(start), start))


def preprint_as_published(original: Original, material: Material, stream: Stream) -> Changed:
    """A preprint cited as published in a journal or at a conference.

    The venue is any known one, not one that the file cites, where the preprint may actually have appeared later.
    """
    if not original.cited.preprint:
        raise DoesNotApply("needs a preprint")
    del material
    kind = stream.pick(_KINDS)
    return _moved(original, kind, _other_venue(original, kind, (), stream.share()))


def _other_venue(original: Original, kind: str, preferred: Iterable[Venue], start: float) -> str:
    """The name (a BibTeX value) of a known venue of this kind that is certainly not that of the reference.

    start: where to begin in the table of venues (0 to below 1) if no preferred venue suits.
    """

    def suits(venue: Venue) -> bool:
        return venue.kind == kind and _is_elsewhere(venue.name, original.cited.venue)

    known, field = list(_from(start, _venues(kind))), _of_computing(original)
    near = [venue for venue in known if field is None or bool(venue.dblp) == field]
    for venue in itertools.chain(preferred, near, known):
        if suits(venue):
            return escaped(venue.name)
    raise DoesNotApply("needs a venue that certainly differs from a known one")


def _of_computing(original: Original) -> bool | None:
    """Whether the reference is of computer science: its venue is in DBLP, or it is in such an archive; None if nothing tells."""
    venue = lookup(original.cited.venue)
    if venue is not None and venue.kind in _KINDS:
        return bool(venue.dblp)
    old_style = original.cited.identifiers.arxiv.partition("/")
    stated = (
        original.fields.get("primaryclass")
        or original.fields.get("eprintclass")
        or (old_style[0] if old_style[1] else "")
    )
    archive = stated.partition(".")[0].strip("{} ").lower()
    return archive in _COMPUTING if archive else None


def is_placed(original: Original) -> bool:
    """Whether the reference cites a journal or conference paper."""
    metadata = original.cited
    return (
        original.reference.type in _TYPES
        and metadata.venue_field in ("journal", "journaltitle", "booktitle")
        and not metadata.preprint
        and not is_series(metadata.venue)
        and parse_venue(metadata.venue).part != "submission"
    )


def are_different(first: Original, second: Original) -> bool:
    """Whether two references certainly cite different venues."""
    return compare_venues(first.cited.venue, second.cited.venue) == "different"


def _moved(original: Original, kind: str, venue: str) -> Changed:
    """The reference with another venue (a BibTeX value), without the fields of the old venue."""
    field = original.cited.venue_field if is_placed(original) else _FIELDS[kind]
    return Changed(
        original.reference.type if is_placed(original) else _ENTRIES[kind],
        {**without_venue(original.fields), field: venue},
    )


def without_venue(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields without the venue and its details: volume, pages, publisher …"""
    return {name: value for name, value in fields.items() if name not in _OF_THE_VENUE}


def _kind(original: Original) -> str:
    if not is_placed(original):
        raise DoesNotApply(NEEDS_PLACE)
    known = lookup(original.cited.venue)
    if known is not None and known.kind in _KINDS:
        return known.kind
    return "conference" if original.cited.venue_field == "booktitle" else "journal"


@lru_cache(maxsize=65536)
def _is_elsewhere(venue: str, cited: str) -> bool:
    """Whether a known venue differs from the cited one; an unknown cited venue must share no word with its name."""
    if not cited:
        return True
    relation = compare_venues(venue, cited)
    if relation == "unknown" and not parse_venue(cited).venues:
        # A single word may be an acronym of any venue.
        return len(parse_venue(cited).core) > 1 and _stems(venue).isdisjoint(_stems(cited))
    return relation == "different"


@lru_cache(maxsize=65536)
def _stems(name: str) -> frozenset[str]:
    """The first letters of the topic words of a venue, which every abbreviation keeps."""
    return frozenset(word[:_STEM] for word in venue_words(name) if word not in HEADS and word not in NOISE)


def _known(name: str) -> bool:
    return bool(parse_venue(name).venues)


def _from(start: float, venues: Sequence[Venue]) -> Iterable[Venue]:
    """All venues, from this share of the table on."""
    first = int(start * len(venues))
    return itertools.chain(venues[first:], venues[:first])


@cache
def _venues(kind: str) -> Sequence[Venue]:
    return tuple(venue for venue in all_venues() if venue.kind == kind)


@cache
def _topics(computing: bool | None) -> Sequence[str]:
    """The topics of journals and conferences, from their names; computing: those in DBLP alone, or those that are not in it."""
    found = [
        match["topic"]
        for venue in all_venues()
        if (computing is None or bool(venue.dblp) == computing) and (match := _TOPIC.search(venue.name))
    ]
    return tuple(dict.fromkeys(topic for topic in found if not _BODY.search(topic)))
