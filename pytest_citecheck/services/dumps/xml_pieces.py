"""A stream of XML, cut into its records before any parser sees it, so that a broken one costs only itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # declarations are refused before the parser sees the text
from html.entities import name2codepoint
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.services.dumps.base import LONGEST, Problem
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.services.dumps.base import Context

__all__ = ["Piece", "XmlError", "declared_encoding", "decode", "element", "pieces", "resolve"]

_DECLARED = lazy_pattern(rb"""<\?xml[^<>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ENTITY = lazy_pattern(r"&(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});)?")
_OWN = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CONTROLS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MOST_BETWEEN = 1 << 16


class XmlError(ValueError):
    """A record is not what XML allows; the message says why."""


class Piece(NamedTuple):
    """One record: its element's name, where it begins, what stands before it since the last one, and its bytes.

    Of what stands before, at most the first and the last 64 KiB; after a problem, the record that it was about.
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
    scanned = 0  # where the search for tags goes on in the buffer
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
    """The text with its references replaced: XML's own entities, those of HTML 4, characters by number.

    Raises XmlError for any other entity and for an ampersand that begins none.
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
    """Entities of HTML as characters, while those of XML and numbers stay for its parser."""
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
