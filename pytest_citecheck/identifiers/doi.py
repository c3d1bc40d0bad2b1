"""Digital object identifiers, out of whatever people write into a bibliography.

The syntax is that of the DOI Handbook, section 2.2 (prefix ``10.`` and a registrant code, slash, any
printable characters; case-insensitive); what is cut off around it follows Crossref's "DOIs and matching
regular expressions" (2015) and the serial item identifiers of ANSI/NISO Z39.56, which contain brackets and
semicolons.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from urllib.parse import unquote

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["find_dois", "is_placeholder", "normalise_doi"]

# The ACM Digital Library numbers works without a DOI under this prefix, and exports the numbers as DOIs. They are not
# registered (Crossref, "Using 10.5555 as a test prefix": it is set aside for what is no DOI).
_PLACEHOLDER = "10.5555/"

_INVISIBLE = lazy_pattern("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_LATEX = lazy_pattern(r"\\(?:url|href|path|doi|texttt|nolinkurl)\b|\\textless(?:\{\})?|\\textgreater(?:\{\})?|[\\{}$]")
_PERCENT = lazy_pattern(r"%[0-9A-Fa-f]{2}")
_AROUND_SLASH = lazy_pattern(r"(?<![\d.])(10\.\d{4,9}+(?:\.\d++)*+)\s*+/\s*+(?=\S)")
# A value broken at the end of a line: the rest is one more piece with a digit in it, after a sign that breaks
# lines.
_BROKEN = lazy_pattern(r"^(\D{0,40}10\.\d{4,9}(?:\.\d+)*/\S*+(?<=[.\-_(]))\s++((?!10\.\d{4,9}/)[^\s\d]*+\d\S*+)\s*+$")
_BROKEN_NUMBER = lazy_pattern(r"^(\D{0,40}10\.\d{4,9}(?:\.\d+)*/[\d.]++)((?:\s++(?!10\.\d{4,9}/)[\d.]++)++)\s*+$")
_DOI = lazy_pattern(r"(?<![\d.])10\.\d{4,9}(?:\.\d+)*/[^\s\"“”‘’|^`]{1,1200}")
_LONGEST = 1000
"""Characters of a DOI, and of the address before it. The longest of 316,103 records has 66."""
_NEXT = lazy_pattern(r"[,;|]?(?:https?://|(?<![a-z])doi:|10\.\d{4,9}/)", re.IGNORECASE)
_SICI = lazy_pattern(r"<\d[^<>\s]*>")
_URL = lazy_pattern(r"https?://(?!(?:dx\.|www\.)?doi[.-])[^\s/]", re.IGNORECASE)
_RESOLVER = lazy_pattern(r"https?://(?:dx\.|www\.)?doi[.-]", re.IGNORECASE)
_BEGINNING = lazy_pattern(r"(?<![\d.])10\.\d{4,9}+(?:\.\d++)*+/")
_PAGE = lazy_pattern(
    r"(?:/(?:abstract|summary|full|fulltext|pdf|epdf|html|epub|meta|references|figures|citedby|asset|suppl_file|"
    r"download|tables|issuetoc)(?:/(?s:.*))?|\.pdf|\.full(?:\.pdf|-text|\.html?)?|\.html?|/)$"
)
_ARXIV_VERSION = lazy_pattern(r"^(10\.48550/arxiv)[.:](.+?)(?:v\d+)?$")
_PREPRINT_VERSION = lazy_pattern(r"^(10\.(?:1101|64898)/\d{4}\.\d\d\.\d\d\.\d++)v\d\S*+$")
_PAIRS = {")": "(", "]": "[", ">": "<"}
_TRAILING = ".,;:'\"!?*…"


def find_dois(text: str) -> tuple[str, ...]:
    """All different DOIs in ``text``, normalised, in their order."""
    if not text or "10." not in text:
        return ()
    return _find(text)


def normalise_doi(text: str) -> str:
    """The first DOI in ``text`` in its normal form; empty if there is none.

    Lower case, without resolver, ``doi:`` prefix, LaTeX, percent-encoding, invisible characters, page
    suffixes of publishers' URLs, closing punctuation and version of an arXiv or bioRxiv DOI (only the DOI of
    the work is registered). White space inside is closed where the value cannot end there. Idempotent;
    nothing is raised.
    """
    if "10." not in text:
        return ""
    found = find_dois(_joined(text))
    return found[0] if found else ""


def _joined(text: str) -> str:
    text = _BROKEN.sub(r"\1\2", _AROUND_SLASH.sub(r"\1/", text))
    return _BROKEN_NUMBER.sub(lambda match: match[1] + "".join(match[2].split()), text)


@lru_cache(maxsize=16384)
def _find(text: str) -> tuple[str, ...]:
    text = _INVISIBLE.sub("", text).translate(_DASHES)
    if "\\" in text or "{" in text or "$" in text:
        text = _LATEX.sub(_latex_sign, text)
    before = ""
    while before != text:
        before = text
        if "%" in text:
            text = _PERCENT.sub(lambda match: unquote(match.group(), errors="replace"), text)
        if "&" in text:
            text = html.unescape(text)
    found: dict[str, None] = {}
    position = 0
    while match := _DOI.search(text, position):
        candidate = match.group()
        following = _NEXT.search(candidate, 8)
        if following:
            candidate = candidate[: following.start()]
        position = match.start() + len(candidate)
        if len(candidate) > _LONGEST:
            continue
        earliest = max(0, match.start() - _LONGEST)
        blank = max(text.rfind(sign, earliest, match.start()) for sign in " \n")
        line_start = blank + 1 if blank >= 0 else earliest
        around = text[line_start : match.end()]
        in_url, linked = _leads(_URL, around), _leads(_RESOLVER, around)
        doi = _trimmed(candidate.lower(), in_url=in_url, linked=linked)
        if doi:
            found[doi] = None
    return tuple(found)


def _leads(address: re.Pattern[str], text: str) -> bool:
    """Whether a DOI follows the start of such an address."""
    begin = address.search(text)
    return begin is not None and _BEGINNING.search(text, begin.end()) is not None


def _latex_sign(match: re.Match[str]) -> str:
    sign = match.group()
    if sign.startswith("\\textless"):
        return "<"
    if sign.startswith("\\textgreater"):
        return ">"
    return " " if len(sign) > 1 else ""


def _trimmed(doi: str, *, in_url: bool, linked: bool) -> str:
    if not _SICI.search(doi):
        doi = re.split(r"[<>]", doi, maxsplit=1)[0]
    if in_url:
        doi = re.split(r"[?#&]", doi, maxsplit=1)[0]
    elif linked:
        doi = re.split(r"[?#]", doi, maxsplit=1)[0]
    before = ""
    while before != doi:
        before = doi
        doi = doi.rstrip(_TRAILING)
        if in_url:
            doi = _PAGE.sub("", doi)
        last = doi[-1:]
        if last == "/" or (last in _PAIRS and doi.count(last) > doi.count(_PAIRS[last])):
            doi = doi[:-1]
        doi = _ARXIV_VERSION.sub(r"\1.\2", _PREPRINT_VERSION.sub(r"\1", doi))
    return doi if re.match(r"10\.\d{4,9}(?:\.\d+)*/\S", doi) else ""


def is_placeholder(doi: str) -> bool:
    """Whether a normalised DOI is one of those numbers that only look like a DOI and are never registered."""
    return doi.startswith(_PLACEHOLDER)
