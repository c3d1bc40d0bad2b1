"""The protocol of a reader: the bytes of a file in, references out."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pytest_citecheck.matching.text import lazy_pattern
from pytest_citecheck.model import Defect, Reference, Suppression

__all__ = [
    "NO_USAGE",
    "NO_WORKS",
    "SUPPRESSION_FIELD",
    "AnswerGroup",
    "Answered",
    "Bibliography",
    "LineIndex",
    "Reader",
    "Usage",
    "beside",
    "byte_order_mark",
    "content_hash",
    "decode_bytes",
    "escape_key",
    "escape_name",
    "in_field",
    "read_reason",
    "reference_names",
    "unify_line_ends",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took, as far as it is known.

    calls: of the model. searches, iterations: of its tool. fallback: whether it is that of a call without the tool. tokens and
    cost (US dollars): None if unknown. finish: why the answer ends; ``length``: it is cut off. failure: why the call failed.
    """

    calls: int = 1
    searches: int = 0
    iterations: int = 0
    fallback: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    finish: str = ""
    failure: str = ""


NO_USAGE = Usage()
NO_WORKS = frozenset({"xdata", "set"})
"""Entries of biblatex that contain parts of other entries and are not works (biblatex manual, section 2.1.1)."""


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """One answer of a model to a query: what the references in it have in common.

    number: of the query in its file, from 1. sample: of this model's answers to this query, from 1.
    discipline: ``other`` if none is stated. requested: how many references were asked for, None if that is not known.
    earliest, latest: the publication years that the query allows, inclusive, None where it sets no bound. tool: whether the model
    could search. served: its name at its provider.
    """

    model: str
    query: str
    number: int
    sample: int = 1
    discipline: str = "other"
    language: str = ""
    requested: int | None = None
    earliest: int | None = None
    latest: int | None = None
    id: str = ""
    tool: bool = False
    served: str = ""
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Answered:
    """Where in a file of answers a reference belongs.

    duplicate_of: the key of the reference of the same answer that cites the same work before it, empty if there is none.
    """

    group: AnswerGroup
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """All references of a file in their order, and what is to be said about the file as a whole.

    Every entry of the file is one reference; an entry that cannot be read is a reference with a fatal defect.
    answered: of a file of answers, one for each of the references, None for a line that is no answer; else empty.
    sources: the bibliographies that a document takes its references from; empty of any other file.
    benchmark: whether these are entries of a benchmark, of which many are wrong.
    """

    path: str
    references: tuple[Reference, ...]
    notes: tuple[Defect, ...] = ()
    answered: tuple[Answered | None, ...] = ()
    sources: tuple[str, ...] = ()
    benchmark: bool = False


class Reader(Protocol):
    """One file format.

    suffixes: of the file names that it reads, in lower case, with the dot (``.bib``).
    format: what such a file is, as a message names it (``a BibTeX file``).
    lenient: an entry that cannot be read is a failing item, and folders are searched for such files, as for a bibliography
    that an author keeps. If false, a line that cannot be read stops the run (see ``--citecheck-lenient``), as for benchmarks.
    """

    @property
    def suffixes(self) -> frozenset[str]: ...

    @property
    def format(self) -> str: ...

    @property
    def lenient(self) -> bool: ...

    def reads(self, head: bytes) -> bool:
        """Return True if a file of one of these endings is in this format, by its first bytes (64 KiB, or all if it is
        shorter)."""
        ...

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations. Never raises on account of the content."""
        ...


# The content of a reference in a few letters: what a waiver, or the note that it passed, is bound to.


SUPPRESSION_FIELD = "citecheck"
"""The field that waives findings; it is no part of the content."""
_LETTERS = 10


def content_hash(reference: Reference) -> str:
    """A hash of key, type, fields and defects, which does not depend on place, order, spacing and delimiters.

    Fields count as they are written, with macros expanded and inherited fields merged in.
    """
    fields = {name: " ".join(value.split()) for name, value in reference.raw.items() if name != SUPPRESSION_FIELD}
    defects = sorted(defect.code for defect in reference.defects if not defect.note)
    content = json.dumps([reference.key, reference.type, sorted(fields.items()), defects])
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()[:_LETTERS]


# From the bytes of a bibliography to its text.


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
_WINDOWS_1252 = [bytes([byte]).decode("cp1252", "replace") for byte in range(256)]
_WINDOWS_1252 = [chr(byte) if char == "\ufffd" else char for byte, char in enumerate(_WINDOWS_1252)]
_SAMPLE = 4096
"""Bytes looked at for the pattern of NUL bytes that gives UTF-16 away."""


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(_WINDOWS_1252[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error("citecheck-windows-1252", _windows_1252)


def byte_order_mark(data: bytes) -> tuple[bytes, str]:
    """The byte order mark at the start of a file, empty if there is none, and the encoding in which `decode_bytes` reads it."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return mark, encoding
    return b"", _utf16_by_pattern(data) or "utf-8"


def decode_bytes(data: bytes) -> tuple[str, tuple[Defect, ...]]:
    """Decode a file: byte order mark, else strict UTF-8, else UTF-16 by its NUL bytes, else Windows-1252.

    Windows-1252 stands in for single bytes only, so that one stray byte does not spoil the rest of a UTF-8 file; its
    five unassigned bytes are read as in ISO 8859-1. A guess is told in a note with code ``encoding-guessed``, which
    names the first bad byte. A mark at the start of the text is removed. Never raises.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    if encoding := _utf16_by_pattern(data):
        text = data.decode(encoding, "replace")
        message = f"the file has no byte order mark and is read as {encoding.upper()}: save it as UTF-8"
        return text, (Defect("encoding-guessed", message, 1, note=True),)
    return _decode_utf8(data)


def _decode_marked(data: bytes, encoding: str) -> tuple[str, tuple[Defect, ...]]:
    if encoding == "utf-8":
        return _decode_utf8(data)
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode(encoding, "replace"))
        message = f"the file has the byte order mark of {encoding.upper()}, but line {line} is not valid in it"
        return data.decode(encoding, "replace"), (Defect("encoding-guessed", message, line, note=True),)


def _decode_utf8(data: bytes) -> tuple[str, tuple[Defect, ...]]:
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode("latin-1"))
        message = f"byte 0x{data[error.start]:02X} is not UTF-8 and is read as Windows-1252: save the file as UTF-8"
        return data.decode("utf-8", "citecheck-windows-1252"), (Defect("encoding-guessed", message, line, note=True),)


def _utf16_by_pattern(data: bytes) -> str:
    """The byte order if nearly every second byte of the start is NUL, as in UTF-16 text that is mostly ASCII."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2], sample[1::2]
    if len(sample) < 4 or len(data) % 2:
        return ""
    if odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return ""


def _line(before: str) -> int:
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


# Line numbers of places in a text.


_CARRIAGE_RETURN = lazy_pattern(r"\r(\n?)")


def unify_line_ends(text: str) -> str:
    """Write every line end (LF, CRLF, lone CR) as one LF without moving any other character."""
    if "\r" not in text:
        return text
    return _CARRIAGE_RETURN.sub(lambda end: " \n" if end[1] else "\n", text)


class LineIndex:
    """Tells the line (1-based) of an offset (0-based) in a text whose lines end in LF."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def line(self, offset: int) -> int:
        """The line that the offset lies on; offsets beyond the end count as the last line."""
        return bisect_right(self._starts, offset)


# How the references of a file are called in node ids and reports: by their keys, escaped and unique.


# Characters that pytest, xdist or the JUnit report give a meaning of their own inside a node id.
_UNSAFE = r"\[\]%@\\\s\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_ESCAPED = lazy_pattern(rf"[{_UNSAFE}]|^:|:$|:(?=:)|(?<=:):")
_ESCAPED_IN_NAMES = lazy_pattern(rf"[{_UNSAFE}:/]")


def escape_key(key: str) -> str:
    """The key with every character that would break a node id percent-encoded."""
    return _ESCAPED.sub(_percent, key)


def escape_name(name: str) -> str:
    """The name of a model or judge with all these characters percent-encoded, and colons and slashes too."""
    return _ESCAPED_IN_NAMES.sub(_percent, name)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def reference_names(bibliography: Bibliography) -> list[str]:
    """One name a reference, in order: the escaped key, ``line-N`` without one, ``~2`` for the second of its name.

    A reference of a model's answer has model and query before it: ``some-model::q3::key``; ``q3~2`` for its second answer.
    """
    seen: dict[str, int] = {}
    names = []
    places = bibliography.answered or (None,) * len(bibliography.references)
    for reference, place in zip(bibliography.references, places, strict=True):
        name = _group(place) + (escape_key(reference.key) or f"line-{reference.location.line}")
        count = seen[name] = seen.get(name, 0) + 1
        while count > 1 and f"{name}~{count}" in seen:
            count += 1
        unique = name if count == 1 else f"{name}~{count}"
        seen.setdefault(unique, 1)
        names.append(unique)
    return names


def _group(place: Answered | None) -> str:
    if place is None:
        return ""
    group = place.group
    sample = f"~{group.sample}" if group.sample > 1 else ""
    return f"{escape_name(group.model) or '(no model)'}::q{group.number}{sample}::"


# Waivers of findings that stand in a bibliography, beside the entry that they are for.


_COMMENT = lazy_pattern(
    r"^[ \t]*+%++[ \t]*+citecheck:[ \t]*+ignore\b[ \t]*+(?:\[([^\]\n]*+)\])?+[ \t]*+(.*)$", re.IGNORECASE
)
_FIELD = lazy_pattern(r"\s*ignore\b([^:]*):(.*)", re.IGNORECASE | re.DOTALL)
_COMMENT_LINE = lazy_pattern(r"[ \t]*%")
_TAIL = lazy_pattern(
    r"(?:^|[,;.]\s++|(?<!\s)\s++)until\s++(\d{4}-\d\d-\d\d)\s*+(?=\[|$)|(?:(?<!\s)\s++)?\[([0-9a-f]{10})\]\s*+$",
    re.IGNORECASE,
)
_MOST_LINES = 20
"""Comment lines above an entry that are looked at."""


def read_reason(text: str) -> tuple[str, str, str]:
    """The reason, the last day (ISO 8601, empty for none) and the content that it is bound to (empty: to none)."""
    until = bound = ""
    for match in _TAIL.finditer(text):
        until, bound = until or match[1] or "", bound or match[2] or ""
    return " ".join(_TAIL.sub(" ", text).split()).rstrip(","), until, bound.lower()


def beside(text: str, start: int, end: int, line: int) -> Iterator[Suppression]:
    """The waivers in the comment lines above the entry from ``start`` to ``end`` of this text, and inside it.

    line: the one on which the entry starts.
    """
    above: list[str] = []
    position = text.rfind("\n", 0, start) + 1
    while position > 0 and len(above) < _MOST_LINES:
        before = text.rfind("\n", 0, position - 1) + 1
        if not _COMMENT_LINE.match(text, before, position):
            break
        above.append(text[before : position - 1])
        position = before
    for number, one in enumerate(reversed(above), start=line - len(above)):
        yield from _in_line(one.rstrip(), number)
    if "citecheck" in (inside := text[start:end]).lower():
        for number, one in enumerate(inside.split("\n"), start=line):
            yield from _in_line(one.rstrip(), number)


def in_field(value: str, line: int) -> Iterator[Suppression]:
    """The waivers in the field ``citecheck``, divided by semicolons."""
    for part in value.split(";"):
        if match := _FIELD.fullmatch(part):
            yield Suppression(_names(match[1]), *read_reason(match[2]), line)


def _in_line(text: str, line: int) -> Iterator[Suppression]:
    if match := _COMMENT.match(text):
        yield Suppression(_names(match[1] or "*"), *read_reason(match[2]), line)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part for part in re.split(r"[,\s\[\]]+", text) if part)
    return () if "*" in names else names
