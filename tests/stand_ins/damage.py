"""Responses with one damaged or missing entry, in the form of each service.

``unreadable-entry``: the first entry lacks its identifier. ``missing-entry``: the entry is missing, but the service counts it.
``uncounted-entry``: the entry is missing and not counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.stand_ins.replies import Reply

ENTRY_KINDS = frozenset({"unreadable-entry", "missing-entry", "uncounted-entry"})
"""Kinds that strike one entry of an answer."""


@dataclass(frozen=True, slots=True)
class _Json:
    """Location of the entries in a JSON response, their identifying member, and the member with their count."""

    entries: str
    known_by: tuple[str, ...]
    counts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Xml:
    """Element of an entry, its identifying part (a pattern with the text to remove), and the count of the entries."""

    entry: str
    known_by: str
    counts: str = ""


_SHAPES: Mapping[str, tuple[_Json | _Xml, ...]] = {
    "crossref": (_Json("message.items", ("DOI",), ("message.total-results",)),),
    "datacite": (_Json("data", ("id", "attributes.doi"), ("meta.total",)),),
    "doi_org": (_Json("", ("handle", "DOI")),),
    "doi_ra": (_Json("", ("DOI",)),),
    "doi_content": (_Json("", ("DOI", "id", "URL")),),
    "arxiv": (_Xml("entry", r"<id>([^<]*)</id>", r"(?<=<opensearch:totalResults>)\d+"),),
    "dblp_sparql": (_Json("results.bindings", ("publication",)),),
    "acl_anthology": (_Xml("mods", r"<location>\s*<url>([^<]*)</url>"),),
    "openreview": (_Json("notes", ("id", "forum"), ("count",)),),
    "openreview_v1": (_Json("notes", ("id", "forum"), ("count",)),),
    "open_library": (_Json("docs", ("key",), ("numFound", "num_found")), _Json("", ("key",))),
    "k10plus": (_Xml("zs:record", r'<controlfield tag="001">([^<]*)<', r"(?<=<zs:numberOfRecords>)\d+"),),
    "loc": (_Xml("zs:record", r'<controlfield tag="001">([^<]*)<', r"(?<=<zs:numberOfRecords>)\d+"),),
    "hal": (_Json("response.docs", ("halId_s",), ("response.numFound",)),),
    "theses_fr": (_Json("theses", ("nnt", "id"), ("totalHits",)),),
    "pubmed": (
        _Xml("PubmedArticle", r'<PMID Version="\d">([^<]*)</PMID>'),
        _Xml("Id", r"<Id>([^<]*)</Id>", r"(?<=<Count>)\d+"),
    ),
    "europe_pmc": (_Json("resultList.result", ("id",), ("hitCount",)),),
    "biorxiv": (_Json("collection", ("biorxiv_doi",)),),
    "zbmath": (_Json("result", ("identifier", "id"), ("status.nr_total_results", "status.nr_request_results")),),
    "inspire": (_Json("hits.hits", ("id", "metadata.control_number"), ("hits.total",)),),
    "ads": (_Json("response.docs", ("bibcode",), ("response.numFound",)),),
    "openalex": (_Json("results", ("id",), ("meta.count",)),),
    "rfc_editor": (_Json("", ("doc_id",)),),
    "w3c": (_Json("", ("title",)),),
    "cran": (_Json("", ("name",)),),
    "pypi": (_Json("", ("info.name",)),),
    "github": (_Json("", ("name",)),),
    "hugging_face": (_Json("", ("id",)),),
    "semantic_scholar": (_Json("data", ("paperId",), ("total",)), _Json("", ("paperId",))),
}


def damaged(kind: str, service: str, reply: Reply) -> Reply:
    """Damage the first entry of a reply; return the reply unchanged if it has none or is not a list."""
    for shape in _SHAPES.get(service, ()):
        struck = (
            _strike_json(shape, kind, reply.body) if isinstance(shape, _Json) else _strike_xml(shape, kind, reply.body)
        )
        if struck is not None:
            return replace(reply, body=struck)
    return reply


def _strike_json(shape: _Json, kind: str, body: bytes) -> bytes | None:
    document = json.loads(body) if body[:1] in b"[{" else None
    holder = _at(document, shape.entries)
    several = isinstance(holder, list)
    if isinstance(holder, dict) and all(name.startswith("ISBN:") for name in holder):
        entry = next(iter(holder.values()), None)
    elif several:
        entry = next((one for one in holder if one is not None), None)
    else:
        entry = holder
    if not isinstance(entry, dict):
        return None
    if kind == "unreadable-entry":
        for path in shape.known_by:
            _drop(entry, path)
    elif several and shape.entries == "" and shape.known_by == ("paperId",):
        holder[holder.index(entry)] = None  # answers in the order of the queries keep the place
    elif several:
        holder.remove(entry)
    elif entry is not holder:
        del holder[next(iter(holder))]
    else:
        return None
    if kind == "uncounted-entry":
        for path in shape.counts:
            _change(document, path, lambda count: type(count)(int(count) - 1))
    return json.dumps(document, ensure_ascii=False).encode()


def _strike_xml(shape: _Xml, kind: str, body: bytes) -> bytes | None:
    text = body.decode()
    found = re.search(rf"<({shape.entry})[\s>].*?</\1>", text, re.DOTALL)
    if found is None:
        return None
    entry = found[0]
    if kind == "unreadable-entry":
        known = re.search(shape.known_by, entry)
        assert known
        struck = entry[: known.start(1)] + entry[known.end(1) :]
    else:
        struck = ""
    text = text[: found.start()] + struck + text[found.end() :]
    if kind == "uncounted-entry" and shape.counts:
        text = re.sub(shape.counts, lambda count: str(int(count[0]) - 1), text, count=1)
    return text.encode()


def _at(document: Any, path: str) -> Any:
    for name in filter(None, path.split(".")):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _drop(entry: dict[str, Any], path: str) -> None:
    *outer, last = path.split(".")
    holder = _at(entry, ".".join(outer))
    if isinstance(holder, dict):
        holder.pop(last, None)


def _change(document: Any, path: str, change: Callable[[Any], Any]) -> None:
    *outer, last = path.split(".")
    holder = _at(document, ".".join(outer))
    if isinstance(holder, dict) and last in holder:
        holder[last] = change(holder[last])
