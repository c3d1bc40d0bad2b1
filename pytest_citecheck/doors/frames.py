"""Frames of the Language Server Protocol: only whole ones reach pygls, and each invalid request is answered."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, BinaryIO, Final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from pytest_citecheck.cli import complain
from pytest_citecheck.inputs import LARGEST
from pytest_citecheck.matching import lazy_pattern

_HEADER: Final = lazy_pattern(rb".*content-length[ \t]*:[ \t]*([-+\w]*)[ \t]*\r?\n", re.IGNORECASE | re.DOTALL)
_LONGEST_HEADER: Final = 200
_LONGEST_LINE: Final = 1 << 16
_MOST_COMPLAINTS: Final = 20


class Frames:
    """Standard input without damaged frames.

    After a damaged one, everything up to the next ``Content-Length`` is skipped. JSON has no such line in it.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ready: deque[bytes] = deque()
        self._length: bytes | None = None  # of a frame that began inside of another one
        self._before = b""  # the unfinished line before the present part
        self._complaints = 0

    def readline(self) -> bytes:
        """Return a header line, the empty line after it, or nothing at the end of the input."""
        while not self._ready:
            if not self._read_frame():
                return b""
        return self._ready.popleft()

    def read(self, _count: int) -> bytes:
        """Return the body after the empty line."""
        return self._ready.popleft()

    def _read_frame(self) -> bool:
        """Read a frame; False at the end of the input."""
        while self._length is None:
            line = self._stream.readline(_LONGEST_LINE)
            if not line:
                return False
            self._begins(line)
        stated, self._length = self._length, None
        length = int(stated) if stated.isdigit() and len(stated) < len(f"{LARGEST}0") else 0
        if not 0 < length <= LARGEST:
            self._complain(f"a frame with the length {stated[:40]!r} is skipped; it must be from 1 to {LARGEST:,}")
            return True
        while line := self._stream.readline(_LONGEST_LINE):  # further headers
            if not line.strip():
                break
            if self._begins(line):
                return True
        body, left = bytearray(), length
        while left:
            part = self._stream.readline(left)
            if not part:
                return False
            if self._begins(part):
                self._complain(f"a frame ends before its {length:,} bytes, and is skipped")
                return True
            body += part
            left -= len(part)
        self._ready += (b"Content-Length: %d\r\n" % length, b"\r\n", bytes(body))
        return True

    def _begins(self, part: bytes) -> bool:
        """Keep the length if a header ends here; it may have begun before this part of a line."""
        seen = (self._before + part)[-_LONGEST_HEADER:]
        self._before = b"" if part.endswith(b"\n") else seen
        match = _HEADER.fullmatch(seen)
        self._length = match[1] if match else None
        return match is not None

    def _complain(self, text: str) -> None:
        self._complaints += 1
        if self._complaints <= _MOST_COMPLAINTS:
            complain(f"citecheck lsp: {text}")


class AnsweringProtocol(LanguageServerProtocol):
    """Answers a request that is not understood; pygls would only show a message."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                said = error if isinstance(error, JsonRpcInvalidParams) else JsonRpcInvalidParams()
                self._send_response(data["id"], error=said.to_response_error())
                return lsp.CancelNotification(lsp.CancelParams(data["id"]))
            raise
