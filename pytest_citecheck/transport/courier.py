"""Takes one request to a service: signed by the user, to the service itself or to the mirror that the user names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_citecheck.transport.http.canonical import relocate
from pytest_citecheck.transport.secrets.identity import Identity
from pytest_citecheck.transport.secrets.scrub import Secret

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_citecheck.model import QuestionKind, Unavailable
    from pytest_citecheck.services.base import Request, Source
    from pytest_citecheck.transport.http.exchange import Exchanger
    from pytest_citecheck.transport.http.response import RawResponse
    from pytest_citecheck.transport.secrets.logins import Logins

__all__ = ["Courier"]


@dataclass(frozen=True, slots=True)
class Courier:
    """The way to one source; ``mirror`` is empty if there is none."""

    source: Source
    mirror: str
    identity: Identity
    exchanger: Exchanger
    logins: Logins

    async def ready(self, kind: QuestionKind) -> Unavailable | None:
        """Log in, if questions of this kind need a key that is had so; why there is none, if there is none."""
        if Identity().admitted(self.source, kind) or self.identity.keys.get(self.source.name):
            return None
        return await self.logins.log_in(self.source, self.mirror)

    async def exchange(
        self,
        request: Request,
        on_send: Callable[[], object],
        on_connected: Callable[[], Awaitable[object]] | None = None,
    ) -> RawResponse:
        """The final response, whatever its status; see `Exchanger.exchange`. Raises ExchangeError."""
        source = self.source
        token = self.logins.known_token(source, self.mirror)
        signed, own_headers = self.identity.signed(source, request, mirrored=bool(self.mirror), token=token)
        if self.mirror:
            signed = replace(signed, url=Secret(relocate(signed.url, source.base_url, self.mirror)))
        return await self.exchanger.exchange(
            signed,
            on_send,
            largest=source.largest_body,
            own_headers=own_headers,
            follow=source.follows,
            public=not source.base_url and not self.mirror,
            enough=source.enough_bytes,
            on_connected=on_connected,
        )
