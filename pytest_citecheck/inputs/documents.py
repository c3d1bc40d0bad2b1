"""Reader protocol for documents: files that cite other files or contain a reference list in running text."""

from __future__ import annotations

import ast
import os
import posixpath
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_citecheck.confinement import leads_out, outside, within
from pytest_citecheck.inputs.base import Bibliography, FileReader
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.registry import reader_for, reader_named, why_unread

if TYPE_CHECKING:
    from pytest_citecheck.inputs.base import Reader

LARGEST = 200_000_000
"""Size limit in bytes: the largest PDF theses have some tens of megabytes."""


class UnreadableDocumentError(Exception):
    """Raised for a document without readable references; the message says why and suggests a remedy."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Context that a document may use.

    files: files that it may name. everything: include entries that it does not cite. given: paths of bibliographies passed with
    it, for a document that names none. project: True for a file of a software project, in which most pages are no manuscripts.
    tei: converts a PDF to GROBID's TEI; None without GROBID.
    """

    files: Files
    everything: bool = False
    given: tuple[str, ...] = ()
    project: bool = False
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
        """Read a document. Raise UnreadableDocumentError."""
        ...


def megabytes(count: int) -> str:
    """Format a size for messages."""
    return f"{count / 1e9:.1f} GB" if count >= 1_000_000_000 else f"{-(-count // 1_000_000)} MB"


# Documents of a submission: the main LaTeX file, or else other files that contain its references.


_MAIN = lazy_pattern(rb"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)
_CITES = lazy_pattern(rb"\\(?:[a-z]*cite[a-z]*|bibliography|addbibresource|printbibliography|bibitem)\b", re.IGNORECASE)
_INPUTS = lazy_pattern(rb"\\(?:input|include|subfile|import)\b")
_HEADER = lazy_pattern(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:.*\n)*?(?:bibliography|references)\s*:")
_HEAD = 1 << 20
_MOST = 5000
BINARY = (".docx", ".docm", ".odt", ".pdf")
_SKIPPED = lazy_pattern(r"(?:^|/)(?:\.|node_modules/|__MACOSX/)")


def main_documents(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """Return the names of the documents: all files of the first kind that is present.

    The kinds are LaTeX files with a document class that cite or input; Markdown whose header names a bibliography; ``.bbl``;
    Word, OpenDocument and PDF files without a LaTeX source. head: returns the first bytes of a file.
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
    """Return the main LaTeX files of all folders, and Markdown with a bibliography in folders without LaTeX, sorted."""
    kept = sorted(name for name in names if not _SKIPPED.search(name))
    latex = _mains([name for name in kept if name.lower().endswith(".tex")], head)
    homes = {posixpath.dirname(name) for name in latex}
    return sorted(latex + [name for name in _cited_notes(kept, head) if posixpath.dirname(name) not in homes])


def _cited_notes(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """Return the Markdown files whose header names a bibliography."""
    notes = [name for suffix in (".md", ".qmd", ".rmd") for name in names if name.lower().endswith(suffix)]
    return [name for name in notes if _HEADER.match((head(name) or b"")[:_HEAD])]


def _mains(names: list[str], head: Callable[[str], bytes | None]) -> list[str]:
    """Return the LaTeX files with a document class that contain citations, directly or in an input file.

    Slides and letters usually contain none.
    """
    heads = {name: (head(name) or b"")[:_HEAD] for name in names}
    citing = {name for name, data in heads.items() if _CITES.search(data)}
    mains = [name for name, data in heads.items() if _MAIN.search(data)]
    parts = bool(citing - set(mains))
    return [name for name in mains if name in citing or (parts and _INPUTS.search(heads[name]))]


def _outermost(names: list[str]) -> list[str]:
    """Return the files in the folder nearest to the root: figures and styles have their own folders."""
    depth = min(name.count("/") for name in names)
    return [name for name in names if name.count("/") == depth]


# Files that a document may name: from its folder, or from an archive in memory.


_NAMED = frozenset(
    {".tex", ".bib", ".bbl", ".aux", ".bcf", ".json", ".yaml", ".yml", ".ris", ".md", ".qmd", ".rmd", ".ltx", ".typ"}
)
"""Suffixes of files that documents may name; no other file on the machine is opened."""
_FILES_MOST = 2000  # maximum number of names searched in a folder


class Files(Protocol):
    """Files by name, relative to the document's folder, with ``/`` as the separator."""

    def read(self, name: str) -> bytes | None:  # noqa: ARG002
        """Return the content, or None if the file does not exist or must not be read."""
        return None

    def names(self) -> Iterable[str]:
        """Return the sorted names of the files next to the document."""
        return ()

    def absence(self, *names: str) -> str:
        """Return the first name, and why none of these names can be read."""
        return f"{names[0]}, which does not exist or cannot be read"


class NoFiles(Files):
    """No files besides the document."""


class WholeDocumentReader(FileReader):
    """Base class of readers with `read_document`."""

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a document without the files that it names."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    @abstractmethod
    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references of a document. Raise UnreadableDocumentError without any."""


class ListReader(FileReader):
    """Base class of readers of files that contain all their references. nothing: the message about a file without any."""

    nothing: str

    def read_document(self, path: str, data: bytes, _around: Surroundings) -> Bibliography:
        """Read a whole file. Raise UnreadableDocumentError if it contains no reference."""
        read = self.read(path, data)
        if not read.references:
            raise UnreadableDocumentError(f"{path} {self.nothing}")
        return read

    @abstractmethod
    def read(self, path: str, data: bytes) -> Bibliography:
        """Return the references of a file."""


class TextDocumentReader(WholeDocumentReader):
    """Base class of the readers of Markdown, reStructuredText, Typst and Python, which add `read_document`."""

    def reads(self, head: bytes) -> bool:
        """Accept any text."""
        return b"\0" not in head[:1024]


class FolderFiles(Files):
    """Files of a folder.

    allowed: further folders and files that names may lead to, through ``..``, a leading slash or a link (`confinement`).
    option: allows a folder, in messages.
    """

    def __init__(self, folder: Path, allowed: Iterable[Path] = (), option: str = "--citecheck-root") -> None:
        self._folder = folder
        self._allowed = [folder.resolve(), *(path.resolve() for path in allowed)]
        self._option = option

    def place(self, name: str) -> Path | None:
        """Return the path of a name, with links resolved; None if the document must not name it."""
        return within(self._folder / name, self._allowed)

    def read(self, name: str) -> bytes | None:
        real = self.place(name)
        if real is None or Path(name).suffix.lower() not in _NAMED:
            return None
        try:
            if not real.is_file() or real.stat().st_size > LARGEST:
                return None
            return real.read_bytes()
        except OSError:
            return None

    def absence(self, *names: str) -> str:
        refused = any(self.place(name) is None for name in names)
        return f"{names[0]}, which {outside(self._option)}" if refused else super().absence(*names)

    def names(self) -> Iterator[str]:
        try:
            found = sorted(path.name for path in self._folder.iterdir())
        except OSError:
            return
        yield from found[:_FILES_MOST]


class ArchiveFiles(Files):
    """Files of an archive. folder: the document's folder in it, `""` for the root."""

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


# Contents of the folder of a software project: its code and documentation.


_CODE = (".py", ".pyi", ".pyx")
PROJECT = (*_CODE, ".rst", ".ipynb", ".cff")
"""Suffixes of code and documentation. In other folders they are not read."""
_IN_PROJECTS = (*PROJECT, ".md", ".typ")
_SOFTWARE_JSON = ("codemeta.json", ".zenodo.json")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "conf.py", "__init__.py", "CITATION.cff")
_BUILT = frozenset({"__pycache__", "node_modules", "build", "_build", "dist", "site", "venv", "htmlcov"})
_MOST_PROJECT_FILES = 200_000
_LINK = "it is a link that leads out of the folder: pass the file itself to check it"
_REFERS = lazy_pattern(
    rb"(?:references?|bibliography|literature)[ \t]*:?(?:\*\*)?[ \t]*(?:\r?\n|\\n)"
    rb"|^[ \t]*\.\.[ \t]?\[|\b(?:doi|arxiv|pmid)\b|doi\.org|10\.\d{4,9}/"
    rb"|\{?(?:foot)?cite\b|rubric::[ \t]*ref",
    re.IGNORECASE | re.MULTILINE,
)


_WORDS = (b"reference", b"bibliography", b"literature", b"doi", b"arxiv", b"pmid", b".. [", b"..[", b"cite", b"10.")


def may_refer(data: bytes) -> bool:
    """Return True unless a cheap look at the bytes of a text excludes references."""
    small = data.lower()
    return any(word in small for word in _WORDS) and _REFERS.search(data) is not None


def is_project(folder: Path) -> bool:
    """Return True if a folder belongs to a software project: by a file in it, or a package in it, or code below a project."""
    if any((folder / name).is_file() for name in _PROJECT_FILES):
        return True
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return False
    if any((one / "__init__.py").is_file() for one in inside):
        return True
    above = any((folder.parent / name).is_file() for name in _PROJECT_FILES[:3])
    return above and any(one.suffix.lower() in PROJECT for one in inside)


def project_contents(folder: Path, further: Iterable[Reader] = ()) -> tuple[list[Path], dict[Path, str]]:
    """Return the files of a project that may contain references, sorted, and the unread ones with the reason."""
    found: list[Path] = []
    unread: dict[Path, str] = {}
    for count, path in enumerate(_project_files(folder)):
        if count >= _MOST_PROJECT_FILES:
            unread[folder] = (
                f"it contains more than {_MOST_PROJECT_FILES:,} files; files after {path.name} are not read"
            )
            break
        reader = reader_named(str(path), further)
        try:
            if leads_out(path, folder):
                unread[path] = _LINK
            elif path.stat().st_size > LARGEST:
                unread[path] = f"it has more than {megabytes(LARGEST)}"
            elif reader is not None and may_refer(path.read_bytes()) and reader_for(str(path), further):
                found.append(path)
        except OSError as error:
            unread[path] = f"it cannot be opened: {error.strerror or error}"
    return found, unread


def project_bibliographies(folder: Path) -> list[Path]:
    """Return the bibliographies of a project's documentation.

    These are ``bibtex_bibfiles`` in ``conf.py`` (parsed, never executed), the same in Jupyter Book's ``_config.yml``, and else
    every ``.bib`` file of the folder.
    """
    named: list[Path] = []
    others: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _BUILT)
        others += [Path(place, name) for name in sorted(files) if name.lower().endswith(".bib")]
        for name in ("conf.py", "_config.yml"):
            if name in files:
                named += [Path(place, one) for one in _bibfiles(Path(place, name))]
    kept = [path for path in named or others if path.suffix.lower() == ".bib" and within(path, (folder,))]
    return [path for path in dict.fromkeys(kept) if path.is_file()]


_BIBFILES = lazy_pattern(r"^[ \t]*bibtex_bibfiles[ \t]*:(?P<line>[^\n]*)(?P<list>(?:\n[ \t]*-[^\n]*)*)", re.MULTILINE)
_BIB_NAME = lazy_pattern(r"(?<![^\s\[\],'\"])[^\s\[\],'\"]++(?<=\.bib)")


def _bibfiles(path: Path) -> list[str]:
    """Return the names that a configuration file states."""
    try:
        text = path.read_text("utf-8") if path.stat().st_size < _LARGEST_TEXT else ""
        if path.suffix != ".py":
            return [
                name for match in _BIBFILES.finditer(text) for name in _BIB_NAME.findall(match["line"] + match["list"])
            ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [
        constant.value
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(one, ast.Name) and one.id == "bibtex_bibfiles" for one in node.targets)
        for constant in ast.walk(node.value)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    ]


def _project_files(root: Path) -> Iterator[Path]:
    """Yield the code and documentation below a folder. Hidden folders, virtual environments and built pages are skipped."""
    for place, folders, files in os.walk(root):
        if place != str(root) and "pyvenv.cfg" in files:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _BUILT)
        for name in sorted(files):
            known = posixpath.splitext(name)[1].lower() in _IN_PROJECTS and not name.startswith(".")
            if known or name in _SOFTWARE_JSON:
                yield Path(place, name)


# Contents of a folder: its submissions, its bibliographies and the unread files with the reason.


_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".txz", ".xz")
_SOURCES = (".tex", ".ltx", ".bbl", ".aux", ".bcf", ".yml", ".yaml")
_LIBRARIES = (".bib", ".bibtex", ".biblatex", ".ris", ".nbib", ".json", ".csljson")
"""Bibliographies that a document may name."""
_TEXTS = (".md", ".markdown", ".qmd", ".rmd", ".txt", ".text", ".lst", ".ids", ".html", ".htm", ".xhtml", ".xml")
"""Texts and pages; some contain a reference list, but most do not."""
_FIGURES = re.compile(
    r"(?:^|/)(?:fig(?:ure)?s?|images?|imgs?|plots?|graphics|pictures|pics?|assets|media)/", re.IGNORECASE
)
_LARGEST_TEXT = 2_000_000
_MOST_FILES = 20_000
_NAME_IT = "model answers and benchmarks are read only if you pass the file itself"
_KNOWN_SHARE = 0.5
"""Minimum share of items in a text with people and a title, or with an identifier. Licences and logs have few."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One of several papers: its name, its documents and the folder of its bibliographies (None for a file)."""

    name: str
    documents: tuple[Path, ...]
    folder: Path | None = None


@dataclass(slots=True)
class FolderContents:
    """Submissions and bibliographies in order. unread: reason for every other file, by path."""

    submissions: list[Submission] = field(default_factory=list)
    bibliographies: list[Path] = field(default_factory=list)
    unread: dict[Path, str] = field(default_factory=dict)


def folder_contents(folder: Path, further: Iterable[Reader] = ()) -> FolderContents:
    """Sort the files below a folder. further: readers from hooks.

    A folder with a LaTeX or Markdown source is one submission, including everything below it. Any other document (Word,
    OpenDocument, PDF, archive, ``.bbl``, reference list) is a separate submission. Hidden files are skipped.
    """
    further = tuple(further)
    names = list(_names(folder))
    found = FolderContents()
    if len(names) > _MOST_FILES:
        found.unread[folder] = f"it contains more than {_MOST_FILES:,} files; files after {names.pop()} are not read"
    found.unread |= {folder / name: _LINK for name in names if leads_out(folder / name, folder)}
    names = [name for name in names if folder / name not in found.unread]
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
    """Sort a file that is outside all source folders."""
    suffix = path.suffix.lower()
    if suffix in PROJECT:
        found.unread[path] = "code and documentation are read in the folder of a project only"
        return
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
    """Return the reason for a file without content, or `""`."""
    try:
        with path.open("rb") as file:
            return "" if file.read(1) else "it is empty"
    except OSError as error:
        return f"it cannot be opened: {error.strerror or error}"


def _why_no_list(path: Path, reader: DocumentReader) -> str:
    """Return the reason for skipping a text or page of a folder; `""` if it contains references."""
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
    """Return the reason for skipping a file in a source folder; `""` if the source may read it."""
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
    """Return the reason for skipping a Word document or PDF: it is a figure, or another file next to it is the same paper."""
    stem, suffix = posixpath.splitext(name)
    if suffix.lower() not in BINARY:
        return ""
    if _FIGURES.search(name):
        return "it is in a folder of figures"
    better = (".bbl", *BINARY)[: (".bbl", *BINARY).index(suffix.lower())]
    return next((f"{stem}{one} is read instead" for one in better if f"{stem}{one}" in names), "")


def _outermost_folders(sources: Iterable[str]) -> list[str]:
    """Return the folders of these files that are not inside another of the folders."""
    folders = sorted({posixpath.dirname(name) for name in sources})
    return [one for one in folders if not any(one != other and _is_below(f"{one}/", other) for other in folders)]


def _is_below(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


def _alone(groups: Iterable[str]) -> dict[str, str]:
    """Map each submission that is alone in its top folder to that folder: a subfolder with one paper names the paper."""
    firsts: dict[str, list[str]] = {}
    for name in groups:
        firsts.setdefault(name.partition("/")[0], []).append(name)
    return {inside[0]: first for first, inside in firsts.items() if first and len(inside) == 1}


def _text_of(folder: Path, home: str, names: Iterable[str]) -> bytes:
    """Return the concatenated sources of a submission, which may name bibliographies."""
    kept = [
        name for name in names if _is_below(name, home) and name.lower().endswith((*_SOURCES, ".md", ".qmd", ".rmd"))
    ]
    return b"\n".join(_head(folder / name) or b"" for name in kept[:200])


def _names(root: Path) -> Iterator[str]:
    """Yield the names of the files below a folder, with ``/``; links to folders are not followed."""
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
