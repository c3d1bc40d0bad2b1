"""The endpoint of a language model, as a user configures it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pytest_citecheck.chat.search.options import SearchOptions
from pytest_citecheck.transport.secrets.scrub import Secret

__all__ = ["APIS", "MOST_AT_ONCE", "Endpoint", "dropped_parameters"]

APIS = ("openai", "anthropic", "gemini")
MOST_AT_ONCE = 100

_DROPPED = {
    "stream": "answers are not streamed",
    "stream_options": "answers are not streamed",
    "messages": "the messages come from the caller",
    "model": "the model is that of the endpoint",
    "timeout": "the time-out is that of the endpoint",
}

# What servers of one's own machine take for a key, and what may stand in any text.
_PLACEHOLDERS = frozenset({"ollama", "lm-studio", "not-needed", "no-key", "none", "dummy", "empty", "placeholder"})
_TELLING = ("auth", "authorization", "key", "token", "secret", "cookie", "password", "signature", "credentials")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address.

    api: ``openai`` (chat completions, at any address), ``anthropic`` (messages) or ``gemini`` (generateContent). parameters:
    of the provider, sent as they are; ``extra_body``, ``extra_headers`` and ``extra_query`` as in the client of OpenAI.
    concurrency: calls at the same time. rate: requests a second; None: as many as there is room for. timeout: seconds for one
    request. attempts: requests for one call. token_prices: US dollars for a million tokens that are read and written; None: those
    of the table (`pytest_citecheck.chat.prices`). search: the search that the model may call as a tool. secrets: values that are
    never shown, beside the key.

    Raises ValueError for values that cannot work.
    """

    name: str
    base_url: str = field(repr=False)
    model: str
    api_key: str = field(default="", repr=False)
    api: str = "openai"
    parameters: Mapping[str, object] = field(default_factory=dict, repr=False)
    concurrency: int = 5
    rate: float | None = None
    timeout: float = 120.0
    attempts: int = 3
    token_prices: tuple[float, float] | None = None
    search: SearchOptions | None = None
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", Secret(self.api_key))
        object.__setattr__(self, "base_url", Secret(self.base_url))
        wrong = next(self._problems(), "")
        if wrong:
            raise ValueError(f"endpoint {self.name}: {wrong}")

    def _problems(self) -> Iterator[str]:
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            yield "base_url must look like https://host[:port][/path]"
        if self.api not in APIS:
            yield f"unknown api {self.api!r}; known are {', '.join(APIS)}"
        if not self.model:
            yield "model is empty"
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            yield "api_key must be one line of ASCII characters"
        if not 1 <= self.concurrency <= MOST_AT_ONCE:
            yield f"max_concurrency must be between 1 and {MOST_AT_ONCE}"
        if self.rate is not None and not self.rate > 0:
            yield "rate must be greater than 0 requests a second"
        if not self.timeout > 0:
            yield "timeout must be greater than 0 seconds"
        if self.attempts < 1:
            yield "retry_times must be at least 1"
        try:
            json.dumps(dict(self.parameters), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            yield "extra_params must be what JSON can hold"
        for name in ("extra_body", "extra_headers", "extra_query"):
            if not isinstance(self.parameters.get(name) or {}, Mapping):
                yield f"extra_params.{name} must be an object"

    def all_secrets(self) -> set[str]:
        """What must never be shown: the key, values of variables, and texts in headers and parameters that name a key."""
        found = {str(self.api_key), self.search.api_key if self.search else "", *self.secrets}
        found |= set(_telling(self.parameters))
        found |= {value.removeprefix("Bearer ") for value in found}
        return {value for value in found if value.casefold() not in _PLACEHOLDERS}


def _telling(value: object) -> Iterator[str]:
    """The texts in objects whose name ends as those of keys do, however deep."""
    for name, member in value.items() if isinstance(value, Mapping) else ():
        if isinstance(member, str) and str(name).lower().endswith(_TELLING):
            yield member
        yield from _telling(member)


def dropped_parameters(parameters: Mapping[str, object]) -> dict[str, str]:
    """The parameters that are not sent, with the reason."""
    return {name: _DROPPED[name] for name in parameters if name in _DROPPED}
