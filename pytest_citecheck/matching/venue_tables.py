"""The table of known venues: facts about journals, conferences, preprint servers, series and publishers.

``data/venues.jsonl`` holds one venue a line: ``id``, ``name``, ``kind`` and, where known, ``aliases``
(acronyms, former names, ISO 4 abbreviations), ``dblp`` (the name that DBLP gives the venue), ``complete_in``,
``issn``, ``related`` and ``tracks``. It is read when the first venue is looked up, not at import.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from rapidfuzz.distance import OSA

from pytest_citecheck.matching.text import BLANKS, MAYBE_BLANKS, data_file, fold, lazy_pattern
from pytest_citecheck.thresholds import (
    ABBREVIATION_LETTERS,
    CONTRACTION_STEM,
    PREFIX_SLIPS,
    PREFIX_WORD,
    ROMAN_ACRONYM,
    WORDS_BEHIND_PREFIX,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WORD_LISTS: dict[str, Any] = json.loads(data_file("venue_words.json"))
_ONE_LETTER: dict[str, list[str]] = WORD_LISTS["one_letter_abbreviations"]
_IRREGULAR: dict[str, str] = WORD_LISTS["irregular_abbreviations"]


@lru_cache(maxsize=16384)
def abbreviates(short: str, long: str) -> bool:
    """Return True if ``short`` can abbreviate ``long`` (folded words): "phys" and "natl" for "physical" and "national".

    A single letter abbreviates a word only if this is common (``j`` for journal), since it mostly names a section:
    "Phys. Rev. A" is not "Physical Review Applied".
    """
    if short == long:
        return True
    if len(short) >= len(long):
        return False
    if len(short) < ABBREVIATION_LETTERS:
        return long in _ONE_LETTER.get(short, ())
    if long.startswith(short):
        return True
    if _IRREGULAR.get(short) == long:
        return True
    stem = 0
    while stem < len(short) and short[stem] == long[stem]:
        stem += 1
    if stem < CONTRACTION_STEM:
        return False
    rest = short[stem:]
    return len(rest) <= ABBREVIATION_LETTERS and long.endswith(rest)


def aligned(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return True if two names without short words agree word by word, either one abbreviated anywhere."""
    if len(first) != len(second) or not first:
        return False
    return all(map(agree, first, second))


def agree(first: str, second: str) -> bool:
    """Return True if two folded words are the same, or one is an abbreviation of the other."""
    return first == second or abbreviates(first, second) or abbreviates(second, first)


def initials(words: Sequence[str]) -> str:
    """The first letters of ``words``."""
    return "".join(word[0] for word in words)


SHORT_WORDS = frozenset({"the", "of", "and", "on", "for", "in", "an", "to", "at"})
"""Words that no comparison depends on."""

HEADS = frozenset(WORD_LISTS["kinds"])
"""Words for the kind of a venue."""

SPONSORS: frozenset[str] = frozenset(WORD_LISTS["sponsors"])
_ORDINAL_WORDS = frozenset(WORD_LISTS["ordinals"])
_ORDINAL = lazy_pattern(r"\d+(?:st|nd|rd|th|\.)?")
_DROPPED = SHORT_WORDS | _ORDINAL_WORDS | {"annual", "annu", "biennial"}
_LEADING = frozenset(
    {"proceedings", "proc", "procs", "proceeding", "papers", "from", "abstracts", "record", "presented"}
)
_VOLUME_OF = frozenset({"volume", "vol", "part", "series"})
_MEETINGS = frozenset({"conference", "conf", "meeting"})
NOISE = frozenset(WORD_LISTS["noise"]) | SPONSORS | SHORT_WORDS | _ORDINAL_WORDS | _LEADING
"""Words that do not distinguish the topic of one venue from another's."""

_DOTTED = lazy_pattern(r"\b(?:[a-z]\.)+(?:[a-z]\b|(?<=\.[a-z]\.))")
_WORD = lazy_pattern(r"[^\W_]+")
_GLUED_YEAR = lazy_pattern(r"^([a-z]{3,})(?:(?:19|20)\d\d|\d\d)$")
_SECTION = frozenset({"part", "series", "ser", "section", "sect", "sec", "pt"})
_USA = lazy_pattern(r"\bunited states of america\b|\bu\.? s\.? a\b\.?|\bunited states\b")
_NUMBERING = lazy_pattern(
    rf"(?:[,;:.]\s*+|{MAYBE_BLANKS})\b"
    r"(?:vol(?:ume|\.)?\s*+\d|no\.?\s*+\d|number\s++\d|issue\s++\d|pp?\.\s*+[a-z]?\d|pages?\s++\d|art(?:icle)?\.?\s++\d)"
    r".*$",
    re.IGNORECASE | re.DOTALL,
)
_VOLUME_PREFIX = lazy_pattern(r"^\s*(?:vol(?:ume|\.)?|part|band)\s+[\divxlc]+\s+(?:of|in)\s+", re.IGNORECASE)
_IN_PREFIX = lazy_pattern(
    r"^\s*(?:in|to appear in|appeared in|accepted (?:at|to|by)|published in)\s*:?\s+", re.IGNORECASE
)
_SEPARATOR = lazy_pattern(
    r"[,;:()\[\]]|\s[-–—|]++\s|@|" + BLANKS + r"(?:and\s++(?:the\s++)?(?=\d+(?:st|nd|rd|th)\b)|-+$)"
)
_ROTATED = lazy_pattern(
    r"^(?P<topic>[^,()]++),\s*+(?P<head>[^,()]*\b(?:transactions|trans\.|journal|letters|conference|proceedings)"
    r"(?:\s+of(?:\s+the)?|\s+on)?)\s*$",
    re.IGNORECASE,
)


def without_numbering(text: str) -> str:
    """Remove "In", "Volume 97 of", and the text from a volume, issue or page number on."""
    text = _VOLUME_PREFIX.sub("", _IN_PREFIX.sub("", text))
    return (_NUMBERING.sub("", text) or text) if any(char.isdigit() for char in text) else text


def rotated(text: str) -> str:
    """ "Image Processing, IEEE Transactions on" as "IEEE Transactions on Image Processing"; other text
    unchanged.
    """
    if "," not in text:
        return text
    match = _ROTATED.match(text)
    return f"{match['head']} {match['topic']}" if match else text


def segments(text: str) -> list[str]:
    """The parts of ``text`` between commas, colons, brackets, dashes and before "and 44th Annual Meeting"."""
    return [part for part in (piece.strip() for piece in _SEPARATOR.split(text)) if part]


@lru_cache(maxsize=8192)
def venue_words(text: str) -> tuple[str, ...]:
    """The folded words of a venue name; dotted acronyms are one word, "Part A" and "Series A" are "a"."""
    folded = fold(text)
    if "." in folded:
        folded = _DOTTED.sub(lambda match: match.group().replace(".", "") + " ", folded)
    if ("u" in folded and "united" in folded) or "u s a" in folded:
        folded = _USA.sub("usa", folded)
    if "'" in folded:
        folded = folded.replace("'", "")
    if "&" in folded:
        folded = folded.replace("&", " and ")
    if "*" in folded:
        folded = folded.replace("*", "star")
    words = _WORD.findall(folded)
    if len(words) > 1 and not _SECTION.isdisjoint(words):
        pairs = zip(words, [*words[1:], ""], strict=True)
        words = [word for word, following in pairs if not (word in _SECTION and len(following) == 1)]
    return tuple(words)


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """``words`` without those that no comparison depends on; all of them if nothing would be left."""
    if SHORT_WORDS.isdisjoint(words):
        return words
    return tuple(word for word in words if word not in SHORT_WORDS) or words


def core(words: tuple[str, ...]) -> tuple[str, ...]:
    """Content words without years, ordinals and numbers, "annual", "Proceedings of" and "Volume 3 of"."""
    kept = [word for word in words if word not in _DROPPED]
    if not "".join(kept).isalpha():
        kept = [_without_year(word) for word in kept if not _ORDINAL.fullmatch(word)]
    while len(kept) > 1 and (kept[0] in _LEADING or kept[0] in _VOLUME_OF):
        kept.pop(0)
    while len(kept) > 1 and kept[-1] in ("vol", "volume", "proceedings", "proc"):
        kept.pop()
    return tuple(kept)


def _without_year(word: str) -> str:
    match = _GLUED_YEAR.match(word)
    return match[1] if match else word


def keys(words: tuple[str, ...], stripped: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Normal forms under which a venue is looked up, the most literal first.

    The content words; the core words (``stripped``, computed if not given); the core words without sponsors
    (two words must remain); an acronym without "Conference" after it.
    """
    if not words:
        return ()
    if stripped is None:
        stripped = core(words)
    literal = " ".join(content(words))
    if not stripped:
        return (literal,)
    found = [literal]
    looser = " ".join(stripped)
    if looser != literal:
        found.append(looser)
    if not SPONSORS.isdisjoint(stripped):
        stripped = tuple(word for word in stripped if word not in SPONSORS)
        if len(stripped) > 1:
            found.append(" ".join(stripped))
    if len(stripped) == 2 and stripped[1] in _MEETINGS:
        found.append(stripped[0])
    return tuple(found)


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
    """The venues with this normal form (of ``matching.venue_tables.keys``); several share some acronyms."""
    return _index().by_key.get(key, ())


def venues_abbreviated(words: tuple[str, ...]) -> tuple[Venue, ...]:
    """Venues whose names ``words`` (``matching.venue_tables.core``) may abbreviate, word by word."""
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
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Venue(**values)


@cache
def _index() -> _Index:
    rows = json.loads("[" + ",".join(data_file("venues.jsonl").splitlines()) + "]")
    venues = tuple(map(_venue, rows))
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


# A hyphen before a blank was at the end of a line, but for "pre- and post-processing".
_HYPHENATED = lazy_pattern(r"(?<=[a-z])-\s+(?=[a-z])(?!(?:and|or|und|oder|et|y)\b)")
_GLUED_IN = lazy_pattern(
    r"^In(?=(?:The|Proc|Proceedings|Advances|Annual|International|European|Conference|IEEE|ACM|AAAI|\d)\b)"
)
_PRESENTED = lazy_pattern(
    r"^(?:(?:(?:selected|revised|accepted|full|long|short|conference)\s+)?papers?\s+(?:(?:presented|given)\s+at|from)"
    r"|(?:(?:oral|poster)\s+)?presentation\s+at|publication\s+in)\s+",
    re.IGNORECASE,
)
_PROCEEDINGS = tuple(f"{start}proceedings{end}" for start in ("", "in") for end in ("", "of", "ofthe"))
_ALSO_PROCEEDINGS = frozenset(
    {"inproc", "procof", "procofthe", "actas", "actes", "atti", "anais", "tagungsband", "konferenzband", "trudy"}
)
_ARTICLES = frozenset(
    {"of", "the", "ofthe", "oft", "he", "o", "f", "thc", "tbe", "de", "del", "des", "du", "la", "le", "les", "las", "los", "do",
     "da", "dos", "das", "di", "dei", "degli", "della", "delle", "der", "zur", "zum"}
)  # fmt: skip
_PLAIN = frozenset({"proceedings", "proceeding", "of", "the", "in"})
_STARTS = frozenset({"the", "in"})
_MEETING = lazy_pattern(r"\b(?:conf(?:erence)?|symposium|congress|meeting|workshop)\b", re.IGNORECASE)
_NUMBER = lazy_pattern(r"\d+[- ]?(?:st|nd|rd|th)\b|nth\b", re.IGNORECASE)
_ROMAN = lazy_pattern(r"(?=[XVIL]{2})(?:X{1,4}|XL|LX{0,3})?(?:IX|IV|V?I{0,3})(?:th)?")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_UNIT_LIST = "first second third fourth fifth sixth seventh eighth ninth"
_TEEN_LIST = """
tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth
fortieth fiftieth sixtieth seventieth eightieth
"""
_TEN_LIST = "twenty thirty forty fifty sixty seventy eighty"


def without_prefix(text: str) -> str:
    """Replace a prefix of the name by the usual "Proceedings of the" or nothing, and join words that were hyphenated at
    the end of a line.

    ``text`` is plain text (``text.plain``). At least two words remain.
    """
    text = _GLUED_IN.sub("", _HYPHENATED.sub("", text))
    text = _PRESENTED.sub("", text)
    numbered = _MEETING.search(text) is not None  # journals are not: "Third World Quarterly"
    words, start = text.split(), 0
    printed, unusual = False, False
    while start < len(words) - WORDS_BEHIND_PREFIX:
        word = "".join(_LETTERS.findall(words[start])).lower()
        if _is_proceedings(word) or word in (_ARTICLES if printed else _STARTS):
            printed = printed or word not in _STARTS
            unusual = unusual or word not in _PLAIN
            start += 1
        elif numbered and (length := _ordinal(words[start : start + 2])):
            unusual = True
            start += length
        else:
            break
    if not unusual:
        return text
    return " ".join((["Proceedings of the"] if printed else []) + words[start:])


def _is_proceedings(word: str) -> bool:
    if word in _ALSO_PROCEEDINGS:
        return True
    return len(word) >= PREFIX_WORD and any(
        OSA.distance(word, known, score_cutoff=PREFIX_SLIPS) <= PREFIX_SLIPS for known in _PROCEEDINGS
    )


def _ordinal(words: list[str]) -> int:
    """Number of leading words (at most two) that form an ordinal, with a slip or two; 0 if none do."""
    if _NUMBER.fullmatch(" ".join(words)):
        return len(words)
    first = words[0]
    if _NUMBER.fullmatch(first):
        return 1
    if _ROMAN.fullmatch(first):
        acronym = len(first) <= ROMAN_ACRONYM and words[-1].lower() in HEADS  # "IV Symposium": Intelligent Vehicles
        return 0 if acronym else 1
    return next((length for length in (2, 1) if _is_spelt("".join(words[:length]))), 0)


def _is_spelt(text: str) -> bool:
    word = text.replace("-", "").lower()
    slips = PREFIX_SLIPS if len(word) >= PREFIX_WORD else 1
    return any(OSA.distance(word, known, score_cutoff=slips) <= slips for known in _ordinals())


@cache
def _ordinals() -> tuple[str, ...]:
    units = _UNIT_LIST.split()
    return (*units, *_TEEN_LIST.split(), *(ten + unit for ten in _TEN_LIST.split() for unit in units))


@dataclass(frozen=True, slots=True)
class VenueYearList:
    """The list of all papers of one venue in one year (see the module)."""

    venue: Venue
    year: int
    sources: tuple[str, ...]
    at: str
    papers: int
    control: str
    parts: int = 1

    @property
    def name(self) -> str:
        """Common name of the venue and year: ``ICML 2019``."""
        return f"{self.venue.names[1] if self.venue.aliases else self.venue.name} {self.year}"

    @property
    def values(self) -> tuple[str, ...]:
        """Values in queries: the venue, with a number for each further part (``iclr``, ``iclr#2``)."""
        return (self.venue.id, *(f"{self.venue.id}#{part}" for part in range(2, self.parts + 1)))


def venue_year_list(source: str, venue: str, year: int | None) -> VenueYearList | None:
    """The list that a source keeps of a venue (by its id) in a year; None if it keeps none."""
    return next((one for one in venue_year_lists(venue, year) if source in one.sources), None)


def venue_year_lists(venue: str, year: int | None) -> tuple[VenueYearList, ...]:
    """All lists of a venue (by its id) in a year."""
    return _by_place().get((venue, year), ())


def all_lists() -> tuple[VenueYearList, ...]:
    """All lists, in the order of the table."""
    return tuple(one for lists in _by_place().values() for one in lists)


@cache
def _by_place() -> Mapping[tuple[str, int | None], tuple[VenueYearList, ...]]:
    venues = {venue.id: venue for venue in all_venues()}
    found: dict[tuple[str, int | None], tuple[VenueYearList, ...]] = {}
    for row in map(json.loads, data_file("lists.jsonl").splitlines()):
        one = VenueYearList(**row | {"venue": venues[row["venue"]], "sources": tuple(row["sources"])})
        place = (one.venue.id, one.year)
        found[place] = (*found.get(place, ()), one)
    return found
