"""Contents of a folder: its submissions, its bibliographies, and the files that are not read, with the reason."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.readers.documents.base import DocumentReader, UnreadableDocumentError
from pytest_citecheck.readers.documents.choice import BINARY, main_sources
from pytest_citecheck.readers.registry import reader_for, reader_named, why_unread

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["FolderContents", "Submission", "folder_contents"]

_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".txz", ".xz")
_SOURCES = (".tex", ".ltx", ".bbl", ".aux", ".bcf", ".yml", ".yaml")
_LIBRARIES = (".bib", ".bibtex", ".biblatex", ".ris", ".nbib", ".json", ".csljson")
"""Bibliographies that a document may name."""
_TEXTS = (".md", ".markdown", ".qmd", ".rmd", ".txt", ".text", ".lst", ".ids", ".html", ".htm", ".xhtml", ".xml")
"""Texts and pages: any of them may hold a list of references, and most do not."""
_FIGURES = re.compile(
    r"(?:^|/)(?:fig(?:ure)?s?|images?|imgs?|plots?|graphics|pictures|pics?|assets|media)/", re.IGNORECASE
)
_HEAD = 1 << 20
_LARGEST_TEXT = 2_000_000
_MOST_FILES = 20_000
_NAME_IT = "answers of models and benchmarks are read only if you name the file"
_KNOWN_SHARE = 0.5
"""Least share of a text's items that state people and a title, or an identifier: licences and logs have none or few."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One of several papers: its name, its documents, and the folder whose bibliographies are theirs (None for a file)."""

    name: str
    documents: tuple[Path, ...]
    folder: Path | None = None


@dataclass(slots=True)
class FolderContents:
    """Submissions and bibliographies in order. unread: reason by path of every other file."""

    submissions: list[Submission] = field(default_factory=list)
    bibliographies: list[Path] = field(default_factory=list)
    unread: dict[Path, str] = field(default_factory=dict)


def folder_contents(folder: Path, further: Iterable[Reader] = ()) -> FolderContents:
    """Sort the files below a folder. further: readers from hooks.

    A folder with a LaTeX or Markdown source is one submission, with everything below it. Any other document (Word, OpenDocument,
    PDF, archive, ``.bbl``, list of references) is a submission of its own. Hidden files are left out.
    """
    further = tuple(further)
    names = list(_names(folder))
    found = FolderContents()
    if len(names) > _MOST_FILES:
        found.unread[folder] = f"it holds more than {_MOST_FILES:,} files; files after {names.pop()} are not looked at"
    sources = main_sources(names, lambda name: _head(folder / name))
    homes = _outermost_folders(sources)
    documents: dict[str, list[str]] = {home: [] for home in homes}
    for name in sources:
        if (home := posixpath.dirname(name)) in documents:
            documents[home].append(name)
    named = {home: _text_of(folder, home, names) for home in homes}
    single: list[str] = []
    for name in names:
        above = next((one for one in homes if _is_below(name, one)), None)
        if above is not None:
            if name not in documents[above] and (why := _why_passed_over(name, documents[above], named[above])):
                found.unread[folder / name] = why
        elif why := _why_no_submission(name, names):
            found.unread[folder / name] = why
        else:
            _take(folder / name, name, further, found, single)
    groups = {**{home: tuple(inside) for home, inside in documents.items()}, **{name: (name,) for name in single}}
    alone = _alone(groups)
    for group, inside in sorted(groups.items()):
        place = None if group in single else folder / group
        called = alone.get(group, group or folder.resolve().name)
        found.submissions.append(Submission(called, tuple(folder / one for one in inside), place))
    return found


def _take(path: Path, name: str, further: tuple[Reader, ...], found: FolderContents, single: list[str]) -> None:
    """Sort a file outside of the folders of sources."""
    suffix = path.suffix.lower()
    if suffix in (*BINARY, *_ARCHIVES, ".bbl"):
        single.append(name)  # if it cannot be read, its item fails
        return
    reader = reader_for(str(path), further)
    if reader_named(str(path), further) is not None and (why := _why_unopened(path)):
        found.unread[path] = why
    elif reader is None:
        found.unread[path] = why_unread(str(path), further, called="it")
    elif not reader.lenient:
        found.unread[path] = _NAME_IT
    elif suffix in _TEXTS and isinstance(reader, DocumentReader):
        why = _why_no_list(path, reader)
        if why:
            found.unread[path] = why
        else:
            single.append(name)
    elif suffix in (".tex", ".ltx", ".aux", ".bcf"):
        found.unread[path] = "it is no LaTeX document that cites"
    else:
        found.bibliographies.append(path)


def _why_unopened(path: Path) -> str:
    """Why a file has no content; empty if it has one."""
    try:
        with path.open("rb") as file:
            return "" if file.read(1) else "it is empty"
    except OSError as error:
        return f"it cannot be opened: {error.strerror or error}"


def _why_no_list(path: Path, reader: DocumentReader) -> str:
    """Why a text or page of a folder is not read; empty if it holds references."""
    try:
        if path.stat().st_size > _LARGEST_TEXT:
            return f"a text of more than {_LARGEST_TEXT // 1_000_000} MB is read only if you name it"
        whole = reader.read(path.name, path.read_bytes())
    except (OSError, UnreadableDocumentError) as error:
        return getattr(error, "strerror", None) or str(error)
    known = sum(
        ("author" in one.fields and "title" in one.fields)
        or any(name in one.fields for name in ("doi", "eprint", "isbn", "pmid", "pmcid"))
        for one in whole.references
    )
    if not known or known < _KNOWN_SHARE * len(whole.references):
        return "it holds no list of references"
    return ""


def _why_passed_over(name: str, documents: list[str], text: bytes) -> str:
    """Why a file in the folder of a source is not read; empty if the source may read it."""
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in _SOURCES:
        return ""
    if suffix in _LIBRARIES:
        stem = posixpath.splitext(posixpath.basename(name))[0]
        return "" if stem.encode() in text else f"{documents[0]} does not name it"
    if suffix in (*BINARY, *_ARCHIVES, *_TEXTS):
        return f"{documents[0]} is read in its place"
    return why_unread(name, called="it") if reader_named(name) is None else f"{documents[0]} does not name it"


def _why_no_submission(name: str, names: Iterable[str]) -> str:
    """Why a Word document or PDF is not read: it is a figure, or the same paper lies beside it as another file."""
    stem, suffix = posixpath.splitext(name)
    if suffix.lower() not in BINARY:
        return ""
    if _FIGURES.search(name):
        return "it lies in a folder of figures"
    better = (".bbl", *BINARY)[: (".bbl", *BINARY).index(suffix.lower())]
    return next((f"{stem}{one} is read in its place" for one in better if f"{stem}{one}" in names), "")


def _outermost_folders(sources: Iterable[str]) -> list[str]:
    """The folders of these files that lie in no other of them."""
    folders = sorted({posixpath.dirname(name) for name in sources})
    return [one for one in folders if not any(one != other and _is_below(f"{one}/", other) for other in folders)]


def _is_below(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


def _alone(groups: Iterable[str]) -> dict[str, str]:
    """The first part of each path that only one submission has: a subfolder with one paper gives it its name."""
    firsts: dict[str, list[str]] = {}
    for name in groups:
        firsts.setdefault(name.partition("/")[0], []).append(name)
    return {inside[0]: first for first, inside in firsts.items() if first and len(inside) == 1}


def _text_of(folder: Path, home: str, names: Iterable[str]) -> bytes:
    """The sources of a submission together, which may name bibliographies."""
    kept = [
        name for name in names if _is_below(name, home) and name.lower().endswith((*_SOURCES, ".md", ".qmd", ".rmd"))
    ]
    return b"\n".join(_head(folder / name) or b"" for name in kept[:200])


def _names(root: Path) -> Iterator[str]:
    """The names of the files below a folder, with ``/``; links to folders are not followed."""
    count = 0
    for place, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in ("node_modules", "__MACOSX")
        )
        for name in sorted(files):
            if name.startswith("."):
                continue
            yield Path(place, name).relative_to(root).as_posix()
            count += 1
            if count > _MOST_FILES:
                return


def _head(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return None
