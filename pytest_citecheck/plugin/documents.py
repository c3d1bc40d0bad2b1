"""Targets of ``--citecheck`` and of arguments: files, folders of bibliographies, folders of submissions."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck import inputs as formats  # loaded when it is asked
from pytest_citecheck.atomic_write import atomic_write, locked
from pytest_citecheck.confinement import start_folder
from pytest_citecheck.inputs import (
    BIBTEX,
    LARGEST,
    PROJECT,
    Bibliography,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    folder_contents,
    is_project,
    megabytes,
    project_bibliographies,
    unreadable,
)
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.plugin.items import fetched_name, file_nodeid
from pytest_citecheck.plugin.options import added_options, matching_files, names_reference
from pytest_citecheck.plugin.settings import is_plain

if TYPE_CHECKING:
    from pytest_citecheck.inputs import DocumentReader, Reader
    from pytest_citecheck.plugin.settings import Settings


@dataclass(slots=True)
class Arguments:
    """paths: the files to check. submissions: the name of that which a document is of. kept_out: folders whose bibliographies are
    checked as far as their documents cite them. unread: files of folders that are not read, with the reason. project: code and
    documentation, each with the folder that was passed (None for a file); pytest itself never collects or imports them.
    bibliographies: the .bib files of its documentation. chosen: node ids to select; empty: all."""

    paths: list[Path] = field(default_factory=list)
    submissions: dict[Path, str] = field(default_factory=dict)
    kept_out: set[Path] = field(default_factory=set)
    unread: dict[Path, str] = field(default_factory=dict)
    project: dict[Path, Path | None] = field(default_factory=dict)
    bibliographies: list[Path] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)

    def holds_back(self, path: Path) -> bool:
        """Return True if a bibliography lies in the folder of a submission."""
        return any(folder in path.parents for folder in self.kept_out)


def add_arguments(config: pytest.Config, settings: Settings, readers: tuple[Reader, ...]) -> Arguments:
    """Make pytest collect these files; return them.

    Files from the option replace the default arguments, so that a project's test suite does not run as well; explicit
    arguments stay. A node id that points into one of the files selects from it. Raises pytest.UsageError for a path
    that does not exist.
    """
    found, patterns = Arguments(), settings.files
    excluded = _Excluded(config, settings.exclude_files)
    for pattern in patterns:
        _find(pattern, readers, found, excluded)
    found.paths = list(dict.fromkeys(found.paths))
    by_option = config.getoption("citecheck") is not None
    typed = config.args_source is config.ArgsSource.ARGS
    if by_option and not patterns:  # the arguments are the files to check
        for folder in filter(os.path.isdir, config.args):
            _add_folder(folder, readers, found, excluded)
        if not typed:  # default folders of pytest, which the user did not pass
            found.unread.clear()
    _choose(config, found)
    beside_tests = added_options(config).citecheck == config.getoption("citecheck")
    if by_option and patterns and not typed and not beside_tests:
        config.args[:] = []
        config.args_source = config.ArgsSource.ARGS
    if typed and not by_option:
        if not found.chosen:
            found.project.clear()
        return found
    already = {os.path.abspath(argument.split("::", 1)[0]) for argument in config.args}  # noqa: PTH100
    if patterns:
        config.args.extend(str(path) for path in found.paths if str(path) not in already)
    return found


class _Excluded:
    """The rules that leave out files below a folder: ``citecheck_exclude_files``, and the rules of pytest in its runs."""

    def __init__(self, config: pytest.Config, patterns: Iterable[str]) -> None:
        self._config, self._patterns = config, [pattern.strip().rstrip("/") for pattern in patterns]
        self._is_plain = is_plain(config)

    def of(self, folder: Path) -> Callable[[Path], str]:
        """The reason to leave out a path below this folder; empty for others."""

        def reason(path: Path) -> str:
            names = (path.name, path.relative_to(folder).as_posix())
            if any(fnmatchcase(name, pattern) for name in names for pattern in self._patterns):
                return "left out by citecheck_exclude_files"
            absolute = _absolute(path)
            if not self._is_plain and self._config.hook.pytest_ignore_collect(
                collection_path=absolute, config=self._config
            ):
                return "left out by a rule of pytest (--ignore, norecursedirs, collect_ignore)"
            return ""

        return reason


_ALIKE = 0.75
"""Similarity (difflib) of a file's name to the one that was typed."""


def _find(pattern: str, readers: tuple[Reader, ...], found: Arguments, excluded: _Excluded) -> None:
    if Path(pattern).is_dir():
        if not (_add_folder(pattern, readers, found, excluded) or is_project(Path(pattern))):
            raise pytest.UsageError(f"--citecheck: no such file: {pattern}{_instead(pattern)}")
        return
    names = matching_files(pattern, readers)
    if not names:
        beside = (one.name for one in Path(pattern).parent.glob("*") if one.suffix == Path(pattern).suffix)
        near = get_close_matches(Path(pattern).name, list(beside), 1, _ALIKE)
        meant = f"; did you mean {safe_line(str(Path(pattern).with_name(near[0])))}?" if near else ""
        raise pytest.UsageError(f"--citecheck: no such file: {pattern}{meant}")
    for name in names:
        if formats.reader_for(name, readers) is None:
            raise pytest.UsageError(f"--citecheck: {formats.why_unread(name, readers)}")
        if is_project_file(name):
            found.project[_absolute(name)] = None
        else:
            found.paths.append(_absolute(name))


def is_project_file(name: str | Path) -> bool:
    """Return True for code and documentation, which pytest must not collect itself."""
    return Path(name).suffix.lower() in PROJECT


def _choose(config: pytest.Config, found: Arguments) -> None:
    """Take the node ids of references in code and documentation out of the arguments: pytest would import the file."""
    kept = []
    for argument in config.args:
        file, _, _ = argument.partition("::")
        if _absolute(file) in found.project and names_reference(argument, config.getini("python_files")):
            found.chosen.append(f"{file_nodeid(_absolute(file), config.rootpath)}{argument[len(file) :]}")
        else:
            kept.append(argument)
    config.args[:] = kept


def _add_folder(folder: str, readers: tuple[Reader, ...], found: Arguments, excluded: _Excluded) -> bool:
    """Add the submissions, bibliographies, code and documentation of a folder; whether it contains any."""
    contents = folder_contents(Path(folder), readers, excluded.of(Path(folder)))
    for one in contents.submissions:
        documents = [_absolute(path) for path in one.documents]
        found.paths += documents
        found.submissions |= dict.fromkeys(documents, one.name)
        if one.folder is not None:
            found.kept_out.add(_absolute(one.folder))
    found.paths += map(_absolute, contents.bibliographies)
    found.project |= {_absolute(path): _absolute(folder) for path in contents.code}
    found.unread |= {_absolute(path): why for path, why in contents.unread.items()}
    if contents.code:
        found.bibliographies += map(_absolute, project_bibliographies(Path(folder)))
    return bool(contents.submissions or contents.bibliographies or contents.code)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names


def _instead(folder: str) -> str:
    """The endings of the files in a folder without any bibliography or paper."""
    suffixes: Iterable[str] = sorted({one.suffix for one in Path(folder).iterdir() if one.is_file() and one.suffix})
    return (
        f" (this folder contains no bibliography or paper{': it contains ' if suffixes else ''}{', '.join(suffixes)})"
    )


STANDARD_INPUT = "-"

_PREFIX = "citecheck-stdin-"

_FORMATS = (
    (lazy_pattern(rb"\A.{0,1020}%PDF-", re.DOTALL), ".pdf"),
    (lazy_pattern(rb"\APK.*word/", re.DOTALL), ".docx"),
    (lazy_pattern(rb"\APK.*opendocument", re.DOTALL), ".odt"),
    (lazy_pattern(rb"(?:\A|\n)TY  ?-"), ".ris"),
    (lazy_pattern(rb"(?:\A|\n)PMID *-"), ".nbib"),
    (lazy_pattern(rb"\\documentclass|\\begin\{document\}"), ".tex"),
    (lazy_pattern(rb"\\bibitem|\\endentry"), ".bbl"),
    (lazy_pattern(rb"(?:\A|\n)[ \t]*+@[A-Za-z]++\s*+[{(]"), ".bib"),
    (lazy_pattern(rb"\A\s*+(?:\[\s*+[\[{\"\]]|\{\s*+[\"}])"), ".json"),  # but not "[1] A. Vaswani, …"
    (lazy_pattern(rb"\{\{\s*cit", re.IGNORECASE), ".wiki"),
    (lazy_pattern(rb"\A\s*<(?:!doctype html|html)", re.IGNORECASE), ".html"),
    (lazy_pattern(rb"\A\s*<"), ".xml"),
    (lazy_pattern(rb"\A---\n|(?:\A|\n)#{1,6} "), ".md"),
)
_HEAD = 1 << 16
_ELSEWHERE = re.compile(
    r"(?:https?:|doi|arxiv|openreview|(?<![a-z-])[a-z-]++(?:\.[a-z]{2})?/\d{7}|\d{2,4}\.\d{4}|(?:www|export|dx)\.)",
    re.IGNORECASE,
)
"""Beginnings of identifiers and addresses that can be fetched (see `documents.fetching`)."""


def shown_path(path: Path, rootpath: Path) -> str:
    """The file as places name it: its node id, or ``<stdin>``."""
    return "<stdin>" if path.parent.name.startswith(_PREFIX) else file_nodeid(path, rootpath)


def format_of(data: bytes) -> str:
    """The ending of a file with this content, by its first bytes."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    return next((suffix for pattern, suffix in _FORMATS if pattern.search(head)), ".txt")


def may_name_elsewhere(config: pytest.Config) -> bool:
    """Return True if an argument looks like an identifier or an address and names no file."""
    given: list[str] | None = config.getoption("citecheck")
    names = [part.partition("::")[0] for value in (*(given or ()), *config.args) for part in (value, *value.split(","))]
    return given is not None and any(
        _ELSEWHERE.match(name) and not os.path.exists(name)  # noqa: PTH110 - Path.exists raises for a long address
        for name in names
    )


def take_standard_input(config: pytest.Config) -> None:
    """Replace ``-`` among the values of ``--citecheck`` by a file, which is removed with the run. Raises
    pytest.UsageError."""
    given: list[str] = config.getoption("citecheck") or []
    if STANDARD_INPUT not in given:
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    finally:
        if capture is not None:
            capture.resume_global_capture()
    if not data.strip():
        raise pytest.UsageError("--citecheck=-: standard input is empty")
    if len(data) > LARGEST:
        raise pytest.UsageError(f"--citecheck=-: standard input has more than {megabytes(LARGEST)}")
    folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
    config.add_cleanup(folder.cleanup)
    path = Path(folder.name) / f"stdin{format_of(data)}"
    path.write_bytes(data)
    # With pytest-xdist the workers get this value.
    config.option.citecheck = [str(path) if one == STANDARD_INPUT else one for one in given]


class Documents:
    """Reads documents; never retries an unreadable one. shared: folder of all processes of a run, which read a PDF once."""

    shared: Path | None = None

    def __init__(
        self, root: Path, settings: Settings, given: Callable[[], Iterable[Path]], arguments: Arguments
    ) -> None:
        self._root = root
        self._given = given
        self._submissions = arguments.submissions
        self._project = arguments.project
        self._bibliographies = arguments.bibliographies
        self._settings = settings
        self._unreadable: dict[Path, str] = {}

    def read(self, path: Path, reader: DocumentReader) -> Bibliography:
        """The references of a document. Raises OSError, and UnreadableDocumentError with the reason."""
        if path in self._unreadable:
            raise UnreadableDocumentError(self._unreadable[path])
        try:
            return self._read(path, reader)
        except (UnreadableDocumentError, OSError) as error:
            if path in self._submissions:
                reason = f"it cannot be opened: {error.strerror}" if isinstance(error, OSError) else str(error)
                return unreadable(shown_path(path, self._root), reason)
            if isinstance(error, UnreadableDocumentError):
                if self._project.get(path) is not None:
                    return Bibliography(shown_path(path, self._root), ())
                self._unreadable[path] = str(error)
            raise

    def _read(self, path: Path, reader: DocumentReader) -> Bibliography:
        shown = shown_path(path, self._root)
        size = path.stat().st_size
        if not size:
            raise UnreadableDocumentError(f"{shown} is empty")
        if size > LARGEST:
            raise UnreadableDocumentError(f"{shown} has {megabytes(size)}; at most {megabytes(LARGEST)} are read")
        project = path in self._project
        given = (*self._given(), *(self._bibliographies if project else ()))
        given = tuple(dict.fromkeys(given))
        bibliographies = [one for one in given if one.suffix.lower() in BIBTEX.suffixes and one.is_file()]
        around = Surroundings(
            FolderFiles(path.parent, (*self._allowed(path), *bibliographies)),
            project=project,
            everything=self._settings.documents.everything,
            tei=self._grobid if self._settings.documents.grobid else None,
            given=tuple(os.path.relpath(one, path.parent).replace(os.sep, "/") for one in bibliographies),
        )
        data = path.read_bytes()
        if self.shared is not None and path in self._project:
            return self._read_once(self.shared, shown, data, lambda: reader.read_document(shown, data, around))
        if self.shared is None or path.suffix.lower() != ".pdf":
            return reader.read_document(shown, data, around)

        folder = self.shared / f"pdf-{hashlib.sha256(shown.encode() + data).hexdigest()}"
        folder.mkdir(exist_ok=True)
        with locked(folder):
            return self._read_once(folder, shown, data, lambda: reader.read_document(shown, data, around))

    @staticmethod
    def _read_once(folder: Path, shown: str, data: bytes, read: Callable[[], Bibliography]) -> Bibliography:
        """Read a file unless another process of this run has read it."""
        kept = folder / f"file-{hashlib.sha256(shown.encode() + data).hexdigest()}"
        with contextlib.suppress(OSError):
            known: Bibliography | str = pickle.loads(kept.read_bytes())  # noqa: S301 - a process of this run wrote it
            if isinstance(known, str):
                raise UnreadableDocumentError(known)
            return known
        try:
            result: Bibliography | str = read()
        except UnreadableDocumentError as error:
            result = str(error)
        with atomic_write(kept) as file:
            file.write(pickle.dumps(result))
        if isinstance(result, str):
            raise UnreadableDocumentError(result)
        return result

    def _allowed(self, path: Path) -> tuple[Path, ...]:
        """The folders of files that a document may name, besides its own: none for submissions and fetched documents."""
        apart = path in self._submissions or fetched_name(path)
        start = () if apart else (self._project.get(path) or path.parent, *start_folder())
        return *start, *self._settings.documents.roots

    def _grobid(self, data: bytes) -> bytes:
        """The TEI that the user's GROBID makes of a PDF."""
        address = self._settings.documents.grobid
        if self._settings.offline:
            raise UnreadableDocumentError(f"GROBID at {address} is not queried (offline mode)")
        from pytest_citecheck.plugin.grobid import ask_grobid  # noqa: PLC0415

        return ask_grobid(address, data)
