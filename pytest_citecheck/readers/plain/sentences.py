"""Where one part of a printed reference ends: at a full stop that belongs to no abbreviation, initial or number of a part."""

from __future__ import annotations

import re

__all__ = ["sentence_breaks"]

_BREAK = re.compile(r"(?P<stop>[.?!][\"”’)]?)\s+(?=[\"“‘(\[]?(?:[^\W_a-z]|[a-z]{2,4}R?[Xx]iv\b))")
_LONGEST_CUT = 8  # letters of an abbreviation, and what stands before it
_NO_BREAK = re.compile(
    r"(?:^|[\s(.-])(?:[A-Z]|vs|cf|etc|Dr|Prof|St|No|Vol|pp|ed|eds|Inc|approx|ca|et al|i\.e|e\.g)\.$", re.IGNORECASE
)
_PART = re.compile(r"[IVX]{1,4}\.\s")  # of a title: "The index of elliptic operators. I. Annals of Mathematics"
_ENDS_IN_PART = re.compile(r"[a-z][.,]\s+[IVX]{1,4}\.$")


def sentence_breaks(text: str) -> list[re.Match[str]]:
    """Where sentences end: not after an abbreviation, nor before the number of a part of the title, but after it."""
    found = []
    for match in _BREAK.finditer(text):
        cut = max(0, match.start() - _LONGEST_CUT), match.start() + 1
        if not _PART.match(text, match.end()) and (
            _ENDS_IN_PART.search(text, *cut) or not _NO_BREAK.search(text, *cut)
        ):
            found.append(match)
    return found
