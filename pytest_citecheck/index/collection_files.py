"""Dumps of bibliographic collections, read into records of the local index (docs/index-formats.md).

Each service declares the formats of its dumps (`services.dump_formats`); this module has the formats of users' files.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.evidence import LIBRARY, label
from pytest_citecheck.index.collections import BIBTEX, CSL_ITEMS, RECORD_LINES, RIS
from pytest_citecheck.index.keys import full_title, identified
from pytest_citecheck.index.search import reason_to_skip
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.sources import LONGEST, Context, Format, Head, Problem, contents, dump_formats, overlong, peek

if TYPE_CHECKING:
    import os
    from collections import Counter
    from collections.abc import Iterator, Mapping

    from pytest_citecheck.model import Record
    from pytest_citecheck.sources import Part

SNIFFED = 1 << 18
"""Number of bytes of the content that detection reads."""

FORMATS: tuple[Format, ...] = tuple(
    sorted((RECORD_LINES, *dump_formats(), CSL_ITEMS, RIS, BIBTEX), key=lambda form: form.fallback)
)
"""All formats, of services and of users' files, in the order of detection."""

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
    """Default name of a collection: the file's name without its endings."""
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


_OF_USERS = (BIBTEX, CSL_ITEMS, RIS)
"""Formats of users' own references."""


class Reading:
    """An iterator over the records and problems of one file (see `read`).

    name: of the file, if another one has its content. part: the part of the file that ``path`` has. form: name of the format.
    formats: names of the formats that were found, in order, as far as the file has been read. skipped: number of
    intentionally omitted records, by reason ("front matter", "no title", "person" …). deleted: ids of records that the
    file withdraws (PubMed's ``DeleteCitation``), complete only at the end.
    """

    def __init__(self, path: Path, source: str, *, name: str = "", part: Part | None = None, form: str = "") -> None:
        self.formats: list[str] = []
        self._path = path
        self._context = Context(name or str(path), source)
        if part is not None:
            self._context.known = part.known
        self._form = next((one for one in FORMATS if one.name == form), None)
        self._items = self._read() if part is None else self._read_part(part)

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

    def _read_part(self, part: Part) -> Iterator[Record | Problem]:
        for item in self._read():
            if isinstance(item, Problem):
                line = None if item.line is None else item.line + part.line
                yield replace(item, offset=item.offset + part.offset, line=line)
            else:
                yield item

    def _file(self, context: Context, chunks: Iterator[bytes]) -> Iterator[Record | Problem]:
        head, chunks = peek(chunks, SNIFFED)
        found = self._form or detect(context.file, head)
        if not head.strip():
            if self._form is None:
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
    """Reason why the format of a file is unknown. The rest of the file is not read."""
    length = 0
    for chunk in chunks:
        end = chunk.find(b"\n")
        length += len(chunk) if end < 0 else end
        if end >= 0:
            break
    if length > LONGEST:
        return replace(overlong(context, 0, 1, length), cut=True)
    return context.problem(0, "the file is in none of the known formats", cut=True)


def read(path: str | os.PathLike[str], *, source: str = "") -> Reading:
    """An iterator over the records of a dump file and the problems in it, in the order of the file.

    path: a file in one of the formats of `detection`, plain, compressed with gzip or Zstandard, or a tar archive of such files.
    source: name of the collection; by default the one of the format (``dblp``), else the name of the file without endings.

    The file is read as a stream in bounded memory. A broken record is a `Problem` and costs only itself. Raises OSError when
    the file cannot be read, and DumpError when it is compressed with Zstandard and the library for that is missing; never
    on account of its content.
    """
    return Reading(Path(path), source)
