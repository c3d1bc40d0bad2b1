"""Keeps secrets and the user's address out of everything that is stored, shown or logged."""

from __future__ import annotations

import base64
import contextlib
import html.entities
import logging
import re
import traceback
from bisect import bisect_right
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_plus, urlsplit

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.net.http import IDENTIFYING_PARAMETERS, without_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# Keeps secrets out of the logs of HTTP libraries and this package, for every destination (``--log-level=debug``, a
# file, caplog).
# They log URLs with parameters, headers, and errors with objects. A filter applies only to its own logger, so each
# child logger gets one too.
_LOGGERS = ("asyncio", "h11", "httpcore", "httpx", "pytest_citecheck", "vcr")


class _Filter(logging.Filter):
    def __init__(self, scrubber: Scrubber) -> None:
        super().__init__()
        self._scrubber = scrubber

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace message, arguments and traceback by texts without secrets; never drop a record."""
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - a library that logs wrongly must neither end the run nor show secrets
            message = str(record.msg)
        record.msg, record.args = self._scrubber.text(message), None
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = self._scrubber.text("".join(traceback.format_exception(*record.exc_info)).rstrip())
        record.exc_info = None
        return True


def _loggers() -> list[logging.Logger]:
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGERS]
    return [logging.getLogger(name) for name in sorted({*known, *_LOGGERS})]


@contextlib.contextmanager
def scrubbed_logs(scrubber: Scrubber) -> Iterator[None]:
    """While this lasts, the HTTP libraries log no secret that the scrubber knows."""
    loggers, own = _loggers(), _Filter(scrubber)
    for logger in loggers:
        logger.addFilter(own)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(own)


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

# Base64 after one or two other bytes begins with this many characters that depend on those bytes.
_FOREIGN = {0: 0, 1: 2, 2: 3}
_OTHER_ALPHABET = bytes.maketrans(b"-_", b"+/")

_Span = tuple[int, int]


class UnsearchableError(ValueError):
    """The text has so many escapes that reading all of them would stall the run."""


class SecretEncodings:
    """All encodings of a set of secrets.

    A secret is found in any case, percent-encoded, escaped, as references of HTML, mixed, and three times over; in
    base64 (both alphabets) at any position of the encoded text; in hexadecimal, also with separators between its bytes.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        octets = {secret.encode("utf-8", "surrogatepass") for secret in secrets if secret}
        self._plain = sorted({form.lower() for secret in octets for form in (secret, secret.replace(b" ", b"+"))})
        self._cores = sorted({core for secret in octets for core in _cores(secret)})
        written = {form for secret in octets for form in (secret, secret.lower(), secret.upper())}
        self._hexadecimal = [re.compile(_BETWEEN.join(b"%02x" % octet for octet in form)) for form in sorted(written)]

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


# Separators of bytes in dumps: `73:6b`, `73 6B`, `73-6b`, `0x73, 0x6b`, `\\x73\\x6b`, `%73`.
_BETWEEN = rb"""(?:0x|\\{1,4}[nrtx]|[\s:,;._%"'-]){0,8}+"""


def _cores(secret: bytes) -> Iterator[bytes]:
    """Return the invariant part of the base64 encoding of any text that contains the secret."""
    for before, foreign in _FOREIGN.items():
        whole = (before + len(secret)) * 8 // 6
        yield base64.b64encode(bytes(before) + secret)[foreign:whole]


REDACTED = "REDACTED"

KEPT_REQUEST_HEADERS = lazy_pattern(r"accept\Z", re.IGNORECASE)
KEPT_RESPONSE_HEADERS = lazy_pattern(
    r"(content-type|date|retry-after|location|x-rate-?limit-(?s:.*)|x-concurrency-limit)\Z", re.IGNORECASE
)

# Identifies the program that sends requests; the same for every user, and a word that may occur in any text.
_HARMLESS = {"tool"}

# Shorter values would match ordinary text by chance. Values in a parameter or as the user of a URL are removed anyway.
_SHORTEST_SECRET = 6

_NAMES = "|".join(re.escape(name) for name in sorted(IDENTIFYING_PARAMETERS - _HARMLESS))
_IN_URL = lazy_pattern(rf"""(?<![^?&])({_NAMES})=[^&\s"'<>#]+|://[^/?#\s"'<>@]{{1,500}}@""", re.IGNORECASE)


class Secret(str):
    """A string that is never shown: its representation (tracebacks with locals, logs) is `REDACTED`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(REDACTED)


def kept(headers: Mapping[str, Iterable[str]], pattern: re.Pattern[str]) -> dict[str, list[str]]:
    """The headers whose names match, in lower case and sorted by name; everything else (cookies, keys) is
    gone.
    """
    chosen = ((name.lower(), values) for name, values in headers.items() if pattern.match(name))
    return {
        name: [values] if isinstance(values, str) else [str(value) for value in values]
        for name, values in sorted(chosen)
    }


class Scrubber:
    """Replaces known secrets by `REDACTED`; learns new ones from the URLs that are sent."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._encodings = SecretEncodings(())
        self.keep_out(secrets)

    def learn(self, url: str) -> None:
        """Remember the values of identifying parameters and the user information of this URL as secrets."""
        parts = urlsplit(url)
        found = [value for value in (parts.username, parts.password) if value]
        if parts.username and parts.password:
            found.append(f"{parts.username}:{parts.password}")
        found += [unquote(value) for value in found]
        for pair in parts.query.split("&"):
            name, _, value = pair.partition("=")
            if name.lower() in IDENTIFYING_PARAMETERS - _HARMLESS:
                found.append(unquote_plus(value))
        self.keep_out(found)

    def url(self, url: str) -> str:
        """The URL without identifying parameters and user information, and without other secrets."""
        return self.text(without_identity(url))

    def text(self, text: str) -> str:
        """Return the text with every known secret replaced in any encoding, and also personal identifiers in URLs."""
        text = _IN_URL.sub(_redacted, text)
        if not self._secrets:
            return text
        octets = text.encode("utf-8", "surrogatepass")
        try:
            return self._encodings.replaced(octets, REDACTED.encode()).decode("utf-8", "surrogatepass")
        except UnsearchableError:
            return REDACTED

    def body(self, body: bytes) -> bytes:
        """The body with every known secret replaced in each of its `SecretEncodings`. Raises UnsearchableError."""
        return self._encodings.replaced(body, REDACTED.encode()) if self._secrets else body

    def keep_out(self, secrets: Iterable[str]) -> None:
        """Remember these secrets."""
        new = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET} - self._secrets
        if new:
            self._secrets |= new
            self._encodings = SecretEncodings(self._secrets)


def _redacted(match: re.Match[str]) -> str:
    return f"{match[1]}={REDACTED}" if match[1] else f"://{REDACTED}@"
