"""The text of a source is data, not a message to its reader: what a page says to models is found, marked and kept apart."""

from __future__ import annotations

import hashlib
import re
import unicodedata

__all__ = ["LONGEST_SOURCE", "clean_source", "instructions", "token_of"]

LONGEST_SOURCE = 50_000
"""Characters of a source that are judged."""

_VERDICT_WORD = r"(?:not[ _-]+supported|partially[ _-]+supported|supported|source[ _-]+unavailable)"
_INSTRUCTIONS = re.compile(
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
_STOP = re.compile(r"[.!?}\n]")


def clean_source(text: str) -> tuple[str, bool]:
    """The text without control characters and characters that nobody sees, cut where it is too long; whether it was cut."""
    kept = "".join(
        character
        for character in text[: 2 * LONGEST_SOURCE]
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")
    )
    cut = len(kept) > LONGEST_SOURCE or len(text) > 2 * LONGEST_SOURCE
    return kept[:LONGEST_SOURCE], cut


def instructions(text: str) -> list[tuple[int, int]]:
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
    return found


def token_of(*parts: str) -> str:
    """A mark that nobody who wrote these texts could know: it stands around the source, and in a whole answer."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
