"""Notes of OpenReview, and lists of papers of a conference, as JSON.

Documentation: OpenReview API, "Note" (docs.openreview.net/reference/api-v2/entities/note): in version 2 each field of the content
is an object with its ``value``, in version 1 the value itself. Lists of papers have no standard; read are objects with a title
and authors, which is how conferences and those who collect them publish theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.openreview.record import note_id, parse_note, parse_paper
from pytest_citecheck.services.parsing.json_body import text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["DUMPS", "OPENREVIEW_NOTES", "OpenreviewNotes"]

_NOTE = lazy_pattern(rb'"content"\s*:\s*\{')
_PAPER = lazy_pattern(rb'"(?:title|name)"\s*:\s*"')
_AUTHORS = lazy_pattern(rb'"authors?"\s*:\s*["\[]')


class OpenreviewNotes:
    """Reads notes of OpenReview and lists of papers (see the module)."""

    name = "openreview"
    source = "openreview"
    licence = ""
    starts = "{["
    fallback = True

    def recognises(self, head: Head) -> bool:
        """By the content of a note, or a title and authors."""
        data = head.data
        return _NOTE.search(data) is not None or bool(_PAPER.search(data) and _AUTHORS.search(data))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a submission or paper; reviews and comments are skipped."""
        for item in objects(chunks, context, _is_paper):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            record = parse_note(value) if "content" in value else parse_paper(value)
            if record is None:
                yield context.problem(offset, "the note has no content", line=line, record=note_id(value))
            elif "content" in value and text(value.get("forum")) not in ("", note_id(value)):
                context.skipped["review or comment"] += 1
            else:
                yield record


def _is_paper(value: dict[str, Any]) -> bool:
    return ("content" in value and "id" in value) or ("title" in value and ("authors" in value or "author" in value))


OPENREVIEW_NOTES = OpenreviewNotes()
DUMPS = (OPENREVIEW_NOTES,)
