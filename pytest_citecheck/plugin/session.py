"""The state of one pytest process: what was asked for, what was read, what is known, what was found."""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.checks.syntax import check_syntax
from pytest_citecheck.gather import PROFILES, IndexSource, forecast, gather
from pytest_citecheck.index.storage.layout import IndexFileError
from pytest_citecheck.model import Evidence
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.extensions import changed_sources
from pytest_citecheck.plugin.items.nodeids import file_nodeid, reference_names, split_nodeid
from pytest_citecheck.plugin.items.selftest import with_mutations
from pytest_citecheck.plugin.results.evidence_store import PackedEvidence, read_evidence, write_evidence
from pytest_citecheck.plugin.results.findings_store import FindingsStore
from pytest_citecheck.plugin.results.labels import Labels
from pytest_citecheck.plugin.settings.options import matching_files
from pytest_citecheck.plugin.settings.waivers import Waivers
from pytest_citecheck.readers import reader_for
from pytest_citecheck.readers.bibtex.reader import BIBTEX
from pytest_citecheck.readers.bibtex.together import read_together
from pytest_citecheck.services import SOURCES
from pytest_citecheck.services.web_page.api import WEB_PAGE
from pytest_citecheck.transport.client import CassetteError
from pytest_citecheck.verdict import evaluate

if TYPE_CHECKING:
    from pytest_citecheck.gather import Forecast, Profile, Progress
    from pytest_citecheck.gather.lookup_state import LookupState
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin.extensions import Extensions
    from pytest_citecheck.plugin.settings.resolved import Settings, Shard
    from pytest_citecheck.readers.base import Bibliography
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings
    from pytest_citecheck.verdict import Evaluation

__all__ = ["KEY", "CitecheckSession"]


class CitecheckSession:
    """One object in ``config.stash``; nothing is kept in module globals or on pytest's own objects."""

    def __init__(
        self, config: pytest.Config, settings: Settings, extensions: Extensions, paths: Iterable[Path]
    ) -> None:
        self.config = config
        self.settings = settings
        self.extensions = extensions
        self.waivers = Waivers(settings.waivers)
        self.named = frozenset(paths)
        self.sources: list[Source] = list(SOURCES)
        self.today = datetime.datetime.now(tz=datetime.UTC).date()
        self.evidence: Mapping[str, Evidence] = {}
        self.statistics: Mapping[str, Any] = {}
        self.problems: tuple[str, ...] = ()
        self.indexes: list[IndexSource] = []
        self._dossiers: dict[str, LookupState] = {}
        self.payloads = FindingsStore()
        self.order: dict[str, int] = {}
        self.labels = Labels(extensions.readers)
        self._bibliographies: dict[Path, Bibliography] = {}
        self._evaluated: tuple[str, Evaluation] | None = None
        self._explained_in: dict[str, str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    # --- reading

    def wants(self, path: Path, *, typed: bool) -> bool:
        """Whether this file is to be checked: named by option, typed as an argument, or found while walking."""
        return reader_for(str(path), self.extensions.readers) is not None and (
            typed or self.settings.walk or path in self.named
        )

    def bibliography(self, path: Path) -> Bibliography:
        """The references of a file, read once a process; BibTeX files given together are one bibliography. Raises OSError."""
        if path not in self._bibliographies:
            reader = reader_for(str(path), self.extensions.readers)
            assert reader is not None  # noqa: S101 - wants() asked before
            if reader is BIBTEX:
                self._read_together(path)
            else:
                self._keep(path, reader.read(file_nodeid(path, self.config.rootpath), path.read_bytes()))
        return self._bibliographies[path]

    def _read_together(self, path: Path) -> None:
        """Read this BibTeX file and all others that are given by name. Raises OSError if this one cannot be read."""
        given = dict.fromkeys((*self._given_with(path), path))
        paths = [one for one in given if one == path or self._is_unread_bibtex(one)]
        read: list[Path] = []
        failed: dict[Path, OSError] = {}

        def contents() -> Iterator[tuple[str, bytes]]:
            for one in paths:
                try:
                    data = one.read_bytes()
                except OSError as error:
                    failed[one] = error
                    continue
                read.append(one)
                yield file_nodeid(one, self.config.rootpath), data

        bibliographies = read_together(contents())
        for one, bibliography in zip(read, bibliographies, strict=True):
            self._keep(one, bibliography)
        if path in failed:  # of the others it is said when it is their turn
            raise failed[path]

    def _given_with(self, path: Path) -> Iterator[Path]:
        """The files that are given by name, and those of the folder that is searched, if this file is among them."""
        arguments = self._arguments()
        if path in arguments:
            yield from arguments
        elif self.settings.walk:
            for folder in arguments:
                if path.is_relative_to(folder):
                    yield from map(Path, matching_files(str(folder)))

    def _is_unread_bibtex(self, path: Path) -> bool:
        return path not in self._bibliographies and reader_for(str(path), self.extensions.readers) is BIBTEX

    def _keep(self, path: Path, whole: Bibliography) -> None:
        if self.settings.selftest:
            whole, entries = with_mutations(whole, self.settings.selftest, self.today.year)
            self.labels.put(path, entries)
        self._bibliographies[path] = _part(whole, self.settings.shard)

    @property
    def bibliographies(self) -> Collection[Bibliography]:
        """Everything that this process has read."""
        return self._bibliographies.values()

    def references(self) -> dict[str, Reference]:
        """All references that this process has read, by their id, in file order."""
        return {
            f"{nodeid}::{name}": reference
            for path, bibliography in self._bibliographies.items()
            for nodeid in (file_nodeid(path, self.config.rootpath),)
            for reference, name in zip(bibliography.references, reference_names(bibliography), strict=True)
        }

    # --- phase 1: evidence

    def gather(self, nodeids: Iterable[str], progress: Progress | None = None) -> None:
        """Ask the sources about every reference of which at least one check besides syntax is among these items."""
        selected = self._selected(nodeids)
        if selected:
            transport = self._transport()
            self._open_indexes()
            try:
                result = run_to_end(
                    gather(selected, self.sources, transport, self.today, progress, self._profile, self.indexes)
                )
            except CassetteError as error:
                raise pytest.UsageError(str(error)) from error
            self.evidence, self.statistics = PackedEvidence.of(result.evidence), result.statistics
            self._dossiers = dict(result.states)
            damage = tuple(index.damage for index in self.indexes if index.damage)
            self.problems = (*self._told_of_indexes(), *damage, *result.problems)

    def _selected(self, nodeids: Iterable[str]) -> dict[str, Reference]:
        """The references that these items check, by id, in the order of the items."""
        self._read_arguments()
        wanted: dict[str, None] = {}
        for nodeid in nodeids:
            parts = split_nodeid(nodeid)
            if parts is None:
                continue
            path = Path(os.path.normpath(self.config.rootpath / parts[0]))
            if path not in self._bibliographies and not self._reads(path):
                continue
            if parts[2] != "syntax":
                wanted[f"{parts[0]}::{parts[1]}"] = None
            self.order.setdefault(f"{parts[0]}::{parts[1]}", len(self.order))
        known = self.references()
        return {name: known[name] for name in wanted if name in known}

    def forecast(self, nodeids: Iterable[str]) -> tuple[Forecast, ...]:
        """What `gather` would send for these items."""
        transport = self._transport()
        self._open_indexes()
        selected = self._selected(nodeids)
        try:
            return run_to_end(forecast(selected, self.sources, transport, self.today, self._profile, self.indexes))
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error

    def _open_indexes(self) -> None:
        """Open the local indexes. Raises pytest.UsageError for a file that is none."""
        for number, path in enumerate(self.settings.indexes, start=1):
            try:
                self.indexes.append(IndexSource(path, f"index-{number}" if number > 1 else "index"))
            except IndexFileError as error:
                raise pytest.UsageError(str(error)) from error

    def _told_of_indexes(self) -> Iterator[str]:
        for index in self.indexes:
            if index.age(self.today) > self.settings.index_max_age:
                yield f"{index.path} is of {index.date}: rebuild it (citecheck_index_max_age)"
            if index.only_own:
                yield f"{index.path} holds only your own references: they help to find works, and confirm or convict none"

    @property
    def _profile(self) -> Profile:
        return PROFILES[self.settings.profile]

    def _transport(self) -> TransportSettings:
        """The settings of the transport, when all sources are known. Raises pytest.UsageError for names of none."""
        self.sources = changed_sources(self.config, self.sources)
        names = dict.fromkeys(source.name for source in (*SOURCES, *self.sources))
        if not self.settings.urls:
            self.sources = [source for source in self.sources if source is not WEB_PAGE]
        for name in self.settings.servers.names:
            if name not in names:
                raise pytest.UsageError(f"no source is named {name!r}; there are {', '.join(names)}")
        try:
            return self.settings.transport(self.sources)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    def _read_arguments(self) -> None:
        # Under xdist the controller collects nothing, and files without a check have notes and keys too.
        for path in self._arguments():
            if path not in self._bibliographies:
                self._reads(path)

    def _arguments(self) -> list[Path]:
        """The files and folders that pytest was given."""
        return [Path(os.path.abspath(argument.split("::", 1)[0])) for argument in self.config.args]  # noqa: PTH100 - links keep their names

    def _reads(self, path: Path) -> bool:
        # Under xdist the controller collects nothing: it reads the files that its workers' items come from.
        if reader_for(str(path), self.extensions.readers) is None or not path.is_file():
            return False
        self.bibliography(path)
        return True

    def share_evidence(self) -> Path:
        """Where the evidence for workers will be; the file appears when it has been gathered."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="citecheck-")
        return Path(self._folder.name) / "evidence"

    def publish_evidence(self) -> None:
        """Write the evidence for the workers."""
        self._dossiers.clear()  # the workers evaluate
        write_evidence(self.share_evidence(), self.evidence)

    def close(self) -> None:
        """Close the indexes and remove what was shared with the workers."""
        for index in self.indexes:
            index.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    # --- phase 2: findings

    def evaluation(self, reference_id: str, reference: Reference) -> Evaluation:
        """All findings and the verdict for a reference; the last one is kept, as its items follow each other."""
        if self._evaluated is None or self._evaluated[0] != reference_id:
            if not self.evidence and hasattr(self.config, "workerinput"):
                self.evidence = read_evidence(Path(self.config.workerinput["citecheck_evidence"]))
            # Let go of: together they take more memory than all reports. Asked again, it is found out again.
            known = self._dossiers.pop(reference_id, None)
            evaluation = (
                known.evaluate_so_far()
                if known is not None
                else evaluate(reference, self.evidence.get(reference_id, Evidence()), self.today)
            )
            self._evaluated = (reference_id, evaluation)
        return self._evaluated[1]

    def finding(self, reference_id: str, reference: Reference, check: str) -> Finding:
        """The finding of one check."""
        if check == "syntax":
            return check_syntax(reference)
        evaluation = self.evaluation(reference_id, reference)
        if check in evaluation.findings:
            return evaluation.findings[check]
        return self.extensions.finding(check, evaluation.case)

    def explained_in(self, reference_id: str, nodeid: str) -> str:
        """The first item of the reference that failed in this process, if it is another one than this; else empty."""
        first = self._explained_in.setdefault(reference_id, nodeid)
        return "" if first == nodeid else first


def _part(whole: Bibliography, shard: Shard | None) -> Bibliography:
    """The references of one shard. One that repeats another of the same answer goes with it."""
    if shard is None:
        return whole
    places = whole.answered or (None,) * len(whole.references)
    kept = [
        (reference, place)
        for reference, place in zip(whole.references, places, strict=True)
        if shard.holds((place.duplicate_of if place else "") or reference.key)
    ]
    return replace(
        whole,
        references=tuple(reference for reference, _ in kept),
        answered=tuple(place for _, place in kept) if whole.answered else (),
    )


KEY = pytest.StashKey[CitecheckSession]()
