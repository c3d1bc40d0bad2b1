"""Finds a secret in whatever way a service, a log or a report writes it: encoded, escaped, as part of something else."""

from __future__ import annotations

import base64
import html.entities
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["SecretEncodings", "UnsearchableError"]

# Percent-encoding (RFC 3986), the escapes of JSON and Python, the character references of HTML. Each alternative begins with
# one character, so that `re` skips text without any of the three at the speed of C.
_ESCAPE = lazy_pattern(
    rb"%([0-9a-fA-F]{2})"
    rb"|\\\\{0,3}u([0-9a-fA-F]{4})"
    rb"|\\\\{0,3}x([0-9a-fA-F]{2})"
    rb"""|\\\\{0,3}(["'/\\])"""
    rb"|&#0*([0-9]{1,5});?"
    rb"|&#[xX]0*([0-9a-fA-F]{1,4});?"
    rb"|&([a-zA-Z]{2,10});"
)
_ESCAPING = (b"%", b"\\", b"&")

# A page in JSON in the parameter of a URL is three times escaped.
_LAYERS = 3

# Each takes about a microsecond a layer. An answer of 2 MB that escapes every Chinese character has as many.
_MOST_ESCAPES = 300_000

# Base64 of what follows one or two other bytes begins with so many characters that depend on those.
_FOREIGN = {0: 0, 1: 2, 2: 3}
_OTHER_ALPHABET = bytes.maketrans(b"-_", b"+/")

_Span = tuple[int, int]


class UnsearchableError(ValueError):
    """The text consists of so many escapes that to read them all would hold the run."""


class SecretEncodings:
    """All encodings of some secrets.

    A secret is found in any case, percent-encoded, escaped, as references of HTML, mixed, and three times over; in base64 (both
    alphabets) wherever it stands in what was encoded; in hexadecimal, also with separators between its bytes.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        octets = {secret.encode("utf-8", "surrogatepass") for secret in secrets if secret}
        self._plain = sorted({form.lower() for secret in octets for form in (secret, secret.replace(b" ", b"+"))})
        self._cores = sorted({core for secret in octets for core in _cores(secret)})
        written = {form for secret in octets for form in (secret, secret.lower(), secret.upper())}
        self._hexadecimal = [_in_hexadecimal(form) for form in sorted(written)]

    def replaced(self, body: bytes, by: bytes) -> bytes:
        """The body with each encoding replaced. Raises UnsearchableError."""
        spans = sorted(self._spans(body)) if self._plain else []
        if not spans:
            return body
        parts = []
        end = 0
        for first, last in spans:
            if first >= end:
                parts += [body[end:first], by]
            end = max(end, last)
        return b"".join((*parts, body[end:]))

    def _spans(self, body: bytes) -> Iterator[_Span]:
        layers: list[Callable[[_Span], _Span]] = []
        for _ in range(_LAYERS + 1):
            for span in self._found(body):
                for origin in reversed(layers):
                    span = origin(span)
                yield span
            escapes = sum(map(body.count, _ESCAPING))
            if not escapes:
                return
            if escapes > _MOST_ESCAPES:
                raise UnsearchableError(f"more than {_MOST_ESCAPES:,} escapes")
            plainer = _ESCAPE.sub(_meaning, body)
            if plainer == body:
                return
            layers.append(_Origin(body))
            body = plainer

    def _found(self, body: bytes) -> Iterator[_Span]:
        lower = body.lower()
        yield from _occurrences(self._plain, lower)
        for pattern in self._hexadecimal:
            yield from (match.span() for match in pattern.finditer(lower))
        yield from _occurrences(self._cores, body.translate(_OTHER_ALPHABET))


class _Origin:
    """From a span of a body without its escapes to the span of the body with them; looked into only if it is needed."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._starts: list[int] | None = None
        self._shifts: list[int] = [0]
        self._lengths: list[int] = [0]

    def __call__(self, span: _Span) -> _Span:
        first, end = span
        return self._at(first)[0], self._at(end - 1)[1]

    def _at(self, position: int) -> _Span:
        if self._starts is None:
            self._starts = self._read()
        # Escapes begin at `_starts` of the plain body; after each the two bodies are further apart.
        index = bisect_right(self._starts, position)
        if index and position < self._starts[index - 1] + self._lengths[index]:
            start = self._starts[index - 1] + self._shifts[index - 1]
            return start, start + self._lengths[index] + self._shifts[index] - self._shifts[index - 1]
        start = position + self._shifts[index]
        return start, start + 1

    def _read(self) -> list[int]:
        starts = []
        shift = 0
        for match in _ESCAPE.finditer(self._body):
            length = len(_meaning(match))
            starts.append(match.start() - shift)
            shift += len(match[0]) - length
            self._shifts.append(shift)
            self._lengths.append(length)
        return starts


def _meaning(match: re.Match[bytes]) -> bytes:
    kind, text = match.lastindex, match[match.lastindex or 0]
    if kind == 1:
        return bytes((int(text, 16),))
    if kind == 4:
        return text
    if kind == 7:
        named = html.entities.html5.get(f"{text.decode('ascii')};")
        return match[0] if named is None else named.encode()
    number = int(text, 10 if kind == 5 else 16)
    return chr(number).encode("utf-8", "surrogatepass")


def _occurrences(wanted: Iterable[bytes], body: bytes) -> Iterator[_Span]:
    for secret in wanted:
        start = body.find(secret)
        while start >= 0:
            yield start, start + len(secret)
            start = body.find(secret, start + len(secret))


# What dumps write between bytes: `73:6b`, `73 6B`, `73-6b`, `0x73, 0x6b`, `\\x73\\x6b`, `%73`.
_BETWEEN = rb"""(?:0x|\\{1,4}[nrtx]|[\s:,;._%"'-]){0,8}+"""


def _in_hexadecimal(secret: bytes) -> re.Pattern[bytes]:
    """A pattern for the secret in hexadecimal, in lower case."""
    return re.compile(_BETWEEN.join(b"%02x" % octet for octet in secret))


def _cores(secret: bytes) -> Iterator[bytes]:
    """What base64 of anything that holds the secret holds itself."""
    for before, foreign in _FOREIGN.items():
        whole = (before + len(secret)) * 8 // 6
        yield base64.b64encode(bytes(before) + secret)[foreign:whole]
