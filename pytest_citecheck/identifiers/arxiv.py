"""arXiv identifiers.

The forms are those of arXiv's "Understanding the arXiv identifier": ``YYMM.NNNN`` from 2007-04,
``YYMM.NNNNN`` from 2015-01, ``archive/YYMMNNN`` before, with or without subject class, each with an optional
version.
"""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["archive_of", "arxiv_in_junk", "is_bare_number", "malformed_arxiv", "normalise_arxiv", "with_archive"]

_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|"
    "dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|"
    "physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_NEW = r"(?P<year>\d\d)(?P<month>0[1-9]|1[0-2])\.(?P<number>\d{4,5})"
_OLD = rf"(?P<archive>{_ARCHIVES})(?:\.[a-z-]{{2,12}})?/(?P<old>(?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])\d{{3}})"
_ID = rf"(?:{_NEW}|{_OLD})(?:v(?P<version>[1-9]\d?))?(?![\w]|\.\d)"
# What may stand before an identifier that is part of a longer text.
_CONTEXT = (
    r"(?:ar[xχ]iv(?:\.org)?(?:\s*+e-?prints?|\s++preprints?)?(?:\s*+(?:id|no\.?|number))?\s*+[:.,/]?\s*+"
    r"(?:ar[xχ]iv\s*+[:.]?\s*+)?(?:/?(?:abs|pdf|html|ps|format|e-print|src)/)?|(?<![a-z])abs/|corr/|e-?prints?\s*+:\s*+)"
)
_BARE_NUMBER = lazy_pattern(r"\s*+(?:arxiv\s*+:\s*+)?(?P<number>\d{7}(?:v[1-9]\d?)?)\s*+", re.IGNORECASE)
_CLASS = lazy_pattern(rf"\s*+[\[(]?(?P<archive>{_ARCHIVES})(?:\.[a-z-]{{2,12}})?(?![a-z.-])", re.IGNORECASE)
_IN_CONTEXT = lazy_pattern(rf"{_CONTEXT}{_ID}", re.IGNORECASE)
_ALONE = lazy_pattern(rf"^\s*+{_ID}(?:\.pdf)?\s*+(?:\[[^\]]*\]|\([^)]*\))?\s*+[.,;]?\s*$", re.IGNORECASE)
_BEHIND_ARCHIVE = lazy_pattern(rf"\s*+(?:{_ARCHIVES})(?:\.[a-z]{{2}})?/(?=\d{{4}}\.)", re.IGNORECASE)
_ATTEMPT = lazy_pattern(
    r"(?<![a-z])ar[xχ]iv(?:\.org/(?:abs|pdf|html)/|\s*+:|\.)\s*+(?P<id>\d{2,4}\.\d{3,6}(?:v\d+)?|[x?]{4}\.[x?]{4,5}|[a-z.-]++/\d+)",
    re.IGNORECASE,
)


def normalise_arxiv(text: str) -> tuple[str, int | None]:
    """The arXiv identifier in ``text`` without version and subject class, and its version if one is stated.

    ``text`` is the identifier alone, or a text that announces it as one (``arXiv:``, an arXiv URL or DOI,
    ``abs/`` as in CoRR). Gives ``("", None)`` if there is none, or if its month or length cannot be.
    """
    if not text:
        return "", None
    for pattern in (_IN_CONTEXT, _ALONE):
        for match in pattern.finditer(text):
            if identifier := _checked(match):
                version = match["version"]
                return identifier, int(version) if version else None
    return "", None


def _checked(match: re.Match[str]) -> str:
    if match["archive"]:
        return f"{match['archive'].lower()}/{match['old']}"
    year_month = int(match["year"] + match["month"])
    if year_month < 704 or (len(match["number"]) == 4) != (year_month < 1501):
        return ""
    return f"{match['year']}{match['month']}.{match['number']}"


def arxiv_in_junk(text: str) -> tuple[str, int | None]:
    """The same for a field that a reference manager filled: also behind an archive (``astro-ph.CO/1109.3457``), which no
    identifier of these years has."""
    behind = _BEHIND_ARCHIVE.match(text)
    return normalise_arxiv(text[behind.end() :] if behind else text)


def archive_of(text: str) -> str:
    """Return the archive of the first class in a field of classes: ``astro-ph`` of ``astro-ph.CO``; empty if it is none."""
    match = _CLASS.match(text)
    return match["archive"].lower() if match else ""


def is_bare_number(text: str) -> bool:
    """True for seven digits: an identifier from before 2007 that lacks its archive, or a number from elsewhere."""
    return _BARE_NUMBER.fullmatch(text) is not None


def with_archive(text: str, archive: str) -> str:
    """Complete a number from before 2007 with the archive of the entry; return any other text unchanged."""
    match = _BARE_NUMBER.fullmatch(text)
    return f"{archive}/{match['number']}" if match and archive else text


def malformed_arxiv(text: str) -> str:
    """What ``text`` announces as an arXiv identifier although it cannot be one; empty if there is none."""
    if not text or normalise_arxiv(text)[0]:
        return ""
    match = _ATTEMPT.search(text)
    return match["id"] if match else ""
