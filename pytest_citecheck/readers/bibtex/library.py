"""Well-formed BibTeX blocks, as bibtexparser's splitter reads them.

The library reads whole files and is right about sound entries, but it also returns damaged ones without an error: where a comma
is missing it leaves the next field inside the value, a ``%`` becomes part of a field name, a surplus brace ends the entry, and
a backslash hides the brace after it. So a block counts only if every part has the plain form that leaves one way to read it.
The scanner (`readers.bibtex.entry`) reads all other blocks, and would read the blocks accepted here alike.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from bibtexparser.model import DuplicateBlockKeyBlock, Entry, String
from bibtexparser.splitter import Splitter

from pytest_citecheck.readers.bibtex.entry import ScannedEntry, ScannedField
from pytest_citecheck.readers.bibtex.repair import WELL_KNOWN, balance, closing_brace, field_break
from pytest_citecheck.readers.bibtex.value import Part
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bibtexparser.model import Block

    from pytest_citecheck.readers.bibtex.starts import Start

__all__ = ["parse_well_formed"]

_KEY = lazy_pattern(r"[^\s,{}=\"%]+")
_FIELD_NAME = lazy_pattern(r"[^\W\d][\w.+-]{0,60}")
_SIMPLE = lazy_pattern(r"\{([^{}]*)\}|\"([^\"{}]*)\"|(\d+)")
_MACRO = re.compile(r"[^\s,#{}\"=()%“”„‘’']+")
_QUOTE_OR_BRACE = lazy_pattern(r'["{]')
_JOINT = lazy_pattern(r"\s*#\s*")
_SEQUEL = lazy_pattern(rf"[ \t]*+[^\s%@]|\s*+(?:[}},]|(?:{WELL_KNOWN})\s*=)", re.IGNORECASE)
"""What follows a closing brace that may not be the end: text on the same line, another brace, further fields."""
_LONGEST = 100_000
"""Characters of a block up to which the library reads it: it goes from one brace, comma or line end to the next, and in a value
of millions of them takes several times as long as the scanner."""
_STRETCH = 1_000_000
"""Characters that the library reads at once, so that it holds a part of a large file and not all of it."""
_LOGGER = logging.getLogger(Splitter.__module__)


def parse_well_formed(text: str, starts: Sequence[Start]) -> dict[int, ScannedEntry]:
    """The entries and ``@string`` blocks that are certainly well formed, by the offset at which they start. Never raises.

    ``text`` is that of the whole file with LF line ends; ``starts`` are the places where its blocks seem to start. A block with
    another start inside is suspect. So is one in parentheses, where a lone brace is no fault, and one without fields.
    """
    found: dict[int, ScannedEntry] = {}
    disabled = _LOGGER.disabled
    _LOGGER.disabled = True  # it warns of each failed block; the scanner reports what is wrong with it
    try:
        for stretch, end in _stretches(starts, len(text)):
            ends = [*(start.at for start in stretch[1:]), end]
            for block, index in _located(text, stretch, end):
                entry = _entry(text, block, stretch[index], ends[index])
                if entry is not None:
                    found[entry.start] = entry
    finally:
        _LOGGER.disabled = disabled
    return found


def _stretches(starts: Sequence[Start], end: int) -> Iterator[tuple[list[Start], int]]:
    """Consecutive starts, and the offset at which the last of their blocks ends; none with a block of absurd length."""
    stretch: list[Start] = []
    for start, following in pairwise([*starts, None]):
        assert start is not None  # noqa: S101 - only the last one is
        block_end = end if following is None else following.at
        if block_end - start.at <= _LONGEST:
            stretch.append(start)
        if stretch and (following is None or block_end - stretch[0].at > _STRETCH or stretch[-1] is not start):
            yield stretch, start.at if stretch[-1] is not start else block_end
            stretch = []


def _located(text: str, stretch: Sequence[Start], end: int) -> Iterator[tuple[Entry | String, int]]:
    """What the library reads in the text of these starts and does not set aside, each block with the index of its start."""
    try:
        blocks = Splitter(text[stretch[0].at : end]).split().blocks
    except Exception:  # noqa: BLE001 - whatever goes wrong in the library, the scanner reads the entries
        return
    indices = {start.at: index for index, start in enumerate(stretch)}
    position = stretch[0].at
    for found in blocks:
        block: Block | None = found.ignore_error_block if isinstance(found, DuplicateBlockKeyBlock) else found
        if not isinstance(block, Entry | String) or not block.raw:
            continue  # a comment, a failed block or a repeated field
        at = text.find(block.raw, position, end)
        if at < 0:
            return  # not of this text
        position = at + len(block.raw)
        if at in indices:
            yield block, indices[at]


def _entry(text: str, block: Entry | String, start: Start, end: int) -> ScannedEntry | None:
    """The block that starts there as an entry; None if it is suspect. ``end`` is the offset of the next start."""
    raw = block.raw or ""
    after = start.at + len(raw)
    if text[start.opener] != "{" or after > end or _SEQUEL.match(text, after):
        return None
    if isinstance(block, String):
        if start.kind != "string":
            return None  # the library also takes @stringent for it
        fields = _fields(raw, start.opener - start.at + 1, start.at, [(block.key, block.value)])
        return ScannedEntry(start.at, after, start.kind, "", fields) if fields else None
    if not start.kind or not _KEY.fullmatch(block.key):
        return None
    fields = _fields(raw, raw.find(",") + 1, start.at, [(field.key, field.value) for field in block.fields])
    return ScannedEntry(start.at, after, start.kind, block.key, fields) if fields else None


def _fields(raw: str, begin: int, offset: int, pairs: Iterable[tuple[str, str]]) -> list[ScannedField]:
    """The fields that follow from ``begin`` in the block that stands at ``offset``; empty if one of them is suspect.

    The library gives no offsets. A name is the first text after the comma before it and a value the first after its equals
    sign, so a search finds them in no other place.
    """
    fields = []
    for written, value in pairs:
        name = _field_name(written)
        parts = _parts(value) if name else None
        at = raw.find(written, begin)
        begin = raw.find(value, at + len(written)) + len(value)
        if parts is None or at < 0 or begin < at:
            return []
        fields.append(ScannedField(name, parts, offset + at))
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
    """The part that begins at ``at``, and the offset after it; None if it is not plain."""
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
    """The offset of the first quotation mark after ``at`` that stands outside of braces; -1 if there is none."""
    position = at + 1
    while mark := _QUOTE_OR_BRACE.search(value, position):
        if mark[0] == '"':
            return mark.start()
        position = closing_brace(value, mark.start(), len(value)) + 1
        if not position:
            return -1
    return -1


def _holds_field(content: str) -> bool:
    """Whether a field seems to begin inside a value: its own end may be missing, or a comma after it."""
    if "=" not in content or ("," not in content and "\n" not in content):
        return False
    return field_break(content, 0, len(content)) is not None
