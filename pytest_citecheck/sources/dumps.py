"""The protocol of a dump format: the decompressed bytes of a file in, records and problems out."""

from __future__ import annotations

import itertools
import re
import tarfile
import xml.etree.ElementTree as ET  # declarations are refused before the parser sees the text
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from html.entities import name2codepoint
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_citecheck.model import Record

LONGEST = 32 * 1024 * 1024
"""Bytes of the longest record that is read; the records of the largest collaborations take some three million."""


class DumpError(Exception):
    """A file cannot be read here at all, although it may be sound: a library for its compression is missing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A piece of a file that gave no record, or the way in which the file ends.

    file: path as given, with the member of an archive (``works.tar:3.json.gz``). offset: bytes from the start of the
    decompressed content to the piece. line: its number (1-based) where a format goes by lines. record: the id of the record,
    as far as it could be made out. cut: an unknown amount is lost besides this piece.
    """

    file: str
    offset: int
    reason: str
    line: int | None = None
    record: str = ""
    cut: bool = False

    def __str__(self) -> str:
        place = f"{self.file}, byte {self.offset}" if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.record}: {self.reason}" if self.record else f"{place}: {self.reason}"


@dataclass(slots=True)
class Context:
    """The file that a format reads, and the collected problems.

    file: name for problems. source: name of the collection, for formats whose records do not state it.
    skipped: how many records were passed over on purpose, by reason. deleted: ids of records that the file withdraws.
    pending: problems of the layers below the format (compression, archives, overlong lines), to be returned next.
    known: facts from earlier parts of the file, if this is only a part (`Part`).
    """

    file: str
    source: str = ""
    skipped: Counter[str] = field(default_factory=Counter)
    deleted: list[str] = field(default_factory=list)
    pending: list[Problem] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def problem(
        self, offset: int, reason: str, *, line: int | None = None, record: str = "", cut: bool = False
    ) -> Problem:
        """A problem in this file."""
        return Problem(self.file, offset, reason, line, record, cut)

    def member(self, name: str) -> Context:
        """The same for a member of this archive; what it writes down is counted for the whole file."""
        return Context(f"{self.file}:{name}", self.source, self.skipped, self.deleted, self.pending)


@dataclass(frozen=True, slots=True)
class Head:
    """Input of format detection.

    name: file name in lower case without the endings of compression. data: the first bytes of the content.
    """

    name: str
    data: bytes


class Format(Protocol):
    """One dump format.

    name: stable identifier (``dblp-xml``). source: name of the collection that its records state; empty: the source of
    the context, or of each record. licence: of the metadata (SPDX), empty if unknown. starts: the characters with which
    its files may start; empty: any. fallback: True if other formats are tried first, because its files have no
    distinctive marks.
    """

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def licence(self) -> str: ...

    @property
    def starts(self) -> str: ...

    @property
    def fallback(self) -> bool: ...

    def recognises(self, head: Head) -> bool:
        """Return True if a file that begins so is of this format."""
        ...

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """The records of a file in its order, in memory that does not grow with it. Never raises for its content."""
        ...


PART = 8 << 20
"""Bytes in a part of a file, more or less."""


class Part(NamedTuple):
    """Bytes of a file that can be read as a file of its own. offset: in the whole. line: line ends before it. known: for the
    context."""

    offset: int
    line: int
    data: bytes
    known: dict[str, str]


def line_parts(chunks: Iterator[bytes]) -> Iterator[Part]:
    """The parts of a file that goes by lines. A line beyond `LONGEST` is cut."""
    return cut_into(chunks, lambda data: data.rfind(b"\n") + 1)


def cut_into(chunks: Iterator[bytes], last_end: Callable[[bytes], int]) -> Iterator[Part]:
    """The parts of a file. last_end: the last place at which to cut, 0 if there is none."""
    held: list[bytes] = []
    length = offset = line = 0
    wanted = PART
    for chunk in chunks:
        held.append(chunk)
        length += len(chunk)
        if length < wanted:
            continue
        data = b"".join(held)
        end = last_end(data) or (length if length > 2 * LONGEST else 0)
        wanted = PART if end else length + PART
        if end:
            yield Part(offset, line, data[:end], {})
            offset, line = offset + end, line + data.count(b"\n", 0, end)
        held, length = [data[end:]], length - end
    if length:
        yield Part(offset, line, b"".join(held), {})


def lines(chunks: Iterator[bytes], context: Context) -> Iterator[tuple[int, int, bytes]]:
    """Number (1-based), offset and bytes of every line that is not blank, without the line end.

    A line of more than `LONGEST` bytes is a problem and left out; it is never held whole.
    """
    number, offset = 1, 0
    parts: list[bytes] = []
    held = 0
    too_long = False
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            length = held + len(end)
            if too_long or length > LONGEST:
                context.pending.append(overlong(context, offset, number, length))
            else:
                line = b"".join((*parts, end)) if parts else end
                if line and not line.isspace():
                    yield number, offset, line
            parts, held, too_long = [], 0, False
            number += 1
            offset += length + 1
        held += len(rest)
        too_long = too_long or held > LONGEST
        if too_long:
            parts = []
        elif rest:
            parts.append(rest)
    if too_long:
        context.pending.append(overlong(context, offset, number, held))
    elif parts and (line := b"".join(parts)).strip():
        yield number, offset, line


def overlong(context: Context, offset: int, number: int, length: int) -> Problem:
    """Message about a line that exceeds the maximum length."""
    reason = f"the line has {length:,} bytes, more than the {LONGEST:,} that are read"
    return context.problem(offset, reason, line=number)


# From a file to the bytes in it: gzip (RFC 1952), Zstandard (RFC 8878), tar archives (POSIX.1-2001, "ustar" and "pax"), zip
# archives, plain.
_CHUNK = 1 << 20
# Limit of one decompressed piece of input: a megabyte of gzip can hold a gigabyte of blanks.
_MOST_AT_ONCE = 4 << 20
# Damaged input is fed again in pieces of this size, then byte by byte.
_SMALL = 4096
_DEEPEST = 4
_GZIP = b"\x1f\x8b\x08"
_WITH_HEADER = 31
# Magic, deflate, flags without reserved bits, any time, strength, operating system (RFC 1952, 2.3).
_GZIP_MEMBER = lazy_pattern(rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]", re.DOTALL)
_ZIP = b"PK\x03\x04"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_BLOCK = 512
_TAR_MAGIC = slice(257, 262)


def contents(path: Path, context: Context, *, raw: bool = False) -> Iterator[tuple[Context, Iterator[bytes]]]:
    """The file itself, or each file in the archive that it is: its context, and its decompressed bytes in chunks.

    raw: leave files of an archive compressed. The chunks of one must be read before the next is asked for. Raises OSError
    if the file cannot be read, and DumpError for Zstandard without the library.
    """
    with path.open("rb") as file:
        if file.read(len(_ZIP)) == _ZIP:
            yield from _of_zip(path, context, raw=raw)
            return
        file.seek(0)
        yield from _opened(iter(lambda: file.read(_CHUNK), b""), context, 0, raw=raw)


def _of_zip(path: Path, context: Context, *, raw: bool) -> Iterator[tuple[Context, Iterator[bytes]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.is_dir() or not _is_content(member.filename):
                    continue
                with archive.open(member) as file:
                    inner = context.member(member.filename)
                    chunks = _until_damage(file, inner)
                    if raw:
                        yield inner, chunks
                    else:
                        yield from _opened(chunks, inner, 1, raw=raw)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        context.pending.append(context.problem(0, f"the zip archive cannot be read: {error}", cut=True))


def _until_damage(file: IO[bytes], context: Context) -> Iterator[bytes]:
    done = 0
    try:
        while chunk := file.read(_CHUNK):
            done += len(chunk)
            yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        context.pending.append(context.problem(done, f"the zip archive is damaged: {_reason(error)}", cut=True))


def _opened(
    chunks: Iterator[bytes], context: Context, depth: int, *, raw: bool
) -> Iterator[tuple[Context, Iterator[bytes]]]:
    head, chunks = peek(chunks, _BLOCK)
    if depth < _DEEPEST and head.startswith(_GZIP):
        yield from _opened(_gunzipped(chunks, context), context, depth + 1, raw=raw)
    elif depth < _DEEPEST and head.startswith(_ZSTANDARD):
        yield from _opened(_unzstd(chunks, context), context, depth + 1, raw=raw)
    elif depth < _DEEPEST and head[_TAR_MAGIC] == b"ustar":
        for name, member in _members(chunks, context):
            if raw:
                yield context.member(name), member
            else:
                yield from _opened(member, context.member(name), depth + 1, raw=raw)
    else:
        yield context, chunks


def peek(chunks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes, at least this many if the input is long enough, and all chunks including them."""
    taken: list[bytes] = []
    length = 0
    for chunk in chunks:
        taken.append(chunk)
        length += len(chunk)
        if length >= size:
            break
    head = b"".join(taken)
    return head, itertools.chain([head] if head else [], chunks)


def _gunzipped(chunks: Iterator[bytes], context: Context) -> Iterator[bytes]:
    """The members one after the other; after a damaged one, from the next on that can be found."""
    engine = zlib.decompressobj(_WITH_HEADER)
    done = 0
    begun = searching = False
    for chunk in chunks:
        data = chunk
        while data:
            if searching:
                member = _GZIP_MEMBER.search(data)
                if member is None:
                    break
                data, searching = data[member.start() :], False
            elif not begun:
                data = data.lstrip(b"\0")  # padding
                if not data:
                    break
            before = engine.copy()
            begun = True
            try:
                piece = engine.decompress(data, _MOST_AT_ONCE)
            except zlib.error as error:
                piece, data = _saved(before, data)
                done += len(piece)
                context.pending.append(context.problem(done, f"the gzip data are damaged: {_reason(error)}", cut=True))
                engine, begun, searching = zlib.decompressobj(_WITH_HEADER), False, True
            else:
                done += len(piece)
                data = engine.unused_data if engine.eof else engine.unconsumed_tail
                if engine.eof:
                    engine, begun = zlib.decompressobj(_WITH_HEADER), False
            if piece:
                yield piece
    if begun:
        # Only now does the engine return its remaining output.
        rest = engine.flush()
        if rest:
            yield rest
        context.pending.append(context.problem(done + len(rest), "the gzip data end too early", cut=True))


def _saved(engine: zlib._Decompress, data: bytes) -> tuple[bytes, bytes]:
    """Data decompressed before the damage, and the data after it."""
    out: list[bytes] = []
    position = 0
    for size in (_SMALL, 1):
        while position < len(data):
            attempt = engine.copy()
            try:
                out.append(attempt.decompress(data[position : position + size]))
            except zlib.error:
                break
            engine = attempt
            position += size
    return b"".join(out), data[position + 1 :]


def _reason(error: Exception) -> str:
    """A library's message without the number of the error before it."""
    return str(error).rpartition(": ")[2]


def _unzstd(chunks: Iterator[bytes], context: Context) -> Iterator[bytes]:
    """The frames one after the other, up to a damaged one."""
    try:
        import zstandard
    except ImportError as error:
        message = f"{context.file} is compressed with Zstandard; to read it: pip install '.[index]' in a checkout"
        raise DumpError(message) from error
    factory = zstandard.ZstdDecompressor()
    engine = factory.decompressobj()
    done = 0
    begun = False
    for chunk in chunks:
        # In small pieces, because an error costs what else comes out of its piece.
        for start in range(0, len(chunk), _SMALL):
            data = chunk[start : start + _SMALL]
            while data:
                begun = True
                try:
                    piece = engine.decompress(data)
                except zstandard.ZstdError as error:
                    reason = f"the Zstandard data are damaged: {_reason(error)}"
                    context.pending.append(context.problem(done, reason, cut=True))
                    return
                data = engine.unused_data if engine.eof else b""
                if engine.eof:
                    engine, begun = factory.decompressobj(), False
                done += len(piece)
                if piece:
                    yield piece
    if begun:
        context.pending.append(context.problem(done, "the Zstandard data end too early", cut=True))


class _Source:
    """Chunks as a file that is read once, from front to back."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = b""
        self.position = 0

    def take(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        held = [self._held]
        length = len(self._held)
        while length < size:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            held.append(chunk)
            length += len(chunk)
        data = b"".join(held)
        self._held = data[size:]
        self.position += min(size, len(data))
        return data[:size]

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next bytes in chunks; at the end of the file there may be fewer."""
        while size > 0:
            piece = self.take(min(size, _CHUNK))
            if not piece:
                return
            size -= len(piece)
            yield piece


def _members(chunks: Iterator[bytes], context: Context) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files of an archive; after a broken header, from the next one on that is whole."""
    source = _Source(chunks)
    broken = False
    while header := source.take(_BLOCK):
        if not header.strip(b"\0"):
            broken = False
            continue
        try:
            member = tarfile.TarInfo.frombuf(header, "utf-8", "replace")
        except tarfile.HeaderError as error:
            if not broken:
                reason = f"no header of a member: {error}"
                context.pending.append(context.problem(source.position - _BLOCK, reason, cut=True))
            broken = True
            continue
        broken = False
        end = source.position + member.size
        body = source.pieces(member.size)
        if member.isreg() and _is_content(member.name):
            yield member.name, body
        for _ in body:
            pass
        if source.position < end:
            reason = f"the archive ends within {member.name}"
            context.pending.append(context.problem(source.position, reason, cut=True))
            return
        source.take(-member.size % _BLOCK)


def _is_content(name: str) -> bool:
    """Not what operating systems put beside each file (``._name`` of macOS), and no list of the files."""
    base = name.rpartition("/")[2]
    return not base.startswith((".", "MANIFEST", "README", "LICENSE"))


_DECLARED = lazy_pattern(rb"""<\?xml[^<>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ENTITY = lazy_pattern(r"&(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});)?")
_OWN = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CONTROLS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MOST_BETWEEN = 1 << 16


class XmlError(ValueError):
    """A record is not what XML allows; the message says why."""


class Piece(NamedTuple):
    """One record: name of its element, offset, text between the last record and this one, and bytes.

    At most the first and the last 64 KiB of the text between are kept; after a problem, the affected record.
    """

    tag: str
    offset: int
    before: bytes
    data: bytes


def pieces(chunks: Iterator[bytes], tags: tuple[str, ...], context: Context) -> Iterator[Piece | Problem]:
    """The elements with these names, which do not contain one another; last, a piece without name: what follows them.

    A start without an end before the next start (or after `LONGEST` bytes) is a problem, and so is an end without a start.
    """
    names = "|".join(tags).encode()
    token = re.compile(rb"</(" + names + rb")\s*>|<(" + names + rb")(?=[\s/>])")
    buffer = b""
    origin = 0  # offset of the buffer in the stream
    scanned = 0  # position in the buffer from which the search for tags continues
    start = -1  # where the open record begins in the buffer
    opened = b""
    behind = 0  # where the last record ended in the buffer
    before = b""  # what stood before the buffer since the last record
    for chunk in chunks:
        buffer += chunk
        for match in token.finditer(buffer, scanned):
            scanned = match.end()
            closed = match[1]
            if closed is None:
                if start >= 0:
                    lost = buffer[start : match.start()]
                    yield _unclosed(context, origin + start, lost, opened)
                    before = _shortened(lost)
                else:
                    before += buffer[behind : match.start()]
                start, opened, behind = match.start(), match[2], match.start()
            elif start >= 0 and closed == opened:
                yield Piece(opened.decode(), origin + start, before, buffer[start : match.end()])
                start, before, behind = -1, b"", match.end()
            elif start < 0:
                yield context.problem(origin + match.start(), f"</{closed.decode()}> closes nothing")
                before, behind = b"", match.end()
        # A tag may be cut by the end of the chunk.
        last = buffer.rfind(b"<", max(len(buffer) - 64, 0))
        scanned = max(last if last >= 0 else len(buffer), scanned)
        if start >= 0 and len(buffer) - start > LONGEST:
            yield context.problem(origin + start, f"<{opened.decode()}> has more than {LONGEST:,} bytes")
            start, before, behind = -1, b"", scanned
        keep = start if start >= 0 else scanned
        if start < 0:
            before = _shortened(before + buffer[behind:keep])
        buffer, origin = buffer[keep:], origin + keep
        scanned -= keep
        behind = 0
        start = 0 if start >= 0 else -1
    if start >= 0:
        yield _unclosed(context, origin, buffer, opened)
        before, buffer = b"", b""
    yield Piece("", origin + len(buffer), _shortened(before + buffer), b"")


def _shortened(data: bytes) -> bytes:
    return data if len(data) <= 2 * _MOST_BETWEEN else data[:_MOST_BETWEEN] + data[-_MOST_BETWEEN:]


_ID = lazy_pattern(rb"""\b(?:key|id)\s*=\s*["']([^"'<>]{1,200})["']|<PMID[^<>]*>\s*(\d{1,9})""")


def _unclosed(context: Context, offset: int, data: bytes, tag: bytes) -> Problem:
    stated = _ID.search(data[:_MOST_BETWEEN])
    record = next(filter(None, stated.groups())).decode("utf-8", "replace") if stated else ""
    return context.problem(offset, f"<{tag.decode()}> has no end", record=record)


def declared_encoding(head: bytes) -> str:
    """The encoding that the XML declaration states, in lower case; UTF-8 if it states none."""
    match = _DECLARED.search(head)
    return match[1].decode().lower() if match else "utf-8"


def decode(data: bytes, *, latin: bool = False) -> str:
    """The text of a record in UTF-8; in ISO 8859-1 if the file is declared so and it cannot be UTF-8.

    Raises XmlError for bytes that are neither.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if latin:
            return data.decode("latin-1")
        raise XmlError(f"byte 0x{data[error.start]:02X} is not UTF-8") from error


def resolve(text: str) -> str:
    """Replace references in the text: entities of XML and HTML 4, and characters by number.

    Raises XmlError for any other entity and for a bare ampersand.
    """
    return _ENTITY.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name is None:
        raise XmlError("an ampersand begins no entity")
    if name[0] == "#":
        number = int(f"0{name[1:]}", 16) if name[1] in "xX" else int(name[1:])
        if not 0 < number < 0x110000 or 0xD800 <= number < 0xE000:
            raise XmlError(f"&{name}; is not a character")
        return chr(number)
    if name == "apos":
        return "'"
    if name not in name2codepoint:
        raise XmlError(f"the entity &{name}; is unknown")
    return chr(name2codepoint[name])


def _kept(match: re.Match[str]) -> str:
    """Replace entities of HTML by characters; keep those of XML and numeric ones for the XML parser."""
    character = _character(match)
    return match[0] if match[1] in _OWN or match[1][0] == "#" else character


def element(text: str) -> ET.Element:
    """The element that a record is. Raises XmlError, and nothing else, if it is not well-formed.

    Nothing can be declared in it, so neither expansion bombs nor external entities can occur.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise XmlError("a declaration is within the record")
    try:
        return ET.fromstring(_ENTITY.sub(_kept, _CONTROLS.sub("", text)))  # noqa: S314 - see above
    except (ET.ParseError, ValueError, LookupError, RecursionError) as error:
        if isinstance(error, XmlError):
            raise
        raise XmlError(f"the record is not well-formed: {error}") from error


class XmlReader:
    """Reads the records of one document in their order; what it has read may decide how the next ones are read."""

    def __init__(self, frame: re.Pattern[bytes], context: Context, head: bytes) -> None:
        """``frame`` is what may stand between records, ``head`` the first bytes of the document."""
        self.frame, self.context, self.head = frame, context, head

    def is_framed(self, before: bytes) -> bool:
        """Return True if this text may stand between two records."""
        return self.frame.fullmatch(before) is not None

    def record(self, piece: Piece) -> Record | None:
        """The record of one element; None for one that is passed over. Raises XmlError if it is broken."""
        raise NotImplementedError

    def stated_id(self, piece: Piece) -> str:
        """The id of a broken record; empty if it has none."""
        raise NotImplementedError


class XmlFormat:
    """The format of an XML document that is too large to be parsed whole: elements with these ``tags``, in a ``frame``.

    home: what such a file has among its first bytes. reader: what reads its records.
    """

    name: str
    source: str
    licence = ""
    starts = "<"
    fallback = False
    home: re.Pattern[bytes]
    tags: tuple[str, ...]
    frame: re.Pattern[bytes]
    reader: type[XmlReader]

    def recognises(self, head: Head) -> bool:
        """By its document type, its root element or a record."""
        return self.home.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record an element."""
        head, chunks = peek(chunks, 200)
        reader, told = self.reader(self.frame, context, head), False
        for piece in pieces(chunks, self.tags, context):
            if isinstance(piece, Problem):
                yield piece
                told = True
                continue
            if not reader.is_framed(piece.before) and not told:
                yield context.problem(piece.offset - len(piece.before), "text that belongs to no record")
            told = False
            if not piece.tag:
                return
            try:
                record = reader.record(piece)
            except XmlError as error:
                yield context.problem(piece.offset, str(error), record=reader.stated_id(piece))
            else:
                if record is not None:
                    yield record
