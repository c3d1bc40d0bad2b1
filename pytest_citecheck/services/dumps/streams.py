"""From a file to the bytes in it: gzip (RFC 1952), Zstandard (RFC 8878), tar archives (POSIX.1-2001, "ustar" and "pax"), plain.

What a file is, its first bytes say, not its name. Damage ends or interrupts the content, is written down as a problem, and
whatever could be decompressed before and after it is returned.
"""

from __future__ import annotations

import itertools
import re
import tarfile
import zlib
from typing import TYPE_CHECKING

from pytest_citecheck.services.dumps.base import DumpError
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_citecheck.services.dumps.base import Context

__all__ = ["contents", "peek"]

_CHUNK = 1 << 20
# What one piece of input may grow to at a time: a megabyte of gzip can hold a gigabyte of blanks.
_MOST_AT_ONCE = 4 << 20
# Damaged input is fed again in pieces of this size, then byte by byte.
_SMALL = 4096
_DEEPEST = 4
_GZIP = b"\x1f\x8b\x08"
_WITH_HEADER = 31
# Magic, deflate, flags without reserved bits, any time, strength, operating system (RFC 1952, 2.3).
_GZIP_MEMBER = lazy_pattern(rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]", re.DOTALL)
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_BLOCK = 512
_TAR_MAGIC = slice(257, 262)


def contents(path: Path, context: Context) -> Iterator[tuple[Context, Iterator[bytes]]]:
    """The file itself, or each file in the archive that it is: its context, and its decompressed bytes in chunks.

    The chunks of one have to be read before the next is asked for. Raises OSError if the file cannot be read, and DumpError
    for Zstandard without the library.
    """
    with path.open("rb") as file:
        yield from _opened(iter(lambda: file.read(_CHUNK), b""), context, 0)


def _opened(chunks: Iterator[bytes], context: Context, depth: int) -> Iterator[tuple[Context, Iterator[bytes]]]:
    head, chunks = peek(chunks, _BLOCK)
    if depth < _DEEPEST and head.startswith(_GZIP):
        yield from _opened(_gunzipped(chunks, context), context, depth + 1)
    elif depth < _DEEPEST and head.startswith(_ZSTANDARD):
        yield from _opened(_unzstd(chunks, context), context, depth + 1)
    elif depth < _DEEPEST and head[_TAR_MAGIC] == b"ustar":
        for name, member in _members(chunks, context):
            yield from _opened(member, context.member(name), depth + 1)
    else:
        yield context, chunks


def peek(chunks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, at least so many if there are, and all chunks with them."""
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
                context.pending.append(context.problem(done, f"the gzip data are damaged: {_said(error)}", cut=True))
                engine, begun, searching = zlib.decompressobj(_WITH_HEADER), False, True
            else:
                done += len(piece)
                data = engine.unused_data if engine.eof else engine.unconsumed_tail
                if engine.eof:
                    engine, begun = zlib.decompressobj(_WITH_HEADER), False
            if piece:
                yield piece
    if begun:
        # What the engine still holds back comes out only now.
        rest = engine.flush()
        if rest:
            yield rest
        context.pending.append(context.problem(done + len(rest), "the gzip data end too early", cut=True))


def _saved(engine: zlib._Decompress, data: bytes) -> tuple[bytes, bytes]:
    """What was decompressed before the damage, and the data after it."""
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


def _said(error: Exception) -> str:
    """A library's message without the number of the error before it."""
    return str(error).rpartition(": ")[2]


def _unzstd(chunks: Iterator[bytes], context: Context) -> Iterator[bytes]:
    """The frames one after the other, up to a damaged one."""
    try:
        import zstandard
    except ImportError as error:
        message = f"{context.file} is compressed with Zstandard; to read it: pip install 'pytest-citecheck[index]'"
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
                    reason = f"the Zstandard data are damaged: {_said(error)}"
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
