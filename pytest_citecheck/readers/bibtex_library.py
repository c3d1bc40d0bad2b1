"""The well-formed entries of a BibTeX file, as bibtexparser's splitter reads them.

The library is quick and right about sound entries, but it also gives out damaged ones without a word: where a comma is
missing it leaves the next field inside the value, a ``%`` becomes part of a field name, a surplus brace ends the entry,
``@misc{`` on a new line of a value begins another one, and a backslash hides the brace behind it. So what it returns
counts only if every part has the plain form that leaves one way to read it; all else is left to `bibtex_entry.scan_entry`,
which would read the entries accepted here alike.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from bibtexparser.model import Entry, String
from bibtexparser.splitter import Splitter

from pytest_citecheck.readers.bibtex_entry import ScannedEntry, ScannedField
from pytest_citecheck.readers.bibtex_repair import WELL_KNOWN, balance, closing_brace, field_break
from pytest_citecheck.readers.bibtex_value import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bibtexparser.model import Block

    from pytest_citecheck.readers.bibtex_starts import Start

__all__ = ["well_formed_entries"]

_KEY = re.compile(r"[^\s,{}=\"%]+")
_FIELD_NAME = re.compile(r"[^\W\d][\w.+-]{0,60}")
_SIMPLE = re.compile(r"\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+)")
_MACRO = re.compile(r"[^\s,#{}\"=()%“”„‘’'\d][^\s,#{}\"=()%“”„‘’']*")
_QUOTE_OR_BRACE = re.compile(r'["{]')
_JOINT = re.compile(r"\s*#\s*")
_SEQUEL = re.compile(rf"[ \t]*+[^\s%@]|\s*+(?:[}},]|(?:{WELL_KNOWN})\s*=)", re.IGNORECASE)
"""What follows a closing brace that may not be the end: text on the same line, another brace, further fields."""
_DELIMITERS = '{}",=\n'
_MARKS = 100_000
_MARKS_OF_AN_ENTRY = 500


def well_formed_entries(text: str, starts: list[Start]) -> dict[int, ScannedEntry]:
    """The entries and ``@string`` blocks that are certainly well formed, by the offset of their ``@``.

    ``text`` is that of the whole file with LF line ends, ``starts`` are all its starts in their order. Entries in
    parentheses and entries without fields are never among them. Never raises.
    """
    offsets = [start.at for start in starts]
    found: dict[int, ScannedEntry] = {}
    position = 0
    for block in _split(text, len(starts)):
        # Failed blocks and repeated keys or fields come as other classes.
        if not isinstance(block, Entry | String) or not block.raw or not block.raw.endswith("}"):
            continue
        begin = text.find(block.raw, position)
        if begin < 0:
            continue
        position = end = begin + len(block.raw)
        inner = bisect_right(offsets, begin)
        if (inner < len(offsets) and offsets[inner] < end) or _SEQUEL.match(text, end):
            continue
        entry = _definition(block, begin) if isinstance(block, String) else _entry(block, begin)
        if entry is not None:
            found[begin] = entry
    return found


def _split(text: str, starts: int) -> Iterable[Block]:
    """What the library makes of the text; nothing if it fails.

    It goes from delimiter to delimiter, several times slower than our scanner. Entries full of them, such as a value of
    millions of braces, are not worth that.
    """
    if sum(map(text.count, _DELIMITERS)) > _MARKS + _MARKS_OF_AN_ENTRY * starts:
        return ()
    logger = logging.getLogger(Splitter.__module__)
    disabled = logger.disabled
    logger.disabled = True  # a warning for each failed block, which is read again and described by our scanner
    try:
        return Splitter(text).split().blocks
    except Exception:  # noqa: BLE001 - whatever goes wrong in the library, the scanner reads the whole file
        return ()
    finally:
        logger.disabled = disabled


def _entry(block: Entry, begin: int) -> ScannedEntry | None:
    if not block.entry_type or not block.fields or not _KEY.fullmatch(block.key):
        return None
    fields = _fields(block.raw or "", ",", begin, ((field.key, field.value) for field in block.fields))
    return ScannedEntry(begin, begin + len(block.raw or ""), block.entry_type, block.key, fields) if fields else None


def _definition(block: String, begin: int) -> ScannedEntry | None:
    raw = block.raw or ""
    if raw.partition("{")[0].rstrip().lower() != "@string":
        return None  # the library goes by the first letters of the type
    fields = _fields(raw, "{", begin, ((block.key, block.value),))
    return ScannedEntry(begin, begin + len(raw), "string", fields=fields) if fields else None


def _fields(raw: str, before: str, begin: int, pairs: Iterable[tuple[str, str]]) -> list[ScannedField]:
    """The fields, which begin behind the first ``before``; empty if one of them is suspect.

    A name is the first text behind the comma before it, a value the first behind its equals sign: the search for them
    finds no other place.
    """
    fields = []
    position = raw.index(before) + 1
    for written, value in pairs:
        name = _field_name(written)
        parts = _parts(value) if name else None
        if parts is None:
            return []
        at = raw.index(written, position)
        position = raw.index(value, at + len(written)) + len(value)
        fields.append(ScannedField(name, parts, begin + at))
    return fields


@lru_cache(maxsize=1024)
def _field_name(written: str) -> str:
    """The name in lower case; empty if it is not plain."""
    return written.lower() if _FIELD_NAME.fullmatch(written) else ""


def _parts(value: str) -> list[Part] | None:
    """The parts of a value; None unless it consists of whole parts with ``#`` between them."""
    if (simple := _SIMPLE.fullmatch(value)) is not None:
        content = simple[simple.lastindex or 1]
        return None if _holds_field(content) else [Part(content)]
    parts = []
    position = 0
    while True:
        found = _part(value, position)
        if found is None:
            return None
        part, position = found
        parts.append(part)
        if position == len(value):
            return parts
        joint = _JOINT.match(value, position)
        if joint is None:
            return None
        position = joint.end()


def _part(value: str, at: int) -> tuple[Part, int] | None:
    """The part that begins at ``at``, and the offset behind it; None if it is not plain."""
    if value.startswith("{", at):
        end = closing_brace(value, at, len(value))
    elif value.startswith('"', at):
        end = _closing_quote(value, at)
    elif bare := _SIMPLE.match(value, at) or _MACRO.match(value, at):
        return Part(bare[0], macro=bare.re is _MACRO), bare.end()
    else:
        return None
    content = value[at + 1 : end]
    if end < 0 or _holds_field(content) or (value[at] == '"' and balance(content) != content):
        return None
    return Part(content), end + 1


def _closing_quote(value: str, at: int) -> int:
    """The offset of the first quotation mark behind ``at`` that stands outside of braces; -1 if there is none."""
    position = at + 1
    while mark := _QUOTE_OR_BRACE.search(value, position):
        if mark[0] == '"':
            return mark.start()
        position = closing_brace(value, mark.start(), len(value)) + 1
        if not position:
            return -1
    return -1


def _holds_field(content: str) -> bool:
    """Whether a field seems to begin inside of a value: its own end may be missing, or a comma behind it."""
    if "=" not in content or ("," not in content and "\n" not in content):
        return False
    return field_break(content, 0, len(content)) is not None
