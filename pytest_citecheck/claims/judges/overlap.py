"""The judge without a model: how much of a claim stands in the best passage of its source.

It knows words, not meanings: a source that says the opposite in the same words supports the claim. docs/claims.md states how
often it is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_citecheck.claims.answers import Judgement
from pytest_citecheck.claims.passages import best_passage, sentences
from pytest_citecheck.claims.safety import clean_source, instructions
from pytest_citecheck.thresholds import CLAIM_IN_PART, CLAIM_IN_SOURCE

__all__ = ["OVERLAP", "judge_by_overlap"]

OVERLAP = "overlap"
"""The name of this judge."""

_SHORTEST = 100  # characters of a text that is more than a notice
_NUMBERS = 0.3  # what a passage loses without the numbers of the claim


def judge_by_overlap(claim: str, source: str) -> Judgement:
    """The verdict, with the passage as quote. What speaks to models is left out of the source."""
    text, _ = clean_source(source)
    told = instructions(text)
    flags = ("instructions",) if told else ()
    places = [piece for place in sentences(text) for piece in _outside(place, told)]
    if sum(end - start for start, end in places) < min(_SHORTEST, len(claim)):
        return Judgement("Source unavailable", 0, "the source has hardly any text", flags=flags)
    passage = best_passage(claim, text, places)
    score = (passage.share + passage.anywhere) / 2 * (1 - _NUMBERS + _NUMBERS * passage.numbers)
    said = f"{100 * passage.share:.0f} % of the claim’s words are in this passage, {100 * passage.anywhere:.0f} % in the source"
    if passage.numbers < 1:
        said += f", {100 * passage.numbers:.0f} % of its numbers in the passage"
    if score >= CLAIM_IN_SOURCE:
        share = (score - CLAIM_IN_SOURCE) / (1 - CLAIM_IN_SOURCE)
        return Judgement("Supported", round(80 + 20 * min(1.0, share)), said, quote=passage.text, flags=flags)
    if score >= CLAIM_IN_PART:
        share = (score - CLAIM_IN_PART) / (CLAIM_IN_SOURCE - CLAIM_IN_PART)
        return Judgement("Partially supported", round(50 + 29 * share), said, quote=passage.text, flags=flags)
    return Judgement("Not supported", round(1 + 48 * score / CLAIM_IN_PART), said, "omission", flags=flags)


def _outside(place: tuple[int, int], told: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """What is left of a sentence without these parts."""
    start, end = place
    for begin, stop in told:
        if begin < end and start < stop:
            if start < begin:
                yield start, begin
            start = stop
    if start < end:
        yield start, end
