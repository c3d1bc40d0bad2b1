"""The endpoints that a YAML names, as `pytest_citecheck.chat` calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pytest_citecheck.chat.configuration.call_options import CallOptions, read_call_options
from pytest_citecheck.chat.configuration.document import Document, Section
from pytest_citecheck.chat.endpoint import APIS, Endpoint, dropped_parameters
from pytest_citecheck.chat.search.options import DEPTHS, PROVIDERS, TAVILY, Depth, Provider, SearchOptions
from pytest_citecheck.chat.variables import KeyRules

__all__ = ["EndpointOptions", "Price", "ToolOptions", "chat_endpoint", "read_chat_endpoints", "read_endpoints"]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens that are read and written, and for one search of the tool; None: unknown."""

    prompt: float | None = None
    completion: float | None = None
    search: float | None = None


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """The search tool of an endpoint. iterations: the most calls of the model in one conversation. provider, search_url: what is
    searched (`pytest_citecheck.chat.search.options.SearchOptions`).
    """

    enabled: bool = False
    tavily_api_key: str = field(default="", repr=False)
    iterations: int = 10
    search_depth: Depth = "advanced"
    provider: Provider = "tavily"
    search_url: str = ""


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """One model behind one endpoint. name: of the endpoint, as reports name it; parameters: of the provider, as they are sent.

    api: the protocol that it speaks (`pytest_citecheck.chat.endpoint.APIS`); rate: requests a second, at most.
    """

    name: str
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    system_prompt: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    max_concurrency: int = 5
    tools: ToolOptions = ToolOptions()
    price: Price = Price()
    api: str = "openai"
    rate: float | None = None


def chat_endpoint(options: EndpointOptions, calls: CallOptions, secrets: frozenset[str]) -> Endpoint:
    """One endpoint with what the configuration states of calls. secrets: values of its variables. Raises ValueError for values
    that cannot work.
    """
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
        timeout=calls.timeout,
        attempts=calls.tries,
        token_prices=(price.prompt or 0.0, price.completion or 0.0) if known else None,
        search=SearchOptions(tools.provider, tools.tavily_api_key, tools.search_url, tools.search_depth, price.search)
        if tools.enabled
        else None,
        secrets=secrets,
    )


def read_chat_endpoints(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool, keys: KeyRules | None = None
) -> tuple[Endpoint, ...]:
    """The endpoints that a YAML names, whatever else it configures.

    secrets: whether variables in keys must be set. keys: to which hosts they may go. Raises ConfigurationError, which names every
    problem with its line and key, and ValueError for values that cannot work.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    endpoints = read_endpoints(document.root.section("target_endpoints", required=True))
    calls = read_call_options(document.root.section("evaluation"), path.parent)
    document.finish()
    return tuple(chat_endpoint(one, calls, frozenset(document.secret_values)) for one in endpoints)


def read_endpoints(section: Section) -> tuple[EndpointOptions, ...]:
    """The section ``target_endpoints``."""
    if not section.keys and not section.document.problems:
        section.document.problem(section.path, "names no endpoint")
    return tuple(_endpoint(section.section(name), name) for name in section.keys)


def _endpoint(section: Section, name: str) -> EndpointOptions:
    tools = section.section("tool_config")
    price = section.section("price")
    parameters = section.values("extra_params")
    for dropped, why in dropped_parameters(parameters).items():
        parameters.pop(dropped)
        section.document.remark((*section.path, "extra_params", dropped), f"has no effect: {why}")
    endpoint = EndpointOptions(
        name=name,
        base_url=section.text("base_url", required=True),
        model=section.text("model", required=True),
        api_key=section.text("api_key", required=True, secret=True),
        system_prompt=section.text("system_prompt") or None,
        parameters=parameters,
        max_concurrency=section.integer("max_concurrency", 5, 1, 100),
        tools=_tools(tools),
        api=section.choice("api", "openai", APIS),
        rate=section.number("rate", None, 0.001),
        price=Price(price.number("prompt", None), price.number("completion", None), price.number("search", None)),
    )
    for one in (tools, price, section):
        one.close()
    section.document.demand_home(section.path, endpoint.base_url, (*section.path, "base_url"), besides="tool_config")
    return endpoint


def _tools(section: Section) -> ToolOptions:
    document = section.document
    known = len(document.problems)
    options = ToolOptions(
        enabled=section.flag("enabled", default=False),
        tavily_api_key=section.text("tavily_api_key", secret=True),
        iterations=section.integer("max_iterations", 10, 1, 30),
        search_depth=cast("Depth", section.choice("search_depth", "advanced", DEPTHS)),
        provider=cast("Provider", section.choice("provider", "tavily", PROVIDERS)),
        search_url=section.text("search_url"),
    )
    if not options.enabled:
        return options
    if options.provider == "json" and not options.search_url:
        document.problem((*section.path, "search_url"), "is required for the provider json")
    keyless = not (options.tavily_api_key or options.search_url) and len(document.problems) == known
    if options.provider == "tavily" and keyless and document.secrets:
        key = document.expanded("${TAVILY_API_KEY}", (*section.path, "tavily_api_key"), secret=True)
        options = replace(options, tavily_api_key=key)
    if options.provider != "sources":
        document.demand_home(section.path, options.search_url or TAVILY, (*section.path, "search_url"))
    return options
