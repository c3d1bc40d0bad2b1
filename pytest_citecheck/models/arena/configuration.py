"""The configuration of an arena: the YAML of the Reference Hallucination Arena runs unchanged.

Source: agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``. Keys of this package's own: ``dataset.seed``,
``evaluation.samples``, ``evaluation.prices``, ``evaluation.budget``, ``report.language: both``, and ``api``, ``rate``, ``price``,
``tool_config.provider`` and ``tool_config.search_url`` of an endpoint.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from pytest_citecheck.inputs import decode_bytes
from pytest_citecheck.models.chat import (
    CallOptions,
    Document,
    Endpoint,
    KeyRules,
    Section,
    first_problems,
    read_call_options,
    read_endpoints,
)

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
    """The whole YAML of an arena. remarks: line and text of each."""

    description: str
    scenario: str
    dataset: DatasetOptions
    endpoints: tuple[Endpoint, ...]
    mailto: str
    pubmed_api_key: str = field(repr=False)
    calls: CallOptions
    samples: int
    output: OutputOptions
    report: ReportOptions
    remarks: tuple[tuple[int, str], ...] = ()


def is_arena(head: bytes) -> bool:
    """Return True if a YAML file is an arena's configuration, by its first bytes."""
    return any(line.startswith(b"target_endpoints") for line in head.splitlines())


def read_configuration(
    path: Path, text: str, environment: Mapping[str, str], *, secrets: bool = True, keys: KeyRules | None = None
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
    root.foreign("selfcheck")  # read where it counts (docs/selfcheck.md)
    verification.without_effect("max_workers", "requests are limited per service (--citecheck-rate)")
    verification.without_effect("timeout", "see --citecheck-timeout")
    verification.number("verified_threshold", None, 0.0, 1.0)
    calls = read_call_options(evaluation, path.parent)
    configuration = ArenaConfiguration(
        description=task.text("description", required=True),
        scenario=task.text("scenario"),
        dataset=_dataset(root.section("dataset", required=True)),
        endpoints=read_endpoints(root.section("target_endpoints", required=True), calls),
        mailto=verification.text("crossref_mailto"),
        pubmed_api_key=verification.text("pubmed_api_key", secret=True),
        calls=calls,
        samples=evaluation.integer("samples", 1, 1, 100),
        output=_output(root.section("output"), stated="output" in root.keys),
        report=_report(root.section("report")),
    )
    for key, url in _SERVICES.items():
        document.demand_home(("verification", key), url, ())
    document.finish()
    endpoints = document.sealed(configuration.endpoints)
    return replace(configuration, remarks=tuple(sorted(document.remarks)), endpoints=endpoints)


def _dataset(section: Section) -> DatasetOptions:
    return DatasetOptions(
        path=section.text("path", required=True),
        shuffle=section.flag("shuffle", default=False),
        max_queries=section.integer("max_queries", None, 0) or None,
        seed=section.integer("seed", 0, 0),
    )


def _output(section: Section, *, stated: bool) -> OutputOptions:
    return OutputOptions(
        folder=section.text("output_dir", DEFAULT_OUTPUT),
        stated=stated,
        queries=section.flag("save_queries", default=True),
        responses=section.flag("save_responses", default=True),
        details=section.flag("save_details", default=True),
    )


def _report(section: Section) -> ReportOptions:
    chart = section.section("chart")
    return ReportOptions(
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


CONSTRAINTS = ("exact", "min_year", "max_year")


class QueryError(ValueError):
    """A file of queries that cannot be used; the text has a line for each problem, with the place of the query."""


@dataclass(frozen=True, slots=True)
class ArenaQuery:
    """One query.

    number: its place in the file, from 1, before shuffling and selection. earliest, latest: allowed years, inclusive.
    constraint: as in the file.
    """

    number: int
    text: str
    discipline: str = "other"
    num_refs: int = 5
    language: str = "zh"
    constraint: Mapping[str, int] = field(default_factory=dict)
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def earliest(self) -> int | None:
        """The first year that it allows; None without a bound."""
        return self.constraint.get("exact", self.constraint.get("min_year"))

    @property
    def latest(self) -> int | None:
        """The last year that it allows; None without a bound."""
        return self.constraint.get("exact", self.constraint.get("max_year"))


@dataclass(frozen=True, slots=True)
class Queries:
    """The queries of a run in their order. in_file: number in the file; omitted: problems of the skipped ones."""

    queries: tuple[ArenaQuery, ...]
    in_file: int
    omitted: tuple[str, ...] = ()


def read_queries(
    path: Path, data: bytes, *, shuffle: bool = False, seed: int = 0, most: int | None = None, lenient: bool = False
) -> Queries:
    """Read a file of queries, then shuffle (with the seed) and cut to ``most``.

    lenient: an invalid query is left out and counted. Raises QueryError, which names every invalid query with its place.
    """
    queries: list[ArenaQuery] = []
    problems: list[str] = []
    number = 0
    for number, (place, value) in enumerate(_objects(path, decode_bytes(data)[0]), start=1):
        try:
            if isinstance(value, ValueError):
                raise value
            queries.append(_query(number, value))
        except ValueError as error:
            problems.append(f"{place}: {error}")
    if problems and not lenient:
        raise QueryError("\n".join([*first_problems(problems), "--citecheck-lenient leaves them out"]))
    if not queries:
        raise QueryError(f"{path.name}: no query in it")
    if shuffle:
        random.Random(seed).shuffle(queries)  # noqa: S311 - an order, not a secret
    return Queries(tuple(queries[:most]), number, tuple(problems))


def _objects(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Place and value of each query; an invalid one has a ValueError as its value."""
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        for line, source in enumerate(text.split("\n"), start=1):
            if source.strip():
                yield f"{path.name}:{line}", _parsed(source)
        return
    if suffix != ".json":
        raise QueryError(f"{path.name}: queries are in a .json or .jsonl file")
    document = _parsed(text)
    if isinstance(document, ValueError):
        raise QueryError(f"{path.name}: {document}")
    listed = document.get("queries") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise QueryError(f"{path.name}: a list of queries is expected, or an object with “queries”")
    for place, value in enumerate(listed, start=1):
        yield f"{path.name}: query {place}", value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return ValueError(f"not valid JSON: {error}")


def _query(number: int, value: Any) -> ArenaQuery:
    """Raises ValueError with the problem."""
    if not isinstance(value, dict):
        raise ValueError("a query must be a JSON object")
    text = value.get("query")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("query must be non-empty text")
    for name in ("discipline", "language"):
        if not isinstance(value.get(name), str | None):
            raise ValueError(f"{name} must be text")
    metadata = value.get("metadata")
    if not isinstance(metadata, dict | None):
        raise ValueError("metadata must be an object")
    identifier = value.get("id")
    return ArenaQuery(
        number=number,
        text=text,
        discipline=value.get("discipline") or "other",
        num_refs=_integer(value.get("num_refs", 5), "num_refs", 1, 20),
        language=value.get("language") or "zh",
        constraint=_constraint(value.get("year_constraint")),
        id="" if identifier is None else str(identifier),
        metadata=metadata or {},
    )


def _integer(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {json.dumps(value)[:40]}")
    return value


def _constraint(value: Any) -> dict[str, int]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("year_constraint must be an object")
    if unknown := sorted(set(value) - set(CONSTRAINTS)):
        raise ValueError(f"year_constraint allows {', '.join(CONSTRAINTS)}, not {', '.join(unknown)}")
    return {
        name: _integer(value[name], f"year_constraint.{name}", 1, 9999)
        for name in CONSTRAINTS
        if value.get(name) is not None
    }


_PLACE = "{num_refs}"

_PROMPTS: Mapping[tuple[bool, bool], str] = {
    (False, False): """\
You help researchers to find literature. Recommend {num_refs} published works that fit the request.

Give each work as a BibTeX entry with the fields title, author, year, journal (or booktitle) and doi, and add one sentence
about what it contributes. Name only works that you are certain exist, with details that you are certain of: an omitted field
is better than an invented one, and fewer works are better than invented ones.
""",
    (False, True): """\
你协助研究人员查找文献。请推荐 {num_refs} 篇符合要求的、已发表的文献。

每篇文献请用一个 BibTeX 条目给出,包含 title、author、year、journal(或 booktitle)和 doi 字段,并用一句话说明其贡献。
只列出你确信存在的文献和确信无误的信息:宁可省略字段,也不要编造;宁可少列,也不要虚构文献。
""",
    (True, False): """\
You help researchers to find literature, and you can search the web with a tool. Recommend {num_refs} published works that
fit the request.

Search before you answer. Compare the title, the authors and the year of each work with what the search finds, and recommend
only works that it confirms. Then give each work as a BibTeX entry with the fields title, author, year, journal (or booktitle)
and doi, and add one sentence about what it contributes.
""",
    (True, True): """\
你协助研究人员查找文献,并且可以用工具搜索网络。请推荐 {num_refs} 篇符合要求的、已发表的文献。

请先搜索再回答。把每篇文献的标题、作者和年份与搜索结果核对,只推荐得到证实的文献。然后每篇用一个 BibTeX 条目给出,
包含 title、author、year、journal(或 booktitle)和 doi 字段,并用一句话说明其贡献。
""",
}
"""By whether there is a tool, and whether the query is in Chinese."""


def system_prompt(endpoint: Endpoint, query: ArenaQuery) -> str:
    """The system prompt for a query: the endpoint's own, else the built-in one; only ``{num_refs}`` is replaced in it."""
    text = endpoint.system_prompt or _PROMPTS[endpoint.search is not None, query.language == "zh"]
    return text.replace(_PLACE, str(query.num_refs))
