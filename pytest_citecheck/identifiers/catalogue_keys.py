"""Keys of works in catalogues: the ACL Anthology, OpenReview, dblp, INSPIRE, zbMATH and the Astrophysics Data System.

Forms: ``P19-1001`` and ``2020.acl-main.1`` with their volumes ``P19-1`` and ``2020.acl-main`` (aclanthology.org/info/ids),
the parameter ``id`` of OpenReview's pages (docs.openreview.net), the keys of dblp's records (dblp.org/faq/13501477), the
keys of INSPIRE's BibTeX (``Maldacena:1997re``), the numbers of zbMATH (``0823.11029``, of the Jahrbuch ``59.1154.01``;
zbmath.org/general-help) and the 19 characters of a bibcode (ui.adsabs.harvard.edu/help/actions/bibcode).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["acl_id", "acl_volume", "bibcode", "dblp_key", "is_acl_volume", "openreview_id", "texkey", "zbl_number"]

CATALOGUES = ("acl", "openreview", "dblp")
"""The kinds of which `Record.related` states the record's own key."""

_OLD = r"[a-z]\d\d-\d"
_NEW = r"(?:19|20)\d\d\.[a-z0-9]+-[a-z0-9_]+"
# What a paper's address may go on with: a file name, the version of a revision, a query.
_END = r"(?=v\d+\b|e\d+\b|[./?#\s,;)\]}>\"']|$)"
_PAPER = rf"(?:{_OLD}\d{{3}}|{_NEW}\.\d+)"
_VOLUME = rf"(?:{_OLD}\d?|{_NEW})"
_ACL_HOST = r"(?:aclanthology\.(?:org|info)|aclanthology\.coli\.uni-saarland\.de|aclweb\.org/anthology(?:-new)?)"
_ACL_ADDRESS = lazy_pattern(rf"{_ACL_HOST}(?:/[^\s/?#]{{0,100}}+){{0,8}}?/({_PAPER}){_END}", re.IGNORECASE)
_ACL_VOLUME_ADDRESS = lazy_pattern(rf"{_ACL_HOST}/volumes/({_VOLUME}){_END}", re.IGNORECASE)
# The association's prefixes: of the DOIs that name their paper, and those of older volumes.
_ACL_DOI = lazy_pattern(rf"(?:^|[\s/:])10\.(?:18653|3115)/v1/({_PAPER}|{_VOLUME})$", re.IGNORECASE)
_ACL_PAPER = lazy_pattern(_PAPER, re.IGNORECASE)
_ACL_VOLUME = lazy_pattern(_VOLUME, re.IGNORECASE)

_OPENREVIEW_ADDRESS = lazy_pattern(
    r"openreview\.net/(?:forum|pdf|attachment)/?\?(?:[^\s?#&]*&)*id=([\w-]+)(?=[&#\s.,;)\]}>\"']|$)",
    re.IGNORECASE | re.ASCII,
)
_OPENREVIEW_ID = lazy_pattern(r"[\w-]{5,30}", re.ASCII)

_DBLP_KEY = lazy_pattern(
    r"(?:(?:conf|journals|series|books|reference|tr|data)/[A-Za-z0-9_-]+|phd|ms|habil|bachelor)"
    r"(?:/[A-Za-z0-9_:+'-]+(?:\.[A-Za-z0-9_:+'-]+)*){1,3}"
)
_DBLP_ADDRESS = lazy_pattern(
    r"(?:dblp\.org|dblp\.uni-trier\.de|dblp\.dagstuhl\.de|dblp\d?\.org)/rec/(?:(?:bib\d?|bibtex|html|xml|rdf)/)?([^\s?#{}<>\"]+)",
    re.IGNORECASE,
)
_DBLP_FORMAT = lazy_pattern(r"\.(?:html?|bib|xml|rdf|nt|ttl|ris|json)\Z", re.IGNORECASE)
_TEXKEY = lazy_pattern(r"[A-Z][A-Za-z'-]{1,40}:(?:19|20)\d\d[a-z]{2,3}")
_ZBL = lazy_pattern(
    r"(?:(?:Zbl|JFM|zbMATH)\s*+:?\s*+|(?:https?://)?(?:www\.)?zbmath\.org/(?:\?q=an:)?)?"
    r"([01]\d{3}\.\d{5}|\d\d\.\d{4}\.\d\d)[.;]?",
    re.IGNORECASE,
)
_BIBCODE = lazy_pattern(r"(?:1[4-9]|20)\d\d[A-Za-z&][A-Za-z0-9&.]{4}[A-Za-z0-9.]{4}[A-Za-z0-9.][A-Za-z0-9.]{4}[A-Z.]")
_ADS_ADDRESS = lazy_pattern(
    r"(?:adsabs\.harvard\.edu|ads\.[a-z.]+)/(?:abs|full|cgi-bin/nph-bib_query\?bibcode=)/?([^\s/?#]++)"
)
_DBLP_PREFIX = lazy_pattern(r"dblp:", re.IGNORECASE)


def acl_id(text: str) -> str:
    """The paper of the ACL Anthology that ``text`` names as its id, its address or its DOI; empty if it names none."""
    value = text.strip()
    if _ACL_PAPER.fullmatch(value):
        return _acl_case(value)
    match = _ACL_ADDRESS.search(value) or _ACL_DOI.search(value)
    return _acl_case(match[1]) if match and _ACL_PAPER.fullmatch(match[1]) else ""


def acl_volume(text: str) -> str:
    """The volume of the ACL Anthology that ``text`` names as its id, its address or its DOI; empty if it names none."""
    value = text.strip()
    if _ACL_VOLUME.fullmatch(value):
        return _acl_case(value)
    match = _ACL_VOLUME_ADDRESS.search(value) or _ACL_DOI.search(value)
    return _acl_case(match[1]) if match and _ACL_VOLUME.fullmatch(match[1]) else ""


def is_acl_volume(key: str) -> bool:
    """Whether an id of the ACL Anthology is that of a whole volume."""
    return _ACL_VOLUME.fullmatch(key) is not None


def _acl_case(key: str) -> str:
    return key.lower() if key[0].isdigit() else key.upper()


def openreview_id(text: str) -> str:
    """The submission on OpenReview that ``text`` names as its id or its address; empty if it names none.

    Capitals matter. The id of a review or comment (``noteId``) is another thing.
    """
    value = text.strip()
    if "/" in value:
        match = _OPENREVIEW_ADDRESS.search(value)
        value = match[1] if match else ""
    return value if _OPENREVIEW_ID.fullmatch(value) else ""


def dblp_key(text: str) -> str:
    """The key of dblp (``conf/nips/VaswaniSPUJGKP17``) that ``text`` states as ``DBLP:conf/…`` or by its address.

    Empty if it states none. Capitals matter.
    """
    value = text.strip()
    match = _DBLP_ADDRESS.search(value)
    if match:
        value = _DBLP_FORMAT.sub("", match[1].rstrip(".,;)'"))
    elif _DBLP_PREFIX.match(value):
        value = value[len("dblp:") :]
    else:
        return ""
    return value if _DBLP_KEY.fullmatch(value) else ""


def texkey(text: str) -> str:
    """The key of INSPIRE's BibTeX that ``text`` is; empty if it has another form. Others use the form for keys of their own."""
    value = text.strip()
    return value if _TEXKEY.fullmatch(value) else ""


def zbl_number(text: str) -> str:
    """The number of zbMATH or of the Jahrbuch that ``text`` is, alone or behind ``Zbl``, ``JFM`` or its address; else empty."""
    match = _ZBL.fullmatch(text.strip())
    return match[1] if match else ""


def bibcode(text: str) -> str:
    """The bibcode that ``text`` is, or that its address of the Astrophysics Data System names; empty if there is none."""
    match = _ADS_ADDRESS.search(text)
    value = unquote(match[1]) if match else text.strip()
    return value if _BIBCODE.fullmatch(value) else ""
