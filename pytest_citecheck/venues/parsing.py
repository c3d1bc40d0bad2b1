"""Which known venues a text names, and whether it names their proceedings, a workshop beside them or
something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.normal_form import without_latex_and_markup
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import ACRONYM_LETTERS, FULL_NAME_WORDS, JOURNAL_WORDS, PARSED_ACRONYM
from pytest_citecheck.venues.prefixes import without_prefix
from pytest_citecheck.venues.table import Venue, venues_abbreviated, venues_named
from pytest_citecheck.venues.unmatched_words import first_year_within, unmatched_words
from pytest_citecheck.venues.words import (
    HEADS,
    SPONSORS,
    content,
    core,
    keys,
    rotated,
    segments,
    venue_words,
    without_numbering,
)

__all__ = ["ParsedVenue", "Part", "parse_venue"]

Part = Literal["main", "workshop", "findings", "side", "beside", "submission"]
"""What of a venue is named: its proceedings, a workshop beside it, ACL's "Findings", another track, something
that is not known to be any of these ("ICML 2019 Time Series"), no publication.
"""

_WORKSHOP = lazy_pattern(r"\b(?:workshops?|wkshps?|wksps?|worksh)\b|\S@\S", re.IGNORECASE)
_JOINT_WORKSHOP = lazy_pattern(
    BLANKS + r"and\s++(?:the\s++)?\d++(?:st|nd|rd|th)\s[^,]{0,200}\bworkshops?\b", re.IGNORECASE
)
_SERIES_OF_WORKSHOPS = lazy_pattern(
    r"\b(?:JMLR|Journal of Machine Learning Research)\b[:,\s]*(?:Workshop (?:and|&) Conference Proceedings|W\s*&\s*CP)\b",
    re.IGNORECASE,
)
_WORKSHOP_ACRONYM = lazy_pattern(r"\b([A-Za-z]{3,7})W\b")
_FINDINGS = lazy_pattern(r"\bfindings\b", re.IGNORECASE)
_SIDE = lazy_pattern(
    r"\b(?:companion|adjunct|extended abstracts?|system demonstrations?|demonstrations?|demos?|industry track"
    r"|student research workshop|student abstract|doctoral (?:consortium|symposium)|tutorials?|tutorial abstracts"
    r"|tiny ?papers?|late[- ]breaking|blog ?posts?|blog ?post track|shared task|competitions? track|affinity events?)\b",
    re.IGNORECASE,
)
_MEETING = lazy_pattern(r"\b(?:conference|symposium|congress)\b", re.IGNORECASE)
_SUBMISSION = lazy_pattern(
    r"\b(?:submi(?:tted|ssion)|rejected|withdrawn|under review|in preparation|desk reject)\b", re.IGNORECASE
)
_TRACK = lazy_pattern(
    r"\b(?:main (?:conference(?: track)?|track|volume)|(?:long|short|full|conference|regular|technical|research) papers?"
    r"|conference track(?: proceedings)?|poster(?: presentations?| session)?s?|orals?|spotlights?|notable top.*"
    r"|datasets and benchmarks(?: track)?|track on datasets and benchmarks|virtual(?: event| conference)?|online"
    r"|papers track|research track|applied data science(?: track)?|conference proceedings|proceedings track"
    r"|(?:long|short) paper|technical program|posters|papers|findings of(?: the)?)\b",
    re.IGNORECASE,
)
_WORKSHOP_WORDS = lazy_pattern(
    r"\b(?:workshops?|wkshps?|wksps?|worksh|companion(?: proceedings)?(?: of)?|adjunct)\b", re.IGNORECASE
)
_BRACKETS = lazy_pattern(MAYBE_BLANKS + r"[(\[][^()\[\]]*[)\]]")
_DATED_ACRONYM = lazy_pattern(
    r"\b([A-Z][A-Za-z&+-]{0,24}[A-Z][A-Za-z&]{0,24}+)[\s'’-]*(?:(?:19|20)\d\d|(?<=['’-])\d\d)\b"
)
# As in Crossref: "Thirty-ThirdInternational Joint Conference".
_GLUED = lazy_pattern(r"(?<=[a-z]{2})(?=(?:International|Conference|Joint|Annual|Symposium|Workshop|Proceedings)\b)")
_EVENT = frozenset({"conference", "workshop"})
_LONGEST_NAME = 25
_MEETINGS = frozenset({"conference", "conf", "meeting", "meet", "symposium", "symp"})
"""Beside these "Ann." is "Annual"; it may be "Annals" else."""


# DBLP names an event that meets beside another one "NUT@EMNLP"; people also write "W-NUT 2017 at EMNLP".
_AT = lazy_pattern(
    r"(?<![\w-])((?=[\w-]*[A-Z][\w-]*[A-Z])[A-Za-z][\w-]{1,24})(?:[\s'’-]+(?:19|20)?\d\d)?\s+at\s+(?=[A-Z][\w-]*[A-Z])"
)
_EVENT_AT = lazy_pattern(r"(?<![\w.-])(?P<event>[A-Za-z][\w-]{1,24})@(?P<host>[A-Za-z][\w/&-]{1,40})(?!\.\w)")


@dataclass(frozen=True, slots=True)
class ParsedVenue:
    """A venue as written.

    ``venues`` are the known venues that the text may name: one, several for a joint conference or a shared
    acronym, none if unknown. ``key`` is the normal form of the whole text, ``words`` its content words,
    ``core`` the same without years, numbers and "Proceedings of". ``rest`` is what has no place in a citation of
    the main proceedings (``venues.unmatched_words``), ``main_from`` the first year in which the track named is part of
    them: 0 if none is named. ``event`` is the folded name of an event that is not known and meets beside one of ``venues``
    ("nut" of "NUT@EMNLP"); one that is known is the venue itself.
    """

    text: str
    key: str
    words: tuple[str, ...]
    core: tuple[str, ...]
    venues: tuple[Venue, ...]
    part: Part
    rest: tuple[str, ...] = ()
    main_from: int = 0
    event: str = ""


# "User Modeling and User-Adapted Interaction: The Journal of Personalization Research"
_JOURNAL_SUBTITLE = lazy_pattern(
    r"(?<=\w)\s*:\s+(?:The(?:\s+[\w-]+){0,2}|An\s+International)\s+Journal\b.*", re.IGNORECASE
)


@lru_cache(maxsize=32768)
def parse_venue(text: str) -> ParsedVenue:
    """Takes a venue name apart; never raises."""
    text = _GLUED.sub(" ", without_prefix(without_latex_and_markup(text)))
    if ":" in text:
        text = _JOURNAL_SUBTITLE.sub("", text)
    text, event = _colocated(text)
    trimmed = rotated(without_numbering(text)).strip(" .,;:")
    words = venue_words(trimmed)
    venues = _whole(words)
    part: Part = "main"
    full = _JOINT_WORKSHOP.sub("", _SERIES_OF_WORKSHOPS.sub(" ", text))
    if not venues:
        part = _part(full)
        venues = _named_within(trimmed) or (_parents(trimmed) if part != "main" else ())
    events = tuple(venue for venue in venues if venue.kind in _EVENT)
    if events and part == "workshop" and "@" not in full and not unmatched_words(full, events):
        part = "main"  # a conference that calls itself a workshop, or once did
    rest = unmatched_words(full, events) if events and part == "main" and not _whole(venue_words(text)) else ()
    if rest:
        part = _part(full)
        part = "beside" if part == "main" else part
    return ParsedVenue(
        text=text,
        key=" ".join(content(words)),
        words=content(words),
        core=core(words),
        venues=venues,
        part=part,
        rest=rest,
        main_from=first_year_within(full, events),
        event=event if part == "workshop" else "",
    )


def _colocated(text: str) -> tuple[str, str]:
    """The text, without the host of an event that is known itself ("SemEval@COLING 2014"), and the name of one that is not."""
    if " at " in text:
        text = _AT.sub(r"\1@", text)
    match = _EVENT_AT.search(text) if "@" in text else None
    if match is None:
        return text, ""
    name = match["event"].lower()
    if len(name) >= ACRONYM_LETTERS and any(venue.kind in _EVENT for venue in venues_named(name)):
        return f"{text[: match.end('event')]}{text[match.end() :]}", ""
    return text, "" if name in HEADS else "".join(filter(str.isalnum, name))


def _whole(words: tuple[str, ...]) -> tuple[Venue, ...]:
    """The venues that the words as a whole name, in full or abbreviated."""
    stripped = core(words)
    for key in keys(words, stripped):
        if found := venues_named(key):
            return found
    for form in _abbreviated_forms(words, stripped):
        if found := venues_abbreviated(form):
            return found
    unsponsored = [word for word in stripped if word not in SPONSORS]
    acronym = unsponsored
    if len(stripped) == 2 and unsponsored in (["conference"], ["conf"]):  # "AAAI Conference"
        acronym = [stripped[0]]
    return tuple(venue for venue in venues_named(acronym[0]) if venue.kind in _EVENT) if len(acronym) == 1 else ()


def _abbreviated_forms(words: tuple[str, ...], stripped: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The core words, also with the "Proc." of "Nat. Lang. Proc.", and without the "Ann." of "Ann. Meet."."""
    yield stripped
    if words[-1:] == ("proc",):
        yield (*stripped, "proc")
    if stripped[:1] == ("ann",) and not _MEETINGS.isdisjoint(stripped):
        yield stripped[1:]


def _part(text: str) -> Part:
    if _SUBMISSION.search(text):
        return "submission"
    if _FINDINGS.search(text):
        return "findings"
    if _SIDE.search(text):
        return "side"
    if _WORKSHOP.search(text):
        return "workshop"
    if any(venues_named(match.group(1).lower()) for match in _WORKSHOP_ACRONYM.finditer(text)):
        return "workshop"
    return "main"


def _named_within(text: str) -> tuple[Venue, ...]:
    text = _WORKSHOP_WORDS.sub(" ", _TRACK.sub(" ", _SUBMISSION.sub(" ", text)))
    text = _WORKSHOP_ACRONYM.sub(_without_w, text)
    if found := _whole(venue_words(text)):
        return found
    unbracketed = _BRACKETS.sub(" ", text)
    if unbracketed != text and (found := _whole(venue_words(unbracketed))):
        return _distinct([*found, *_events(segments(text)[1:])])
    pieces = segments(text)
    found = _events(pieces)
    if not found:
        found = _dated(text) or _begun(text)
    if not found and pieces and pieces[0] != text:
        # A journal's name is mostly a plain phrase: only the first piece, and only one that says "Journal", is taken.
        first = venue_words(pieces[0])
        if len(first) >= JOURNAL_WORDS and not HEADS.isdisjoint(first):
            found = _whole(first)
    if not found:
        found = _distinct([venue for piece in pieces for venue in _series(piece)])
    if _MEETING.search(text):
        # "Pacific Asia Conference on Language, Information and Computation" names no journal.
        found = tuple(venue for venue in found if venue.kind != "journal")
    return found


def _begun(text: str) -> tuple[Venue, ...]:
    """The conferences with whose full names the text begins, if what follows has a place in a citation of their proceedings:
    "International Conference on Machine Learning USA", "Conference on Fairness, Accountability, and Transparency, PMLR".
    """
    words = venue_words(text)[:_LONGEST_NAME]
    for end in range(len(words), FULL_NAME_WORDS - 1, -1):
        if HEADS.isdisjoint(words[:end]):
            break
        events = tuple(venue for venue in _whole(words[:end]) if venue.kind in _EVENT)
        if events:
            return () if unmatched_words(text, events) else events
    return ()


def _events(pieces: list[str]) -> tuple[Venue, ...]:
    """The conferences named by pieces of the text, also by the halves of "ECML/PKDD".

    After a conference stand places and dates: a single word there must look like an acronym to name another
    one.
    """
    found: list[Venue] = []
    for piece in pieces:
        words = venue_words(piece)
        named = core(words)
        if len(named) == 1 and (found or len(named[0]) < PARSED_ACRONYM) and not _is_acronym(piece, words):
            continue
        known = _whole(words)
        if not known and "/" in piece:
            known = tuple(venue for half in piece.split("/") for venue in _whole(venue_words(half)))
        found.extend(
            venue for venue in known if venue.kind in _EVENT or venue.kind == "preprint" or len(words) >= JOURNAL_WORDS
        )
    if any(venue.kind in _EVENT for venue in found):
        found = [venue for venue in found if venue.kind in _EVENT]
    return _distinct([venue for venue in found if venue.kind not in ("series", "publisher")])


def _is_acronym(piece: str, words: tuple[str, ...]) -> bool:
    """Whether a piece of one word is written as an acronym: two capitals, and a year beside it if it is
    short.
    """
    capitals = sum(map(str.isupper, piece))
    return capitals > 1 and (len(words) > 1 or capitals >= PARSED_ACRONYM)


def _dated(text: str) -> tuple[Venue, ...]:
    """The conferences whose acronyms stand before a year ("... Signal Processing ICASSP 2023, Rhodes
    Island").
    """
    acronyms = [match.group(1) for match in _DATED_ACRONYM.finditer(text)]
    named = [venue for word in acronyms for key in keys(venue_words(word)) for venue in venues_named(key)]
    return _distinct([venue for venue in named if venue.kind in _EVENT])


def _parents(text: str) -> tuple[Venue, ...]:
    """The conferences whose acronyms stand in the name of a workshop or track ("ICML Workshop on ...")."""
    acronyms = (word for word in re.findall(r"[^\W_]+", text) if sum(map(str.isupper, word)) > 1)
    named = [venue for word in acronyms for key in keys(venue_words(word)) for venue in venues_named(key)]
    return _distinct([venue for venue in named if venue.kind == "conference"])


def _series(piece: str) -> tuple[Venue, ...]:
    return tuple(venue for venue in _whole(venue_words(piece)) if venue.kind in ("series", "publisher", "preprint"))


def _without_w(match: re.Match[str]) -> str:
    return match.group(1) if venues_named(match.group(1).lower()) else match.group()


def _distinct(venues: list[Venue]) -> tuple[Venue, ...]:
    return tuple({venue.id: venue for venue in venues}.values())
