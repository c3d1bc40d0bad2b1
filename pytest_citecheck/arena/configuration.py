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

from pytest_citecheck.chat.configuration.call_options import CallOptions, read_call_options
from pytest_citecheck.chat.configuration.document import ConfigurationError, Document, Section
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions, read_endpoints
from pytest_citecheck.chat.variables import KeyRules

__all__ = [
    "ArenaConfiguration",
    "ChartOptions",
    "ConfigurationError",
    "DatasetOptions",
    "OutputOptions",
    "ReportOptions",
    "is_arena",
    "read_configuration",
]

DEFAULT_OUTPUT = "./evaluation_results/ref_hallucination_arena"
Language = Literal["zh", "en", "both"]

_SERVICES = {"crossref_mailto": "https://api.crossref.org", "pubmed_api_key": "https://eutils.ncbi.nlm.nih.gov"}


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
    """All of an arena's YAML. remarks: line and text of each. secrets: the values of variables, which are never shown."""

    path: Path
    description: str
    scenario: str
    dataset: DatasetOptions
    endpoints: tuple[EndpointOptions, ...]
    mailto: str
    pubmed_api_key: str = field(repr=False)
    verified_threshold: float
    calls: CallOptions
    samples: int
    output: OutputOptions
    report: ReportOptions
    remarks: tuple[tuple[int, str], ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


def is_arena(head: bytes) -> bool:
    """Whether a YAML file is an arena's configuration, by its first bytes."""
    return any(line.startswith(b"target_endpoints") for line in head.splitlines())


def read_configuration(
    path: Path,
    text: str,
    environment: Mapping[str, str],
    *,
    secrets: bool = True,
    keys: KeyRules | None = None,
) -> ArenaConfiguration:
    """Read the YAML of an arena.

    secrets: whether API keys are needed; if not, a variable in one may be unset. keys: to which hosts they may go. Raises
    ConfigurationError, which names every problem with its line and key.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    root = document.root
    task = root.section("task", required=True)
    verification = root.section("verification")
    evaluation = root.section("evaluation")
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
        calls=read_call_options(evaluation, path.parent),
        samples=evaluation.integer("samples", 1, 1, 100),
        output=_output(root.section("output"), stated="output" in root.keys),
        report=_report(root.section("report")),
    )
    for section in (task, verification, evaluation, root):
        section.close()
    for key, url in _SERVICES.items():
        document.demand_home(("verification", key), url, ())
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
