"""The arenas that a run is given, read and narrowed by its options, before anything is asked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.cells import Cell, SelectionError, cells_of, selected_models, selected_queries
from pytest_citecheck.arena.configuration import ArenaConfiguration, ConfigurationError, is_arena, read_configuration
from pytest_citecheck.arena.queries import Queries, QueryError, read_queries
from pytest_citecheck.arena.reader import bibliography_of
from pytest_citecheck.model import Defect
from pytest_citecheck.plugin.items.nodeids import file_nodeid
from pytest_citecheck.plugin.settings.options import added_options, files_named
from pytest_citecheck.plugin.settings.resolved import contact_address
from pytest_citecheck.plugin.settings.trust import TrustError, is_trusted, key_rules

if TYPE_CHECKING:
    from pytest_citecheck.plugin.settings.resolved import Settings
    from pytest_citecheck.readers.base import Bibliography

__all__ = ["Arena", "ArenaReader", "may_ask", "open_arenas", "with_services"]

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
        """The references of the answers that there are. Raises OSError."""
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
        """Whether endpoints are named there."""
        return is_arena(head)

    def read(self, path: str, data: bytes) -> Bibliography:  # noqa: ARG002 - read when the arena was opened
        """The answers to the arena of this path. Raises OSError."""
        return self._arenas[path].bibliography()


def sends_nothing(config: pytest.Config, settings: Settings) -> bool:
    """Whether no model is called over the network in this process, so that no key is needed."""
    replays = settings.cassettes is not None and settings.record == "none"
    return replays or not may_ask(config, settings)


def may_ask(config: pytest.Config, settings: Settings) -> bool:
    """Whether this process asks for answers, or takes them from recordings: the controlling one, if it runs items."""
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
            file.read_bytes(),
            shuffle=dataset.shuffle,
            seed=dataset.seed,
            most=dataset.max_queries,
            lenient=settings.lenient,
        )
        queries = replace(read, queries=selected_queries(read.queries, settings.arena.queries))
        models = selected_models(configuration.endpoints, settings.arena.models)
    except (ConfigurationError, QueryError, SelectionError, TrustError) as error:
        raise pytest.UsageError(f"--citecheck: {error}") from error
    except UnicodeDecodeError as error:
        raise pytest.UsageError(f"--citecheck: {path} is not in UTF-8 (byte {error.start + 1})") from error
    except OSError as error:
        raise pytest.UsageError(f"--citecheck: {error.filename or path}: {error.strerror or error}") from error
    folder = Path(os.path.abspath(here / configuration.output.folder))  # noqa: PTH100
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
    """Refuse a configuration that only a stranger's settings file names: it says to which servers keys go."""
    given: list[str] | None = config.getoption("citecheck")
    added = added_options(config)
    typed = Counter(given or ()) - Counter(added.citecheck or ())
    by_user = [part for value in typed for part in files_named(value)]
    if config.args_source is config.ArgsSource.ARGS:
        by_user += [one.split("::", 1)[0] for one in Counter(config.args) - Counter(added.others)]
    if any(Path(os.path.abspath(name)) == path for name in by_user):  # noqa: PTH100
        return
    base = config.inipath.parent if config.inipath else config.rootpath
    if not _is_trusted(base):
        raise pytest.UsageError(
            f"the settings file names the arena {path.name}, which is used only if its folder is trusted (citecheck trust); or "
            f"give --citecheck={path.name} on the command line"
        )


def with_services(settings: Settings, arenas: Iterable[Arena]) -> Settings:
    """The settings with what arenas state of services: a contact address and a key for PubMed, unless options do.

    Only of an arena that may call its models, or whose folder is trusted: a run that asks nothing may be over a stranger's file,
    whose variables would go to services. Raises pytest.UsageError.
    """
    for arena in arenas:
        stated = arena.configuration
        if not (stated.mailto or stated.pubmed_api_key) or not (
            _calls_models(settings) or _is_trusted(arena.path.parent)
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


def _is_trusted(folder: Path) -> bool:
    try:
        return is_trusted(folder)
    except TrustError as error:
        raise pytest.UsageError(f"the list of trusted folders cannot be read: {error}") from error
