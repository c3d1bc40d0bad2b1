"""The table of known venues: facts about journals, conferences, preprint servers, series and publishers.

``data/venues.jsonl`` holds one venue a line: ``id``, ``name``, ``kind`` and, where known, ``aliases``
(acronyms, former names, ISO 4 abbreviations), ``dblp`` (the name that DBLP gives the venue), ``complete_in``,
``issn``, ``related`` and ``tracks``. It is read when the first venue is looked up, not at import.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pytest_citecheck.venues.abbreviations import aligned, initials
from pytest_citecheck.venues.words import SPONSORS, core, keys, venue_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Venue", "VenueKind", "all_venues", "venues_abbreviated", "venues_named"]

VenueKind = Literal["journal", "conference", "workshop", "preprint", "series", "publisher", "book"]


@dataclass(frozen=True, slots=True)
class Venue:
    """One venue.

    ``dblp`` is its name in DBLP's queries, empty if unknown. ``complete_in`` maps a source to the first year
    from which it lists every paper of the venue; the last year or two may still be missing there.
    ``dblp_stream`` is the series of records (``conf/nips``) in which DBLP keeps all of them, with every
    track; it is empty for conferences whose papers went to a journal in some years (POPL). ``related`` names
    venues that publish each other's papers (POPL and PACMPL), so that neither contradicts the other. ``tracks``
    maps a track that once had proceedings of its own to the first year in which it is part of the main ones.
    """

    id: str
    name: str
    kind: VenueKind
    aliases: tuple[str, ...] = ()
    dblp: str = ""
    complete_in: Mapping[str, int] = field(default_factory=dict)
    dblp_stream: str = ""
    issn: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    tracks: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The name and all aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class _Index:
    venues: tuple[Venue, ...]
    by_key: Mapping[str, tuple[Venue, ...]]


def all_venues() -> tuple[Venue, ...]:
    """All venues of the table, in its order."""
    return _index().venues


def venues_named(key: str) -> tuple[Venue, ...]:
    """The venues with this normal form (of ``venues.words.keys``); several share some acronyms."""
    return _index().by_key.get(key, ())


def venues_abbreviated(words: tuple[str, ...]) -> tuple[Venue, ...]:
    """The venues of whose names ``words`` (``venues.words.core``) can be an abbreviation, word by word."""
    for shortened in dict.fromkeys((words, _unsponsored(words))):
        if len(shortened) > 1:
            candidates = _by_initials().get(initials(shortened), ())
            if found := _distinct([venue for name, venue in candidates if aligned(shortened, name)]):
                return found
    return ()


def _unsponsored(words: tuple[str, ...]) -> tuple[str, ...]:
    """Author kits leave sponsors out, or name one of two: "IEEE Conf. Comput. Vis. Pattern Recog." for IEEE/CVF."""
    return words if SPONSORS.isdisjoint(words) else tuple(word for word in words if word not in SPONSORS)


def _distinct(venues: list[Venue]) -> tuple[Venue, ...]:
    return tuple(venues) if len(venues) < 2 else tuple({venue.id: venue for venue in venues}.values())


def _venue(row: dict[str, Any]) -> Venue:
    return Venue(
        id=row["id"],
        name=row["name"],
        kind=row["kind"],
        aliases=tuple(row.get("aliases", ())),
        dblp=row.get("dblp", ""),
        complete_in=row.get("complete_in", {}),
        dblp_stream=row.get("dblp_stream", ""),
        issn=tuple(row.get("issn", ())),
        related=tuple(row.get("related", ())),
        tracks=row.get("tracks", {}),
    )


@cache
def _index() -> _Index:
    text = files("pytest_citecheck.venues").joinpath("data/venues.jsonl").read_text(encoding="utf-8")
    venues = tuple(_venue(row) for row in json.loads("[" + ",".join(text.splitlines()) + "]"))
    exact: dict[str, list[Venue]] = {}
    looser: dict[str, list[Venue]] = {}
    for venue in venues:
        for words in _written(venue):
            literal, *others = keys(words, core(words))
            exact.setdefault(literal, []).append(venue)
            for key in others:
                looser.setdefault(key, []).append(venue)
    return _Index(venues=venues, by_key={key: _distinct(found) for key, found in (looser | exact).items()})


@cache
def _by_initials() -> Mapping[str, Sequence[tuple[tuple[str, ...], Venue]]]:
    """All names by their initials. Built when a name is not found as written."""
    found: dict[str, list[tuple[tuple[str, ...], Venue]]] = {}
    for venue in _index().venues:
        for words in _written(venue):
            full = core(words)
            bare = _unsponsored(full)
            if len(bare) > 1:  # "IEEE ICCV" is no abbreviation for "IEEE ICC"
                for form in dict.fromkeys((full, bare)):
                    found.setdefault(initials(form), []).append((form, venue))
    return found


def _written(venue: Venue) -> Iterator[tuple[str, ...]]:
    """The words of each name of a venue."""
    for name in (*venue.names, venue.dblp) if venue.dblp else venue.names:
        yield venue_words(name)
