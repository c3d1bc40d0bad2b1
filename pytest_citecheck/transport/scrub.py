"""Keeps secrets and the user's address out of everything that is stored, shown or logged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_plus, urlsplit

from pytest_citecheck.transport.canonical import IDENTIFYING_PARAMETERS, without_identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["KEPT_REQUEST_HEADERS", "KEPT_RESPONSE_HEADERS", "REDACTED", "Scrubber", "kept"]

REDACTED = "REDACTED"

KEPT_REQUEST_HEADERS = re.compile(r"accept\Z", re.IGNORECASE)
KEPT_RESPONSE_HEADERS = re.compile(
    r"(content-type|date|retry-after|location|x-rate-?limit-.*|x-concurrency-limit)\Z", re.IGNORECASE
)

# Says which program asks; the same for every user, and a word that may stand in any text.
_HARMLESS = {"tool"}

# A shorter value would be found by chance in ordinary text.
_SHORTEST_SECRET = 6


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
        self._pattern: re.Pattern[str] | None = None
        self._bytes_pattern: re.Pattern[bytes] | None = None
        self._add(secrets)

    def learn(self, url: str) -> None:
        """Remember the values of identifying parameters and the user information of this URL as secrets."""
        parts = urlsplit(url)
        found = [value for value in (parts.username, parts.password) if value]
        for pair in parts.query.split("&"):
            name, _, value = pair.partition("=")
            if name.lower() in IDENTIFYING_PARAMETERS - _HARMLESS:
                found.append(unquote_plus(value))
        self._add(found)

    def url(self, url: str) -> str:
        """The URL without identifying parameters and user information, and without other secrets."""
        return self.text(without_identity(url))

    def text(self, text: str) -> str:
        """The text with every known secret replaced, plain or percent-encoded, in any case."""
        return self._pattern.sub(REDACTED, text) if self._pattern else text

    def body(self, body: bytes) -> bytes:
        """The body with every known secret replaced, as `text` does."""
        return self._bytes_pattern.sub(REDACTED.encode(), body) if self._bytes_pattern else body

    def _add(self, secrets: Iterable[str]) -> None:
        new = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET} - self._secrets
        if not new:
            return
        self._secrets |= new
        spellings = {spelling for secret in self._secrets for spelling in (secret, quote(secret, safe=""))}
        longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
        alternatives = "|".join(re.escape(spelling) for spelling in longest_first)
        self._pattern = re.compile(alternatives, re.IGNORECASE)
        self._bytes_pattern = re.compile(alternatives.encode(), re.IGNORECASE)
