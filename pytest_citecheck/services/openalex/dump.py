"""Works of OpenAlex: the partitions of its snapshot (``data/works/updated_date=…/part_000.gz``) and pages of its API.

Documentation: "OpenAlex snapshot" (docs.openalex.org/download-all-data/openalex-snapshot) and the work object
(docs.openalex.org/api-entities/works/work-object).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.openalex.record import parse_work
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["DUMPS", "OPENALEX_WORKS", "OpenalexWorks"]

_ID = lazy_pattern(rb'"id"\s*:\s*"(?:https?://openalex\.org/)?W\d')
_MARK = lazy_pattern(rb'"(?:authorships|publication_year)"\s*:')


class OpenalexWorks:
    """Reads works of OpenAlex (see the module)."""

    name = "openalex"
    source = "openalex"
    licence = "CC0-1.0"
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By an id of OpenAlex and the field of the authors."""
        return _ID.search(head.data) is not None and _MARK.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a work; what OpenAlex calls paratext (covers, tables of contents) is skipped."""
        for item in objects(chunks, context, _is_work):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            record = parse_work(value)
            if record is None:
                stated = text(value["id"])[:100]
                yield context.problem(offset, "the id is none of a work of OpenAlex", line=line, record=stated)
            elif value.get("is_paratext") is True or value.get("type") == "paratext":
                context.skipped["front matter"] += 1
            else:
                yield record


def _is_work(value: dict[str, Any]) -> bool:
    # Authors and topics within a work have an id, too.
    return "id" in value and ("authorships" in value or "publication_year" in value)


OPENALEX_WORKS = OpenalexWorks()
DUMPS = (OPENALEX_WORKS,)
