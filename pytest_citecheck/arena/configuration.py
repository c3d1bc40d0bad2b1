"""The configuration of an arena: the YAML of the Reference Hallucination Arena runs unchanged.

Source: agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``. Keys of this package's own: ``dataset.seed``,
``evaluation.samples``, ``evaluation.prices``, ``evaluation.budget``, ``report.language: both``, and ``api``, ``rate``, ``price``,
``tool_config.provider`` and ``tool_config.search_url`` of an endpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from pytest_citecheck.arena.settings_document import ConfigurationError, Document, Section
from pytest_citecheck.chat.endpoint import APIS, dropped_parameters
from pytest_citecheck.chat.search.options import DEPTHS, PROVIDERS, Depth, Provider
from pytest_citecheck.chat.spending import SpendingLimits

__all__ = [
    "ArenaConfiguration",
    "ChartOptions",
    "ConfigurationError",
    "DatasetOptions",
    "EndpointOptions",
    "OutputOptions",
    "Price",
    "ReportOptions",
    "ToolOptions",
    "is_arena",
    "read_configuration",
    "read_endpoints",
]

DEFAULT_OUTPUT = "./evaluation_results/ref_hallucination_arena"
Language = Literal["zh", "en", "both"]


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


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """The queries. path: as written. max_queries: None for all. seed: of the shuffle."""

    path: str
    shuffle: bool = False
    max_queries: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The Arena's files: where (as written), whether the YAML names a place, and which of them."""

    folder: str = DEFAULT_OUTPUT
    stated: bool = False
    queries: bool = True
    responses: bool = True
    details: bool = True


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """The charts of the report. title: None for the built-in one."""

    enabled: bool = True
    title: str | None = None
    dpi: int = 300
    file_format: Literal["png", "svg", "pdf"] = "png"
    show_values: bool = True
    orientation: Literal["vertical", "horizontal"] = "vertical"
    highlight_best: bool = True


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The report. examples: cases of each model, at most."""

    enabled: bool = True
    language: Language = "zh"
    examples: int = 3
    chart: ChartOptions = ChartOptions()


@dataclass(frozen=True, slots=True)
class ArenaConfiguration:
    """All of an arena's YAML. timeout: seconds of one call; tries: at most, of one call; remarks: line and text of each.

    prices: the file of prices, as written; empty for that of the package. limits: the most that a run may take. secrets: the
    values of variables, which are never shown.
    """

    path: Path
    description: str
    scenario: str
    dataset: DatasetOptions
    endpoints: tuple[EndpointOptions, ...]
    mailto: str
    pubmed_api_key: str = field(repr=False)
    verified_threshold: float
    timeout: float
    tries: int
    samples: int
    prices: str
    limits: SpendingLimits
    output: OutputOptions
    report: ReportOptions
    remarks: tuple[tuple[int, str], ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


def is_arena(head: bytes) -> bool:
    """Whether a YAML file is an arena's configuration, by its first bytes."""
    return any(line.startswith(b"target_endpoints") for line in head.splitlines())


def read_configuration(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool = True
) -> ArenaConfiguration:
    """Read the YAML of an arena.

    secrets: whether API keys are needed; if not, a variable in one may be unset. Raises ConfigurationError, which names every
    problem with its line and key.
    """
    document = Document(path.name, text, environment, secrets=secrets)
    root = document.root
    task = root.section("task", required=True)
    verification = root.section("verification")
    evaluation = root.section("evaluation")
    budget = evaluation.section("budget")
    root.section("selfcheck")  # read where it counts (docs/selfcheck.md)
    verification.without_effect("max_workers", "requests are limited per service (--citecheck-rate)")
    verification.without_effect("timeout", "see --citecheck-timeout")
    configuration = ArenaConfiguration(
        path=path,
        description=task.text("description", required=True),
        scenario=task.text("scenario"),
        dataset=_dataset(root.section("dataset", required=True)),
        endpoints=read_endpoints(root.section("target_endpoints", required=True)),
        mailto=verification.text("crossref_mailto"),
        pubmed_api_key=verification.text("pubmed_api_key", secret=True),
        verified_threshold=verification.number("verified_threshold", 0.7, 0.0, 1.0),
        timeout=evaluation.number("timeout", 120.0, 0.001),
        tries=evaluation.integer("retry_times", 3, 1),
        samples=evaluation.integer("samples", 1, 1, 100),
        prices=evaluation.text("prices"),
        limits=SpendingLimits(
            budget.number("dollars", None), budget.integer("calls", None, 0), budget.integer("tokens", None, 0)
        ),
        output=_output(root.section("output"), stated="output" in root.keys),
        report=_report(root.section("report")),
    )
    for section in (task, verification, budget, evaluation, root):
        section.close()
    document.finish()
    return replace(configuration, remarks=tuple(sorted(document.remarks)), secrets=frozenset(document.secret_values))


def _dataset(section: Section) -> DatasetOptions:
    options = DatasetOptions(
        path=section.text("path", required=True),
        shuffle=section.flag("shuffle", default=False),
        max_queries=section.integer("max_queries", None, 0) or None,
        seed=section.integer("seed", 0, 0),
    )
    section.close()
    return options


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
        return replace(options, tavily_api_key=key)
    return options


def _output(section: Section, *, stated: bool) -> OutputOptions:
    options = OutputOptions(
        folder=section.text("output_dir", DEFAULT_OUTPUT),
        stated=stated,
        queries=section.flag("save_queries", default=True),
        responses=section.flag("save_responses", default=True),
        details=section.flag("save_details", default=True),
    )
    section.close()
    return options


def _report(section: Section) -> ReportOptions:
    chart = section.section("chart")
    options = ReportOptions(
        enabled=section.flag("enabled", default=True),
        language=cast("Language", section.choice("language", "zh", ("zh", "en", "both"))),
        examples=section.integer("include_examples", 3, 1, 10),
        chart=ChartOptions(
            enabled=chart.flag("enabled", default=True),
            title=chart.text("title") or None,
            dpi=chart.integer("dpi", 300, 72, 300),
            file_format=cast("Any", chart.choice("format", "png", ("png", "svg", "pdf"))),
            show_values=chart.flag("show_values", default=True),
            orientation=cast("Any", chart.choice("orientation", "vertical", ("vertical", "horizontal"))),
            highlight_best=chart.flag("highlight_best", default=True),
        ),
    )
    chart.close()
    section.close()
    return options
