"""The unmatched words of a venue: those that have no place in a citation of the main proceedings.

"ICML 2019, Long Beach, CA, USA" leaves nothing and names the proceedings. "ICML 2019 Time Series" leaves two
words and names something at ICML.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import TOPIC_OF_EVENT
from pytest_citecheck.venues.abbreviations import agree, aligned, initials
from pytest_citecheck.venues.places import MONTHS, PLACES, without_cities
from pytest_citecheck.venues.table import Venue, all_venues
from pytest_citecheck.venues.words import HEADS, NOISE, SPONSORS, core, venue_words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["first_year_within", "unmatched_words"]

Words = tuple[str, ...]

_HARMLESS_LIST = """
conference conferences conf meeting meetings congress proceedings proceeding proc volume volumes vol no nr number issue
pages page pp article part series ser edition ed eds track tracks program programme main full long short regular
research technical paper papers poster oral orals spotlight spotlights presentation presentations notable top
best outstanding award awards session sessions online virtual virtually hybrid event only held as published appear
appeared accepted forthcoming selected revised contributed round press publisher publishers inc verlag berlin heidelberg
proccedings forth
cham springer elsevier isca omnipress citeseer
"""
_HARMLESS = NOISE | SPONSORS | MONTHS | frozenset(_HARMLESS_LIST.split())
_PHRASES: frozenset[Words] = frozenset(
    tuple(phrase.split())
    for phrase in (
        "applied data science",
        "w cp",
        "jmlr org",
        "ijcai org",
        "openreview net",
        "aclweb org",
        "eurographics association",
        "as part of",
        "best student paper",
        "european joint conferences theory practice software",
        "etaps",
        "federated logic conference",
        "floc",
    )
)
_GLUED_YEAR = lazy_pattern(r"(?:19|20)\d\d|\d\d")
_COUNTED = lazy_pattern(r"\d+(?:st|nd|rd|th)?|[ivx]{1,7}|xl[ivx]*|[a-z]")
"""Numbers, ordinals, Roman numerals and the letters of parts."""
_SOCIETY = lazy_pattern(r"\bIEEE Computer Society\b", re.IGNORECASE)
_SYMPOSIUM = frozenset({"symposium", "symp", "sympos"})
_LONGEST_PHRASE = 7


def unmatched_words(text: str, venues: Iterable[Venue]) -> Words:
    """The folded words of ``text`` that have no place in a citation of the main proceedings of ``venues``.

    Taken away are the names of the venues, of series and publishers, sponsors, ordinals, places, dates, numbers of
    volumes and pages, and what the main tracks and forms of presentation are called.
    """
    venues = tuple(venues)
    named = [name for venue in venues for name in _names(venue)]
    acronyms = frozenset(name[0] for name in named if len(name) == 1)
    words = [_unglued(word, acronyms) for word in venue_words(without_cities(_SOCIETY.sub(" ", text)))]
    words = [word for word in words if word not in NOISE]
    # Of names of one length first the one that stands there: a conference may have been a workshop of the same topic.
    # A word and its abbreviation begin with the same letter: most of the names need no closer look.
    letters = {word[0] for word in words}
    names = dict.fromkeys((*named, *(name for first, name in _printers() if letters.issuperset(first))))
    for name in sorted(names, key=lambda name: (-len(name), not _holds(words, name))):
        words = _without_run(words, name)
        topic = {word for word in name if word not in HEADS} if name in named else set()
        # "Machine Learning, Proceedings of the 25th International Conference": the words, but not in their order.
        if len(topic) >= TOPIC_OF_EVENT and topic.issubset(words):
            for word in topic:  # once each: two conferences of one volume may share words of their topics
                words.remove(word)
    words = _without_phrases(words, _phrases().union(*(_tracks(venue) for venue in venues)))
    # Symposia and workshops are held at conferences too: only what a venue calls itself says nothing.
    kinds = {word for venue in venues for word in venue_words(venue.name) if word in HEADS}
    kinds |= _SYMPOSIUM if "symposium" in kinds else set()
    return tuple(word for word in words if word not in _HARMLESS and word not in kinds and not _COUNTED.fullmatch(word))


def first_year_within(text: str, venues: Iterable[Venue]) -> int:
    """The first year from which the tracks of ``venues`` that ``text`` names are in the main proceedings; 0 if it names
    none.
    """
    venues = tuple(venue for venue in venues if venue.tracks)
    if not venues:
        return 0
    words = [word for word in venue_words(text) if word not in NOISE]
    years = [
        year
        for venue in venues
        for track, year in zip(_tracks(venue), venue.tracks.values(), strict=True)
        if len(_without_phrases(words, frozenset({track}))) < len(words)
    ]
    return max(years, default=0)


def _unglued(word: str, acronyms: frozenset[str]) -> str:
    """ "icml19" as "icml", if the conference is called so: "fgvc8" is a workshop."""
    if not word[-1].isdecimal():
        return word
    for acronym in (*acronyms, *SPONSORS):
        if word.startswith(acronym) and _GLUED_YEAR.fullmatch(word, len(acronym)):
            return acronym
    return word


def _without_run(words: list[str], name: Words) -> list[str]:
    """``words`` without all places where ``name`` stands, in full or abbreviated (one word: in full)."""
    length, kept, start = len(name), list[str](), 0
    alike = agree if length > 1 else str.__eq__
    while start <= len(words) - length:
        if alike(words[start], name[0]) and (length == 1 or aligned(words[start : start + length], name)):
            start += length
        else:
            kept.append(words[start])
            start += 1
    return kept + words[start:]


def _holds(words: list[str], name: Words) -> bool:
    return name[0] in words and any(
        tuple(words[start : start + len(name)]) == name for start in range(len(words) - len(name) + 1)
    )


def _without_phrases(words: list[str], phrases: frozenset[Words]) -> list[str]:
    """``words`` without the phrases, at each word the longest."""
    kept, start = list[str](), 0
    while start < len(words):
        longest = min(_LONGEST_PHRASE, len(words) - start)
        ends = (start + length for length in range(longest, 0, -1))
        end = next((end for end in ends if tuple(words[start:end]) in phrases), 0)
        if not end:
            kept.append(words[start])
        start = end or start + 1
    return kept


def _names(venue: Venue) -> tuple[Words, ...]:
    return _reduced((*venue.names, venue.dblp))


@lru_cache(maxsize=1024)
def _reduced(names: tuple[str, ...]) -> tuple[Words, ...]:
    """The words of names without "Proceedings", sponsors and other noise; without names of which nothing is left."""
    words = (tuple(word for word in core(venue_words(name)) if word not in NOISE) for name in names)
    return tuple(dict.fromkeys(name for name in words if name))


def _tracks(venue: Venue) -> tuple[Words, ...]:
    return _reduced(tuple(venue.tracks))


@cache
def _phrases() -> frozenset[Words]:
    return frozenset(tuple(word for word in phrase if word not in NOISE) for phrase in _PHRASES | PLACES)


@cache
def _printers() -> tuple[tuple[frozenset[str], Words], ...]:
    """The names of series and publishers with the first letters of their words, except for publishers of one word
    ("Frontiers", "CUP"): that is a word of other names too.
    """
    return tuple(
        (frozenset(initials(words)), words)
        for venue in all_venues()
        if venue.kind in ("series", "publisher")
        for words in _names(venue)
        if len(words) > 1 or venue.kind == "series"
    )
