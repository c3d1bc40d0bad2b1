"""Venue names as words: what is left of "Proceedings of the 36th Int. Conf. ..." when years, numbers and
sponsors go.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "HEADS",
    "NOISE",
    "SHORT_WORDS",
    "SPONSORS",
    "content",
    "core",
    "keys",
    "rotated",
    "segments",
    "venue_words",
    "without_numbering",
]

SHORT_WORDS = frozenset({"the", "of", "and", "on", "for", "in", "an", "to", "at"})
"""Words that no comparison depends on."""

_HEAD_LIST = """
conference conferences symposium symposia workshop workshops congress meeting colloquium summit journal
transactions letters annals bulletin proceedings archive archives magazine review reviews quarterly
"""
HEADS = frozenset(_HEAD_LIST.split())
"""Words that say what kind of venue it is."""

_SPONSOR_LIST = """
ieee acm usenix cvf rsj siam ifip ras cs sigkdd sigplan sigsac sigsoft sigops sigact sigarch sigmetrics
sigmobile sigda sigbed sigai sigart sigapp sigcas sigweb sigspatial sigcse sigaccess sigecom sigir sigchi
sigmod sigcomm sigmm siggraph aaai iapr eurasip eatcs iarcs informs
"""
SPONSORS = frozenset(_SPONSOR_LIST.split())
_ORDINAL_LIST = """
first second third fourth fifth sixth seventh eighth eigth nineth ninth tenth eleventh twelfth twelveth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth
fiftieth sixtieth twenty thirty forty fifty sixty seventy
"""
_ORDINAL_WORDS = frozenset(_ORDINAL_LIST.split())
_ORDINAL = lazy_pattern(r"\d+(?:st|nd|rd|th|\.)?")
_DROPPED = SHORT_WORDS | _ORDINAL_WORDS | {"annual", "annu", "biennial"}
_LEADING = frozenset(
    {"proceedings", "proc", "procs", "proceeding", "papers", "from", "abstracts", "record", "presented"}
)
_VOLUME_OF = frozenset({"volume", "vol", "part", "series"})
_MEETINGS = frozenset({"conference", "conf", "meeting"})
NOISE = (
    SPONSORS
    | SHORT_WORDS
    | _ORDINAL_WORDS
    | _LEADING
    | frozenset(
        {
            "annual",
            "annu",
            "biennial",
            "international",
            "intl",
            "int",
            "joint",
            "society",
            "computer-society",
            "edition",
        }
    )
)
"""Words that do not tell one venue's topic from another's."""

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
    """``text`` without "In", "Volume 97 of" and what follows from a volume, issue or page number on."""
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


@lru_cache(maxsize=32768)
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
        words = [
            word
            for word, following in zip(words, [*words[1:], ""], strict=True)
            if not (word in _SECTION and len(following) == 1)
        ]
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
