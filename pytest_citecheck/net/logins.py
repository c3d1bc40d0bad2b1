"""Identifies the user to a service in its own form: contact address, API key. Added when a request is sent, never stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from pytest_citecheck.model import Unavailable
from pytest_citecheck.net.http import USER_AGENT, ExchangeError, relocate
from pytest_citecheck.net.secrets import REDACTED, Secret
from pytest_citecheck.sources import LARGEST_RECORD, MalformedAnswerError, Request, mapping, parse_json, text

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_citecheck.model import QueryKind
    from pytest_citecheck.net.exchange import Exchanger
    from pytest_citecheck.net.queues import Clock
    from pytest_citecheck.net.secrets import Scrubber
    from pytest_citecheck.net.settings import TransportSettings
    from pytest_citecheck.sources import Login, Rate, Source


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of the user: an e-mail address, API keys by source, and the sources that issue a key for a login."""

    contact: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    logins: Collection[str] = frozenset()

    @classmethod
    def of(cls, settings: TransportSettings) -> Identity:
        """The user whose settings these are."""
        return cls(settings.contact, settings.keys, frozenset(settings.logins))

    def admitted(self, source: Source, kind: QueryKind) -> bool:
        """Return True if this service answers queries of this kind to somebody with these credentials."""
        required = source.credentials.required if source.credentials else False
        needed = kind in required if isinstance(required, tuple) else required
        return not needed or bool(self.keys.get(source.name)) or source.name in self.logins

    def crowded_out(self, source: Source) -> str:
        """Message about a 429 of a pool that all clients without a key share; empty for one's own limit."""
        form = source.credentials
        if form is None or not form.pooled or self.keys.get(source.name):
            return ""
        return (
            f"{source.label} turned this run away: the pool for clients without a key is full; set a free key in "
            f"{form.variable} ({form.obtained})"
        )

    def dollars(self, source: Source) -> float:
        """Return the daily budget of a service."""
        return source.credentials.dollars if source.credentials and self.keys.get(source.name) else source.dollars

    def rate(self, source: Source, pool: str = "") -> Rate:
        """Rate limit of the service, in one of its pools, for a user with this identity."""
        if pool in source.pools:
            return source.pools[pool].contact_rate if self.contact else source.pools[pool].rate
        if source.credentials and source.credentials.rate and self.keys.get(source.name):
            return source.credentials.rate
        return source.contact_rate if source.contact_rate and self.contact else source.rate

    def signed(
        self, source: Source, request: Request, *, mirrored: bool, token: str = ""
    ) -> tuple[Request, dict[str, str]]:
        """Add the query parameters and headers that identify the user.

        Only the service itself gets them, not the hosts of references or redirects. A key is sent unencrypted only to a
        mirror (``mirrored``) that the user has configured. token: the key of a login.
        """
        home, goal = urlsplit(source.base_url), urlsplit(request.url)
        if not source.base_url or (home.scheme, home.netloc) != (goal.scheme, goal.netloc):
            return request, {}
        parameters = {}
        headers: dict[str, str] = {}
        if self.contact:
            parameters = {name: value.format(contact=self.contact) for name, value in source.contact.items()}
            # The form that Crossref documents for its polite pool; other services read it too.
            headers["user-agent"] = Secret(f"{USER_AGENT} (mailto:{self.contact})")
        key, form = self.keys.get(source.name) or token, source.credentials
        if key and form and (mirrored or home.scheme == "https"):
            if form.header:
                headers[form.header] = Secret(f"{form.scheme} {key}".lstrip())
            else:
                parameters[form.parameter] = key
        if not parameters:
            return request, headers
        url = Secret(f"{request.url}{'&' if '?' in request.url else '?'}{urlencode(parameters)}")
        return replace(request, url=url), headers


_USED_SHARE = 0.9  # share of a key's lifetime: a request must not arrive after its end


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
        """Get a valid key for this source; return the reason if there is none. Raises only cancellation."""
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
            return Unavailable("login", f"{source.label} requires an encrypted connection for a login")
        said = dict(zip(login.fields, self._known[source.name], strict=True))
        request = Request(source.name, Secret(url), body=_SecretBytes(json.dumps(said).encode()))
        try:
            raw = await self._exchanger().exchange(request, lambda: None, largest=LARGEST_RECORD)
        except ExchangeError as error:
            return Unavailable(error.reason, f"login at {source.label} failed: {self._scrubber.text(error.detail)}")
        if not 200 <= raw.status < 300:
            return Unavailable("login", f"{source.label} refused the login with HTTP status {raw.status}")
        try:
            token = text(mapping(parse_json(raw.body)).get(login.token))
        except MalformedAnswerError:
            token = ""
        if not token or not token.isascii() or not token.isprintable():
            return Unavailable("login", f"{source.label} answered the login without a key")
        return Secret(token)
