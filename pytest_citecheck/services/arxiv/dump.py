"""arXiv's metadata as JSON lines, ``arxiv-metadata-oai-snapshot.json``.

Documentation: the data set "arXiv Dataset" of Cornell University (kaggle.com/datasets/Cornell-University/arxiv), which states the
fields: id, title, authors_parsed (family, given, suffix, affiliations), doi and journal-ref as authors gave them, versions
with their dates, update_date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.arxiv.record import parse_line
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["ARXIV_LINES", "DUMPS", "ArxivLines"]

_MARK = lazy_pattern(rb'"(?:authors_parsed|journal-ref)"\s*:')


class ArxivLines:
    """Reads arXiv's metadata (see the module)."""

    name = "arxiv"
    source = "arxiv"
    licence = "CC0-1.0"
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By fields that only arXiv has."""
        return _MARK.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a line."""
        for item in objects(chunks, context, _is_eprint):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            record = parse_line(value)
            if record is None:
                stated = text(value.get("id"))[:100]
                yield context.problem(offset, "the id is none of arXiv", line=line, record=stated)
            else:
                yield record


def _is_eprint(value: dict[str, Any]) -> bool:
    return "id" in value and "title" in value and ("authors_parsed" in value or "authors" in value)


ARXIV_LINES = ArxivLines()
DUMPS = (ARXIV_LINES,)
