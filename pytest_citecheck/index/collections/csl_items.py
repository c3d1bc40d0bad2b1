"""Reference lists in CSL-JSON, as an array or one item a line.

Documentation: the CSL-JSON schema 1.0.2 (github.com/citation-style-language/schema) and the CSL specification 1.0.2, appendices
III and IV.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.crossref.dump import person
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import date_year, doi_name, listing, mapping, name, text, texts
from pytest_citecheck.services.dumps.json_values import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CSL_ITEMS", "CslItems"]

_TITLE = re.compile(rb'"title"\s*:\s*"')
_OWN = re.compile(rb'"(?:issued|container-title|date-parts|citation-key|page-first|event-title|DOI|PMID)"\s*:')
_FAMILY = re.compile(rb'"family"\s*:')
_VENUES = ("container-title", "container-title-short", "journalAbbreviation", "event-title", "collection-title")
_DIGITS = re.compile(r"\d{1,8}")
_ARXIV_DOI = "10.48550/arxiv."


class CslItems:
    """Reads CSL-JSON (see the module)."""

    name = "csl-json"
    source = ""

    def recognises(self, head: Head) -> bool:
        """By a title that is one string, and fields or divided names as CSL has them."""
        return bool(_TITLE.search(head.data) and (_OWN.search(head.data) or _FAMILY.search(head.data)))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry an item."""
        for item in objects(chunks, context, _is_item):
            yield item if isinstance(item, Problem) else _entry(item[2], context.source)


def _is_item(value: dict[str, Any]) -> bool:
    return "title" in value and ("type" in value or "id" in value or "author" in value)


def _person(stated: object) -> str:
    fields = mapping(stated)
    family, given = name(fields.get("family")), name(fields.get("given"))
    if not (family and given):
        return name(fields.get("literal")) or person(stated)
    particles = (name(fields.get(f"{kind}-particle")) for kind in ("dropping", "non-dropping"))
    family = " ".join(filter(None, (*particles, family)))
    return ", ".join(filter(None, (family, given, text(fields.get("suffix")))))


def _entry(item: dict[str, Any], source: str) -> Entry:
    doi = doi_name(item.get("DOI"))
    titles = texts(item.get("title"))
    names = list(dict.fromkeys(stated for field in _VENUES for stated in texts(item.get(field)))) or [""]
    arxiv = normalise_arxiv(doi[len(_ARXIV_DOI) :])[0] if doi.startswith(_ARXIV_DOI) else ""
    pmid = text(item.get("PMID"))
    url = text(item.get("URL"))
    arxiv = arxiv or (normalise_arxiv(url)[0] if "arxiv" in url.lower() else "")
    return Entry(
        source,
        text(item.get("id")) or doi,
        titles[0] if titles else "",
        tuple(filter(None, map(_person, listing(item.get("author"))))),
        date_year(item.get("issued")),
        names[0],
        doi,
        arxiv,
        url,
        _type(text(item.get("type")), arxiv),
        pmid if _DIGITS.fullmatch(pmid) else "",
        isbn=tuple(dict.fromkeys(isbn for stated in texts(item.get("ISBN")) for isbn in find_isbns(stated)[0])),
        venues=tuple(names[1:]),
        volume=text(item.get("volume")),
        number=text(item.get("issue")) or text(item.get("number")),
        pages=text(item.get("page")),
        editors=tuple(filter(None, map(_person, listing(item.get("editor"))))),
    )


def _type(stated: str, arxiv: str) -> str:
    """CSL calls an article what stands on its own: preprints by some, papers in journals by others."""
    return ("preprint" if arxiv else "") if stated == "article" else stated


CSL_ITEMS = CslItems()
