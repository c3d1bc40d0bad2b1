"""Tells a service who asks, in the form that it wants: contact address, API key. Added when a request is sent, never stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.sources.base import Rate, Request, Source

__all__ = ["Identity"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: an e-mail address, and API keys by name of the source."""

    contact: str = ""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    def admitted(self, source: Source) -> bool:
        """Whether this service answers somebody with these credentials at all."""
        return source.credentials is None or not source.credentials.required or bool(self.keys.get(source.name))

    def rate(self, source: Source) -> Rate:
        """What the service allows to somebody who says this of himself."""
        if source.credentials and source.credentials.rate and self.keys.get(source.name):
            return source.credentials.rate
        return source.contact_rate if source.contact_rate and self.contact else source.rate

    def signed(self, source: Source, request: Request) -> tuple[Request, dict[str, str]]:
        """The request with the query parameters that identify the asker, and the headers that do."""
        parameters = {}
        if self.contact:
            parameters = {name: value.format(contact=self.contact) for name, value in source.contact.items()}
        headers = {}
        key, form = self.keys.get(source.name), source.credentials
        if key and form and form.header:
            headers[form.header] = f"{form.scheme} {key}".lstrip()
        elif key and form:
            parameters[form.parameter] = key
        if not parameters:
            return request, headers
        url = f"{request.url}{'&' if '?' in request.url else '?'}{urlencode(parameters)}"
        return replace(request, url=url), headers
