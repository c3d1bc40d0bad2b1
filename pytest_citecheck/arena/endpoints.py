"""The endpoints of an arena as `pytest_citecheck.chat` calls them."""

from __future__ import annotations

from typing import Protocol

from pytest_citecheck.arena.configuration import EndpointOptions
from pytest_citecheck.chat.endpoint import Endpoint
from pytest_citecheck.chat.search.options import SearchOptions

__all__ = ["chat_endpoint"]


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
