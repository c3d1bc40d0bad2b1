"""The keys that services give for a user's name and password: in memory only, for as long as they hold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.model import Unavailable
from pytest_citecheck.services.base import LARGEST_RECORD, MalformedAnswerError, Request
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.transport.http.canonical import relocate
from pytest_citecheck.transport.http.response import ExchangeError
from pytest_citecheck.transport.secrets.scrub import REDACTED, Secret

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Login, Source
    from pytest_citecheck.transport.http.exchange import Exchanger
    from pytest_citecheck.transport.limits.pacer import Clock
    from pytest_citecheck.transport.secrets.scrub import Scrubber

__all__ = ["Logins"]

_USED_SHARE = 0.9  # of the time for which a key holds: a request must not arrive when it has ended


class _SecretBytes(bytes):
    """A body that is never shown (see `Secret`)."""

    def __repr__(self) -> str:
        return repr(REDACTED)


class Logins:
    """Logs in once an hour at most; one that was refused is not tried again in this run.

    known: name of a source -> name and password. clock: seconds, monotonic.
    """

    def __init__(
        self, known: Mapping[str, tuple[str, str]], exchanger: Callable[[], Exchanger], scrubber: Scrubber, clock: Clock
    ) -> None:
        self._known = known
        self._exchanger = exchanger
        self._scrubber = scrubber
        self._clock = clock
        self._tokens: dict[str, tuple[float, str]] = {}
        self._refused: dict[str, Unavailable] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        scrubber.keep_out(secret for pair in known.values() for secret in pair)

    def known_token(self, source: Source, mirror: str) -> str:
        """The key that was given, if one was; empty otherwise."""
        return self._tokens.get(mirror or source.base_url, (0.0, ""))[1] if source.name in self._known else ""

    async def log_in(self, source: Source, mirror: str) -> Unavailable | None:
        """Have a key that holds for this source; why there is none, if there is none. Raises nothing but cancellation."""
        login = source.credentials.login if source.credentials else None
        if login is None or source.name not in self._known:
            return None
        place = mirror or source.base_url
        async with self._locks.setdefault(place, asyncio.Lock()):
            given, token = self._tokens.get(place, (0.0, ""))
            if place in self._refused or (token and self._clock() - given < _USED_SHARE * login.seconds):
                return self._refused.get(place)
            answer = await self._ask(source, login, mirror)
            if isinstance(answer, Unavailable):
                self._refused[place] = answer
                return answer
            self._scrubber.keep_out([answer])
            self._tokens[place] = (self._clock(), answer)
            return None

    async def _ask(self, source: Source, login: Login, mirror: str) -> str | Unavailable:
        url = f"{source.base_url}{login.path}"
        if mirror:
            url = relocate(url, source.base_url, mirror)
        elif urlsplit(url).scheme != "https":
            return Unavailable("login", f"{source.label} takes no login over a connection that anybody can read")
        said = dict(zip(login.fields, self._known[source.name], strict=True))
        request = Request(source.name, Secret(url), body=_SecretBytes(json.dumps(said).encode()))
        try:
            raw = await self._exchanger().exchange(request, lambda: None, largest=LARGEST_RECORD)
        except ExchangeError as error:
            return Unavailable(error.reason, f"no login at {source.label}: {self._scrubber.text(error.detail)}")
        if not 200 <= raw.status < 300:
            return Unavailable("login", f"{source.label} refused the login with HTTP status {raw.status}")
        try:
            token = text(mapping(parse_json(raw.body)).get(login.token))
        except MalformedAnswerError:
            token = ""
        if not token or not token.isascii() or not token.isprintable():
            return Unavailable("login", f"{source.label} answered the login without a key")
        return Secret(token)
