"""Identifiers that an entry states only in its address or its id, put into the fields by which it is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.catalogue_keys import acl_id, acl_volume, dblp_key, openreview_id
from pytest_citecheck.identifiers.doi import normalise_doi
from pytest_citecheck.linking.provenance import upstream

if TYPE_CHECKING:
    from pytest_citecheck.index.entry import Entry

__all__ = ["identified"]


def identified(entry: Entry) -> Entry:
    """The entry with its DOI, arXiv id and keys of the ACL Anthology, OpenReview and dblp, where these were empty and its ``url``
    is an address of theirs or its ``id`` is theirs. What a field says stays."""
    url = entry.url.lower()
    doi = entry.doi or (normalise_doi(entry.url) if "doi.org/" in url else "")
    arxiv = entry.arxiv or _arxiv(entry, url)
    acl = entry.acl or _acl(entry, url)
    openreview = entry.openreview or (openreview_id(entry.url) if "openreview.net/" in url else "")
    dblp = entry.dblp or _dblp(entry, url)
    if (doi, arxiv, acl, openreview, dblp) == (entry.doi, entry.arxiv, entry.acl, entry.openreview, entry.dblp):
        return entry
    return entry._replace(doi=doi, arxiv=arxiv, acl=acl, openreview=openreview, dblp=dblp)


def _arxiv(entry: Entry, url: str) -> str:
    if "arxiv.org/" in url:
        return normalise_arxiv(entry.url)[0]
    return normalise_arxiv(entry.id)[0] if upstream(entry.source) == "arxiv" else ""


def _acl(entry: Entry, url: str) -> str:
    if "acl" in url or "/10.18653/" in url or "/10.3115/" in url:
        return acl_id(entry.url) or acl_volume(entry.url)
    return acl_id(entry.id) if upstream(entry.source) == "acl" else ""


def _dblp(entry: Entry, url: str) -> str:
    if "dblp" in url and (key := dblp_key(entry.url)):
        return key
    if entry.id[:5].lower() == "dblp:":
        return dblp_key(entry.id)
    return dblp_key(f"dblp:{entry.id}") if "/" in entry.id and upstream(entry.source) == "dblp" else ""
