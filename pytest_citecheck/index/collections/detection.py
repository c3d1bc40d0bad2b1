"""Which format a file is in: by what it begins with, and only then by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.index.collections.bibtex import BIBTEX
from pytest_citecheck.index.collections.csl_items import CSL_ITEMS
from pytest_citecheck.index.collections.entry_lines import ENTRY_LINES
from pytest_citecheck.index.collections.ris import RIS
from pytest_citecheck.services.acl_anthology.dump import ACL_XML
from pytest_citecheck.services.arxiv.dump import ARXIV_LINES
from pytest_citecheck.services.crossref.dump import CROSSREF_WORKS
from pytest_citecheck.services.dblp.dump_triples import DBLP_TRIPLES
from pytest_citecheck.services.dblp.dump_xml import DBLP_XML
from pytest_citecheck.services.dumps.base import Format, Head
from pytest_citecheck.services.openalex.dump import OPENALEX_WORKS
from pytest_citecheck.services.openreview.dump import OPENREVIEW_NOTES
from pytest_citecheck.services.pubmed.dump import PUBMED_XML

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMATS", "SNIFFED", "collection_name", "detect"]

SNIFFED = 1 << 18
"""Bytes of the content that a format is told by."""

_XML: tuple[Format, ...] = (DBLP_XML, PUBMED_XML, ACL_XML)
_JSON: tuple[Format, ...] = (
    ENTRY_LINES,
    ARXIV_LINES,
    OPENALEX_WORKS,
    CROSSREF_WORKS,
    # The least particular last.
    CSL_ITEMS,
    OPENREVIEW_NOTES,
)
_TEXT: tuple[Format, ...] = (DBLP_TRIPLES, RIS, BIBTEX)

FORMATS: tuple[Format, ...] = (*_XML, *_JSON, *_TEXT)
"""All formats. Add one here and in its group, by what its files begin with."""

_COMPRESSED = re.compile(r"\.(?:gz|zst|zstd|tar|tgz)\Z")
_ENDING = re.compile(r"\.(?:bib|bibtex|ris|xml|nt|csl|json|jsonl|ndjson|txt)\Z")
# Names of files that many collections are published under.
_NAMED: Mapping[str, str] = {"anthology": "acl_anthology", "anthology+abstracts": "acl_anthology"}


def detect(name: str, data: bytes) -> Format | None:
    """The format of a file with this name that begins so (with at least `SNIFFED` bytes, if it has them); None if unknown."""
    head = Head(_uncompressed(name), data[:SNIFFED])
    start = head.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    groups = {b"<": (*_XML, *_TEXT), b"{": (*_JSON, *_TEXT), b"[": (*_JSON, *_TEXT)}
    # A file whose first record is broken may begin with anything.
    candidates = groups.get(start, (*_TEXT, *_XML, *_JSON))
    return next((one for one in (*candidates, *FORMATS) if one.recognises(head)), None)


def collection_name(name: str) -> str:
    """What a collection is called by default that has no name of its own: the file's name without its endings."""
    bare = _uncompressed(name)
    while (shorter := _ENDING.sub("", bare)) != bare:
        bare = shorter
    return _NAMED.get(bare, bare)


def _uncompressed(name: str) -> str:
    """The name of a file or member in lower case, without folders and endings of compression."""
    bare = re.split(r"[/\\:]", name)[-1].lower()
    while (shorter := _COMPRESSED.sub("", bare)) != bare:
        bare = shorter
    return bare
