"""The text of a source is data, not a message to its reader: what a page says to models is found, marked and kept apart."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LONGEST_SOURCE", "clean_source", "instructions", "token_of"]

LONGEST_SOURCE = 50_000
"""Characters of a source that are judged."""

_VERDICT_WORD = r"(?:not[ _-]+supported|partially[ _-]+supported|supported|source[ _-]+unavailable)"
_INSTRUCTIONS = lazy_pattern(
    rf"""
    \b(?:answer|reply|respond|output|return|print|say|write)\b [^.\n]{{0,60}} \b{_VERDICT_WORD}\b
    | \bverdict\b ["'\s]* [:=] ["'\s]* {_VERDICT_WORD}\b
    | \b(?:ignore|disregard|forget)\b [^.\n]{{0,40}} \b(?:instructions?|prompts?|rules|directions|above|previous)\b
    | \b(?:language\ model|AI\ (?:assistant|model|system)|chatbot|LLM)s?\b [^.\n]{{0,60}} \b(?:must|should|shall|please|answer)\b
    | \byou\ are\ (?:now\ )?(?:an?\ )?(?:AI|assistant|language\ model|fact[ -]checker)\b
    | <\|?(?:im_start|im_end|system|endoftext)\|?>
    | \[/?INST\]
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Unicode's categories Cc, Cf, Cs and Co, but for tabs and line ends.
_UNSEEN = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000f0000-\U0010ffff]"
)
_STOP = lazy_pattern(r"[.!?}\n]")


@lru_cache(maxsize=64)
def clean_source(text: str) -> tuple[str, bool]:
    """The text without control characters and characters that nobody sees, cut where it is too long; whether it was cut."""
    kept = _UNSEEN.sub("", text[: 2 * LONGEST_SOURCE])
    cut = len(kept) > LONGEST_SOURCE or len(text) > 2 * LONGEST_SOURCE
    return kept[:LONGEST_SOURCE], cut


@lru_cache(maxsize=4096)
def instructions(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text speaks to a model that reads it, each to the end of the sentence."""
    found: list[tuple[int, int]] = []
    for match in _INSTRUCTIONS.finditer(text):
        start, end = match.span()
        if text[end - 1] not in ">]}":
            stop = _STOP.search(text, end)
            end = stop.end() if stop else len(text)
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def token_of(*parts: str) -> str:
    """A mark that nobody who wrote these texts could know: it stands around the source, and in a whole answer."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
