"""Identifies the user to a service in its own form: contact address, API key. Added when a request is sent, never stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from pytest_citecheck.transport.http.response import USER_AGENT
from pytest_citecheck.transport.secrets.scrub import Secret

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_citecheck.model import QuestionKind
    from pytest_citecheck.services.base import Rate, Request, Source
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["Identity"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: an e-mail address, API keys by name of the source, and the names of the sources that give one for a login."""

    contact: str = field(default="", repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    logins: Collection[str] = frozenset()

    @classmethod
    def of(cls, settings: TransportSettings) -> Identity:
        """The user whose settings these are."""
        return cls(settings.contact, settings.keys, frozenset(settings.logins))

    def admitted(self, source: Source, kind: QuestionKind) -> bool:
        """Whether this service answers questions of this kind to somebody with these credentials."""
        required = source.credentials.required if source.credentials else False
        needed = kind in required if isinstance(required, tuple) else required
        return not needed or bool(self.keys.get(source.name)) or source.name in self.logins

    def crowded_out(self, source: Source) -> str:
        """What a 429 means if it is that of a pool which all clients without a key share; empty if it is our own."""
        form = source.credentials
        if form is None or not form.pooled or self.keys.get(source.name):
            return ""
        return (
            f"{source.label} turned this run away: clients without a key share one pool, and it is full; "
            f"a free key in {form.variable} avoids that ({form.obtained})"
        )

    def dollars(self, source: Source) -> float:
        """What may be spent on a service a day."""
        return source.credentials.dollars if source.credentials and self.keys.get(source.name) else source.dollars

    def rate(self, source: Source, pool: str = "") -> Rate:
        """What the service allows, in one of its pools, to somebody who says this of himself."""
        if pool in source.pools:
            return source.pools[pool].contact_rate if self.contact else source.pools[pool].rate
        if source.credentials and source.credentials.rate and self.keys.get(source.name):
            return source.credentials.rate
        return source.contact_rate if source.contact_rate and self.contact else source.rate

    def signed(
        self, source: Source, request: Request, *, mirrored: bool, token: str = ""
    ) -> tuple[Request, dict[str, str]]:
        """The request with the query parameters that identify the asker, and the headers that do.

        Only the service itself learns who asks, not the hosts that references name or that it leads to. A key goes out in the
        clear only to a mirror (``mirrored``) that the user has chosen so. token: the key of a login.
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
