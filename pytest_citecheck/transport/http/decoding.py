"""Takes the compression off a body bit by bit, so that a small body can never become a large one in memory."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

__all__ = ["BLOCK", "ENCODINGS", "BodyDecoder", "DecodingError"]

ENCODINGS = "gzip, deflate"
"""What is asked for (RFC 9110, section 12.5.3)."""

BLOCK = 1 << 16
"""Bytes that are unpacked at a time: the most by which a limit on the unpacked body is exceeded in memory."""

# A gzip file may have several members, such as one for each block of 64 kB that `bgzip` writes: 125 in a body of 8 MB. Each
# costs some time however small it is, and the smallest takes 18 bytes.
_MOST_MEMBERS = 1_000

_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class DecodingError(Exception):
    """The body is not what its Content-Encoding says; the text says how."""


class BodyDecoder:
    """Unpacks one body. ``encoding``: the value of its Content-Encoding, empty for none.

    Raises DecodingError for more than one encoding (two of them multiply what a few bytes unpack to) and for unknown ones.
    """

    def __init__(self, encoding: str) -> None:
        named = [name for name in (part.strip().lower() for part in encoding.split(",")) if name]
        named = [name for name in named if name != "identity"]
        if len(named) > 1:
            raise DecodingError(f"the body is encoded {len(named)} times over")
        if named and named[0] not in {"gzip", "x-gzip", "deflate"}:
            raise DecodingError(f"the body has the encoding {named[0][:20]!r}, which was not requested")
        self._gzip = bool(named) and named[0] != "deflate"
        self._deflate = bool(named) and not self._gzip
        self._inflate = zlib.decompressobj(_GZIP) if self._gzip else None
        self._members = 0
        self._head = b""
        self._touched = False

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """The next of the unpacked bytes, at most `BLOCK` at a time. Raises DecodingError."""
        if not (self._gzip or self._deflate):
            yield raw
            return
        self._touched = self._touched or bool(raw)
        if self._deflate and self._inflate is None:
            self._head += raw
            if len(self._head) < 2:
                return
            raw, self._head = self._head, b""
            self._inflate = zlib.decompressobj(_ZLIB if _is_zlib(raw) else _RAW)
        while raw:
            raw = yield from self._unpack(raw)

    def finish(self) -> None:
        """Raise DecodingError if the body is not whole. No bytes at all are an empty body."""
        if self._touched and (self._inflate is None or not self._inflate.eof):
            raise DecodingError("the compressed body is cut off")

    def _unpack(self, raw: bytes) -> Generator[bytes, None, bytes]:
        """Unpack up to the end of the member, and return what is left."""
        inflate = self._inflate
        assert inflate is not None  # noqa: S101 - `feed` has made one
        if inflate.eof:
            raw = raw.lstrip(b"\0")  # padding is allowed, and common on tapes
            if not raw:
                return b""
            self._members += 1
            if not self._gzip or raw[0] != 0x1F or self._members >= _MOST_MEMBERS:
                raise DecodingError("something follows the end of the compressed body")
            inflate = self._inflate = zlib.decompressobj(_GZIP)
        try:
            while True:
                part = inflate.decompress(raw, BLOCK)
                raw = inflate.unconsumed_tail
                if part:
                    yield part
                # What came in may be used up while more is to go out.
                if inflate.eof or (not raw and len(part) < BLOCK):
                    return inflate.unused_data
        except zlib.error as error:
            raise DecodingError(f"the body cannot be unpacked: {error}") from None


def _is_zlib(raw: bytes) -> bool:
    """Whether this has the header of RFC 1950; many servers leave it out, though "deflate" means the form that has it."""
    return raw[0] & 0x0F == 8 and raw[0] >> 4 <= 7 and (raw[0] << 8 | raw[1]) % 31 == 0
