"""Which format a file is in: by what it begins with, and only then by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.index.collections.bibtex import BIBTEX
from pytest_citecheck.index.collections.csl_items import CSL_ITEMS
from pytest_citecheck.index.collections.record_lines import RECORD_LINES
from pytest_citecheck.index.collections.ris import RIS
from pytest_citecheck.services import dump_formats
from pytest_citecheck.services.dumps.base import Format, Head
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMATS", "SNIFFED", "collection_name", "detect", "licence_of"]

SNIFFED = 1 << 18
"""Bytes of the content that a format is told by."""

FORMATS: tuple[Format, ...] = tuple(
    sorted((RECORD_LINES, *dump_formats(), CSL_ITEMS, RIS, BIBTEX), key=lambda form: form.fallback)
)
"""All formats, those of the services and those of files that users bring, in the order in which they are tried."""

_COMPRESSED = lazy_pattern(r"\.(?:gz|zst|zstd|tar|tgz)\Z")
_ENDING = lazy_pattern(r"\.(?:bib|bibtex|ris|xml|nt|csl|json|jsonl|ndjson|txt)\Z")
# Names of files that many collections are published under.
_NAMED: Mapping[str, str] = {"anthology": "acl_anthology", "anthology+abstracts": "acl_anthology"}


def detect(name: str, data: bytes) -> Format | None:
    """The format of a file with this name that begins so (with at least `SNIFFED` bytes, if it has them); None if unknown."""
    head = Head(_uncompressed(name), data[:SNIFFED])
    start = head.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1].decode("latin-1") or " "
    # A file whose first record is broken may begin with anything.
    likely = (form for form in FORMATS if not form.starts or start in form.starts)
    return next((form for form in (*likely, *FORMATS) if form.recognises(head)), None)


def licence_of(collection: str) -> str:
    """The licence (SPDX) of the metadata in a collection; empty if unknown."""
    return next((form.licence for form in FORMATS if form.source == collection), "")


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
