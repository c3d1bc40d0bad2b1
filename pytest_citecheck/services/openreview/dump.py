"""Notes of OpenReview, and lists of papers of a conference, as JSON.

Documentation: OpenReview API, "Note" (docs.openreview.net/reference/api-v2/entities/note): in version 2 each field of the content
is an object with its ``value``, in version 1 the value itself. Lists of papers have no standard; read are objects with a title
and authors, which is how conferences and those who collect them publish theirs.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.arxiv import normalise_arxiv
from pytest_citecheck.identifiers.catalogue_keys import openreview_id
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import doi_name, listing, mapping, name, text, year_in
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.latex import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OPENREVIEW_NOTES", "OpenreviewNotes"]

_NOTE = re.compile(rb'"content"\s*:\s*\{')
_PAPER = re.compile(rb'"(?:title|name)"\s*:\s*"')
_AUTHORS = re.compile(rb'"authors?"\s*:\s*["\[]')
# Where a submission stands, as venues and their ids say it: nothing of this is a publication.
_UNDECIDED = re.compile(
    r"submi(?:tted|ssions?)|reject|withdraw|under[\s_]*review|pending|retracted|\binvite\b|anonymous", re.IGNORECASE
)
_SEPARATOR = re.compile(r"(?:(?<!\s)[^\S\n]++|(?<=\n)[^\S\n]++)?[;\n]\s*")
_AND = re.compile(BLANKS + r"and\s+|" + MAYBE_BLANKS + r",\s*")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class OpenreviewNotes:
    """Reads notes of OpenReview and lists of papers (see the module)."""

    name = "openreview"
    source = "openreview"

    def recognises(self, head: Head) -> bool:
        """By the content of a note, or a title and authors."""
        data = head.data
        return _NOTE.search(data) is not None or bool(_PAPER.search(data) and _AUTHORS.search(data))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a submission or paper; reviews and comments are skipped."""
        source = context.source or self.source
        for item in objects(chunks, context, _is_paper):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            if "content" not in value:
                yield _paper(value, source)
            elif not isinstance(value["content"], dict):
                yield context.problem(offset, "the note has no content", line=line, record=text(value.get("id")))
            elif text(value.get("forum")) not in ("", text(value.get("id"))):
                context.skipped["review or comment"] += 1
            else:
                yield _submission(value, source)


def _is_paper(value: dict[str, Any]) -> bool:
    return ("content" in value and "id" in value) or ("title" in value and ("authors" in value or "author" in value))


def _submission(note: dict[str, Any], source: str) -> Entry:
    content = {key: _value(field) for key, field in note["content"].items()}
    identifier = text(note.get("id"))
    venue, group = text(content.get("venue")), text(content.get("venueid"))
    published = bool(venue) and not _UNDECIDED.search(f"{venue} {group}")
    years = (year_in(group), year_in(venue), *(_moment_year(note.get(date)) for date in ("pdate", "cdate", "tcdate")))
    return Entry(
        source,
        identifier,
        _title(content.get("title")),
        _people(content.get("authors")),
        next(filter(None, years), None),
        venue,
        "",
        "",
        f"https://openreview.net/forum?id={identifier}",
        "inproceedings" if published else "submission",
        openreview=openreview_id(identifier),
    )


def _paper(value: dict[str, Any], source: str) -> Entry:
    """A paper of a list."""
    addresses = [text(value.get(field)) for field in ("url", "site", "link", "openreview", "pdf")]
    url = next(filter(None, addresses), "")
    stated = next(
        filter(None, (text(value.get(field)) for field in ("venue", "conference", "booktitle", "journal"))), ""
    )
    status = text(value.get("status"))
    submission = next(
        filter(None, (openreview_id(address) for address in addresses if "openreview.net" in address)), ""
    )
    kind = text(value.get("type")) or "inproceedings"
    return Entry(
        source,
        text(value.get("id")) or text(value.get("paper_id")) or submission,
        _title(value.get("title")),
        _people(value.get("authors") or value.get("author")),
        year_in(value.get("year")) or year_in(value.get("date")) or year_in(stated),
        stated,
        doi_name(value.get("doi")),
        normalise_arxiv(text(value.get("arxiv")))[0],
        url,
        "submission" if _UNDECIDED.search(f"{status} {stated}") else kind,
        openreview=submission,
    )


def _value(field: object) -> object:
    """What a field of the content holds, in either version."""
    return field["value"] if isinstance(field, dict) and "value" in field else field


def _title(value: object) -> str:
    return " ".join(decode(text(value)).split())


def _people(stated: object) -> tuple[str, ...]:
    """Names in an array, as text or as objects; or in one string, parted by semicolons, or else by commas and "and"."""
    if isinstance(stated, str):
        parts = _SEPARATOR.split(stated)
        if len(parts) == 1 and all(" " in part for part in _AND.split(stated.strip())):
            parts = _AND.split(stated)
        return tuple(filter(None, map(name, parts)))
    names = (
        name(mapping(one).get("fullname")) or name(mapping(one).get("name")) or name(one) for one in listing(stated)
    )
    return tuple(filter(None, names))


def _moment_year(milliseconds: object) -> int | None:
    """The year (UTC) of a moment in milliseconds since 1970, or None if it is none."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    try:
        return year_in((_EPOCH + dt.timedelta(milliseconds=milliseconds)).year)
    except (OverflowError, ValueError):
        return None


OPENREVIEW_NOTES = OpenreviewNotes()
