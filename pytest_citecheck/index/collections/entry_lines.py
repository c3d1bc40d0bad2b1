"""The project's own line format: one entry a line, as `Entry.to_json` writes it (docs/index-formats.md)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.index.entry import Entry, EntryError
from pytest_citecheck.index.front_matter import reason_to_skip
from pytest_citecheck.index.stated_keys import identified
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENTRY_LINES", "EntryLines"]

_NAMES = tuple(
    re.compile(rb'"%b"\s*:' % name) for name in (b"source", b"authors", b"year", b"venue", b"arxiv", b"title")
)
_SURROGATES = re.compile("[\ud800-\udfff]")


class EntryLines:
    """Reads the project's own lines; each states its collection itself."""

    name = "entries"
    source = ""

    def recognises(self, head: Head) -> bool:
        """By the names of the fields."""
        return all(name.search(head.data) for name in _NAMES)

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a line."""
        for item in objects(chunks, context, _is_entry):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            title = value["title"]
            if isinstance(title, str) and (skip := reason_to_skip(title)):
                context.skipped[skip] += 1
                continue
            if context.source:
                value["source"] = context.source
            try:
                entry = Entry.from_json(value)
            except EntryError as error:
                stated = value.get("id")
                yield context.problem(offset, str(error), line=line, record=stated if isinstance(stated, str) else "")
                continue
            yield identified(entry if _is_text(entry) else _clean(entry))


def _is_entry(value: dict[str, Any]) -> bool:
    return "title" in value and "source" in value


def _is_text(entry: Entry) -> bool:
    """Whether all of it can be written in UTF-8: a lone surrogate can be stated in JSON, but is no character."""
    try:
        "".join((entry.id, entry.title, entry.venue, entry.url, *entry.authors, *entry.editors, *entry.venues)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _clean(entry: Entry) -> Entry:
    fields = (
        _SURROGATES.sub("", value)
        if isinstance(value, str)
        else tuple(_SURROGATES.sub("", item) for item in value)
        if isinstance(value, tuple)
        else value
        for value in entry
    )
    return Entry(*fields)  # type: ignore[arg-type]  # each of its own type, as before


ENTRY_LINES = EntryLines()
