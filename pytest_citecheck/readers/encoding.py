"""From the bytes of a bibliography to its text."""

from __future__ import annotations

import codecs

from pytest_citecheck.model import Defect

__all__ = ["byte_order_mark", "decode_bytes"]

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
