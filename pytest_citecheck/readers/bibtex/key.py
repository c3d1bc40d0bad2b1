"""Reading the key of a BibTeX entry, also where it or the comma after it is missing."""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_citecheck.readers.bibtex.repair import FIELD_NAME, WELL_KNOWN
from pytest_citecheck.readers.bibtex.value import OffsetDefect
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Key", "read_key"]

_KEY = lazy_pattern(r"\s*([^\s,{}=\"%]+)\s*,")
_LONE_KEY = lazy_pattern(r"\s*+([^\s,{}=\"()]*+)\s*+(?=\))")
_HEAD_END = lazy_pattern(r"[,{}=\"]")
_KEY_WITH_EQUALS = lazy_pattern(rf"\s*([^\s,{{}}\"]+)\s*,(?=\s*(?:[}})]|{FIELD_NAME}\s*=))")
_COMMENT = lazy_pattern(r"%[^\n]*")
_WELL_KNOWN_NAME = lazy_pattern(WELL_KNOWN, re.IGNORECASE)


class Key(NamedTuple):
    """A key as read, the offset at which the fields begin, and what was wrong."""

    key: str
    end: int
    problems: tuple[OffsetDefect, ...] = ()


def read_key(text: str, begin: int, limit: int, closer: str) -> Key:
    """Read the key after the opening delimiter; ``closer`` is the delimiter that will end the entry.

    BibTeX allows nearly every character in a key (``weird:key/1+2``, ``Müller (2020)``); blanks are kept as one.
    """
    if plain := _KEY.match(text, begin, limit):
        return Key(plain[1], plain.end())
    if closer == ")" and (lone := _LONE_KEY.match(text, begin, limit)):
        return _named(lone[1].split(), lone.end(), begin)
    end = _HEAD_END.search(text, begin, limit)
    stop = end.start() if end else limit
    sign = end[0] if end else ""
    words = _COMMENT.sub("", text[begin:stop]).split()
    if sign == "=":
        return _before_equals(text, begin, limit, words)
    if sign in ('"', "{"):
        return _before_delimiter(text, begin, limit, stop, words)
    return _named(words, stop + (sign == ","), begin)


def _named(words: list[str], end: int, begin: int) -> Key:
    problems = () if words else (OffsetDefect("missing-key", "the entry has no key", begin),)
    return Key(" ".join(words), end, problems)


def _before_equals(text: str, begin: int, limit: int, words: list[str]) -> Key:
    """An equals sign comes before any comma: the comma or the whole key is missing, or the key holds the sign."""
    if not words:
        return _named(words, begin, begin)
    with_equals = _KEY_WITH_EQUALS.match(text, begin, limit)
    if with_equals and len(words) == 1 and not _WELL_KNOWN_NAME.fullmatch(words[0]):
        return Key(with_equals[1], with_equals.end())
    return _without_comma(text, begin, limit, words)


def _without_comma(text: str, begin: int, limit: int, words: list[str]) -> Key:
    """The last of the words is the name of the first field."""
    position = begin
    for word in words:
        position = text.find(word, position, limit) + len(word)
    end = position - len(words[-1])
    if len(words) == 1:
        return _named([], end, begin)
    message = "missing comma after the key"
    return Key(" ".join(words[:-1]), end, (OffsetDefect("missing-comma", message, begin),))


def _before_delimiter(text: str, begin: int, limit: int, stop: int, words: list[str]) -> Key:
    """A brace or quotation mark comes before any comma: it belongs to the key, or an equals sign is missing."""
    if words and _WELL_KNOWN_NAME.fullmatch(words[-1]):
        return _without_comma(text, begin, limit, words)
    line_end = text.find("\n", stop, limit)
    comma = text.find(",", stop, line_end if line_end >= 0 else limit)
    if comma < 0:
        return _named(words, stop, begin)
    key = " ".join(re.sub(r'[{}"]', "", text[begin:comma]).split())
    problem = OffsetDefect("malformed-key", "BibTeX allows no braces or quotation marks in a key", begin)
    return Key(key, comma + 1, (problem,))
