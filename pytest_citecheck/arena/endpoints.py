"""The endpoints of an arena, or of another configuration of models, as `pytest_citecheck.chat` calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_citecheck.arena.configuration import EndpointOptions, read_endpoints
from pytest_citecheck.arena.settings_document import Document
from pytest_citecheck.chat.endpoint import Endpoint
from pytest_citecheck.chat.search.options import SearchOptions

__all__ = ["chat_endpoint", "read_chat_endpoints"]


class CallOptions(Protocol):
    """What a configuration states of all its calls. timeout: seconds of one; tries: at most, of one."""

    @property
    def timeout(self) -> float: ...

    @property
    def tries(self) -> int: ...

    @property
    def secrets(self) -> frozenset[str]: ...


def chat_endpoint(options: EndpointOptions, configuration: CallOptions) -> Endpoint:
    """One endpoint with what the configuration states of calls. Raises ValueError for values that cannot work."""
    price, tools = options.price, options.tools
    known = price.prompt is not None and price.completion is not None
    return Endpoint(
        name=options.name,
        base_url=options.base_url,
        model=options.model,
        api_key=options.api_key,
        api=options.api,
        parameters=options.parameters,
        concurrency=options.max_concurrency,
        rate=options.rate,
        timeout=configuration.timeout,
        attempts=configuration.tries,
        token_prices=(price.prompt or 0.0, price.completion or 0.0) if known else None,
        search=SearchOptions(tools.provider, tools.tavily_api_key, tools.search_url, tools.search_depth)
        if tools.enabled
        else None,
        secrets=configuration.secrets,
    )


@dataclass(frozen=True, slots=True)
class _Calls:
    timeout: float
    tries: int
    secrets: frozenset[str]


def read_chat_endpoints(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool
) -> tuple[Endpoint, ...]:
    """The endpoints that a YAML names, whatever else it configures.

    secrets: whether variables in keys must be set. Raises ConfigurationError, which names every problem with its line and key,
    and ValueError for values that cannot work.
    """
    document = Document(path.name, text, environment, secrets=secrets)
    endpoints = read_endpoints(document.root.section("target_endpoints", required=True))
    evaluation = document.root.section("evaluation")
    timeout, tries = evaluation.number("timeout", 120.0, 0.001), evaluation.integer("retry_times", 3, 1)
    document.finish()
    calls = _Calls(timeout, tries, frozenset(document.secret_values))
    return tuple(chat_endpoint(one, calls) for one in endpoints)
