"""What follows the title of a printed reference: venue, volume, issue, pages, year."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import is_preprint_venue, lookup

__all__ = ["container", "is_venue", "lone_year", "read_tail"]

_PAGE = r"[A-Za-z]{0,3}\d[\w.]{0,40}"
_PAGES = rf"(?P<pages>{_PAGE}(?:\s*+(?:--?|[‐-―−])\s*+{_PAGE})?)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)(?!\.\d{4,5}\b)"  # 1907.02444 is an arXiv id
_DASH = r"(?:--?|[‐-―−])"
_DETAIL = (
    # Neural Computation, vol. 9, no. 8, pp. 1735-1780
    lazy_pattern(
        rf"(?:[,.]\s*+|{MAYBE_BLANKS})\bvol(?:\.|ume)?\s*+(?P<volume>\w[\w/.]{{0,40}}\w|\w)"
        r"(?:\s*+,?\s*+(?:no|iss|issue|number)\.?\s*+(?P<number>[\w/-]{1,40}))?"
        rf"(?:,?\s*+(?:\(?{_MONTH}\s*+)?\(?(?:1[5-9]|20)\d\d\)?)?(?:\s*+[,:]?\s*+(?:pp?\.|pages?)?\s*+{_PAGES})?(?=\W|$)"
    ),
    # Neural Computation. 1997;9(8):1735-80
    lazy_pattern(
        rf"(?:[,.;]\s*+|{MAYBE_BLANKS}){_YEAR}(?:\s++{_MONTH}(?:\s++\d++)?)?\s*+;\s*+(?!(?:1[5-9]|20)\d\d\b)"
        rf"(?P<volume>\w[\w/.]{{0,40}}\w|\w)?(?:\s*+\((?P<number>[^()]{{1,20}})\))?(?:\s*+:\s*+{_PAGES})?"
    ),
    # Neural Computation 9, no. 8 (1997): 1735-80, and 9.8 (1997): 1735-80
    lazy_pattern(
        rf"(?:,\s++|{BLANKS})(?P<volume>\d{{1,5}})(?:\.(?P<number>\d[\w-]*+)|,\s*+no\.\s*+(?P<issue>[\w/-]++))?"
        rf"\s*+\((?:{_MONTH}\s*+)?{_YEAR}\)(?:\s*+:\s*+{_PAGES})?"
    ),
    # Neural Computation, 9(8), 1735-1780
    lazy_pattern(
        rf"(?:,\s++|{BLANKS})(?P<volume>\d{{1,5}})\s*+\((?!pp?\.|(?:1[5-9]|20)\d\d\))(?P<number>[^()]{{1,20}})\)"
        rf"(?:\s*+[,:]\s*+(?:pp?\.\s*+)?{_PAGES})?(?=\s*+(?:[.,;(]|$))"
    ),
    # Neural Computation, 9, 1735-1780
    lazy_pattern(
        rf",\s++(?!(?:1[5-9]|20)\d\d\b)(?P<volume>\d{{1,5}})(?!\s*+{_DASH}\s*+\d)(?=\s*+(?:[.,:;]|$))"
        rf"(?:\s*+[,:]\s*+(?:pp?\.\s*+)?{_PAGES})?(?=\s*+(?:[.,;(]|$))"
    ),
    # In Proceedings of X (pp. 770-778), X, pages 770-778
    lazy_pattern(rf"(?:[,.;:]\s*+|{MAYBE_BLANKS})\(?\b(?:pp?\.|pages?\b)\s*+{_PAGES}\)?"),
    # X, 2017; X (2017); X. 2017
    lazy_pattern(rf"{MAYBE_BLANKS}(?:[,.;]\s*+(?:{_MONTH}\s*+)?|\(\s*+(?:{_MONTH}\s*+)?){_YEAR}\b\)?"),
)
_LONE_YEAR = lazy_pattern(rf"(?:^|[,.;(]\s*)(?:{_MONTH}\s*(?:\d+,\s*)?)?{_YEAR}[a-z]?(?=\s*(?:[,.;:)]|$))")
_ANY_YEAR = lazy_pattern(rf"(?<![\d:/.-]){_YEAR}(?![\d/-])")
_FINAL_YEAR = lazy_pattern(r",\s*\(?(?:1[5-9]|20)\d\d\)?$")
_FURTHER_PAGES = lazy_pattern(rf"(?:\bpp?\.|\bpages?\b)\s*{_PAGES}")
_IN = lazy_pattern(r"^in(?::\s*|\s+)(?=\S)", re.IGNORECASE)
_PUBLISHED = lazy_pattern(r"^(?:published|presented|appeared)\s+(?:in|at)\s+(?:the\s+)?(?=\S)", re.IGNORECASE)
_IN_BRACKETS = lazy_pattern(r"^\(([^()]{2,120}\s(?:1[5-9]|20)\d\d)\)(?=[\s.,;]|$)")
_CONFERENCE = lazy_pattern(r"\b(?:Proc\b|Proceedings|Conf\b|Conference|Symposium|Workshop|Meeting)", re.IGNORECASE)
_JOURNAL = re.compile(
    r"^(?:Proc(?:eedings|\.) of the (?:IEEE|National Academy|Royal)|Journal\b|.*\bJournal of\b)", re.IGNORECASE
)
_ABBREVIATED = lazy_pattern(
    r"(?=[^.]*\.\s)(?:(?:[^\W\d_a-z][^\W\d_]{0,8}[.:]{0,2}|of|for|[A-Z]|\(\d\)|&)(?:\s+|$)){2,12}"
)
"""Words in capitals of which some are cut: J. Mol. Biol., Publ. Math. Inst. Hautes Études Sci."""
_LONGEST_VENUE = 250
_MOST_ABBREVIATED = 5


def container(venue: str, *, volume: bool = False) -> tuple[str, str]:
    """The entry type and the field for a venue of which only the name is known, and whether it has a volume."""
    known = lookup(venue)
    if known is not None and known.kind == "conference":
        return "inproceedings", "booktitle"
    if volume or is_preprint_venue(venue) or (known is not None and known.kind == "journal") or _JOURNAL.match(venue):
        return "article", "journal"
    if _CONFERENCE.search(venue):
        return "inproceedings", "booktitle"
    return "misc", "howpublished"


def is_venue(text: str) -> bool:
    """Whether a segment of a reference certainly is a venue with its details, and no part of a title."""
    text = text.strip()
    if (
        _IN.match(text)
        or _ABBREVIATED.fullmatch(text)
        or (len(text) < _LONGEST_VENUE and (is_preprint_venue(text) or lookup(text) is not None))
    ):
        return True
    name, details = _detailed(text)
    return bool(name) and ("volume" in details or "pages" in details)


def read_tail(text: str) -> dict[str, str]:
    """The fields in what follows a title; ``type`` among them is that of the entry. Only what is certain."""
    text = _PUBLISHED.sub("", text.strip(" ,;."))
    whole = text
    if bracketed := _IN_BRACKETS.match(text):  # Title, by A. Author (ICLR 2015). What it shows.
        text = bracketed[1]
    within = _IN.match(text)
    rest = text[within.end() :] if within else text
    name, fields = _detailed(rest)
    name = _FINAL_YEAR.sub("", name.strip(" ,;:.("))
    if "pages" not in fields and (further := _FURTHER_PAGES.search(whole)):
        fields["pages"] = further["pages"]
    if not fields.get("year") and (year := lone_year(text)):
        fields["year"] = year
    if name and len(name) < _LONGEST_VENUE and not re.fullmatch(r"[\W\d]*", name):
        kind, where = container(name, volume="volume" in fields)
        if within and where != "journal":
            kind, where = "inproceedings", "booktitle"
        fields |= {"type": kind, where: name}
    return fields


def _detailed(text: str) -> tuple[str, dict[str, str]]:
    """The name before the first detail, and the details."""
    for pattern in _DETAIL:
        match = pattern.search(text, 1) if len(text) > 1 else None
        if match is not None:
            found = {name: value for name, value in match.groupdict().items() if value}
            if "issue" in found:
                found["number"] = found.pop("issue")
            if "pages" in found:
                found["pages"] = found["pages"].rstrip(".")
            return text[: match.start()], found
    return (text if _ABBREVIATED.fullmatch(text) else _first_sentence(text)), {}


def _first_sentence(text: str) -> str:
    """The text up to a full stop that ends no abbreviation."""
    head, stop, rest = text.partition(". ")
    if stop and lookup(text.rstrip(" .")) is not None:
        return text
    cut = re.fullmatch(r"[^\W\d_a-z][^\W\d_]{0,7}", head) is not None and lookup(head) is None
    if stop and cut and len(rest.split()) <= _MOST_ABBREVIATED and rest[:1].isupper():
        return text
    return head


def lone_year(text: str) -> str:
    """The one year that stands alone between punctuation, or else the only year there is."""
    for pattern in (_LONE_YEAR, _ANY_YEAR):
        years = set(_found(pattern, text))
        if years:
            return years.pop() if len(years) == 1 else ""
    return ""


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    return (match["year"] for match in pattern.finditer(text))
