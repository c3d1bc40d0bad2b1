"""Reader protocol: bytes of a file in, references out."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Protocol

from pytest_citecheck.inputs.budget import CURRENT, Budget, MeteredText, OverBudgetError, allow, lazy_pattern
from pytest_citecheck.model import Defect, Location, Reference, Suppression


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources that an answer used, as far as known.

    calls: model calls. searches, iterations: of its tool. fallback: True if the answer is from a call without the tool. tokens
    and cost (US dollars): None if unknown. finish: the finish reason; ``length`` means truncated. failure: the error of a
    failed call.
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
"""biblatex entry types that contain parts of other entries and are not works (biblatex manual, section 2.1.1)."""


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Properties shared by all references in one answer of a model to a query.

    number: of the query in its file, from 1. sample: number of this model's answer to this query, from 1. discipline: ``other``
    if not stated. requested: number of references requested, None if unknown. earliest, latest: publication years that the
    query allows, inclusive; None if unbounded. tool: True if the model could search. served: the provider's name for the model.
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
    """Position of a reference in an answer file.

    duplicate_of: key of an earlier reference in the same answer that cites the same work, or `""`.
    """

    group: AnswerGroup
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """All references of a file in order, with notes about the file itself.

    Every entry yields one reference; an unreadable entry yields one with a fatal defect. answered: for answer files, one per
    reference (None if the line is not an answer); otherwise empty. sources: bibliographies that a document takes its references
    from; empty for other files. benchmark: True for benchmark entries, many of which are wrong.
    """

    path: str
    references: tuple[Reference, ...]
    notes: tuple[Defect, ...] = ()
    answered: tuple[Answered | None, ...] = ()
    sources: tuple[str, ...] = ()
    benchmark: bool = False
    nested: bool = False
    unlinked: tuple[Reference, ...] = ()


def with_unlinked(whole: Bibliography) -> Bibliography:
    """Add the findings of ``unlinked`` to the references."""
    findings = {one.key: one for one in whole.unlinked}
    references = []
    for reference in whole.references:
        found = findings.pop(reference.key, None)
        defects = tuple(replace(defect, fatal=False) for defect in found.defects) if found else ()
        references.append(replace(reference, defects=(*reference.defects, *defects)) if defects else reference)
    return replace(whole, references=(*references, *findings.values()), unlinked=())


def identifier_reference(kind: str, value: str, location: Location) -> Reference:
    """Return the reference to a work of which only an identifier is stated, which is its key. kind: the field."""
    fields = {kind: value} | ({"archiveprefix": "arXiv"} if kind == "eprint" else {})
    return Reference(value, "identifier", fields, location, dict(fields), value)


def with_unique_keys(references: Iterable[Reference]) -> list[Reference]:
    """Return the references with a number after each repeated key. A paper may have two lists, each numbered from 1."""
    seen: Counter[str] = Counter()
    result = []
    for one in references:
        seen[one.key] += 1
        result.append(one if seen[one.key] == 1 else replace(one, key=f"{one.key}.{seen[one.key]}"))
    return result


class Reader(Protocol):
    """One file format.

    suffixes: file name suffixes in lower case, with the dot (``.bib``). format: name of the format in messages (``a BibTeX
    file``). lenient: if true, an unreadable entry is a failing item, and folders are searched for such files, as for an
    author's bibliography. If false, an unreadable line stops the run, as for benchmarks (see ``--citecheck-lenient``).
    """

    @property
    def suffixes(self) -> frozenset[str]: ...

    @property
    def format(self) -> str: ...

    @property
    def lenient(self) -> bool: ...

    def reads(self, head: bytes) -> bool:
        """Return True if a file with one of these suffixes is in this format.

        head: the first 64 KiB of the file, or all of it if it is shorter.
        """
        ...

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only used in locations. Never raises because of the content."""
        ...


class FileReader:
    """Base class of the readers: each document that they read has a budget."""

    lenient = True

    def __init_subclass__(cls) -> None:
        for name in cls.__dict__.keys() & {"read", "read_document"}:
            setattr(cls, name, _with_budget(cls.__dict__[name]))

    def reads(self, head: bytes) -> bool:  # noqa: ARG002
        """Accept any content."""
        return True


def _with_budget(method: Callable[..., Bibliography]) -> Callable[..., Bibliography]:
    @wraps(method)
    def read(reader: FileReader, path: str, data: bytes, *around: Any) -> Bibliography:
        if CURRENT.get().data is data:  # `read` calls `read_document`, or the reverse
            return method(reader, path, data, *around)
        return within_budget(path, data, lambda: method(reader, path, data, *around))

    return read


def within_budget(path: str, data: bytes, read: Callable[[], Bibliography]) -> Bibliography:
    """Return what is read from a document, or one failing item if that takes too many steps."""
    token = CURRENT.set(budget := Budget(data))
    try:
        return read()
    except OverBudgetError as error:
        reached = str(error).strip().split("\n")[0]
    finally:
        CURRENT.reset(token)
    text = text_of(data)[0]
    line = budget.line or LineIndex(text).line(max(text.find(reached), 0))
    why = f"{budget.spent:,} steps are too many for {len(data):,} bytes; shorten what is repeated there"
    return unreadable(path, f"the reader gave up at line {line} of {path}: {why}", line)


def unreadable(path: str, reason: str, line: int = 1) -> Bibliography:
    """Return one failing item for an unreadable document, so that the others are still checked."""
    defect = Defect("unreadable-document", reason, line, fatal=True)
    return Bibliography(path, (Reference("document", "", {}, Location(path, line, line), defects=(defect,)),))


SUPPRESSION_FIELD = "citecheck"
"""Field that waives findings; it is not part of the content."""
_LETTERS = 10


def content_hash(reference: Reference) -> str:
    """Return a hash of key, type, fields and defects, independent of location, order, spacing and delimiters.

    Fields are hashed as written, with macros expanded and inherited fields merged.
    """
    fields = {name: " ".join(value.split()) for name, value in reference.raw.items() if name != SUPPRESSION_FIELD}
    defects = sorted(defect.code for defect in reference.defects if not defect.note)
    content = json.dumps([reference.key, reference.type, sorted(fields.items()), defects])
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()[:_LETTERS]


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, because its mark starts with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
_WINDOWS_1252 = [bytes([byte]).decode("cp1252", "replace") for byte in range(256)]
_WINDOWS_1252 = [chr(byte) if char == "\ufffd" else char for byte, char in enumerate(_WINDOWS_1252)]
_SAMPLE = 4096
"""Number of bytes searched for the pattern of NUL bytes that reveals UTF-16."""


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(_WINDOWS_1252[byte] for byte in error.object[error.start : error.end]), error.end


codecs.register_error("citecheck-windows-1252", _windows_1252)


def byte_order_mark(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark at the start of a file (or `b""`) and the encoding that `decode_bytes` uses for it."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return mark, encoding
    return b"", _utf16_by_pattern(data) or "utf-8"


def decode_bytes(data: bytes) -> tuple[str, tuple[Defect, ...]]:
    """Decode a file by its byte order mark, else as strict UTF-8, else as UTF-16 by its NUL bytes, else as Windows-1252.

    The Windows-1252 fallback applies to single bytes, so one stray byte does not spoil a UTF-8 file; its five unassigned bytes
    are read as in ISO 8859-1. A note with the code ``encoding-guessed`` reports a guess and shows the first bad byte. A byte
    order mark is removed. Extends the budget of the document. Never raises.
    """
    allow(len(data))
    mark, encoding = byte_order_mark(data)
    if mark:
        return _decode_marked(data[len(mark) :], encoding)
    if encoding != "utf-8":
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
    """Return the byte order if nearly every second byte at the start is NUL, as in mostly-ASCII UTF-16 text."""
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


_CARRIAGE_RETURN = lazy_pattern(r"\r(\n?)")


def unify_line_ends(text: str) -> str:
    """Replace every line end (LF, CRLF, lone CR) with LF, leaving other characters unchanged."""
    if "\r" in text:
        text = _CARRIAGE_RETURN.sub(lambda end: " \n" if end[1] else "\n", text)
    return MeteredText(text)


def text_of(data: bytes) -> tuple[str, tuple[Defect, ...]]:
    """Return the decoded text of a file with LF line ends, and notes on its encoding."""
    text, notes = decode_bytes(data)
    return unify_line_ends(text), notes


class LineIndex:
    """Map from offsets (0-based) to lines (1-based) of a text with LF line ends."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def line(self, offset: int) -> int:
        """Return the line at the offset; offsets past the end map to the last line."""
        return bisect_right(self._starts, offset)

    def start(self, line: int) -> int:
        """Return the offset of a line, which must be one of the text."""
        return self._starts[line - 1]


# Characters that pytest, xdist or the JUnit report give a meaning of their own inside a node id.
_UNSAFE = r"\[\]%@\\\s\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_ESCAPED = lazy_pattern(rf"[{_UNSAFE}]|^:|:$|:(?=:)|(?<=:):")
_ESCAPED_IN_NAMES = lazy_pattern(rf"[{_UNSAFE}:/]")


def escape_key(key: str) -> str:
    """Percent-encode every character of the key that would break a node id."""
    return _ESCAPED.sub(_percent, key)


def escape_name(name: str) -> str:
    """Percent-encode these characters, colons and slashes in the name of a model or judge."""
    return _ESCAPED_IN_NAMES.sub(_percent, name)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def reference_names(bibliography: Bibliography) -> list[str]:
    """Return one name per reference, in order: the escaped key, or ``line-N`` without a key; duplicates get ``~2``.

    References in model answers are prefixed with model and query: ``some-model::q3::key``; ``q3~2`` is the second answer.
    """
    seen: dict[str, int] = {}
    names = []
    places = bibliography.answered or (None,) * len(bibliography.references)
    for reference, place in zip(bibliography.references, places, strict=True):
        key = _nested(reference.key) if bibliography.nested else escape_key(reference.key)
        name = _group(place) + (key or f"line-{reference.location.line}")
        count = seen[name] = seen.get(name, 0) + 1
        while count > 1 and f"{name}~{count}" in seen:
            count += 1
        unique = name if count == 1 else f"{name}~{count}"
        seen.setdefault(unique, 1)
        names.append(unique)
    return names


def _nested(key: str) -> str:
    return "::".join(escape_key(part) or "%20" for part in key.split("::")) if key else ""


def _group(place: Answered | None) -> str:
    if place is None:
        return ""
    group = place.group
    sample = f"~{group.sample}" if group.sample > 1 else ""
    return f"{escape_name(group.model) or '(no model)'}::q{group.number}{sample}::"


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
"""Number of comment lines above an entry that are searched."""


def read_reason(text: str) -> tuple[str, str, str]:
    """Return the reason, the expiry date (ISO 8601, or `""`) and the content hash that it is bound to (or `""`)."""
    until = bound = ""
    for match in _TAIL.finditer(text):
        until, bound = until or match[1] or "", bound or match[2] or ""
    return " ".join(_TAIL.sub(" ", text).split()).rstrip(","), until, bound.lower()


def beside(text: str, start: int, end: int, line: int) -> Iterator[Suppression]:
    """Yield the waivers inside the entry between ``start`` and ``end`` and in the comment lines above it.

    line: the line of the entry's start.
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
    """Yield the waivers in the field ``citecheck``, separated by semicolons."""
    for part in value.split(";"):
        if match := _FIELD.fullmatch(part):
            yield Suppression(_names(match[1]), *read_reason(match[2]), line)


def _in_line(text: str, line: int) -> Iterator[Suppression]:
    if match := _COMMENT.match(text):
        yield Suppression(_names(match[1] or "*"), *read_reason(match[2]), line)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part for part in re.split(r"[,\s\[\]]+", text) if part)
    return () if "*" in names else names
