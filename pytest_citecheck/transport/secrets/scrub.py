"""Keeps secrets and the user's address out of everything that is stored, shown or logged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_plus, urlsplit

from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.http.canonical import IDENTIFYING_PARAMETERS, without_identity
from pytest_citecheck.transport.secrets.secret_encodings import SecretEncodings, UnsearchableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["KEPT_REQUEST_HEADERS", "KEPT_RESPONSE_HEADERS", "REDACTED", "Scrubber", "Secret", "kept"]

REDACTED = "REDACTED"

KEPT_REQUEST_HEADERS = lazy_pattern(r"accept\Z", re.IGNORECASE)
KEPT_RESPONSE_HEADERS = lazy_pattern(
    r"(content-type|date|retry-after|location|x-rate-?limit-(?s:.*)|x-concurrency-limit)\Z", re.IGNORECASE
)

# Says which program asks; the same for every user, and a word that may stand in any text.
_HARMLESS = {"tool"}

# A shorter value would be found by chance in ordinary text. What stands in a parameter or as the user of a URL goes all the same.
_SHORTEST_SECRET = 6

_NAMES = "|".join(re.escape(name) for name in sorted(IDENTIFYING_PARAMETERS - _HARMLESS))
_IN_URL = lazy_pattern(rf"""(?<![^?&])({_NAMES})=[^&\s"'<>#]+|://[^/?#\s"'<>@]{{1,500}}@""", re.IGNORECASE)


class Secret(str):
    """A string that is never shown: what prints it as an object (tracebacks with locals, logs) prints `REDACTED`."""

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
        self._add(secrets)

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
        self._add(found)

    def keep_out(self, secrets: Iterable[str]) -> None:
        """Remember these secrets."""
        self._add(secrets)

    def url(self, url: str) -> str:
        """The URL without identifying parameters and user information, and without other secrets."""
        return self.text(without_identity(url))

    def text(self, text: str) -> str:
        """The text with every known secret replaced in any of its encodings, and whatever identifies a person in a URL."""
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

    def _add(self, secrets: Iterable[str]) -> None:
        new = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET} - self._secrets
        if new:
            self._secrets |= new
            self._encodings = SecretEncodings(self._secrets)


def _redacted(match: re.Match[str]) -> str:
    return f"{match[1]}={REDACTED}" if match[1] else f"://{REDACTED}@"
