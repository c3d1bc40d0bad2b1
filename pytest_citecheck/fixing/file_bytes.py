"""The bytes of a file behind the characters of its text."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.readers.encoding import byte_order_mark, decode_bytes

__all__ = ["FileBytes"]


class FileBytes:
    """A file as `readers.encoding.decode_bytes` reads it, in which pieces of the text are replaced.

    guessed: whether parts of the file are in an encoding that was guessed; then nothing outside ASCII is to be added.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.text, notes = decode_bytes(data)
        mark, self._encoding = byte_order_mark(data)
        self._start = len(mark)
        self.guessed = bool(notes)

    def replaced(self, edits: Sequence[tuple[int, int, str]]) -> bytes | None:
        """The file with these pieces (start, end, new text; none overlap) replaced; None if it cannot hold the new text."""
        if self._encoding != "utf-8" and self.text.encode(self._encoding, "replace") != self._data[self._start :]:
            return None
        edits = sorted(edits)
        offsets = self._offsets([place for start, end, _ in edits for place in (start, end)])
        pieces, position = [], 0
        for (_, _, new), start, end in zip(edits, offsets[::2], offsets[1::2], strict=True):
            if self.guessed and not new.isascii():
                return None
            pieces += [self._data[position:start], new.encode(self._encoding)]
            position = end
        return b"".join([*pieces, self._data[position:]])

    def _offsets(self, places: Sequence[int]) -> list[int]:
        """The offset in bytes of each of these characters, which are in rising order."""
        found, character, byte = [], 0, self._start
        for place in places:
            piece = self.text[character:place]
            byte = self._after(piece, byte)
            character = place
            found.append(byte)
        return found

    def _after(self, piece: str, byte: int) -> int:
        encoded = piece.encode(self._encoding, "surrogatepass")
        if self._data.startswith(encoded, byte):
            return byte + len(encoded)
        for letter in piece:  # some stand for one byte of Windows-1252
            written = letter.encode(self._encoding, "surrogatepass")
            byte += len(written) if self._data.startswith(written, byte) else 1
        return byte
