"""Documents on the web: parsing of an identifier or address, and the URLs to fetch it from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from pytest_citecheck.matching import normalise_arxiv, normalise_doi, openreview_id

_ARXIV_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html|src|e-print|format)/\S+", re.IGNORECASE
)
_ARXIV_ID = re.compile(
    r"(?:arxiv\s*+:\s*+)?(?:\d{4}\.\d{4,5}|(?<![a-z-])[a-z-]++(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?", re.IGNORECASE
)
_OPENREVIEW_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.)?openreview\.net/(?:forum|pdf|attachment)\?\S+", re.IGNORECASE
)
_DOI = re.compile(r"(?:doi\s*+:\s*+|(?:https?://)?(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A document to fetch. name: short form of the user's input. addresses: URLs to fetch, best first."""

    name: str
    addresses: tuple[str, ...]


def target_of(text: str, mirrors: Mapping[str, str] | None = None) -> Target | None:
    """Return the document for an identifier or address; None for a file name. mirrors: base URL by service."""
    text, mirrors = text.strip(), mirrors or {}
    if _ARXIV_ADDRESS.fullmatch(text) or _ARXIV_ID.fullmatch(text):
        return _arxiv(text, mirrors)
    if _OPENREVIEW_ADDRESS.fullmatch(text):
        submission = openreview_id(text)
        base = mirrors.get("openreview") or "https://openreview.net"
        address = f"https://openreview.net/forum?id={submission}"
        return Target(address, (f"{base}/pdf?id={submission}",)) if submission else None
    if _DOI.fullmatch(text) and (doi := normalise_doi(text)):
        if normalise_arxiv(doi)[0]:
            return _arxiv(doi, mirrors)
        return Target(doi, (f"{mirrors.get('doi_org') or 'https://doi.org'}/{quote(doi, safe='/:;()')}",))
    if re.match(r"https?://", text, re.IGNORECASE):
        return Target(_without_query(text), (text.partition("#")[0],))
    return None


def _arxiv(text: str, mirrors: Mapping[str, str]) -> Target | None:
    identifier, version = normalise_arxiv(text)
    if not identifier:
        return None
    name = f"{identifier}v{version}" if version else identifier
    base = mirrors.get("arxiv") or "https://arxiv.org"
    return Target(name, (f"{base}/e-print/{name}", f"{base}/pdf/{name}"))


def _without_query(address: str) -> str:
    """Return an address without its query, which may contain a password or token; a hash keeps different ones distinct."""
    parts = urlsplit(address)
    plain = urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, "", ""))
    return f"{plain}?{hashlib.sha256(parts.query.encode()).hexdigest()[:8]}" if parts.query else plain
