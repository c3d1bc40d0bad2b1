"""Identifiers that a record states only in its address or its id, put where it is looked up by them."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.catalogue_keys import acl_id, acl_volume, dblp_key, openreview_id
from pytest_citecheck.identifiers.doi import normalise_doi
from pytest_citecheck.linking.provenance import upstream
from pytest_citecheck.model import Record

__all__ = ["identified"]

_FIELDS = tuple(field.name for field in fields(Record))
_VALUES = attrgetter(*_FIELDS)


def identified(record: Record, source: str = "") -> Record:
    """The record, of the collection ``source`` if one is given, with its identifiers where it stated none of their kind: its
    DOI, arXiv id and (in ``related``) keys of the ACL Anthology, OpenReview and dblp, of which its ``url`` is the address or
    which its ``id`` is."""
    url = record.url.lower()
    known = {kind for kind, _ in record.related}
    own = upstream(record.source)
    keys = (
        ("acl", _acl(record, url, own) if "acl" not in known else ""),
        ("openreview", openreview_id(record.url) if "openreview.net/" in url and "openreview" not in known else ""),
        ("dblp", _dblp(record, url, own) if "dblp" not in known else ""),
    )
    changed: dict[str, Any] = {}
    if any(value for _, value in keys):
        changed["related"] = (*record.related, *((kind, value) for kind, value in keys if value))
    if not record.doi and "doi.org/" in url and (doi := normalise_doi(record.url)):
        changed["doi"] = doi
    if not record.arxiv and (arxiv := _arxiv(record, url, own)):
        changed["arxiv"] = arxiv
    if source and source != record.source:
        changed["source"] = source
    # As `dataclasses.replace`, in a third of the time.
    return Record(**{**dict(zip(_FIELDS, _VALUES(record), strict=True)), **changed}) if changed else record


def _arxiv(record: Record, url: str, own: str) -> str:
    if "arxiv.org/" in url:
        return normalise_arxiv(record.url)[0]
    return normalise_arxiv(record.id)[0] if own == "arxiv" else ""


def _acl(record: Record, url: str, own: str) -> str:
    if "acl" in url or "/10.18653/" in url or "/10.3115/" in url:
        return acl_id(record.url) or acl_volume(record.url)
    return acl_id(record.id) if own == "acl" else ""


def _dblp(record: Record, url: str, own: str) -> str:
    if "dblp" in url and (key := dblp_key(record.url)):
        return key
    if record.id[:5].lower() == "dblp:":
        return dblp_key(record.id)
    return dblp_key(f"dblp:{record.id}") if "/" in record.id and own == "dblp" else ""
