"""Works of Crossref: the public data file, the snapshots of Metadata Plus, and pages of the REST API.

Documentation: "Public data file" (crossref.org/learning/public-data-file), a directory or archive of files with
``{"items": […]}`` or one work a line; the works schema of the REST API (api.crossref.org/swagger-ui, "Work").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.crossref.record import parse_work
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["CROSSREF_WORKS", "DUMPS", "CrossrefWorks"]

_MARKS = re.compile(
    rb'"(?:reference-count|is-referenced-by-count|deposited|message-type|short-container-title|references-count)"\s*:'
)
_DOI = lazy_pattern(rb'"DOI"\s*:')
_TITLE_LIST = lazy_pattern(rb'"title"\s*:\s*\[')
# What has a DOI of its own, but is no work: a container, or a part of a work.
_NO_WORKS = frozenset({
    "journal", "journal-issue", "journal-volume", "book-series", "book-set", "proceedings-series", "report-series", "component",
    "grant",
})  # fmt: skip


class CrossrefWorks:
    """Reads works of Crossref (see the module)."""

    name = "crossref"
    source = "crossref"
    licence = ""
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By a DOI and fields that only Crossref has, or a list of titles."""
        marked = _MARKS.search(head.data) or _TITLE_LIST.search(head.data)
        return marked is not None and _DOI.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a work; containers (journals, series), components and grants are skipped."""
        for item in objects(chunks, context, _is_work):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            record = parse_work(value)
            if record is None:
                stated = text(value.get("DOI"))[:100]
                yield context.problem(offset, "the work has no DOI that is one", line=line, record=stated)
            elif text(value.get("type")) in _NO_WORKS:
                context.skipped["no work"] += 1
            else:
                yield record


def _is_work(value: dict[str, Any]) -> bool:
    # References and updates within a work have a DOI, too.
    return "DOI" in value and ("prefix" in value or "member" in value or isinstance(value.get("title"), list))


CROSSREF_WORKS = CrossrefWorks()
DUMPS = (CROSSREF_WORKS,)
