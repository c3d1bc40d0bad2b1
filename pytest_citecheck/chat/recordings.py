"""The recorded calls of one endpoint: found by what was said and the number of the sample, at whatever address."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from pytest_citecheck.services.base import Request
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.transport.cassettes.cassette import Cassette
from pytest_citecheck.transport.cassettes.cassette_file import Interaction
from pytest_citecheck.transport.secrets.secret_encodings import UnsearchableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_citecheck.chat.dialects.base import Post
    from pytest_citecheck.transport.secrets.scrub import Scrubber

__all__ = ["Recordings", "cassette_name"]

_SAMPLE = "citecheck-sample"
_UNSAFE = lazy_pattern(r"[^A-Za-z0-9_.-]+")


def cassette_name(endpoint: str, kind: str = "model") -> str:
    """The name of the cassette of an endpoint, without suffix; no two endpoints share one. kind: ``model`` or ``search``."""
    safe = _UNSAFE.sub("-", endpoint)[:60]
    # Capital letters too: some file systems do not tell them apart.
    mark = "" if safe == endpoint.lower() else f"-{hashlib.sha256(endpoint.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{kind}-{safe}{mark}"


class _Calls:
    """What `Cassette` has to know of an endpoint."""

    def __init__(self, name: str) -> None:
        self.name = name

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The same call without address, under which it is looked for."""
        return (_anywhere(request),)


def _anywhere(request: Request) -> Request:
    """The call at no particular address: what it says is in the body and the end of the path, else in the query."""
    parts = urlsplit(request.url)
    sample = parse_qs(parts.query).get(_SAMPLE, ["0"])[-1]
    query = f"{_SAMPLE}={sample}" if request.body else parts.query
    return replace(request, url=f"https://endpoint.invalid/{parts.path.rpartition('/')[2]}?{query}")


class Recordings:
    """A cassette by its name, in a folder. Raises CassetteError if a file is broken.

    fresh: leave out what is recorded already.
    """

    def __init__(self, folder: Path, name: str, scrubber: Scrubber, *, fresh: bool) -> None:
        self._cassette = Cassette(folder, _Calls(name), fresh=fresh)
        self._scrubber = scrubber

    @property
    def problem(self) -> str:
        """Which recordings were changed since they were made, in words; empty if none was."""
        return self._cassette.problem

    def find(self, post: Post, sample: int) -> bytes | None:
        """The recorded body that answers this call; None if there is none that is whole."""
        try:
            request = _anywhere(self._request(post, sample))
        except UnsearchableError:
            return None
        found = self._cassette.find(request)
        return None if found is None or found.damaged else found.body

    def record(self, post: Post, sample: int, status: int, headers: Mapping[str, str], body: bytes) -> bool:
        """Take up a call with its answer, of which secrets are gone; whether the format can hold it."""
        shown = {name: self._scrubber.text(value) for name, value in headers.items()}
        try:
            self._cassette.record(Interaction.of(self._request(post, sample), status, shown, body))
        except (UnicodeDecodeError, UnsearchableError):
            return False
        return True

    def save(self) -> None:
        """Write what was recorded. Raises CassetteError."""
        self._cassette.save()

    def _request(self, post: Post, sample: int) -> Request:
        """The call as it is stored: without headers and secrets."""
        url = self._scrubber.url(post.url)
        number = f"{'&' if '?' in url else '?'}{_SAMPLE}={sample}" if sample else ""
        return Request(self._cassette.path.stem, f"{url}{number}", body=self._scrubber.body(post.body))
