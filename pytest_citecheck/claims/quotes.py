"""Looks up in a source what a model quotes from it. No edit distance: a quote is there, in parts there, or not there.

Source: alex-o-748/citation-checker-script, the rules and the seven statuses of its quote matcher.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from html.entities import name2codepoint
from typing import Final, Literal, get_args

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["STATUSES", "QuoteMatch", "QuoteStatus", "match_quote"]

QuoteStatus = Literal["exact", "normalized", "partial", "not-found", "too-short", "empty", "no-source"]
STATUSES: Final[tuple[QuoteStatus, ...]] = get_args(QuoteStatus)

_SHORTEST = 12  # characters of a quote, or of one of its parts, that say where it is from
_PAIRS = frozenset({'""', "''", "“”", "‘’", "„“", "„”", "‚‘", "«»", "»«", "‹›", "「」", "『』", "``"})
_ELLIPSIS = lazy_pattern(r"\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…")
_END = ".,;:"

_QUOTATION = "\"'`´“”„‟‘’‚‛«»‹›″′‵‶「」『』〝〞＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_MAPPED: dict[str, str] = {
    **dict.fromkeys(_QUOTATION, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE, ""),
    "…": "...",
}
_TABLE = str.maketrans(_MAPPED)
_ENTITY = lazy_pattern(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,10}));")
_SPACES = lazy_pattern(r"\s+")
# What normalises together: characters that stay as they are, an entity, or a character with the marks that combine with it.
_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]"
_CLUSTER = lazy_pattern(
    rf"(?P<plain>[!#$%()*+,./0-9:;<=>?@A-Z\[\\\]^_a-z{{|}}~]+)(?!{_MARKS})"
    rf"|&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]{{2,10}});|.{_MARKS}*",
    re.DOTALL,
)


def _is_decoded(code: int) -> bool:
    if 0xC0 <= code <= 0xFF:
        return True
    return unicodedata.category(chr(code))[0] in "PZ" or chr(code) in "<>&\u00ad\u200b\u200c\u200d"


_NAMED = {name: chr(code) for name, code in name2codepoint.items() if _is_decoded(code)} | {"apos": "'"}


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote is.

    verified: its text, taken from the source only; start, end: of that in the source, -1 if there is none.
    """

    status: QuoteStatus
    verified: str = ""
    start: int = -1
    end: int = -1

    @property
    def is_verified(self) -> bool:
        """Whether all of the quote is in the source."""
        return self.status in ("exact", "normalized")


@lru_cache(maxsize=8192)
def match_quote(quote: str | None, source: str | None) -> QuoteMatch:
    """Look a quote up in its source."""
    bare = _unwrapped(quote or "")
    if not bare:
        return QuoteMatch("empty")
    if not source or not source.strip():
        return QuoteMatch("no-source")
    wanted = _normal(bare)
    if len(wanted) < _SHORTEST:
        return QuoteMatch("too-short")
    start = source.find(bare)
    if start >= 0:
        return QuoteMatch("exact", bare, start, start + len(bare))
    return _in_segments(wanted, source)


def _in_segments(wanted: str, source: str) -> QuoteMatch:
    parts = [part for part in (piece.strip() for piece in _ELLIPSIS.split(wanted)) if part]
    if not _located(parts, _normal(source))[0]:
        return QuoteMatch("not-found")
    text, places = _mapped(source)
    found, missing = _located(parts, text)
    if not found:
        return QuoteMatch("not-found")
    spans = [(places[start][0], places[end - 1][1]) for start, end in found]
    verified = " … ".join(source[start:end] for start, end in spans)
    return QuoteMatch("partial" if missing else "normalized", verified, spans[0][0], spans[-1][1])


def _located(parts: list[str], text: str) -> tuple[list[tuple[int, int]], int]:
    """Where the parts are, in their order, and how many are not there. Short ones are forgiven where there are several."""
    found: list[tuple[int, int]] = []
    missing = cursor = 0
    for part in parts:
        short = len(part) < _SHORTEST and len(parts) > 1
        place = _find(part, text, cursor)
        if place is None:
            missing += not short
        else:
            found.append(place)
            cursor = place[1]
    says_something = any(end - start >= _SHORTEST - 1 for start, end in found)
    return (found if says_something or not missing else []), missing


def _find(part: str, text: str, cursor: int) -> tuple[int, int] | None:
    for one in dict.fromkeys((part, part.rstrip(_END).rstrip())):
        start = text.find(one, cursor) if one else -1
        if start >= 0:
            return start, start + len(one)
    return None


def _unwrapped(text: str) -> str:
    """Without the quotation marks around it."""
    text = text.strip()
    while len(text) > 1 and text[0] + text[-1] in _PAIRS:
        text = text[1:-1].strip()
    return text


def _decoded(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _NAMED.get(name, match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return match[0]
    return html.unescape(match[0]) if code >= 0x20 else " "


@lru_cache(maxsize=256)
def _normal(text: str) -> str:
    """Lower case, with one kind of quotation mark, dash and space, and nothing that cannot be seen."""
    folded = _ENTITY.sub(_decoded, unicodedata.normalize("NFKC", text)).translate(_TABLE)
    return _SPACES.sub(" ", folded).replace("- ", "-").strip().lower()


@lru_cache(maxsize=32)
def _mapped(source: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The normal form, and for each of its characters where it begins and ends in the source."""
    starts: list[int] = []
    ends: list[int] = []
    normal: list[str] = []
    last = " "
    for match in _CLUSTER.finditer(source):
        start, end = match.span()
        if match.lastgroup == "plain":
            normal.append(match[0].lower())
            starts += range(start, end)
            ends += range(start + 1, end + 1)
            last = ""
            continue
        piece = _ENTITY.sub(_decoded, unicodedata.normalize("NFKC", match[0])).translate(_TABLE).lower()
        for character in piece:
            one = " " if character.isspace() else character
            if one == " " and last in (" ", "-"):
                continue  # spaces are squeezed, and none follows a dash
            normal.append(one)
            starts.append(start)
            ends.append(end)
            last = one
    return "".join(normal), tuple(zip(starts, ends, strict=True))
