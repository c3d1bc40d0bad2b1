"""Reference lists in BibTeX: ``anthology.bib`` of the ACL Anthology, exports of dblp, any other ``.bib``.

The grammar is that of the project's own reader of BibTeX (readers/bibtex/reader.py). A large file goes through it in
parts, each with the abbreviations (``@string``) that stand before it. An index holds no guesses: of what that reader
repairs, an entry that was cut off is a problem here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.readers.bibtex.reader import BibtexReader, read_bibtex
from pytest_citecheck.services.bibtex.record import broken, entry_record
from pytest_citecheck.services.dumps.base import LONGEST, Context, Head, Problem
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["BIBTEX", "Bibtex"]

_ENTRY = lazy_pattern(rb"^[^\S\n]*+@\s*+[A-Za-z]++\s*+[{(]", re.MULTILINE)
# Where one entry ends and another begins, and not where a value looks so.
_BORDER = lazy_pattern(rb"[})][ \t\r]*\n(?=\s*@[A-Za-z]+\s*[{(])")
_STRING = lazy_pattern(rb"^[ \t]*@string\s*[{(][^@]*?[}\"]\s*[})][ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_PART = 4 << 20
_MOST_STRINGS = 1 << 20


class Bibtex:
    """Reads BibTeX (see the module)."""

    name = "bibtex"
    source = ""
    licence = ""
    starts = ""
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By the start of an entry at the start of a line, or by the name of the file."""
        return _ENTRY.search(head.data) is not None or head.name.endswith(tuple(BibtexReader.suffixes))

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an entry. What is inherited (``crossref``) has to stand within the same four megabytes."""
        strings = b""
        for offset, line, part in _parts(chunks):
            if len(part) > LONGEST:
                yield context.problem(offset, f"no entry ends within {LONGEST:,} bytes", line=line)
                continue
            yield from _read(part, strings, context, offset, line)
            found = b"".join(match[0].strip() + b"\n" for match in _STRING.finditer(part))
            if len(strings) + len(found) <= _MOST_STRINGS:
                strings += found


def _parts(chunks: Iterator[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Offset, first line (1-based) and bytes of parts of the file that end where an entry ends.

    Where none ends, a part gets too long to be read, and is cut.
    """
    held, offset, line = b"", 0, 1
    for chunk in chunks:
        held += chunk
        while len(held) >= _PART:
            border = _BORDER.search(held, _PART // 2)
            if border is None and len(held) <= LONGEST:
                break
            end = border.end() if border else len(held)
            yield offset, line, held[:end]
            offset, line, held = offset + end, line + held.count(b"\n", 0, end), held[end:]
    if held.strip():
        yield offset, line, held


def _read(part: bytes, strings: bytes, context: Context, offset: int, line: int) -> Iterator[Record | Problem]:
    before = strings.count(b"\n")
    starts: list[int] = []

    def problem(reason: str, place: int, record: str = "") -> Problem:
        if not starts:
            starts.extend((0, *(match.end() for match in re.finditer(rb"\n", part))))
        index = min(max(place - before - 1, 0), len(starts) - 1)
        return context.problem(offset + starts[index], reason, line=line + index, record=record)

    bibliography = read_bibtex(context.file, strings + part)
    for note in bibliography.notes:
        if note.code in ("encoding-guessed", "stray-fields", "git-conflict-marker"):
            yield problem(note.message, note.line)
    for reference in bibliography.references:
        if reason := broken(reference):
            yield problem(reason, reference.location.line, reference.key)
        elif reference.type not in ("xdata", "set"):
            yield entry_record(reference, context.source)


BIBTEX = Bibtex()
