"""The files of the Reference Hallucination Arena, by their names, at the end of a run.

Lists and objects are in the order of the queries of the run; missing values are null or empty, so positions are stable.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import ArenaFacts, AskedEndpoint, StrictResult, ratio
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.confinement import OutsideError, demand_within, within
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.model import Defect
from pytest_citecheck.models import (
    AnswerLog,
    ModelAnswer,
    Outcome,
    ask,
    ask_for_missing,
    best_answers,
    chat_settings,
    plans_of,
    read_log,
    to_ask,
)
from pytest_citecheck.models.arena.asking import (
    Cell,
    ConversationLog,
    SelectionError,
    bare_answer,
    cells_of,
    selected_models,
    selected_queries,
)
from pytest_citecheck.models.arena.configuration import (
    ArenaConfiguration,
    Queries,
    QueryError,
    is_arena,
    read_configuration,
    read_queries,
)
from pytest_citecheck.models.arena.reading import bibliography_of, searched_answer
from pytest_citecheck.models.chat import ChatModels, ConfigurationError, SourceSearch, chat_endpoint
from pytest_citecheck.net import Transport
from pytest_citecheck.plugin import (
    TrustError,
    added_options,
    contact_address,
    file_nodeid,
    files_named,
    is_trusted_folder,
    key_rules,
)
from pytest_citecheck.sources import SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.inputs import Bibliography
    from pytest_citecheck.lookup import Progress
    from pytest_citecheck.model import Reference
    from pytest_citecheck.models.arena.configuration import ArenaQuery
    from pytest_citecheck.models.chat import ModelPlan
    from pytest_citecheck.plugin import CitecheckSession, Settings
    from pytest_citecheck.reports import Language

_STRICT = "citecheck.answer.strict"
_RESULTS = "evaluation_results.json"
_SCORES = (
    *("total_refs", "verification_rate", "hallucination_rate", "avg_confidence", "completeness", "overall_accuracy"),
    *("title_accuracy", "author_accuracy", "year_accuracy", "doi_accuracy", "overall_score", "verified_by_source"),
    *("year_constrained_refs", "year_compliant_count", "year_compliance_rate"),
)
Covered = dict[str, dict[str, list[str]]]
"""Answers by model, as numbers of queries (``2~3`` for the third sample): ``complete`` ones, and those checked in ``part``."""


def folder_of(arena: Arena, citecheck: CitecheckSession) -> Path | None:
    """Output folder of this arena: from the option, else from the configuration; None without either."""
    asked = citecheck.settings.arena.output
    if asked is not None:
        return asked if len(citecheck.arenas) == 1 else asked / arena.path.stem
    if not arena.configuration.output.stated:
        return None
    # A run without queries may use a stranger's file, which defines where answers are, but not where files are written.
    inside = within(arena.folder, (arena.path.parent, citecheck.config.invocation_params.dir))
    return arena.folder if inside or citecheck.settings.arena.ask != "none" else None


def write_arena_files(
    arena: Arena, folder: Path, citecheck: CitecheckSession, data: Mapping[str, Any]
) -> Iterator[str]:
    """Write all files that the configuration asks for. data: the JSON report. Yields notes. Raises OSError.

    A run that covers less than the results in the folder leaves them as they are, and writes into ``partial`` below it.
    """
    covered = _covered(arena, citecheck)
    if not _covers(covered, arena, folder / _RESULTS):
        whole, answers = arena.whole["answers"], sum(map(len, covered["complete"].values()))
        folder /= "partial"
        yield f"this run covers {answers} of {whole} answers of the arena: its files are in {folder}"
        arena = _narrowed(arena, covered)
    options, report = arena.configuration.output, arena.configuration.report
    if options.queries:
        _write(folder / "queries.json", [_query_data(query) for query in arena.queries.queries])
    if options.responses:
        _write(folder / "responses.json", list(_responses(arena)))
    if options.details:
        _write(folder / "extracted_refs.json", _extracted(arena, citecheck))
        _write(folder / "verification_results.json", _verification(arena, citecheck))
    scores = data.get("arena")
    if not scores:
        return
    _write(folder / _RESULTS, _arena_result(scores) | {"covered": covered, "citecheck": scores})
    if report.enabled:
        from pytest_citecheck.benchmark import arena_page  # noqa: PLC0415 - only for arenas

        write_whole(folder / "evaluation_report.md", arena_page(data, _facts(arena, scores), report.language))
    if report.chart.enabled:
        from pytest_citecheck.benchmark import draw_arena  # noqa: PLC0415
        from pytest_citecheck.reports import BarStyle, is_font_missing  # noqa: PLC0415

        chart = report.chart
        style = BarStyle(chart.orientation == "horizontal", chart.highlight_best, chart.show_values)
        language: Language = "zh" if report.language == "zh" else "en"
        try:
            draw_arena(
                folder, data, style, title=chart.title, dpi=chart.dpi, file_format=chart.file_format, language=language
            )
        except ModuleNotFoundError as error:
            yield str(error)
            return
        names = [*_models(arena), *(query.discipline for query in arena.queries.queries)]
        if is_font_missing([chart.title or "", *names]):
            yield "the charts of the arena lack characters: install a font such as Noto Sans CJK"


def _write(path: Path, value: Any) -> None:
    write_whole(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def _query_data(query: ArenaQuery) -> dict[str, Any]:
    return {
        "query": query.text,
        "discipline": query.discipline,
        "num_refs": query.num_refs,
        "language": query.language,
        "year_constraint": dict(query.constraint) or None,
        "number": query.number,
        **({"id": query.id} if query.id else {}),
        **({"metadata": dict(query.metadata)} if query.metadata else {}),
    }


def _models(arena: Arena) -> list[str]:
    return list(dict.fromkeys(cell.endpoint.name for cell in arena.cells))


def _responses(arena: Arena) -> Iterator[dict[str, Any]]:
    """The answers to each query; further samples of them under ``samples``."""
    known = best_answers(read_log(arena.log))
    texts: dict[int, dict[int, dict[str, str | None]]] = {}
    for cell in arena.cells:
        logged = known.get(cell.key)
        by_sample = texts.setdefault(cell.query.number, {}).setdefault(cell.sample, {})
        by_sample[cell.endpoint.name] = logged.answer.text if logged else None
    for query in arena.queries.queries:
        first, *others = texts[query.number].values()
        yield {**_query_data(query), "responses": first, **({"samples": others} if others else {})}


def _extracted(arena: Arena, citecheck: CitecheckSession) -> dict[str, dict[str, list[Any]]]:
    places = {query.number: str(place) for place, query in enumerate(arena.queries.queries)}
    found = {model: {place: list[Any]() for place in places.values()} for model in _models(arena)}
    bibliography = citecheck.bibliography(arena.path)
    for reference, place in zip(bibliography.references, bibliography.answered, strict=True):
        if place is None or place.group.model not in found or place.group.number not in places:
            continue  # of an answer that this run does not cover
        if reference.readable or reference.fields:
            found[place.group.model][places[place.group.number]].append(_reference_data(reference))
    return found


def _reference_data(reference: Reference) -> dict[str, Any]:
    cited = cited_metadata(reference)
    return {
        "key": reference.key,
        "title": cited.title or "",
        "authors": reference.fields.get("author", ""),
        "year": cited.year_text or None,
        "journal": cited.venue,
        "doi": cited.identifiers.doi,
        "arxiv_id": cited.identifiers.arxiv,
        "pmid": cited.identifiers.pmid,
        "entry_type": reference.type,
    }


def _covered(arena: Arena, citecheck: CitecheckSession) -> Covered:
    """Answers whose checks all ran in this run, and answers of which some ran."""
    bibliography = citecheck.bibliography(arena.path)
    names = {id(reference): name for name, reference in citecheck.references().items()}
    whole: dict[tuple[str, str], list[bool]] = {}
    some: set[tuple[str, str]] = set()
    for reference, place in zip(bibliography.references, bibliography.answered, strict=True):
        if place is None:
            continue
        group = place.group
        answer = group.model, f"{group.number}~{group.sample}" if group.sample > 1 else str(group.number)
        checks = set(citecheck.payloads.get(names[id(reference)], {}))
        whole.setdefault(answer, []).append("syntax" in checks or checks.issuperset(CHECKS))
        if checks:
            some.add(answer)
    covered: Covered = {"complete": {}, "part": {}}
    for answer, complete in whole.items():
        if answer in some:
            covered["complete" if all(complete) else "part"].setdefault(answer[0], []).append(answer[1])
    return covered


def _covers(covered: Covered, arena: Arena, results: Path) -> bool:
    """Return True if the results of this run may replace those in the file: it covers the whole arena, or everything in
    the file."""
    if sum(map(len, covered["complete"].values())) == arena.whole["answers"]:
        return True
    try:
        before = json.loads(results.read_bytes()).get("covered")
        complete, part = _answers(before, "complete"), _answers(before, "part")
    except FileNotFoundError:
        return not results.parent.is_dir() or not any(results.parent.glob("*_results.json"))
    except (OSError, ValueError, AttributeError, TypeError):
        return False  # from another program, or damaged: coverage unknown
    now = _answers(covered, "complete")
    return complete <= now and part <= now | _answers(covered, "part")


def _answers(covered: Covered, kind: str) -> set[tuple[str, str]]:
    return {(model, answer) for model, answers in covered[kind].items() for answer in answers}


def _narrowed(arena: Arena, covered: Covered) -> Arena:
    """The arena with the models and queries of which this run checked something."""
    answers = _answers(covered, "complete") | _answers(covered, "part")
    models = {model for model, _ in answers}
    numbers = {answer.partition("~")[0] for _, answer in answers}
    queries = tuple(query for query in arena.queries.queries if str(query.number) in numbers)
    cells = tuple(cell for cell in arena.cells if cell.endpoint.name in models and str(cell.query.number) in numbers)
    return replace(arena, queries=replace(arena.queries, queries=queries), cells=cells)


def _arena_result(scores: Mapping[str, Any]) -> dict[str, Any]:
    """The scores by the Arena's own rule, with the fields of its ``ArenaResult``; only models with a rank are ranked."""
    strict = scores.get("strict") or scores
    models = {
        one["model"]: {
            "model_name": one["model"],
            **{name: one[name] for name in _SCORES if name in one},
            **{f"{name}_count": one[name] for name in ("verified", "suspect", "not_found")},
            "error_count": one["errors"],
            "discipline_scores": {
                name: {"discipline": name, **part} for name, part in (one.get("by_discipline") or {}).items()
            },
        }
        for one in strict["rankings"]
    }
    totals = ("total_queries", "total_references", "total_verified", "overall_accuracy")
    return {
        "rankings": [[one["model"], one["overall_score"]] for one in strict["rankings"] if one["rank"] is not None],
        "model_scores": models,
        **{name: strict[name] for name in totals},
    }


def _verification(arena: Arena, citecheck: CitecheckSession) -> dict[str, list[dict[str, Any]]]:
    """For each model one record a query, with the fields of the Arena's ``ModelVerificationResult``."""
    places = {query.number: place for place, query in enumerate(arena.queries.queries)}
    found: dict[str, list[list[dict[str, Any]]]] = {model: [[] for _ in places] for model in _models(arena)}
    references = citecheck.references()
    bibliography = citecheck.bibliography(arena.path)
    groups = {id(one): place for one, place in zip(bibliography.references, bibliography.answered, strict=True)}
    for name in citecheck.payloads:
        reference = references.get(name)
        place = groups.get(id(reference))
        if reference is not None and place is not None and (reference.readable or reference.fields):
            found[place.group.model][places[place.group.number]].append(
                _result(name, reference, citecheck.payloads[name])
            )
    return {
        model: [
            _record(model, place, query, sorted(found[model][place], key=lambda one: str(one["id"])))
            for place, query in enumerate(arena.queries.queries)
        ]
        for model in found
    }


def _record(model: str, place: int, query: ArenaQuery, results: list[dict[str, Any]]) -> dict[str, Any]:
    statuses = Counter(result["status"] for result in results)
    decided = len(results) - statuses["error"]
    confidences = [result["confidence"] for result in results if result["confidence"] > 0]
    filled = [bool(result["reference"][name]) for result in results for name in ("doi", "year", "authors")]
    years = Counter(_compliance(query, result) for result in results) if query.constraint else Counter[str]()
    return {
        "model_name": model,
        "index": place,
        "query": query.text,
        "discipline": query.discipline,
        "total_refs": len(results),
        "verified": statuses["verified"],
        "suspect": statuses["suspect"],
        "errors": statuses["error"],
        "not_found": statuses["not_found"],
        "verification_rate": ratio(statuses["verified"], decided),
        "hallucination_rate": ratio(statuses["suspect"] + statuses["not_found"], decided),
        "avg_confidence": ratio(sum(confidences), len(confidences)),
        "completeness": ratio(sum(filled), len(filled)),
        "results": results,
        "has_year_constraint": bool(query.constraint),
        "year_constraint_desc": _described(query.constraint),
        **{f"year_{name}": years[name] for name in ("compliant", "noncompliant", "unknown")},
        "year_compliance_rate": ratio(years["compliant"], years.total()),
    }


def _described(constraint: Mapping[str, int]) -> str:
    if "exact" in constraint:
        return f"={constraint['exact']}"
    signs = (("min_year", ">="), ("max_year", "<="))
    return " & ".join(f"{sign}{constraint[name]}" for name, sign in signs if name in constraint)


def _compliance(query: ArenaQuery, result: Mapping[str, Any]) -> str:
    """With the year of the record, else the cited one."""
    stated = (result["match_detail"] or {}).get("matched_year") or result["reference"]["year"] or ""
    if not stated.strip().isdecimal():
        return "noncompliant" if stated.strip() else "unknown"
    year = int(stated)
    above = query.earliest is None or year >= query.earliest
    return "compliant" if above and (query.latest is None or year <= query.latest) else "noncompliant"


def _result(name: str, reference: Reference, checks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One reference with the fields of the Arena's ``VerificationResult``, then the verdict and the findings of the checks."""
    verdict = next((data["verdict"] for data in checks.values() if data["verdict"]), None)
    strict = next((data["answer"][_STRICT] for data in checks.values() if _STRICT in data["answer"]), None)
    record = next((data["record"] for data in checks.values() if data["record"]), None)
    said = StrictResult.from_text(strict) if strict else StrictResult("ERROR", detail="not checked")
    detail = {
        "title_match": said.title_match,
        "author_match": said.author_match,
        "year_match": said.year,
        "matched_title": said.found_title,
        "matched_authors": said.found_authors,
        "matched_year": str(said.found_year or ""),
        "matched_doi": said.found_doi,
        **{f"{field}_exact": getattr(said, field) for field in ("title", "author", "year", "doi")},
    }
    return {
        "reference": _reference_data(reference),
        "status": said.status.lower(),
        "confidence": said.confidence,
        "message": said.detail,
        "source": said.source,
        "match_detail": detail if said.source else None,
        "match_data": record if said.status == "VERIFIED" else None,
        "id": name,
        "verdict": verdict,
        "checks": {check: {"outcome": data["outcome"], "code": data["code"]} for check, data in checks.items()},
        "record": record,
    }


def _facts(arena: Arena, scores: Mapping[str, Any]) -> ArenaFacts:
    configuration = arena.configuration
    asked = {cell.endpoint.name: cell.endpoint for cell in arena.cells}
    return ArenaFacts(
        task=configuration.description,
        scenario=configuration.scenario,
        dataset=configuration.dataset.path,
        in_file=arena.queries.in_file,
        endpoints=tuple(AskedEndpoint(one.name, one.model, one.tools.enabled) for one in asked.values()),
        queries={
            str(query.number): query.text
            for query in arena.queries.queries
            if str(query.number) in scores["scope"]["queries"]
        },
        examples=configuration.report.examples,
    )


# The answers to an arena are requested before collection, by the controller of the run.


_MANY = 5


def ask_models(arena: Arena, config: pytest.Config, settings: Settings) -> tuple[Outcome, tuple[str, ...]]:
    """Request the missing answers; return the outcome and notes. Raises pytest.UsageError."""
    log, notes = AnswerLog(arena.log), list[str]()
    outcome = ask_for_missing(
        arena.cells,
        log,
        arena.shown,
        config,
        settings,
        arena.configuration.calls,
        lambda cells, progress: _ask(cells, arena, settings, log, progress, notes),
    )
    return outcome, tuple(notes)


async def _ask(
    cells: Sequence[Cell], arena: Arena, settings: Settings, log: AnswerLog, progress: Progress | None, notes: list[str]
) -> Outcome:
    configuration = arena.configuration
    conversations = ConversationLog(log.path.with_name("conversations.jsonl"))
    if settings.arena.ask == "all":
        conversations.forget()
    endpoints = {cell.endpoint.name: cell.endpoint for cell in cells}
    called = [chat_endpoint(one, configuration.calls, configuration.secrets) for one in endpoints.values()]
    async with contextlib.AsyncExitStack() as stack:
        search = None
        if any(one.search is not None and one.search.provider == "sources" for one in called):
            transport = await stack.enter_async_context(Transport(settings.transport(SOURCES)))
            search = SourceSearch(transport, [source for source in SOURCES if transport.admits(source, "title")])
        chat = chat_settings(configuration.calls, settings, arena.folder)
        models = await stack.enter_async_context(ChatModels(called, chat, sources=search))

        async def converse(cell: Cell) -> ModelAnswer:
            model, tools = models[cell.endpoint.name], models.tools(cell.endpoint.name)
            if tools:
                again = [conversations.tool(tool, cell) for tool in tools]
                return await searched_answer(conversations.model(model, cell), cell, again, configuration.calls.timeout)
            return await bare_answer(model, cell)

        outcome = await ask(cells, log, converse, progress)
        if not outcome.failed:
            conversations.forget()
        notes += models.notes
        return replace(outcome, spent=models.spent)


def planned(arena: Arena, settings: Settings) -> list[ModelPlan]:
    """The calls that a run would make for the missing answers. Raises OSError."""
    mode = "missing" if settings.arena.ask == "none" else settings.arena.ask
    return plans_of(to_ask(arena.cells, AnswerLog(arena.log), mode), arena.configuration.calls)


def said_of(arena: Arena, outcome: Outcome | None) -> str:
    """One line about the answers to an arena. outcome: None if this process asks for none."""
    models = len({cell.endpoint.name for cell in arena.cells})
    queries = len({cell.query.number for cell in arena.cells})
    counts = ((models, "model", "models"), (queries, "query", "queries"), (len(arena.cells), "answer", "answers"))
    line = f"{arena.nodeid}: {', '.join(f'{count} {one if count == 1 else more}' for count, one, more in counts)}"
    if outcome is None or not outcome.asked:
        missing = len(to_ask(arena.cells, AnswerLog(arena.log), "missing"))
        return f"{line} in {arena.shown}" + (f", {missing} not requested yet" if missing else "")
    reasons = ", ".join(f"{count} {reason}" for reason, count in list(outcome.failures.items())[:_MANY])
    failed = f", {outcome.failed} failed ({reasons}; the next run retries)" if reasons else ""
    return f"{line} in {arena.shown}: {outcome.asked} requested now{failed}, {outcome.kept} kept"


# The arenas that a run is given, read and restricted by its options, before any query.


_SUFFIXES = frozenset((".yaml", ".yml"))
LOG = "answers.jsonl"


@dataclass(frozen=True, slots=True)
class Arena:
    """One arena of a run. path: of its configuration; folder: of its files; queries, cells: those that are selected.

    whole: the number of models, queries and answers without a selection. nodeid, shown: the configuration and the file of
    answers, as reports name them.
    """

    path: Path
    configuration: ArenaConfiguration
    queries: Queries
    cells: tuple[Cell, ...]
    folder: Path
    nodeid: str
    shown: str
    whole: Mapping[str, int]

    @property
    def log(self) -> Path:
        """The file of answers."""
        return self.folder / LOG

    def bibliography(self) -> Bibliography:
        """References of the existing answers. Raises OSError."""
        lines = [Defect("configuration", text, line, note=True) for line, text in self.configuration.remarks]
        lines += [Defect("query-left-out", text, 1, note=True) for text in self.queries.omitted]
        dataset = self.configuration.dataset
        if dataset.shuffle:
            lines.append(Defect("shuffled", f"queries are shuffled with seed {dataset.seed}", 1, note=True))
        return bibliography_of(self.nodeid, self.cells, self.log, self.shown, lines)


class ArenaReader:
    """Reads the answers to the arenas of a run, by their configurations."""

    suffixes = _SUFFIXES
    format = "the configuration of an arena (“target_endpoints” and “dataset”)"
    lenient = False

    def __init__(self, arenas: Iterable[Arena]) -> None:
        self._arenas = {arena.nodeid: arena for arena in arenas}

    def reads(self, head: bytes) -> bool:
        """Return True if endpoints are named there."""
        return is_arena(head)

    def read(self, path: str, data: bytes) -> Bibliography:  # noqa: ARG002 - read when the arena was opened
        """The answers to the arena of this path. Raises OSError."""
        return self._arenas[path].bibliography()


def sends_nothing(config: pytest.Config, settings: Settings) -> bool:
    """Return True if no model is called over the network in this process, so that no key is needed."""
    replays = settings.cassettes is not None and settings.record == "none"
    return replays or not may_ask(config, settings)


def may_ask(config: pytest.Config, settings: Settings) -> bool:
    """Return True if this process asks for answers, or takes them from recordings: the controlling one, if it runs items."""
    has_none = settings.offline and settings.cassettes is None
    if hasattr(config, "workerinput") or config.getoption("collectonly"):
        return False
    return not (settings.plan or settings.arena.ask == "none" or has_none)


def open_arenas(config: pytest.Config, settings: Settings, environment: Mapping[str, str]) -> tuple[Arena, ...]:
    """The arenas among the files of the run. Raises pytest.UsageError for one that cannot be used."""
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    named = {
        path: None for name in (*settings.files, *(one.split("::", 1)[0] for one in typed)) for path in _arena(name)
    }
    arenas = tuple(_open(path, config, settings, environment) for path in named)
    if not arenas and (settings.arena.models or settings.arena.queries or settings.arena.output):
        raise pytest.UsageError("--citecheck-models, -queries and -arena-output are for the configuration of an arena")
    return arenas


def _arena(name: str) -> Iterable[Path]:
    path = Path(os.path.abspath(name))  # noqa: PTH100 - links keep their names
    if path.suffix.lower() not in _SUFFIXES or not path.is_file():
        return
    with path.open("rb") as file:
        if is_arena(file.read(1 << 16)):
            yield path


def _open(path: Path, config: pytest.Config, settings: Settings, environment: Mapping[str, str]) -> Arena:
    _demand_named(config, path)
    here = config.invocation_params.dir
    try:
        text = path.read_text(encoding="utf-8-sig")
        asks = not sends_nothing(config, settings)
        keys = key_rules(path, settings.arena.hosts) if asks else None
        configuration = read_configuration(path, text, environment, secrets=asks, keys=keys)
        dataset = configuration.dataset
        file = next((one for one in (path.parent / dataset.path, here / dataset.path) if one.is_file()), None)
        if file is None:
            raise QueryError(f"{path.name}: dataset.path: no such file: {dataset.path}")
        read = read_queries(
            file,
            demand_within(file, (path.parent, here, *settings.documents.roots)).read_bytes(),
            shuffle=dataset.shuffle,
            seed=dataset.seed,
            most=dataset.max_queries,
            lenient=settings.lenient,
        )
        queries = replace(read, queries=selected_queries(read.queries, settings.arena.queries))
        models = selected_models(configuration.endpoints, settings.arena.models)
    except (ConfigurationError, OutsideError, QueryError, SelectionError, TrustError) as error:
        raise pytest.UsageError(f"--citecheck: {error}") from error
    except UnicodeDecodeError as error:
        raise pytest.UsageError(f"--citecheck: {path} is not in UTF-8 (byte {error.start + 1})") from error
    except OSError as error:
        raise pytest.UsageError(f"--citecheck: {error.filename or path}: {error.strerror or error}") from error
    folder = Path(os.path.abspath(path.parent / configuration.output.folder))  # noqa: PTH100 - links keep their names
    return Arena(
        path,
        configuration,
        queries,
        tuple(cells_of(models, queries.queries, configuration.samples)),
        folder,
        file_nodeid(path, config.rootpath),
        file_nodeid(folder / LOG, config.rootpath),
        {
            "models": len(configuration.endpoints),
            "queries": len(read.queries),
            "answers": len(configuration.endpoints) * len(read.queries) * configuration.samples,
        },
    )


def _demand_named(config: pytest.Config, path: Path) -> None:
    """Refuse a configuration from a stranger's settings file: it decides which servers receive keys."""
    given: list[str] | None = config.getoption("citecheck")
    added = added_options(config)
    typed = Counter(given or ()) - Counter(added.citecheck or ())
    by_user = [part for value in typed for part in files_named(value)]
    if config.args_source is config.ArgsSource.ARGS:
        by_user += [one.split("::", 1)[0] for one in Counter(config.args) - Counter(added.others)]
    if any(Path(os.path.abspath(name)) == path for name in by_user):  # noqa: PTH100
        return
    base = config.inipath.parent if config.inipath else config.rootpath
    if not is_trusted_folder(base):
        raise pytest.UsageError(
            f"the arena {path.name} in the settings file is ignored unless its folder is trusted (citecheck "
            f"trust); or pass --citecheck={path.name} on the command line"
        )


def with_services(settings: Settings, arenas: Iterable[Arena]) -> Settings:
    """The settings with the arenas' settings for services: a contact address and a key for PubMed, unless options do.

    Only of an arena that may call its models, or whose folder is trusted: a run without queries may use a stranger's
    file, whose variables would be sent to services. Raises pytest.UsageError.
    """
    for arena in arenas:
        stated = arena.configuration
        if not (stated.mailto or stated.pubmed_api_key) or not (
            _calls_models(settings) or is_trusted_folder(arena.path.parent)
        ):
            continue
        if stated.mailto and not settings.contact:
            settings = replace(settings, contact=contact_address(stated.mailto))
        keys = settings.servers.keys
        if stated.pubmed_api_key and "pubmed" not in keys:
            settings = replace(
                settings, servers=replace(settings.servers, keys={**keys, "pubmed": stated.pubmed_api_key})
            )
    return settings


def _calls_models(settings: Settings) -> bool:
    replays = settings.cassettes is not None and settings.record == "none"
    return not (settings.offline or replays or settings.arena.ask == "none")
