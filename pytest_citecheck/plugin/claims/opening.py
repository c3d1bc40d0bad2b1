"""The claims and the judges that a run is given, before anything is asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.answer_log import LoggedAnswer, best_answers, read_log
from pytest_citecheck.claims.answers import Judgement
from pytest_citecheck.claims.files import SUFFIXES, holds_claims, read_claim_file
from pytest_citecheck.claims.judges.cascades import Cascade, CascadeState, cascade_row, cascade_state
from pytest_citecheck.claims.judges.cells import ClaimCell, cells_of, row_of, row_of_judgement
from pytest_citecheck.claims.judges.configuration import ClaimsConfiguration, ConfigurationError, read_judges
from pytest_citecheck.claims.judges.overlap import OVERLAP, judge_by_overlap
from pytest_citecheck.claims.judges.prompts import BUILT_IN, Prompt
from pytest_citecheck.claims.judges.stored import read_stored
from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.claims.results import ResultRow
from pytest_citecheck.claims.votes import panel_rows
from pytest_citecheck.plugin.items.nodeids import escape_name, file_nodeid
from pytest_citecheck.plugin.settings.options import files_named, matching_files
from pytest_citecheck.plugin.settings.trust import TrustError, key_rules
from pytest_citecheck.readers.base import Bibliography

if TYPE_CHECKING:
    from pytest_citecheck.claims.judges.configuration import Panel
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["LOG", "ClaimRun", "ClaimsReader", "open_claims"]

LOG = "claims.jsonl"


class ClaimRun:
    """The claims of a run: which files there are, who judges, and what each judge says."""

    def __init__(
        self,
        files: Mapping[Path, ClaimFile],
        judges: ClaimsConfiguration,
        prompt: Prompt,
        chosen: Iterable[str],
        folder: Path,
        stored: Iterable[ResultRow] = (),
    ) -> None:
        self.files = files
        self.configuration = judges
        self.log = folder / LOG
        self._prompt = prompt
        self._endpoints = {one.name: one for one in judges.endpoints}
        self._panels = {one.name: one for one in judges.panels}
        self._cascades = {one.name: one for one in judges.cascades}
        self._stored = {(row.provider, row.entry): row for row in stored}
        self._cells: dict[tuple[str, str], dict[str, ClaimCell]] = {}
        self._rows: dict[tuple[str, str, str], ResultRow] = {}
        providers = dict.fromkeys(provider for provider, _ in self._stored)
        own = (OVERLAP,) if judges.overlap else ()
        single = dict.fromkeys((*self._endpoints, *providers, *own))
        self.known = tuple(dict.fromkeys((*single, *self._cascades, *self._panels)))
        patterns = tuple(chosen)
        self.judges = tuple(
            name for name in self.known if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
        )
        for kind, groups, members in (
            ("panel", self._panels.values(), (*single, *self._cascades)),
            ("cascade", self._cascades.values(), tuple(single)),
        ):
            for group in groups:
                wrong = next((name for name in group.members if name not in members), None)
                if wrong is not None:
                    raise ClaimFileError(f"{kind} {group.name}: {wrong!r} is no judge; there are {', '.join(members)}")
        if not self.judges:
            raise ClaimFileError(f"no judge is named {', '.join(patterns)}; there are {', '.join(self.known)}")

    @cached_property
    def _answers(self) -> dict[tuple[str, str], LoggedAnswer]:
        return best_answers(read_log(self.log))

    def forget_answers(self) -> None:
        """Read the file of answers again when it is needed."""
        self.__dict__.pop("_answers", None)
        self._rows.clear()

    def _asked(self, pair: ClaimPair, judge: str) -> Iterator[str]:
        """The endpoints that a judge needs: its own, those of its members, and of a cascade those whose turn it was or is."""
        if judge in self._endpoints:
            yield judge
        elif judge in self._panels:
            for member in self._panels[judge].members:
                yield from self._asked(pair, member)
        elif judge in self._cascades:
            state = self._state(pair, self._cascades[judge])
            yield from (
                name for name in (*(row.provider for row in state.asked), state.next) if name in self._endpoints
            )

    def cells(self, pair: ClaimPair, judges: Iterable[str]) -> list[ClaimCell]:
        """What is to be asked about a pair for these judges, as far as the answers so far show it."""
        if not pair.source.strip():
            return []
        names = dict.fromkeys(name for judge in judges for name in self._asked(pair, judge))
        place = (pair.path, pair.id)
        if names and place not in self._cells:
            made = cells_of(self._endpoints.values(), [pair], self._prompt)
            self._cells[place] = {cell.endpoint.name: cell for cell in made}
        return [self._cells[place][name] for name in names]

    def row(self, pair: ClaimPair, judge: str) -> ResultRow:
        """What a judge says of a pair. Raises OSError."""
        key = (pair.path, pair.id, judge)
        if key not in self._rows:
            self._rows[key] = self._judged(pair, judge)
        return self._rows[key]

    def _judged(self, pair: ClaimPair, judge: str) -> ResultRow:
        if not pair.source.strip():
            said = Judgement("Source unavailable", 0, "no source of the claim could be retrieved")
            return row_of_judgement(pair, judge, "", said)
        if judge in self._panels:
            return self._voted(pair, self._panels[judge])
        if judge in self._cascades:
            cascade = self._cascades[judge]
            state = self._state(pair, cascade)
            if state.next is not None:  # the last answer is not that of the cascade
                return replace(self.row(pair, state.next), provider=judge)
            return cascade_row(cascade, state.asked)
        if judge in self._endpoints:
            (cell,) = self.cells(pair, [judge])
            return row_of(pair, judge, cell.endpoint.model, self._answers.get(cell.key))
        if judge == OVERLAP:
            return row_of_judgement(pair, OVERLAP, OVERLAP, judge_by_overlap(pair.claim, pair.source))
        row = self._stored.get((judge, pair.id))
        return row if row is not None else row_of(pair, judge, judge, None)

    def _state(self, pair: ClaimPair, cascade: Cascade) -> CascadeState:
        return cascade_state(cascade, (self.row(pair, member) for member in cascade.members))

    def _voted(self, pair: ClaimPair, panel: Panel) -> ResultRow:
        rows = [self.row(pair, member) for member in panel.members]
        (row,) = panel_rows(panel.name, rows, panel.members, panel.rule, quorum=panel.quorum)
        return row


class ClaimsReader:
    """Lets ``--citecheck`` accept files of claims; `ClaimRun` reads them."""

    suffixes = SUFFIXES
    format = "a file of claims"
    lenient = False

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)

    def reads(self, head: bytes) -> bool:
        """Whether one of the files of claims begins so."""
        for path in self._paths:
            with path.open("rb") as file:
                if file.read(len(head)) == head:
                    return True
        return False

    def read(self, path: str, data: bytes) -> Bibliography:  # noqa: ARG002 - there are no references
        """An empty bibliography."""
        return Bibliography(path, ())


def _names(config: pytest.Config, settings: Settings) -> list[str]:
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    return [*settings.files, *typed]


def open_claims(config: pytest.Config, settings: Settings, environment: Mapping[str, str]) -> ClaimRun | None:
    """The claims of a run; None if there are none. Raises pytest.UsageError for what cannot be used."""
    files: dict[Path, ClaimFile] = {}
    try:
        for path in _paths(config, settings):
            if holds_claims(path, manuscripts=settings.claims.wanted):
                where = file_nodeid(path, config.rootpath)
                whole = read_claim_file(path, where, version=settings.claims.version, sources=settings.claims.sources)
                files[path] = _part(whole, settings)
        return _run(files, config, settings, environment) if files else None
    except (ClaimFileError, ConfigurationError, TrustError) as error:
        raise pytest.UsageError(f"--citecheck: {error}") from error
    except OSError as error:
        raise pytest.UsageError(f"--citecheck: {error.filename}: {error.strerror or error}") from error


def _paths(config: pytest.Config, settings: Settings) -> list[Path]:
    named = (part for name in _names(config, settings) for part in files_named(name.split("::", 1)[0]))
    found = (Path(os.path.abspath(file)) for part in named if not Path(part).is_dir() for file in matching_files(part))  # noqa: PTH100
    return [path for path in dict.fromkeys(found) if path.is_file() and path.suffix.lower() in SUFFIXES]


def _part(whole: ClaimFile, settings: Settings) -> ClaimFile:
    shard = settings.shard
    if shard is None:
        return whole
    return ClaimFile(whole.path, tuple(pair for pair in whole.pairs if shard.holds(pair.id)), whole.metadata)


def _run(
    files: Mapping[Path, ClaimFile], config: pytest.Config, settings: Settings, environment: Mapping[str, str]
) -> ClaimRun:
    here = config.invocation_params.dir
    judges, prompt = ClaimsConfiguration(), BUILT_IN
    stored: list[ResultRow] = []
    if (path := settings.claims.judges) is not None:
        asks = may_call(config, settings)
        keys = key_rules(path, settings.arena.hosts) if asks else None
        judges = read_judges(path, path.read_text(encoding="utf-8-sig"), environment, secrets=asks, keys=keys)
        if judges.prompt_file:
            text = (path.parent / judges.prompt_file).read_text(encoding="utf-8-sig")
            prompt = Prompt(text, judges.prompt_file, judges.prompt_date)
        sources = {pair.id: pair.source for file in files.values() for pair in file.pairs}
        for name in judges.stored:
            stored += read_stored(path.parent / name, sources)
    folder = Path(os.path.abspath(here / judges.folder))  # noqa: PTH100
    return ClaimRun(files, judges, prompt, settings.arena.models, folder, stored)


def may_call(config: pytest.Config, settings: Settings) -> bool:
    """Whether models may be called over the network in this process, so that keys are needed."""
    if hasattr(config, "workerinput") or config.getoption("collectonly") or settings.plan:
        return False
    replays = settings.cassettes is not None and settings.record == "none"
    return not (settings.offline or replays or settings.arena.ask == "none")


def item_name(pair: ClaimPair, judge: str) -> str:
    """The name of the item of a pair and a judge."""
    return f"{escape_name(pair.id)}[{escape_name(judge)}]"
