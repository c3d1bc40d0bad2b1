"""Arenas among the files of a run: read and restricted by its options, and their models asked before collection."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.confinement import demand_within
from pytest_citecheck.model import Defect
from pytest_citecheck.models import (
    PLANS,
    AnswerLog,
    ModelAnswer,
    Outcome,
    ask_for_missing,
    calls_models,
    key_rules,
    may_ask,
    may_call,
    of_arena,
    planned_calls,
    to_ask,
    usage_errors,
)
from pytest_citecheck.models.arena.arena_files import folder_of, write_arena_files
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
from pytest_citecheck.models.chat import ChatModels, SourceSearch
from pytest_citecheck.net import Transport
from pytest_citecheck.plugin import added_options, contact_address, file_nodeid, files_named, is_trusted_folder
from pytest_citecheck.reports import report_data
from pytest_citecheck.sources import SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.inputs import Bibliography
    from pytest_citecheck.models.chat import Endpoint
    from pytest_citecheck.plugin import CitecheckSession, Settings
    from pytest_citecheck.reports import RunResult

_MANY = 5


def ask_models(arena: Arena, config: pytest.Config, settings: Settings) -> Outcome:
    """Request the missing answers. Raises pytest.UsageError."""
    calls = arena.configuration.calls
    conversations = ConversationLog(arena.log.with_name("conversations.jsonl"))
    if of_arena(settings).ask == "all":
        conversations.forget()

    async def converse(models: ChatModels, cell: Cell) -> ModelAnswer:
        model, tools = models[cell.endpoint.name], models.tools(cell.endpoint.name)
        if tools:
            again = [conversations.tool(tool, cell) for tool in tools]
            return await searched_answer(conversations.model(model, cell), cell, again, calls.timeout)
        return await bare_answer(model, cell)

    @contextlib.asynccontextmanager
    async def search(called: Sequence[Endpoint]) -> AsyncIterator[SourceSearch | None]:
        if any(endpoint.search is not None and endpoint.search.provider == "sources" for endpoint in called):
            async with Transport(settings.transport(SOURCES)) as transport:
                yield SourceSearch(transport, [source for source in SOURCES if transport.admits(source, "title")])
        else:
            yield None

    log = AnswerLog(arena.log)
    outcome = ask_for_missing(arena.cells, log, arena.shown, config, settings, calls, converse, search=search)
    if outcome.asked and not outcome.failed:
        conversations.forget()
    return outcome


def summary_line(arena: Arena, outcome: Outcome | None) -> str:
    """One line about the answers to an arena. outcome: None if this process asks for none."""
    models = len({cell.endpoint.name for cell in arena.cells})
    queries = len({cell.query.number for cell in arena.cells})
    counts = ((models, "model", "models"), (queries, "query", "queries"), (len(arena.cells), "answer", "answers"))
    line = f"{arena.nodeid}: {', '.join(f'{count} {one if count == 1 else more}' for count, one, more in counts)}"
    if outcome is None or not outcome.asked:
        missing = len(to_ask(arena.cells, AnswerLog(arena.log), "missing"))
        return f"{line} in {arena.shown}" + (f", {missing} not requested yet" if missing else "")
    failed = outcome.failed_in_words(_MANY)
    return f"{line} in {arena.shown}: {outcome.asked} requested now{failed}, {outcome.kept} kept"


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


def open_arenas(config: pytest.Config, settings: Settings, environment: Mapping[str, str]) -> tuple[Arena, ...]:
    """The arenas among the files of the run. Raises pytest.UsageError for one that cannot be used."""
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    names = (*settings.files, *(name.split("::", 1)[0] for name in typed))
    paths = dict.fromkeys(Path(os.path.abspath(name)) for name in names)  # noqa: PTH100 - links keep their names
    arenas = tuple(_open(path, config, settings, environment) for path in paths if _is_arena(path))
    if not arenas and (of_arena(settings).models or of_arena(settings).queries or of_arena(settings).output):
        raise pytest.UsageError("--citecheck-models, -queries and -arena-output are for the configuration of an arena")
    return arenas


def _is_arena(path: Path) -> bool:
    if path.suffix.lower() not in _SUFFIXES or not path.is_file():
        return False
    with path.open("rb") as file:
        return is_arena(file.read(1 << 16))


def _open(path: Path, config: pytest.Config, settings: Settings, environment: Mapping[str, str]) -> Arena:
    _demand_named(config, path)
    here = config.invocation_params.dir
    with usage_errors("--citecheck", path, QueryError, SelectionError):
        text = path.read_text(encoding="utf-8-sig")
        asks = may_call(config, settings)
        keys = key_rules(path, of_arena(settings).hosts) if asks else None
        configuration = read_configuration(path, text, environment, secrets=asks, keys=keys)
        dataset = configuration.dataset
        file = next((place for place in (path.parent / dataset.path, here / dataset.path) if place.is_file()), None)
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
        queries = replace(read, queries=selected_queries(read.queries, of_arena(settings).queries))
        models = selected_models(configuration.endpoints, of_arena(settings).models)
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
        by_user += [name.split("::", 1)[0] for name in Counter(config.args) - Counter(added.others)]
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
            calls_models(settings) or is_trusted_folder(arena.path.parent)
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


class ArenaHooks:
    """The part of arenas in a run: asks their models before collection, and writes their files at the end."""

    def __init__(self, citecheck: CitecheckSession, arenas: tuple[Arena, ...]) -> None:
        self.citecheck = citecheck
        self.arenas = arenas
        self._asked: list[str] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Ask before pytest-xdist starts its workers, which read the answers."""
        config, settings = session.config, self.citecheck.settings
        for arena in self.arenas:
            outcome = None
            if settings.plan:
                plans = planned_calls(arena.cells, AnswerLog(arena.log), settings, arena.configuration.calls)
                config.stash.setdefault(PLANS, []).extend(plans)
            elif may_ask(settings) and not (hasattr(config, "workerinput") or config.getoption("collectonly")):
                outcome = ask_models(arena, config, settings)
                self.citecheck.notes += outcome.notes
            self._asked.append(summary_line(arena, outcome))
            self._asked += outcome.spent if outcome is not None else ()

    def pytest_report_header(self) -> list[str]:
        return [f"citecheck: {line}" for line in self._asked]

    def pytest_citecheck_scope(self, scores: dict[str, Any]) -> None:
        if len(self.arenas) == 1:
            scores["scope"]["of"] = dict(self.arenas[0].whole)

    def pytest_citecheck_files(self, result: RunResult) -> list[str]:
        """Write the Arena's own files of each arena, if requested."""
        problems: list[str] = []
        for arena in self.arenas:
            folder = folder_of(arena, self.citecheck, alone=len(self.arenas) == 1)
            if folder is not None:
                try:
                    data = report_data(result, evidence=False)
                    self.citecheck.late_notes += write_arena_files(arena, folder, self.citecheck, data)
                except OSError as error:
                    what = f"{error.filename or ''} could not be written: {error.strerror or error}"
                    problems.append(f"{folder}: {what}")
        return problems
