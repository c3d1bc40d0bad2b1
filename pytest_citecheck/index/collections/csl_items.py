"""Reference lists in CSL-JSON, as an array or one item a line.

Documentation: the CSL-JSON schema 1.0.2 (github.com/citation-style-language/schema) and the CSL specification 1.0.2, appendices
III and IV.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.services.doi_content.csl_item import parse_item
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record, RecordType

__all__ = ["CSL_ITEMS", "CslItems"]

_TITLE = lazy_pattern(rb'"title"\s*:\s*"')
_OWN = lazy_pattern(rb'"(?:issued|container-title|date-parts|citation-key|page-first|event-title|DOI|PMID)"\s*:')
_FAMILY = lazy_pattern(rb'"family"\s*:')
_DIGITS = lazy_pattern(r"\d{1,8}")


class CslItems:
    """Reads CSL-JSON (see the module)."""

    name = "csl-json"
    source = ""
    licence = ""
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By a title that is one string, and fields or divided names as CSL has them."""
        return bool(_TITLE.search(head.data) and (_OWN.search(head.data) or _FAMILY.search(head.data)))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an item."""
        for item in objects(chunks, context, _is_item):
            yield item if isinstance(item, Problem) else _record(item[2], context.source)


def _is_item(value: dict[str, Any]) -> bool:
    return "title" in value and ("type" in value or "id" in value or "author" in value)


def _record(item: dict[str, Any], source: str) -> Record:
    record = parse_item(item, "")
    pmid, url = text(item.get("PMID")), text(item.get("URL"))
    arxiv = record.arxiv or (normalise_arxiv(url)[0] if "arxiv" in url.lower() else "")
    # CSL calls an article what stands on its own: preprints by some, papers in journals by others.
    own: RecordType = "preprint" if arxiv else ""
    return replace(
        record,
        source=source,
        id=text(item.get("id")) or record.doi,
        url=url,
        type=own if text(item.get("type")) == "article" else record.type,
        arxiv=arxiv,
        pmid=pmid if _DIGITS.fullmatch(pmid) else "",
        agency="",
    )


CSL_ITEMS = CslItems()
