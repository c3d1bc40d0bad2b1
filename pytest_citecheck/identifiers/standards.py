"""Numbers of RFCs and short names of W3C reports, out of the fields and addresses by which people cite them.

An RFC is cited by its DOI (10.17487/RFC8259), by its number in a field that says that it is one, or by an address of the RFC
Editor or the IETF (RFC 7322, section 4; www.rfc-editor.org/rfc). Reports of the W3C stand below www.w3.org/TR: ``/TR/xml`` is
the series, ``/TR/2008/REC-xml-20081126`` one version of it (W3C Process Document, section 6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["rfc_number", "w3c_report"]

_DOI = lazy_pattern(r"(?:^|/)10\.17487/rfc0*([1-9]\d{0,4})$", re.IGNORECASE)
_RFC_ADDRESS = lazy_pattern(
    r"(?:rfc-editor\.org|\bietf\.org)/(?:rfc|info|pdfrfc|html|pdf|doc(?:/html|/pdf|/rfc)?|id|archive/id)/rfc0*([1-9]\d{0,4})"
    r"(?=[./?#\s,;)\]}>\"']|$)",
    re.IGNORECASE,
)
_STATED = lazy_pattern(
    r"\W{0,4}(?:(?:IETF|Internet|Standards Track|Informational)[\s,]+)?(?:RFC|Requests? for Comments?)[\s:#~-]*"
    r"(?:n(?:o|r|umber)?\.?\s*)?0*([1-9]\d{0,4})\b",
    re.IGNORECASE,
)
_ANY = lazy_pattern(r"\bRFC[\s~-]*\d", re.IGNORECASE)
_TITLED = lazy_pattern(r"\s*RFC[\s~-]*0*([1-9]\d{0,4})\s*(?::|\s[-\u2013\u2014]+\s|\.\s)\s*\S", re.IGNORECASE)
_SERIES = lazy_pattern(r"\b(?:RFCs?|Requests? for Comments?)\b", re.IGNORECASE)
_BARE = lazy_pattern(r"0*([1-9]\d{0,4})")
# What is said of another RFC.
_ABOUT_OTHERS = lazy_pattern(
    r"\b(?:obsolet|updat|superse|replac|based on|extends?|see|cf|errat|defined in)", re.IGNORECASE
)
_UNPUBLISHED = lazy_pattern(r"\b(?:to[ -]be|to appear|forthcoming|in press|draft|proposed for)\b", re.IGNORECASE)
_STATING = (
    "number",
    "series",
    "howpublished",
    "note",
    "journal",
    "journaltitle",
    "type",
    "issue",
    "volume",
    "booktitle",
)
_SERIES_FIELDS = (
    "series",
    "type",
    "journal",
    "journaltitle",
    "howpublished",
    "institution",
    "publisher",
    "organization",
)
_ADDRESS_FIELDS = ("url", "ee", "link", "howpublished", "note")
_TYPES_OF_RFCS = frozenset({
    "techreport", "report", "misc", "standard", "online", "electronic", "www", "webpage", "manual", "rfc",
})  # fmt: skip

_TR = r"\bw3\.org/TR/"
_NAME = r"[A-Za-z][A-Za-z0-9._+-]{0,80}?"
_DATED = lazy_pattern(
    _TR + rf"(?:\d{{4}}/)[A-Z]{{2,8}}-({_NAME})-((?:19|20)\d{{6}})(?=[/?#\s,;)\]}}>\"']|\.\s|\.?$)", re.IGNORECASE
)
_UNDATED = lazy_pattern(_TR + rf"(?:REC-)?({_NAME})(?=[/?#\s,;)\]}}>\"']|\.\s|\.?$)")


def rfc_number(kind: str, fields: Mapping[str, str], doi: str) -> str:
    """The number of the RFC that a reference of this type cites; empty if it cites none, or names several."""
    if match := _DOI.search(doi):
        return match[1]
    found = set(_numbers(kind, fields))
    return found.pop() if len(found) == 1 else ""


def _numbers(kind: str, fields: Mapping[str, str]) -> Iterator[str]:
    if any(_UNPUBLISHED.search(fields.get(name, "")) for name in ("note", "howpublished", "pubstate", "number")):
        return
    own = {name: value for name, value in fields.items() if name == "url" or not _ABOUT_OTHERS.search(value)}
    for name in _STATING:
        value = own.get(name, "")
        if (match := _STATED.match(value)) and len(_ANY.findall(value)) <= 1:
            yield match[1]
    number = _BARE.fullmatch(fields.get("number", "").strip())
    if number and any(_says_rfc(fields.get(name, "")) for name in _SERIES_FIELDS):
        yield number[1]
    if kind in _TYPES_OF_RFCS and (match := _TITLED.match(fields.get("title", ""))):
        yield match[1]
    for name in _ADDRESS_FIELDS:
        yield from _RFC_ADDRESS.findall(own.get(name, ""))


def _says_rfc(value: str) -> bool:
    return _SERIES.search(value) is not None and not any(map(str.isdigit, value))


def w3c_report(fields: Mapping[str, str]) -> str:
    """The report of the W3C that the addresses of a reference name: ``xml``, or ``xml/20081126`` for one version of it.

    Empty if they name none, or several. Capitals matter.
    """
    text = " ".join(fields.get(name, "") for name in _ADDRESS_FIELDS)
    dated = {f"{name}/{date}" for name, date in _DATED.findall(text)}
    found = dated or set(_UNDATED.findall(text))
    return found.pop() if len(found) == 1 else ""
