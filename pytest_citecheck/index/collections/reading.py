"""One dump file, read from front to back: records and problems in the order of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.index.collections.bibtex import BIBTEX
from pytest_citecheck.index.collections.csl_items import CSL_ITEMS
from pytest_citecheck.index.collections.detection import SNIFFED, collection_name, detect
from pytest_citecheck.index.collections.record_lines import RECORD_LINES
from pytest_citecheck.index.collections.ris import RIS
from pytest_citecheck.index.front_matter import reason_to_skip
from pytest_citecheck.index.keys import full_title
from pytest_citecheck.index.stated_keys import identified
from pytest_citecheck.linking.provenance import LIBRARY, label
from pytest_citecheck.services.dumps.base import LONGEST, Context, Problem
from pytest_citecheck.services.dumps.lines import overlong
from pytest_citecheck.services.dumps.streams import contents, peek

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["Reading"]


_OF_USERS = (BIBTEX, CSL_ITEMS, RIS)
"""Formats in which people keep references of their own."""


class Reading:
    """An iterator over the records and problems of one file (see `read`).

    formats: names of the formats that were found, in order, as far as the file has been read. skipped: how many records were
    left out on purpose, by reason ("front matter", "no title", "person" …). deleted: ids of records that the file takes back
    (PubMed's ``DeleteCitation``); they are complete only at the end.
    """

    def __init__(self, path: Path, source: str) -> None:
        self.formats: list[str] = []
        self._path = path
        self._context = Context(str(path), source)
        self._items = self._read()

    @property
    def skipped(self) -> Counter[str]:
        return self._context.skipped

    @property
    def deleted(self) -> list[str]:
        return self._context.deleted

    def __iter__(self) -> Iterator[Record | Problem]:
        return self

    def __next__(self) -> Record | Problem:
        return next(self._items)

    def _read(self) -> Iterator[Record | Problem]:
        pending = self._context.pending
        for context, chunks in contents(self._path, self._context):
            for item in self._file(context, chunks):
                if pending:
                    yield from pending
                    pending.clear()
                yield item
            yield from pending
            pending.clear()
        yield from pending
        pending.clear()

    def _file(self, context: Context, chunks: Iterator[bytes]) -> Iterator[Record | Problem]:
        head, chunks = peek(chunks, SNIFFED)
        found = detect(context.file, head)
        if not head.strip():
            yield context.problem(0, "the file is empty", cut=True)
        elif found is None:
            yield _unknown(chunks, context)
        else:
            if found.name not in self.formats:
                self.formats.append(found.name)
            given = self._context.source
            if found in _OF_USERS:
                given = given and _as_library(given)
            # The project's own lines name their collections themselves.
            context.source = given or found.source or ("" if found is RECORD_LINES else collection_name(context.file))
            if found in _OF_USERS:
                context.source = _as_library(context.source)
            skipped = self._context.skipped
            for item in found.read(chunks, context):
                if isinstance(item, Problem):
                    yield item
                elif reason := reason_to_skip(full_title(item)):
                    skipped[reason] += 1
                else:
                    yield identified(item, given)


def _as_library(collection: str) -> str:
    """The name of a collection; of one that no service or known collection has, marked as a library of the user."""
    return collection if label(collection) else f"{LIBRARY}-{collection}"


def _unknown(chunks: Iterator[bytes], context: Context) -> Problem:
    """Why the format of a file cannot be told. The rest of the file is not read."""
    length = 0
    for chunk in chunks:
        end = chunk.find(b"\n")
        length += len(chunk) if end < 0 else end
        if end >= 0:
            break
    if length > LONGEST:
        return replace(overlong(context, 0, 1, length), cut=True)
    return context.problem(0, "the file is in none of the known formats", cut=True)
