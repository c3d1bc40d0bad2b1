"""The search that a user configures for a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pytest_citecheck.transport.secrets.scrub import Secret

__all__ = ["DEPTHS", "PROVIDERS", "TAVILY", "Depth", "Provider", "SearchOptions"]

TAVILY = "https://api.tavily.com"

Depth = Literal["basic", "advanced"]
DEPTHS: tuple[Depth, ...] = ("basic", "advanced")
Provider = Literal["tavily", "json", "sources"]
PROVIDERS: tuple[Provider, ...] = ("tavily", "json", "sources")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A search that a user configures.

    provider: ``tavily``; ``json``, a server that answers ``GET {url}?q=…&format=json`` as SearXNG does; ``sources``, the
    bibliographic services of this package. url: of the server; empty for Tavily's own. depth: the most thorough search of Tavily
    that a model may choose. price: US dollars for one search; None: unknown.
    """

    provider: Provider = "tavily"
    api_key: str = field(default="", repr=False)
    url: str = field(default="", repr=False)
    depth: Depth = "advanced"
    price: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", Secret(self.api_key))
        object.__setattr__(self, "url", Secret(self.url))
        if self.provider == "json" and not self.url:
            raise ValueError("a search of the provider 'json' needs a URL")

    @property
    def is_paid(self) -> bool:
        """Whether each search is paid for: at Tavily; an own server and the services of this package take nothing."""
        return self.provider == "tavily" and not self.url
