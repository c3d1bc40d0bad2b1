"""Where the title of a printed reference may stand: every pair of boundaries, with what speaks for it and against it.

What marks set apart is read in `pytest_citecheck.readers.plain.citation`. This is for strings in which nothing but a full stop, a
comma or a year stands between the parts: each boundary may be one of two parts, or none. A segmentation is as good as what stands
on either side of it: names before the title, a venue, a year or an address after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pytest_citecheck.readers.plain.boundaries import (
    ENDS_IN_INITIAL,
    Boundary,
    boundaries_in,
    may_end,
    sentence_breaks,
    sets_apart,
)
from pytest_citecheck.readers.plain.names import bibtex_authors, name_share, names_persons
from pytest_citecheck.readers.plain.title_cues import (
    ABBREVIATED_END,
    Cued,
    beginning,
    capitalised,
    following,
    inside,
)
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Segmentation", "people_before", "segmentations"]

_INITIALS_FIRST = lazy_pattern(r"(?:and\s+|&\s+)?(?:[^\W\d_]{1,3}\.[\s-]?)+[^\W\d_][\w'’-]|and\s|&\s|et al")
_ALL_BY_COMMAS = 2.4
"""What a comma after the title counts more where one stands before it too, as IEEE without quotation marks has it."""
_FIRST_STARTS, _LAST_STARTS = 24, 24
"""Boundaries that may begin a title: of a paper by a thousand people it is one of the last."""
_NAMES_GO_ON = lazy_pattern(
    r"(?:and\s+|&\s*)?(?:[^\W\d_]{1,3}\.[\s-]?)*(?:(?:van|von|de|der|den|del|di|da|la|le)\s)*[^\W\d_a-z][\w'’-]*"
    r"(?:,\s+(?:[^\W\d_a-z]{1,3}\.|and\s|&|et al"
    r"|[^\W\d_a-z]\w+\s[^\W\d_a-z]\w*,)|\s+(?:and|&)\s+[^\W\d_]\.|\s[A-Z]{1,3},)"
)
"""A family name after its initials or before them, and another person: a list of names goes on."""
_SUFFIX = lazy_pattern(r"\b(?:Jr|Sr|Inc|Ltd|Co|eds?|Eds?|al)\.$")
_STARTS = 4
_FAR_BEHIND = 5.0
"""Beginnings of a title that are looked at: the best ones, and none whose weight is further behind that of the best."""
_VANCOUVER_LIST = lazy_pattern(r"[^.,:]{2,40} [A-Z]{1,3}(?:,|:| and )")
_FURTHEST = 60
"""Boundaries that may end a title, counted from its beginning."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One way to take a string apart: offsets of the title, what stands before and after it, and its weight with the cues."""

    start: int
    end: int
    before: str
    title: str
    after: str
    year: str
    weight: float
    cues: tuple[str, ...]


_Scored = tuple[Boundary, float, tuple[str, ...]]
_NAMES = "names before the title"


def segmentations(text: str, most: int = 4) -> list[Segmentation]:
    """The most probable ways to take a string apart, the best one first; empty for a string without a word."""
    boundaries = boundaries_in(text)
    starts = sorted(_last_names(list(_starts(text, boundaries))), key=lambda scored: -scored[1])[:_STARTS]
    if starts:
        starts = [one for one in starts if one[1] > starts[0][1] - _FAR_BEHIND]
    ends = [*boundaries, Boundary(len(text), len(text), "end")]
    followed: dict[int, Cued] = {}
    found: dict[tuple[int, int], Segmentation] = {}
    for start, weight, cues in starts:
        possible = [number for number, end in enumerate(ends) if end.end > start.start and may_end(text, end)][
            :_FURTHEST
        ]
        ended: list[tuple[float, int, tuple[str, ...]]] = []
        for number in possible:
            end = ends[number]
            words = inside(text[start.start : end.end].strip())
            if number not in followed:
                followed[number] = following(text, end)
            more, further = followed[number]
            if start.kind == end.kind == "comma":
                more += _ALL_BY_COMMAS
            ended.append((words + more, end.end, further))
        for more, end_offset, further in sorted(ended, key=lambda one: -one[0])[:3]:
            found.setdefault(
                (start.start, end_offset),
                Segmentation(
                    start.start, end_offset, people_before(text[: start.end]), text[start.start : end_offset].strip(),
                    text[end_offset:], start.year, weight + more, (*cues, *further),
                ),
            )  # fmt: skip
    return sorted(found.values(), key=lambda one: -one.weight)[:most]


def _starts(text: str, boundaries: list[Boundary]) -> Iterator[_Scored]:
    """The boundaries at which a title may begin, with what speaks for each."""
    yield Boundary(0, 0, "begin"), *_without_authors(text)
    possible = [boundary for boundary in boundaries if not _NAMES_GO_ON.match(text, boundary.start)]
    possible = [*possible[:_FIRST_STARTS], *possible[_FIRST_STARTS:][-_LAST_STARTS:]]
    for boundary in possible:
        if not _may_begin(text, boundary):
            continue
        weight, cues = _authors(people_before(text[: boundary.end]))
        if weight <= -2:
            continue
        after = text[boundary.start :]
        here = [*cues]
        if boundary.kind == "stop":
            weight += 1
            if ABBREVIATED_END.search(text[max(0, boundary.end - 10) : boundary.end]):
                weight -= (
                    0.5 if boundary.initial or _SUFFIX.search(text[max(0, boundary.end - 6) : boundary.end]) else 4
                )
        elif boundary.kind == "year":
            weight += 2 if cues else 0.5
            here.append("a year before the title")
        elif boundary.kind == "colon":
            weight += 1
        weight += beginning(after)
        yield boundary, weight, tuple(here)


def people_before(text: str) -> str:
    """What stands before a title, without the mark that ends it, unless that is one of an abbreviation."""
    text = text.strip(" ,;:")
    return (
        text
        if ENDS_IN_INITIAL.search(text[-7:]) or re.search(r"\b(?:[JS]r|Inc|Ltd)\.$", text[-5:])
        else text.rstrip(" .")
    )


def _last_names(starts: list[_Scored]) -> list[_Scored]:
    """Names end where the last ones do: "Robert A. Dahl" goes on after its initial."""
    found: list[_Scored] = []
    names_later = False
    for boundary, weight, cues in reversed(starts):
        if boundary.kind == "stop" and names_later and (_NAMES in cues or boundary.initial):
            weight -= 4
        names_later |= _NAMES in cues
        found.append((boundary, weight, cues))
    return found


def _may_begin(text: str, boundary: Boundary) -> bool:
    """Whether a title may begin after this boundary: a comma and a colon stand in titles and names, a year in titles."""
    if boundary.kind in ("bracket", "dash", "semicolon"):
        return False
    if boundary.kind == "comma":
        if _INITIALS_FIRST.match(text) is None:
            return text.find(",") == boundary.end and bibtex_authors(text[: boundary.end]).startswith("{")
        return _INITIALS_FIRST.match(text, boundary.start) is None and _by_initials(text[: boundary.end])
    if boundary.kind == "year":
        return sets_apart(text, boundary)
    if boundary.kind == "colon":
        return ENDS_IN_INITIAL.search(text[max(0, boundary.end - 7) : boundary.end]) is not None or (
            _VANCOUVER_LIST.match(text) is not None and text[boundary.end - 1].isupper()
        )
    return True


def _by_initials(people: str) -> bool:
    """Whether every name has its initials in front, as in IEEE: "L. Breiman, Random Forests" has not."""
    pieces = re.split(r",\s*+(?:and\s++|&\s*+)?|(?<!\s)\s++(?:and|&)\s++", people)
    return all(
        _INITIALS_FIRST.match(piece) or re.fullmatch(r"(?:[JS]r|et al)\.?|I{2,3}", piece) for piece in pieces if piece
    )


def _without_authors(text: str) -> tuple[float, tuple[str, ...]]:
    first = re.split(r"[.,?!]\s", text, maxsplit=1)[0]
    return (-2.5 if names_persons(first) or len(first.split()) < 3 else -0.5) + beginning(text), ()


@lru_cache(maxsize=512)
def _authors(before: str) -> tuple[float, tuple[str, ...]]:
    """How much speaks for what stands before a title being its authors."""
    before = re.sub(r"\set al\. (?=[^\W\d_]+$)", " ", before)
    if authors := bibtex_authors(before):
        persons = not authors.startswith("{")
        return (5.0 if persons else 4.0), (_NAMES if persons else "an organisation before the title",)
    share, count = name_share(before)
    sentences = 2.0 * len(sentence_breaks(before))
    if count > 1 and share >= 0.6 and not re.search(r"\d", before):
        return 2.0 + 2.5 * share - sentences, ("mostly names before the title",)
    words = re.sub(r"(?:,\s++|(?<!\s)\s++)(?:and )?et al\.?$", "", before).split()
    if len(words) <= (9 if "," not in before else 25) and capitalised(words) >= 0.99 and not re.search(r"[?!]", before):
        return (2.0 if len(words) <= 5 else 1.0) - sentences, ("a capitalised name before the title",)
    return -3.0, ()
