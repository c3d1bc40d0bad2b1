"""The protocol of a reader of documents: files that cite other files, or that hold a list of references in running text."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_citecheck.inputs.base import Bibliography
from pytest_citecheck.inputs.registry import reader_for, reader_named, why_unread
from pytest_citecheck.matching.text import lazy_pattern
from pytest_citecheck.model import Defect, Location, Reference

if TYPE_CHECKING:
    from pytest_citecheck.inputs.base import Reader

__all__ = [
    "BINARY",
    "LARGEST",
    "ArchiveFiles",
    "DocumentReader",
    "Files",
    "FolderContents",
    "FolderFiles",
    "NoFiles",
    "Submission",
    "Surroundings",
    "UnreadableDocumentError",
    "folder_contents",
    "main_documents",
    "main_sources",
    "megabytes",
    "unreadable",
]

LARGEST = 200_000_000
"""Bytes of a file that is read: the largest thesis in PDF has some tens of megabytes."""


class UnreadableDocumentError(Exception):
    """A document of which no reference can be read; its text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document may look at besides itself.

    files: those that it may name. everything: take entries in that it does not cite. given: paths of bibliographies that
    were given with it, for a document that names none. tei: turns a PDF into GROBID's TEI; None if no GROBID is there.
    """

    files: Files
    everything: bool = False
    given: tuple[str, ...] = ()
    tei: Callable[[bytes], bytes] | None = field(default=None, compare=False)


@runtime_checkable
class DocumentReader(Protocol):
    """A reader that needs the files around a document (see `inputs.base.Reader` for the other attributes)."""

    @property
    def suffixes(self) -> frozenset[str]: ...

    @property
    def format(self) -> str: ...

    @property
    def lenient(self) -> bool: ...

    def reads(self, head: bytes) -> bool: ...

    def read(self, path: str, data: bytes) -> Bibliography: ...

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Read a document. Raises UnreadableDocumentError."""
        ...


def unreadable(path: str, reason: str) -> Bibliography:
    """A submission that cannot be read is one failing item, so that the others are checked."""
    defect = Defect("unreadable-document", reason, 1, fatal=True)
    return Bibliography(path, (Reference("document", "", {}, Location(path, 1, 1), defects=(defect,)),))


def megabytes(count: int) -> str:
    """A size in words, as messages state it."""
    return f"{count / 1e9:.1f} GB" if count >= 1_000_000_000 else f"{-(-count // 1_000_000)} MB"


# Which files of a submission are its documents: the main LaTeX file, else what else holds its references.


_MAIN = lazy_pattern(rb"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)
_CITES = lazy_pattern(rb"\\(?:[a-z]*cite[a-z]*|bibliography|addbibresource|printbibliography|bibitem)\b", re.IGNORECASE)
_INPUTS = lazy_pattern(rb"\\(?:input|include|subfile|import)\b")
_HEADER = lazy_pattern(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:.*\n)*?(?:bibliography|references)\s*:")
_HEAD = 1 << 20
_MOST = 5000
BINARY = (".docx", ".docm", ".odt", ".pdf")
_SKIPPED = lazy_pattern(r"(?:^|/)(?:\.|node_modules/|__MACOSX/)")


def main_documents(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The names of the documents among these, those of the first kind that is there.

    LaTeX files with a document class that cite or input; Markdown whose header names a bibliography; ``.bbl``; Word,
    OpenDocument, PDF beside no source of LaTeX. head: the first bytes of a file.
    """
    kept = sorted(name for name in names if not _SKIPPED.search(name))[:_MOST]
    by_suffix: dict[str, list[str]] = {}
    for name in kept:
        by_suffix.setdefault(posixpath.splitext(name)[1].lower(), []).append(name)
    latex = _mains(by_suffix.get(".tex", []), head)
    if latex:
        return _outermost(latex)
    if cited := _cited_notes(kept, head):
        return cited
    for suffix in (".bbl", *BINARY):
        if by_suffix.get(suffix) and (suffix != ".pdf" or not by_suffix.get(".tex")):
            return _outermost(by_suffix[suffix])
    return []


def main_sources(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The main LaTeX files of all folders, and Markdown with a bibliography in folders without one, sorted."""
    kept = sorted(name for name in names if not _SKIPPED.search(name))
    latex = _mains([name for name in kept if name.lower().endswith(".tex")], head)
    homes = {posixpath.dirname(name) for name in latex}
    return sorted(latex + [name for name in _cited_notes(kept, head) if posixpath.dirname(name) not in homes])


def _cited_notes(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The Markdown files whose header names a bibliography."""
    notes = [name for suffix in (".md", ".qmd", ".rmd") for name in names if name.lower().endswith(suffix)]
    return [name for name in notes if _HEADER.match((head(name) or b"")[:_HEAD])]


def _mains(names: list[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The LaTeX files with a document class that cite, or that input files of which one cites: slides and letters do neither."""
    heads = {name: (head(name) or b"")[:_HEAD] for name in names}
    citing = {name for name, data in heads.items() if _CITES.search(data)}
    mains = [name for name, data in heads.items() if _MAIN.search(data)]
    parts = bool(citing - set(mains))
    return [name for name in mains if name in citing or (parts and _INPUTS.search(heads[name]))]


def _outermost(names: list[str]) -> list[str]:
    """Those in the folder nearest to the root: figures and styles have folders of their own."""
    depth = min(name.count("/") for name in names)
    return [name for name in names if name.count("/") == depth]


# The files that a document may name: those of a folder, or those of an archive in memory.


_NAMED = frozenset(
    {".tex", ".bib", ".bbl", ".aux", ".bcf", ".json", ".yaml", ".yml", ".ris", ".md", ".qmd", ".rmd", ".ltx"}
)
"""Endings of what documents of the formats read name; a document names no other file of the machine."""
_FILES_MOST = 2000  # names in a folder that are looked at


class Files(Protocol):
    """Files by name, relative to the folder of the document, with ``/`` between folders."""

    def read(self, name: str) -> bytes | None:
        """The content; None if there is no such file, or it may not be read."""
        ...

    def names(self) -> Iterable[str]:
        """The names of the files beside the document, sorted."""
        ...


class NoFiles:
    """Nothing is there but the document."""

    def read(self, name: str) -> bytes | None:  # noqa: ARG002
        return None

    def names(self) -> Iterable[str]:
        return ()


class FolderFiles:
    """The files of a folder. confined: the folder that nothing may lead out of, neither ``..`` nor a link; None: TeX's rules."""

    def __init__(self, folder: Path, confined: Path | None = None) -> None:
        self._folder = folder
        self._confined = confined.resolve() if confined is not None else None

    def read(self, name: str) -> bytes | None:
        path = self._folder / name
        if path.suffix.lower() not in _NAMED:
            return None
        try:
            real = path.resolve()
            if self._confined is not None and not real.is_relative_to(self._confined):
                return None
            if not real.is_file() or real.stat().st_size > LARGEST:
                return None
            return real.read_bytes()
        except (OSError, ValueError):  # a name with a NUL character
            return None

    def names(self) -> Iterator[str]:
        try:
            found = sorted(path.name for path in self._folder.iterdir())
        except OSError:
            return
        yield from found[:_FILES_MOST]


class ArchiveFiles:
    """The files of an archive. folder: that of the document in it, empty for its root."""

    def __init__(self, content: Mapping[str, bytes], folder: str = "") -> None:
        self._content = content
        self._folder = folder

    def read(self, name: str) -> bytes | None:
        return self._content.get(posixpath.normpath(posixpath.join(self._folder, name)))

    def names(self) -> Iterator[str]:
        prefix = f"{self._folder}/" if self._folder else ""
        for name in sorted(self._content):
            rest = name.removeprefix(prefix)
            if name.startswith(prefix) and "/" not in rest:
                yield rest


# Contents of a folder: its submissions, its bibliographies, and the files that are not read, with the reason.


_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".txz", ".xz")
_SOURCES = (".tex", ".ltx", ".bbl", ".aux", ".bcf", ".yml", ".yaml")
_LIBRARIES = (".bib", ".bibtex", ".biblatex", ".ris", ".nbib", ".json", ".csljson")
"""Bibliographies that a document may name."""
_TEXTS = (".md", ".markdown", ".qmd", ".rmd", ".txt", ".text", ".lst", ".ids", ".html", ".htm", ".xhtml", ".xml")
"""Texts and pages: any of them may hold a list of references, and most do not."""
_FIGURES = re.compile(
    r"(?:^|/)(?:fig(?:ure)?s?|images?|imgs?|plots?|graphics|pictures|pics?|assets|media)/", re.IGNORECASE
)
_LARGEST_TEXT = 2_000_000
_MOST_FILES = 20_000
_NAME_IT = "model answers and benchmarks are read only if you pass the file itself"
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
        found.unread[folder] = f"it contains more than {_MOST_FILES:,} files; files after {names.pop()} are not read"
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
        found.unread[path] = "it is not a LaTeX document with citations"
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
    """Why a text or page of a folder is not read; empty if it contains references."""
    try:
        if path.stat().st_size > _LARGEST_TEXT:
            return f"a text of more than {_LARGEST_TEXT // 1_000_000} MB is read only if you pass it explicitly"
        whole = reader.read(path.name, path.read_bytes())
    except (OSError, UnreadableDocumentError) as error:
        return getattr(error, "strerror", None) or str(error)
    known = sum(
        ("author" in one.fields and "title" in one.fields)
        or any(name in one.fields for name in ("doi", "eprint", "isbn", "pmid", "pmcid"))
        for one in whole.references
    )
    if not known or known < _KNOWN_SHARE * len(whole.references):
        return "it contains no list of references"
    return ""


def _why_passed_over(name: str, documents: list[str], text: bytes) -> str:
    """Why a file in the folder of a source is not read; empty if the source may read it."""
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in _SOURCES:
        return ""
    if suffix in _LIBRARIES:
        stem = posixpath.splitext(posixpath.basename(name))[0]
        return "" if stem.encode() in text else f"{documents[0]} does not use it"
    if suffix in (*BINARY, *_ARCHIVES, *_TEXTS):
        return f"{documents[0]} is read instead"
    return why_unread(name, called="it") if reader_named(name) is None else f"{documents[0]} does not use it"


def _why_no_submission(name: str, names: Iterable[str]) -> str:
    """Why a Word document or PDF is not read: it is a figure, or the same paper lies beside it as another file."""
    stem, suffix = posixpath.splitext(name)
    if suffix.lower() not in BINARY:
        return ""
    if _FIGURES.search(name):
        return "it is in a folder of figures"
    better = (".bbl", *BINARY)[: (".bbl", *BINARY).index(suffix.lower())]
    return next((f"{stem}{one} is read instead" for one in better if f"{stem}{one}" in names), "")


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
