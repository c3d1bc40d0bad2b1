"""The marks between which the parts of a printed reference may stand: full stops, commas, years."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["ENDS_IN_INITIAL", "YEAR", "Boundary", "boundaries_in", "may_end", "sentence_breaks", "sets_apart"]

YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_BOUNDARY = lazy_pattern(
    rf"(?P<year>(?<!\S)\(?(?P<when>{YEAR})(?:,[^()]{{0,40}})?\)?[.,:;]?\s++(?=\S))"
    r"|(?P<stop>(?<=\S)(?<![.?!])[.?!]++[\"”’)\]]?\s++(?=\S))|(?P<comma>,\s++(?=\S))|(?P<colon>:\s++(?=\S))"
    r"|(?P<semicolon>;\s++(?=\S))|(?P<dash>\s[–—|-]{1,3}\s(?=\S))|(?P<bracket>(?<!\s)\s++(?=[(\[]))"
)
ENDS_IN_INITIAL = lazy_pattern(r"(?:^|[\s.-])[^\W\d_a-zß-öø-ÿ]\.$|et al\.$")
_COUNTED = lazy_pattern(r"\b(?:vol|no|nos|pp?|ser|ch|art|sec|pt|bd|hrsg|nr|jg|s|t|vyp|т|№|с)\.$", re.IGNORECASE)
"""Abbreviations of what is counted: the number follows."""

_BREAK = lazy_pattern(r"(?P<stop>[.?!][\"”’)]?)\s+(?=[\"“‘(\[]?(?:[^\W_a-z]|[a-z]{2,4}R?[Xx]iv\b))")
_LONGEST_CUT = 8  # letters of an abbreviation, and what stands before it
_NO_BREAK = lazy_pattern(
    r"(?:^|[\s(.-])(?:[A-Z]|vs|cf|etc|Dr|Prof|St|No|Vol|pp|ed|eds|Inc|approx|ca|et al|i\.e|e\.g)\.$", re.IGNORECASE
)
_PART = lazy_pattern(r"[IVX]{1,4}\.\s")  # of a title: "The index of elliptic operators. I. Annals of Mathematics"
_ENDS_IN_PART = lazy_pattern(r"[a-z][.,]\s+[IVX]{1,4}\.$")


@dataclass(frozen=True, slots=True)
class Boundary:
    end: int  # of the part before
    start: int  # of the part after
    kind: str
    year: str = ""
    initial: bool = False  # a full stop after an initial


def boundaries_in(text: str) -> list[Boundary]:
    found = []
    for match in _BOUNDARY.finditer(text):
        kind = match.lastgroup or ""
        if kind == "when":
            kind = "year"
        year = (match["when"] or "")[:4]
        end = match.start()
        if kind == "stop":
            end = match.start() + len(match[0].rstrip())
        if kind == "stop" and text[match.end()].isdigit() and _COUNTED.search(text, max(0, end - 6), end):
            continue
        initial = kind == "stop" and ENDS_IN_INITIAL.search(text[max(0, end - 6) : end]) is not None
        found.append(Boundary(end, match.end(), kind, year, initial))
        if kind == "year" and (mark := re.search(r"[.,:?]\s+$", match[0])):
            # "for 2024. https://…": the year is the end of a title.
            at = match.start() + mark.start()
            kinds = {".": "stop", "?": "stop", ",": "comma", ":": "colon"}
            found.append(Boundary(at + (mark[0][0] in ".?"), match.end(), kinds[mark[0][0]]))
    return found


def sets_apart(text: str, boundary: Boundary) -> bool:
    """Whether a year stands between two parts, and not inside of one: in brackets, or between two marks."""
    before = text[: boundary.end].rstrip()
    return text[boundary.end] == "(" or (
        before.endswith((".", ",", ")", "?", "!")) and text[: boundary.start].rstrip()[-1] in ".:,;"
    )


def may_end(text: str, end: Boundary) -> bool:
    return end.kind != "year" or sets_apart(text, end)


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
