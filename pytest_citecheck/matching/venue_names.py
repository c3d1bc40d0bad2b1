"""Recognition of known venues in a text, and of the part it names: proceedings, a workshop or something else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

from pytest_citecheck.matching.text import BLANKS, MAYBE_BLANKS, data_file, lazy_pattern, without_latex_and_markup
from pytest_citecheck.matching.venue_tables import (
    HEADS,
    NOISE,
    SPONSORS,
    WORD_LISTS,
    Venue,
    agree,
    aligned,
    all_venues,
    content,
    core,
    initials,
    keys,
    rotated,
    segments,
    venue_words,
    venues_abbreviated,
    venues_named,
    without_numbering,
    without_prefix,
)
from pytest_citecheck.thresholds import ACRONYM_LETTERS, FULL_NAME_WORDS, JOURNAL_WORDS, PARSED_ACRONYM, TOPIC_OF_EVENT

if TYPE_CHECKING:
    from collections.abc import Iterable

_MONTHS = frozenset(WORD_LISTS["months"])

_LISTS: dict[str, list[str]] = json.loads(data_file("places.json"))


def _places_phrases(*lists: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for key in lists for name in _LISTS[key])


_COUNTRIES = _places_phrases("countries", "regions")
PLACES = _COUNTRIES | _places_phrases("cities")
"""Names of places as words, folded."""

_ABBREVIATED_COUNTRIES = frozenset({"us", "usa", "uk", "uae", "prc"})
OF_REGIONS = frozenset(_LISTS["adjectives"]) | {
    name for (name, *others) in _places_phrases("countries") if not others and name not in _ABBREVIATED_COUNTRIES
}
"""Words that, before the name of a conference, mark a national or regional one: "Iberian", "China"."""

_BUILDING = lazy_pattern(
    r"\b(?:university|universit[àäéy]\w*|college|institute|school|hotel|resort|marriott|westin|hilton|hyatt|sheraton|radisson"
    r"|palau|palais|palazzo|convention|congress|cent(?:er|re)|hall|auditorium|campus|castle)\b|(?:mässan|kongresshaus)\b",
    re.IGNORECASE,
)
_CITY = lazy_pattern(r"(?:[^\W\d_a-z][^\W\d_A-Z]+(?:['’-][^\W\d_]+)*(?:\s+|$)){1,3}")


def without_cities(text: str) -> str:
    """Remove a city before a country or state, and a building before or after a place: "ICML 2019, Stockholm Congress
    Centre, Long Hill, Sweden" without "Long Hill" and the congress centre.

    A city is up to three capitalised words between commas. The first piece is never a city: it names the venue.
    """
    pieces = segments(without_latex_and_markup(text))
    return ", ".join(
        piece for number, piece in enumerate(pieces) if not (_is_city(pieces, number) or _is_building(pieces, number))
    )


def _is_city(pieces: list[str], number: int) -> bool:
    inside = 0 < number < len(pieces) - 1
    return inside and _CITY.fullmatch(pieces[number]) is not None and _named(pieces[number + 1]) in _COUNTRIES


def _is_building(pieces: list[str], number: int) -> bool:
    neighbours = (pieces[number - 1], *pieces[number + 1 : number + 2]) if number else ()
    return _BUILDING.search(pieces[number]) is not None and any(_named(piece) in PLACES for piece in neighbours)


def _named(piece: str) -> tuple[str, ...]:
    """Words of a piece without those of a date."""
    return tuple(word for word in venue_words(piece) if not word.isdigit() and word not in _MONTHS)


Words = tuple[str, ...]

_HARMLESS = NOISE | SPONSORS | _MONTHS | frozenset(WORD_LISTS["harmless"])
_PHRASES: frozenset[Words] = frozenset(tuple(phrase.split()) for phrase in WORD_LISTS["harmless_phrases"])
_GLUED_YEAR = lazy_pattern(r"(?:19|20)\d\d|\d\d")
_COUNTED = lazy_pattern(r"\d+(?:st|nd|rd|th)?|[ivx]{1,7}|xl[ivx]*|[a-z]")
"""Numbers, ordinals, Roman numerals and the letters of parts."""
_SOCIETY = lazy_pattern(r"\bIEEE Computer Society\b", re.IGNORECASE)
_SYMPOSIUM = frozenset({"symposium", "symp", "sympos"})
_LONGEST_PHRASE = 7


def unmatched_words(text: str, venues: Iterable[Venue]) -> Words:
    """Folded words of ``text`` that do not belong in a citation of the main proceedings of ``venues``.

    Removed are the names of the venues, of series and publishers, sponsors, ordinals, places, dates, numbers of volumes
    and pages, and names of main tracks and forms of presentation.
    """
    venues = tuple(venues)
    named = [name for venue in venues for name in _names(venue)]
    acronyms = frozenset(name[0] for name in named if len(name) == 1)
    words = [_unglued(word, acronyms) for word in venue_words(without_cities(_SOCIETY.sub(" ", text)))]
    words = [word for word in words if word not in NOISE]
    # Among names of equal length, prefer the exact one: a conference may have been a workshop on the same topic. A word
    # and its abbreviation begin with the same letter, so most names need no closer look.
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
    # Symposia and workshops are held at conferences too, so only the general type of an event is uninformative.
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
    """Remove every occurrence of ``name`` from ``words``, in full or abbreviated (one word: in full)."""
    length, kept, start = len(name), list[str](), 0
    fits = agree if length > 1 else str.__eq__
    while start <= len(words) - length:
        if fits(words[start], name[0]) and (length == 1 or aligned(words[start : start + length], name)):
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
    """The words of names without "Proceedings", sponsors and other noise; names that become empty are dropped."""
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


Part = Literal["main", "workshop", "findings", "side", "beside", "submission"]
"""The part of a venue that a text names: its proceedings, a workshop beside it, ACL's "Findings", another track, an
unknown part ("ICML 2019 Time Series"), no publication."""

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
"""Next to these, "Ann." is "Annual"; elsewhere it may be "Annals"."""


# DBLP uses "NUT@EMNLP" for an event that meets with another one; people also write "W-NUT 2017 at EMNLP".
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
    the main proceedings (``matching.venue_names``), ``main_from`` the first year in which the track named is part of
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
    """The text without the host of a known event ("SemEval@COLING 2014"), and the name of an unknown event."""
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
    """Conferences whose full names begin the text, if the rest belongs in a citation of their proceedings:
    "International Conference on Machine Learning USA", "Conference on Fairness, Accountability, and Transparency,
    PMLR"."""
    words = venue_words(text)[:_LONGEST_NAME]
    for end in range(len(words), FULL_NAME_WORDS - 1, -1):
        if HEADS.isdisjoint(words[:end]):
            break
        events = tuple(venue for venue in _whole(words[:end]) if venue.kind in _EVENT)
        if events:
            return () if unmatched_words(text, events) else events
    return ()


def _events(pieces: list[str]) -> tuple[Venue, ...]:
    """Conferences named by pieces of the text, also by the halves of "ECML/PKDD".

    Places and dates follow a conference: a single word there names another conference only if it looks like an acronym.
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
    """Return True if a piece of one word is written as an acronym: two capitals, and a year beside it if it is
    short.
    """
    capitals = sum(map(str.isupper, piece))
    return capitals > 1 and (len(words) > 1 or capitals >= PARSED_ACRONYM)


def _dated(text: str) -> tuple[Venue, ...]:
    """Conferences whose acronyms precede a year ("... Signal Processing ICASSP 2023, Rhodes Island")."""
    acronyms = [match.group(1) for match in _DATED_ACRONYM.finditer(text)]
    named = [venue for word in acronyms for key in keys(venue_words(word)) for venue in venues_named(key)]
    return _distinct([venue for venue in named if venue.kind in _EVENT])


def _parents(text: str) -> tuple[Venue, ...]:
    """Conferences whose acronyms are in the name of a workshop or track ("ICML Workshop on ...")."""
    acronyms = (word for word in re.findall(r"[^\W_]+", text) if sum(map(str.isupper, word)) > 1)
    named = [venue for word in acronyms for key in keys(venue_words(word)) for venue in venues_named(key)]
    return _distinct([venue for venue in named if venue.kind == "conference"])


def _series(piece: str) -> tuple[Venue, ...]:
    return tuple(venue for venue in _whole(venue_words(piece)) if venue.kind in ("series", "publisher", "preprint"))


def _without_w(match: re.Match[str]) -> str:
    return match.group(1) if venues_named(match.group(1).lower()) else match.group()


def _distinct(venues: list[Venue]) -> tuple[Venue, ...]:
    return tuple({venue.id: venue for venue in venues}.values())


_PRINTED_IN_JOURNALS = frozenset({"journal", "journaltitle", "shortjournal", "article"})
_PRINTED_IN_PROCEEDINGS = frozenset({"booktitle", "maintitle", "eventtitle", "inproceedings", "chapter"})


def venue_kind(venue: str, stated_by: str) -> Literal["journal", "conference", "beside", ""]:
    """Kind of a venue: a journal, a conference, or something ``beside`` a conference (a workshop, a demonstration).

    The table of venues decides if it knows the venue; otherwise the entry's field or the record's type in
    ``stated_by``.
    """
    parsed = parse_venue(venue)
    if parsed.part != "main":
        return "beside"
    kinds = {known.kind for known in parsed.venues}
    if kinds == {"workshop"}:
        return "beside"
    if kinds == {"journal"}:
        return "journal"
    if kinds == {"conference"}:
        return "conference"
    if stated_by in _PRINTED_IN_JOURNALS:
        return "journal"
    return "conference" if stated_by in _PRINTED_IN_PROCEEDINGS else ""
