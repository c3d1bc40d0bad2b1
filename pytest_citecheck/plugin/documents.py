"""Targets of ``--citecheck`` and of arguments: files, folders of bibliographies, folders of submissions."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote, urljoin, urlsplit

import pytest

from pytest_citecheck import inputs as formats  # loaded when it is asked
from pytest_citecheck.atomic_write import whole_file
from pytest_citecheck.inputs.archives import unpacked
from pytest_citecheck.inputs.base import Bibliography
from pytest_citecheck.inputs.bibtex.reader import BIBTEX
from pytest_citecheck.inputs.documents import (
    LARGEST,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    main_documents,
    megabytes,
    unreadable,
)
from pytest_citecheck.inputs.remote import Target, target_of
from pytest_citecheck.matching.text import lazy_pattern
from pytest_citecheck.plugin.items import FETCHED, file_nodeid
from pytest_citecheck.plugin.options import matching_files
from pytest_citecheck.sources.base import Request

if TYPE_CHECKING:
    from pytest_citecheck.inputs.base import Reader
    from pytest_citecheck.inputs.documents import DocumentReader
    from pytest_citecheck.net.http import RawResponse
    from pytest_citecheck.plugin.settings import Settings

__all__ = [
    "STANDARD_INPUT",
    "Arguments",
    "Documents",
    "Fetch",
    "add_arguments",
    "fetched",
    "format_of",
    "may_name_elsewhere",
    "shown_path",
    "take_fetched",
    "take_standard_input",
]


@dataclass(slots=True)
class Arguments:
    """paths: the files to check. submissions: the name of that which a document is of. kept_out: folders whose bibliographies are
    checked as far as their documents cite them. unread: files of folders that are not read, with the reason."""

    paths: list[Path] = field(default_factory=list)
    submissions: dict[Path, str] = field(default_factory=dict)
    kept_out: set[Path] = field(default_factory=set)
    unread: dict[Path, str] = field(default_factory=dict)

    def holds_back(self, path: Path) -> bool:
        """Return True if a bibliography lies in the folder of a submission."""
        return any(folder in path.parents for folder in self.kept_out)


def add_arguments(config: pytest.Config, patterns: tuple[str, ...], readers: tuple[Reader, ...]) -> Arguments:
    """Make pytest collect these files; returns them.

    Files asked for by option replace the default arguments, so that a project's test suite does not run as well;
    arguments that the user typed stay. A node id that points into one of the files selects from it.
    Raises pytest.UsageError for a path that does not exist.
    """
    found = Arguments()
    for pattern in patterns:
        _find(pattern, readers, found)
    found.paths = list(dict.fromkeys(found.paths))
    by_option = config.getoption("citecheck") is not None
    typed = config.args_source is config.ArgsSource.ARGS
    if by_option and not patterns:  # the arguments are what is to be checked
        for folder in filter(os.path.isdir, config.args):
            _add_folder(folder, readers, found)
        if not typed:  # pytest's own folders: nobody asked for all their files
            found.unread.clear()
    if by_option and patterns and not typed:
        config.args[:] = []
        config.args_source = config.ArgsSource.ARGS
    if typed and not by_option:
        return found
    already = {os.path.abspath(argument.split("::", 1)[0]) for argument in config.args}  # noqa: PTH100
    if patterns:
        config.args.extend(str(path) for path in found.paths if str(path) not in already)
    return found


def _find(pattern: str, readers: tuple[Reader, ...], found: Arguments) -> None:
    if Path(pattern).is_dir():
        if not _add_folder(pattern, readers, found):
            raise pytest.UsageError(f"--citecheck: no such file: {pattern}{_instead(pattern)}")
        return
    names = matching_files(pattern, readers)
    if not names:
        raise pytest.UsageError(f"--citecheck: no such file: {pattern}")
    for name in names:
        if formats.reader_for(name, readers) is None:
            raise pytest.UsageError(f"--citecheck: {formats.why_unread(name, readers)}")
        found.paths.append(_absolute(name))


def _add_folder(folder: str, readers: tuple[Reader, ...], found: Arguments) -> bool:
    """Add the submissions and bibliographies of a folder; whether it contains any."""
    from pytest_citecheck.inputs.documents import folder_contents  # noqa: PLC0415 - needed for folders only

    contents = folder_contents(Path(folder), readers)
    for one in contents.submissions:
        documents = [_absolute(path) for path in one.documents]
        found.paths += documents
        found.submissions |= dict.fromkeys(documents, one.name)
        if one.folder is not None:
            found.kept_out.add(_absolute(one.folder))
    found.paths += map(_absolute, contents.bibliographies)
    found.unread |= {_absolute(path): why for path, why in contents.unread.items()}
    return bool(contents.submissions or contents.bibliographies)


def _absolute(path: str | Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links keep their names


def _instead(folder: str) -> str:
    """The endings of the files in a folder without any bibliography or paper."""
    there: Iterable[str] = sorted({one.suffix for one in Path(folder).iterdir() if one.is_file() and one.suffix})
    return f" (this folder contains no bibliography or paper{': it contains ' if there else ''}{', '.join(there)})"


# ``--citecheck=-``: what comes from standard input, in a file whose ending says the format.


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
    (lazy_pattern(rb"\A\s*[\[{]"), ".json"),
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
    """Put a file in the place of ``-`` among the values of ``--citecheck``; it goes with the run. Raises pytest.UsageError."""
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


# Reading a document with the files around it, once a process.


class Documents:
    """Reads documents; never retries an unreadable one."""

    def __init__(
        self, root: Path, settings: Settings, given: Callable[[], Iterable[Path]], submissions: Container[Path]
    ) -> None:
        self._root = root
        self._given = given
        self._submissions = submissions
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
                self._unreadable[path] = str(error)
            raise

    def _read(self, path: Path, reader: DocumentReader) -> Bibliography:
        shown = shown_path(path, self._root)
        size = path.stat().st_size
        if not size:
            raise UnreadableDocumentError(f"{shown} is empty")
        if size > LARGEST:
            raise UnreadableDocumentError(f"{shown} has {megabytes(size)}; at most {megabytes(LARGEST)} are read")
        bibliographies = [one for one in self._given() if one.suffix.lower() in BIBTEX.suffixes and one.is_file()]
        around = Surroundings(
            FolderFiles(path.parent, path.parent if path in self._submissions else None),
            everything=self._settings.documents.everything,
            tei=self._grobid if self._settings.documents.grobid else None,
            given=tuple(os.path.relpath(one, path.parent).replace(os.sep, "/") for one in bibliographies),
        )
        return reader.read_document(shown, path.read_bytes(), around)

    def _grobid(self, data: bytes) -> bytes:
        """The TEI that the user's GROBID makes of a PDF."""
        address = self._settings.documents.grobid
        if self._settings.offline:
            raise UnreadableDocumentError(f"GROBID at {address} is not queried (offline mode)")
        from pytest_citecheck.plugin.grobid import ask_grobid  # noqa: PLC0415

        return ask_grobid(address, data)


# Documents that the user names by identifier or address: an arXiv id, a DOI, a page of arXiv or OpenReview, the URL of a file.


_LARGEST = 100_000_000
_SECONDS = 120.0
_DAYS = 30
"""After so long, a document may have a new version and is fetched again."""
_LONGEST_NAME = 180
_META = re.compile(rb"<meta\s[^<>]*+>", re.IGNORECASE)
_PDF_NAME = re.compile(rb"""name\s*+=\s*+["']?citation_pdf_url["'\s>]""", re.IGNORECASE)
_CONTENT = re.compile(rb"""content\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)
_ACCEPTED = "application/pdf, application/gzip, application/x-tar, text/html;q=0.9, */*;q=0.8"


class Fetch(Protocol):
    """Get an address. public: refuse private addresses. Raises UnreadableDocumentError if there is no answer."""

    def __call__(self, address: str, *, public: bool) -> RawResponse: ...


def take_fetched(config: pytest.Config, settings: Settings) -> bool:
    """Put files in the place of identifiers and addresses among the files to check; whether there were any.

    Only what the user typed is fetched, never what a settings file names. Raises pytest.UsageError.
    """
    given: list[str] | None = config.getoption("citecheck")
    if given is None:
        return False
    found: dict[str, str] = {}

    def file_of(text: str) -> str:
        if text not in found:
            found[text] = _taken(text, config, settings)
        return found[text] or text

    # With pytest-xdist the workers get these values.
    config.option.citecheck = [
        ",".join(map(file_of, [value] if _named(value, settings) else value.split(","))) for value in given
    ]
    if config.args_source is config.ArgsSource.ARGS:
        arguments = [argument.partition("::") for argument in config.args]
        config.args[:] = [f"{file_of(file)}{colons}{rest}" for file, colons, rest in arguments]
    return any(found.values())


def _named(text: str, settings: Settings) -> Target | None:
    return None if os.path.exists(text) else target_of(text, settings.servers.base_urls)  # noqa: PTH110 - Path.exists raises for a long address


def _taken(text: str, config: pytest.Config, settings: Settings) -> str:
    """The file with the document that a text names; empty if it names a file."""
    target = _named(text, settings)
    if target is None:
        return ""
    if any("@" in urlsplit(address).netloc for address in target.addresses):
        raise pytest.UsageError(
            "--citecheck: addresses with a user name or password are not fetched; download the file and pass its path"
        )
    recorded = settings.cassettes / FETCHED if settings.cassettes else None
    cached = settings.cache / FETCHED if settings.cache else None
    replays = recorded is not None and settings.record == "none"
    stores = [one for one in ((recorded,) if replays else (recorded, cached)) if one is not None]
    fresh = settings.refresh or (recorded is not None and settings.record == "all")
    for store in stores:
        kept = _kept(store, target, any_age=replays or settings.offline or store == recorded)
        if kept is not None and not fresh:
            return str(kept)
    if replays or settings.offline:
        why = f"it is not recorded in {recorded}" if replays else "offline mode, and it is not in the cache"
        raise pytest.UsageError(f"--citecheck: {target.name} is not fetched: {why}")
    if not stores:
        folder = tempfile.TemporaryDirectory(prefix="citecheck-")
        config.add_cleanup(folder.cleanup)
        stores = [Path(folder.name) / FETCHED]
    try:
        suffix, data = fetched(target, _exchange)
        for store in stores:
            _store(store, target, suffix, data)
    except UnreadableDocumentError as error:
        raise pytest.UsageError(f"--citecheck: {target.name} cannot be fetched: {error}") from error
    except OSError as error:
        raise pytest.UsageError(f"--citecheck: {target.name} cannot be kept: {error}") from error
    return str(_place(stores[0], target) / f"document{suffix}")


def _place(store: Path, target: Target) -> Path:
    name = quote(target.name, safe="").replace("~", "%7E")
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME].rpartition('%')[0]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return store / name


def _kept(store: Path, target: Target, *, any_age: bool) -> Path | None:
    place = _place(store, target)
    files = sorted(place.glob("document.*")) if place.is_dir() else []
    if not files or not (any_age or time.time() - files[0].stat().st_mtime < _DAYS * 86_400):
        return None
    return files[0]


def _store(store: Path, target: Target, suffix: str, data: bytes) -> None:
    place = _place(store, target)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = place / f"document{suffix}"
    with whole_file(path) as file:
        file.write(data)
    for other in place.glob("document.*"):
        if other != path:
            other.unlink()


def fetched(target: Target, fetch: Fetch) -> tuple[str, bytes]:
    """Ending and content of a document: the first address that has one. Raises UnreadableDocumentError."""
    problems: list[str] = []
    for address in target.addresses:
        try:
            suffix, data = _document(address, fetch)
            if suffix == ".html" and len(target.addresses) > 1:
                raise UnreadableDocumentError(f"{urlsplit(address).hostname} sends a web page instead")
            if suffix in (".gz", ".tar", ".zip") and len(target.addresses) > 1:
                content = unpacked(target.name, data)
                if not main_documents(content, content.get):
                    raise UnreadableDocumentError("its source contains no document with references")
            return suffix, data
        except UnreadableDocumentError as error:
            problems.append(str(error))
    raise UnreadableDocumentError("; ".join(dict.fromkeys(problems)))


def _document(address: str, fetch: Fetch) -> tuple[str, bytes]:
    data = _body(address, fetch, public=False)  # the user typed it, and may mean a server in the house
    suffix = _suffix(data)
    if suffix == ".html" and (pdf := _pdf_of(data)):
        link = urljoin(address, pdf)
        try:
            linked = _body(link, fetch, public=urlsplit(link).netloc != urlsplit(address).netloc)
        except UnreadableDocumentError:
            return suffix, data  # the page may state its references
        if _suffix(linked) == ".pdf":
            return ".pdf", linked
    return suffix, data


def _body(address: str, fetch: Fetch, *, public: bool) -> bytes:
    if not re.match(r"https?://", address, re.IGNORECASE):
        raise UnreadableDocumentError("it links to a document that is not on the web")
    response = fetch(address, public=public)
    host = urlsplit(address).hostname
    if response.status != 200:
        advice = "; download the file and pass its path" if response.status in (401, 403, 429, 503) else ""
        raise UnreadableDocumentError(f"{host} answers with status {response.status}{advice}")
    if not response.body.strip():
        raise UnreadableDocumentError(f"{host} sends an empty document")
    return response.body


def _suffix(data: bytes) -> str:
    if data[:2] == b"\x1f\x8b":
        head = b""
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                head = packed.read(1024)
        except (OSError, EOFError, zlib.error):
            return ".gz"
        if head.startswith(b"%PDF"):
            raise UnreadableDocumentError("its source is a compressed PDF")
        return ".gz"
    if data[257:262] == b"ustar":
        return ".tar"
    known = format_of(data)
    if known == ".txt" and data[:2] == b"PK":
        return ".zip"
    return ".html" if known in (".xml", ".txt") and b"<html" in data[:2000].lower() else known


def _pdf_of(page: bytes) -> str:
    """The address of the PDF that a page states for programs; empty if it states none."""
    for meta in _META.findall(page):
        if _PDF_NAME.search(meta) and (content := _CONTENT.search(meta)):
            return unescape((content[1] or content[2] or b"").decode("utf-8", "replace")).strip()
    return ""


def _exchange(address: str, *, public: bool) -> RawResponse:
    from pytest_citecheck.net.exchange import Exchanger  # noqa: PLC0415
    from pytest_citecheck.net.http import (  # noqa: PLC0415
        Deadline,
        ExchangeError,
    )
    from pytest_citecheck.net.resolver import system_lookup  # noqa: PLC0415
    from pytest_citecheck.plugin.gathering import run_to_end  # noqa: PLC0415 - rarely needed, and slow to import

    async def sent() -> RawResponse:
        exchanger = Exchanger(_SECONDS, 10.0, system_lookup, Deadline(None, None))
        try:
            # No key, contact address or cookie: the host may be anybody's. Redirects to private addresses are refused.
            request = Request("documents", address, accept=_ACCEPTED)
            return await exchanger.exchange(request, lambda: None, largest=_LARGEST, follow=True, public=public)
        finally:
            await exchanger.aclose()

    try:
        return run_to_end(sent())
    except ExchangeError as error:
        why = f"more than {megabytes(_LARGEST)}" if error.reason == "too-large" else f"{error.reason}: {error.detail}"
        raise UnreadableDocumentError(f"{urlsplit(address).hostname} does not send it ({why})") from error
