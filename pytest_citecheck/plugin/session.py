"""State of one pytest process: options, files read, evidence and results."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck import inputs as formats  # loaded when it is asked
from pytest_citecheck.checks import Conflict, check_syntax, conflicts
from pytest_citecheck.inputs import (
    BIBTEX,
    LARGEST,
    DocumentReader,
    UnreadableDocumentError,
    megabytes,
    read_together,
    reference_names,
    with_unlinked,
)
from pytest_citecheck.plugin.documents import Documents, is_project_file, shown_path
from pytest_citecheck.plugin.gathering import Gathering
from pytest_citecheck.plugin.items import fetched_name, file_nodeid, split_nodeid
from pytest_citecheck.plugin.options import matching_files
from pytest_citecheck.plugin.results import AnswersStore, FindingsStore
from pytest_citecheck.plugin.waivers import Waivers
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.inputs import Bibliography, Reader
    from pytest_citecheck.lookup import Forecast, Progress
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin.documents import Arguments
    from pytest_citecheck.plugin.extensions import Extensions
    from pytest_citecheck.plugin.settings import Settings, Shard
    from pytest_citecheck.reports import FurtherFailure


class CitecheckSession:
    """State of a run: one object in ``config.stash``. Module globals and pytest's own objects hold no state."""

    def __init__(self, config: pytest.Config, settings: Settings, extensions: Extensions, arguments: Arguments) -> None:
        self.config = config
        self.settings = settings
        self.extensions = extensions
        self.waivers = Waivers(settings.waivers, settings.baseline)
        self.named = frozenset(arguments.paths)
        self.arguments = arguments
        self._fetched = {name: path for path in arguments.paths if (name := fetched_name(path))}
        self.independent: tuple[str, ...] = ()  # beginnings of checks that need no database
        self.taken: set[Path] = set()  # files whose items are not checks of references
        self.notes: list[str] = []  # for reports
        self.further: list[FurtherFailure] = []
        self.late_notes: list[str] = []  # for reports, which are written last
        self.today = today()
        self.gathering = Gathering(config, settings, self.today)
        self.payloads = FindingsStore()
        self.latest: tuple[Reference, Evaluation | None, dict[str, Any]] | None = None  # what its payloads share
        self.answers = AnswersStore()
        self.order: dict[str, int] = {}
        self.compares = False  # findings are compared with labels, so their severity does not matter
        self._bibliographies: dict[Path, Bibliography] = {}
        self._is_document: dict[Path, bool] = {}
        self._priors: dict[str, float] = {}
        self._wholes: dict[Path, Bibliography] = {}  # for partial checks
        self._readers_of: dict[str, str] | None = None
        self._cited_by_code: set[tuple[str, int]] | None = None
        self._conflicts: tuple[list[Path], list[Conflict]] | None = None
        self.documents = Documents(config.rootpath, settings, self._arguments, arguments)
        self._explained_in: dict[str, str] = {}

    # --- reading

    def wants(self, path: Path, *, typed: bool) -> bool:
        """Return True if this file should be checked: named by an option, passed as an argument, or found by
        collection."""
        if path in self.taken:
            return False
        if not typed and path not in self.named and self.arguments.holds_back(path):
            return False
        if not (typed or self.settings.walk or path in self.named):
            return False  # pytest also calls this for every file next to a named one
        if is_project_file(path):
            return False  # pytest would import it
        reader = self.reader(path)
        found = self.settings.walk and not isinstance(reader, DocumentReader)  # a text or a page may be anything
        return reader is not None and (typed or found or path in self.named)

    def reader(self, path: Path) -> Reader | None:
        """Return the reader of a file; for a broken submission the reader for its suffix, so that its item reports the fault."""
        readers = self.extensions.readers
        found = formats.reader_for(str(path), readers)
        return (
            formats.reader_named(str(path), readers) if found is None and path in self.arguments.submissions else found
        )

    def bibliography(self, path: Path) -> Bibliography:
        """The references of a file, read once a process; BibTeX files given together are one bibliography. Raises OSError."""
        if path not in self._bibliographies:
            reader = self.reader(path)
            assert reader is not None  # noqa: S101 - wants() asked before
            if reader is BIBTEX:
                self._read_together(path)
            elif isinstance(reader, DocumentReader):
                self._keep(path, self.documents.read(path, reader))
            else:
                self._keep(path, reader.read(shown_path(path, self.config.rootpath), path.read_bytes()))
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
                    if (size := one.stat().st_size) > LARGEST:
                        said = f"it has {megabytes(size)}; at most {megabytes(LARGEST)} are read"
                        raise OSError(errno.EFBIG, said)
                    data = one.read_bytes()
                except OSError as error:
                    failed[one] = error
                    continue
                read.append(one)
                yield shown_path(one, self.config.rootpath), data

        bibliographies = read_together(contents())
        for one, bibliography in zip(read, bibliographies, strict=True):
            self._keep(one, bibliography)
        if path in failed:  # failures of other files are reported with those files
            raise failed[path]

    def _given_with(self, path: Path) -> Iterator[Path]:
        """The files that are passed by name, and the files of the searched folder, if this file is among them."""
        arguments = self._arguments()
        if path in arguments:
            yield from arguments
        elif self.settings.walk:
            for folder in arguments:
                if path.is_relative_to(folder):
                    yield from map(Path, matching_files(str(folder)))

    def _is_unread_bibtex(self, path: Path) -> bool:
        return path not in self._bibliographies and self.reader(path) is BIBTEX

    def _keep(self, path: Path, whole: Bibliography) -> None:
        if whole.unlinked and any(self.settings.policy.codes.get(code, "ignore") != "ignore" for code in _UNLINKED):
            whole = with_unlinked(whole)
        whole = self.config.hook.pytest_citecheck_read(path=path, bibliography=whole) or whole
        if self.settings.shard is not None:
            self._wholes[path] = whole
        self._bibliographies[path] = _part(whole, self.settings.shard)

    def submission_of(self, reference_id: str) -> str:
        """The submission that a reference is of; empty if no folder of submissions is checked."""
        if not self.arguments.submissions:
            return ""
        path = self._path_of(reference_id.partition("::")[0])
        return self.arguments.submissions.get(path, "")

    def _path_of(self, file: str) -> Path:
        """The file with this node id."""
        return self._fetched.get(file) or Path(os.path.normpath(self.config.rootpath / file))

    def is_document(self, path: Path) -> bool:
        """Return True if this file can take references from other files."""
        known = self._is_document.get(path)  # each item asks, and a reader is chosen by the first bytes of the file
        if known is None:
            reader = self.reader(path)
            known = self._is_document[path] = isinstance(reader, DocumentReader)
        return known

    def read_by(self, path: Path) -> str:
        """The document among the arguments that uses this bibliography; empty if none does."""
        if self._readers_of is None:
            given = [one for one in self._arguments() if one not in self.arguments.project]
            documents = [one for one in given if self.is_document(one) and self._reads(one)]
            whole = [self.bibliography(one) for one in documents]
            self._readers_of = {source: one.path for one in whole for source in one.sources}
        return self._readers_of.get(file_nodeid(path, self.config.rootpath), "")

    def cited_by_code(self) -> Collection[tuple[str, int]]:
        """File and line of the entries of bibliographies that code and documentation cite: these have the items."""
        if self._cited_by_code is None:
            found = [self.bibliography(one) for one in self.arguments.project if self._reads(one)]
            self._cited_by_code = {
                (reference.location.path, reference.location.line) for one in found for reference in one.references
            }
        return self._cited_by_code

    def conflicts(self, path: Path) -> list[Conflict]:
        """The pairs of entries that are reported in this file. BibTeX files that are passed together are compared
        together."""
        own = self.of_file(path)
        if self.is_document(path):
            return conflicts(own)
        paths = [one for one in self._bibliographies if one.suffix.lower() in BIBTEX.suffixes]
        if self._conflicts is None or self._conflicts[0] != paths:
            self._conflicts = paths, conflicts([reference for one in paths for reference in self.of_file(one)])
        identities = {id(reference) for reference in own}
        return [one for one in self._conflicts[1] if id(one.second) in identities]

    def of_file(self, path: Path) -> tuple[Reference, ...]:
        """References of a file that has been read, including those of other shards."""
        return self._wholes.get(path, self._bibliographies[path]).references

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
        selected = self.selected(nodeids)
        if selected and self.gathering.local:
            self.gathering.look_up_later(selected)
        elif selected:
            self.gathering.gather(selected, progress)

    def selected(self, nodeids: Iterable[str]) -> dict[str, Reference]:
        """The references that these items check, by id, in the order of the items."""
        self._read_arguments()
        wanted: list[str] = []
        path_of = cache(self._path_of)
        for nodeid in nodeids:
            parts = split_nodeid(nodeid)
            if parts is None:
                continue
            path = path_of(parts[0])
            if path not in self._bibliographies and not self._reads(path):
                continue
            if parts[2] != "syntax" and not parts[2].startswith(self.independent):
                wanted.append(f"{parts[0]}::{parts[1]}")
            self.order.setdefault(f"{parts[0]}::{parts[1]}", len(self.order))
        known = self.references()
        self.gathering.expect(wanted)
        return {name: known[name] for name in dict.fromkeys(wanted) if name in known}

    def forecast(self, nodeids: Iterable[str]) -> tuple[Forecast, ...]:
        """Requests that `gather` would send for these items."""
        return self.gathering.forecast(self.selected(nodeids))

    def _read_arguments(self) -> None:
        # Under xdist the controller collects nothing, and files without a check have notes and keys too.
        for path in self._arguments():
            if path not in self._bibliographies:
                self._reads(path)

    def _arguments(self) -> list[Path]:
        """The files and folders that pytest was given."""
        given = [Path(os.path.abspath(argument.split("::", 1)[0])) for argument in self.config.args]  # noqa: PTH100 - links keep their names
        return [*(path for path in given if not is_project_file(path)), *self.arguments.project]

    def _reads(self, path: Path) -> bool:
        # Under xdist, the controller does not collect: it reads the files of its workers' items.
        if self.reader(path) is None or not path.is_file():
            return False
        try:
            self.bibliography(path)
        except UnreadableDocumentError:  # its collection reports this
            return False
        return True

    def read_project(self) -> None:
        """Read code and documentation; every other worker begins at the end, so that they share the files."""
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
        paths = [*self.arguments.project]
        for path in reversed(paths) if worker.removeprefix("gw").isdecimal() and int(worker[2:]) % 2 else paths:
            with contextlib.suppress(OSError):  # its collection reports this
                self._reads(path)

    def close(self) -> None:
        """Close what is open."""
        self.gathering.close()

    # --- phase 2: findings

    def evaluation(self, reference_id: str, reference: Reference) -> Evaluation:
        """All findings and the verdict for a reference."""
        return self.gathering.evaluation(reference_id, reference, self._prior(reference))

    def _prior(self, reference: Reference) -> float:
        """The share of invented references among those like this one."""
        if self.settings.prior is not None:
            return self.settings.prior
        path = reference.location.path
        if path not in self._priors:
            whole = self._bibliographies.get(self._path_of(path))
            if whole is None:
                return PRIOR_OF_PAPERS
            self._priors[path] = PRIOR_OF_MODELS if whole.answered or whole.benchmark else PRIOR_OF_PAPERS
        return self._priors[path]

    def finding(self, reference_id: str, reference: Reference, check: str) -> Finding:
        """The finding of one check."""
        if check == "syntax":
            return check_syntax(reference)
        evaluation = self.evaluation(reference_id, reference)
        if check in evaluation.findings:
            return evaluation.findings[check]
        return self.extensions.finding(check, evaluation.case)

    def explained_in(self, reference_id: str, nodeid: str) -> str:
        """First failed item of the reference in this process, if it is not this one; else empty."""
        first = self._explained_in.setdefault(reference_id, nodeid)
        return "" if first == nodeid else first


def _part(whole: Bibliography, shard: Shard | None) -> Bibliography:
    """References of one shard. A repeated reference of the same answer stays with the first."""
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


_UNLINKED = ("uncited-reference", "missing-reference")
"""Codes of findings that only a policy enables."""

KEY = pytest.StashKey[CitecheckSession]()
