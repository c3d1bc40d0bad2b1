"""Reader protocol for documents: files that cite other files or contain a reference list in running text."""

from __future__ import annotations

import ast
import os
import posixpath
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from pytest_citecheck.confinement import leads_out, outside, within
from pytest_citecheck.inputs.base import Bibliography, FileReader, Reader
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.registry import reader_for, reader_named, why_unread
from pytest_citecheck.nearest import hint

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
class DocumentReader(Reader, Protocol):
    """A reader that needs the files around a document."""

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Read a document. Raise UnreadableDocumentError."""
        ...


def megabytes(count: int) -> str:
    """Format a size for messages."""
    return f"{count / 1e9:.1f} GB" if count >= 1_000_000_000 else f"{-(-count // 1_000_000)} MB"


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
    """Return the main LaTeX files of all folders, and Markdown with a bibliography beside no LaTeX file of its name, sorted."""
    kept = sorted(name for name in names if not _SKIPPED.search(name))
    latex = _mains([name for name in kept if name.lower().endswith(".tex")], head)
    stems = {posixpath.splitext(name)[0] for name in latex}
    return sorted(latex + [name for name in _cited_notes(kept, head) if posixpath.splitext(name)[0] not in stems])


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


_NAMED = frozenset({
    ".tex", ".bib", ".bbl", ".aux", ".bcf", ".json", ".yaml", ".yml", ".ris", ".md", ".qmd", ".rmd", ".ltx", ".sty", ".cls",
    ".typ",
})  # fmt: skip
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
        """Return the first name, why none of these names can be read, and the nearest file with the same suffix."""
        suffix = posixpath.splitext(names[0])[1]
        beside = [name for name in self.names() if suffix and name.endswith(suffix)]
        advice = (
            hint(posixpath.basename(names[0]), beside).removeprefix("; ") or f"no {suffix} file is next to the document"
        )
        return f"{names[0]}, which does not exist or cannot be read ({advice.replace('known are', 'there is')})"


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


_CODE = (".py", ".pyi", ".pyx")
PROJECT = (*_CODE, ".rst", ".ipynb", ".cff")
"""Suffixes of code and documentation."""
_SOFTWARE_JSON = ("codemeta.json", ".zenodo.json")
_PARTS = lazy_pattern(rb"\\documentclass\s*+(?:\[[^\]]{0,500}\])?\s*+\{(?:subfiles|standalone)\}")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "conf.py", "__init__.py", "CITATION.cff")
_BUILT = frozenset({"__pycache__", "node_modules", "build", "_build", "dist", "site", "venv", "htmlcov"})
_NEVER = ("node_modules", "__MACOSX", "__pycache__")
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
        known = path.is_file() and not leads_out(path, path.parent) and path.stat().st_size < _LARGEST_TEXT
        text = path.read_text("utf-8") if known else ""
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
_MOST_FILES = 200_000
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
    """Submissions, bibliographies, and code with references, in order. unread: reason for other files, by path."""

    submissions: list[Submission] = field(default_factory=list)
    bibliographies: list[Path] = field(default_factory=list)
    code: list[Path] = field(default_factory=list)
    unread: dict[Path, str] = field(default_factory=dict)


def folder_contents(
    folder: Path, further: Iterable[Reader] = (), excluded: Callable[[Path], str] = lambda _path: ""
) -> FolderContents:
    """Sort the files below a folder. further: readers from hooks. excluded: the reason to leave out a file or a folder, or `""`.

    A folder with a LaTeX or Markdown source is one submission, including everything below it. Any other document (Word,
    OpenDocument, PDF, archive, ``.bbl``, reference list) is a separate submission. Code and documentation belong to none.
    Hidden files are skipped.
    """
    further = tuple(further)
    found = FolderContents()
    names = _readable_names(folder, excluded, found.unread)
    mains = main_sources(names, lambda name: _head(folder / name))
    homes = _outermost_folders(mains)
    stems = {posixpath.splitext(name)[0] for name in mains}
    made = [one for one in names if one.lower().endswith((".aux", ".bcf")) and posixpath.splitext(one)[0] not in stems]
    named = {home: _text_of(folder, home, sorted({*names} - {*made})) for home in homes}
    documents = {home: _documents_of(folder, home, mains, named[home]) for home in homes}
    software = is_project(folder)
    single: list[str] = []
    for name in names:
        path, above = folder / name, next((one for one in homes if _is_below(name, one)), None)
        inside = documents[above] if above is not None else []
        if name in inside:
            continue
        if _is_code(name, software=software):
            _take_code(path, further, found)
        elif above is not None and not _is_apart(name, inside, named[above]):
            if why := _why_passed_over(name, above, inside, named[above]):
                found.unread[path] = why
        elif why := _why_no_submission(folder, name, names):
            found.unread[path] = why
        else:
            _take(path, name, further, found, single)
    if software:  # most of its files have nothing to do with references
        found.unread = {
            path: why for path, why in found.unread.items() if path.is_dir() or reader_named(str(path), further)
        }
    found.submissions += _submissions(folder, documents, single)
    return found


def _readable_names(folder: Path, excluded: Callable[[Path], str], left_out: dict[Path, str]) -> list[str]:
    """Return the names below a folder, without links that lead out of it. left_out: gets the files that are left out."""
    names = list(_names(folder, excluded, left_out))
    if len(names) > _MOST_FILES:
        left_out[folder] = f"it contains more than {_MOST_FILES:,} files; files after {names.pop()} are not read"
    left_out |= {folder / name: _LINK for name in names if leads_out(folder / name, folder)}
    return [name for name in names if folder / name not in left_out]


def _submissions(folder: Path, documents: Mapping[str, list[str]], single: Sequence[str]) -> Iterator[Submission]:
    """Yield the submissions: the folders with these documents, and single files."""
    groups = {**{home: tuple(inside) for home, inside in documents.items()}, **{name: (name,) for name in single}}
    alone = _alone(groups)
    for group, inside in sorted(groups.items()):
        place = None if group in single else folder / group
        called = alone.get(group, group or folder.resolve().name)
        yield Submission(called, tuple(folder / one for one in inside), place)


def _documents_of(folder: Path, home: str, mains: Iterable[str], text: bytes) -> list[str]:
    """Return the main files below a folder, without those that are parts of another one."""
    found = []
    for name in mains:
        if not _is_below(name, home):
            continue
        stem = posixpath.splitext(posixpath.relpath(name, home or "."))[0]
        part = "/" in stem and (os.fsencode(stem) in text or _PARTS.search(_head(folder / name) or b""))
        if not part:
            found.append(name)
    return found


def _is_apart(name: str, documents: Iterable[str], text: bytes) -> bool:
    """Return True for a ``.bbl`` that belongs to none of these documents."""
    stem, suffix = posixpath.splitext(name)
    others = {posixpath.splitext(one)[0] for one in documents}
    return suffix.lower() == ".bbl" and stem not in others and os.fsencode(posixpath.basename(name)) not in text


def _is_code(name: str, *, software: bool) -> bool:
    """Return True for code and documentation. software: pages in Markdown are documentation too."""
    if not _BUILT.isdisjoint(name.split("/")[:-1]):
        return False
    known = (*PROJECT, ".md") if software else PROJECT
    return name.lower().endswith(known) or posixpath.basename(name) in _SOFTWARE_JSON


def _take_code(path: Path, further: tuple[Reader, ...], found: FolderContents) -> None:
    """Sort a file of code or documentation; without a reference there is nothing to say about it."""
    try:
        if path.stat().st_size > LARGEST:
            found.unread[path] = f"it has more than {megabytes(LARGEST)}"
        elif may_refer(path.read_bytes()) and reader_for(str(path), further):
            found.code.append(path)
    except OSError as error:
        found.unread[path] = f"it cannot be opened: {error.strerror or error}"


def _take(path: Path, name: str, further: tuple[Reader, ...], found: FolderContents, single: list[str]) -> None:
    """Sort a file that is outside all source folders."""
    suffix = path.suffix.lower()
    if suffix in PROJECT:
        found.unread[path] = "it is in a folder of built files"
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
    elif suffix in (*_TEXTS, ".typ") and isinstance(reader, DocumentReader):
        if why := _why_no_list(path, reader):
            found.unread[path] = why
        elif suffix == ".typ":
            found.bibliographies.append(path)
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
        if path.suffix == ".typ":
            reader.read_document(path.name, path.read_bytes(), Surroundings(FolderFiles(path.parent)))
            return ""
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


def _is_used(stem: str, suffix: str, text: bytes) -> bool:
    """Return True if a text names this bibliography: with its suffix, or in a command or a header for bibliographies."""
    name, whole = re.escape(os.fsencode(stem)), re.escape(os.fsencode(f"{stem}{suffix}"))
    alone = rb"(?:bib[a-z]*\*?\s*(?:\[[^\]]*\])?\s*\{[^}]*|bibliography:[^\n]*)(?<![\w.-])%s(?![\w-])" % name
    return re.search(rb"(?<![\w.-])(?:\./)?%s(?!\w)" % whole, text, re.IGNORECASE) is not None or (
        re.search(alone, text, re.IGNORECASE) is not None
    )


def _why_passed_over(name: str, home: str, documents: list[str], text: bytes) -> str:
    """Return the reason for skipping a file in a source folder; `""` if the source may read it."""
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in _SOURCES:
        return ""
    if suffix in _LIBRARIES:
        starts = {home, *map(posixpath.dirname, documents)}
        ways = {posixpath.splitext(posixpath.relpath(name, start or "."))[0] for start in starts}
        return "" if any(_is_used(way, suffix, text) for way in ways) else f"{documents[0]} does not use it"
    if suffix in (*BINARY, *_ARCHIVES, *_TEXTS):
        return f"{documents[0]} is read instead"
    return why_unread(name, called="it") if reader_named(name) is None else f"{documents[0]} does not use it"


def _why_no_submission(folder: Path, name: str, names: Iterable[str]) -> str:
    """Return the reason for skipping a Word document or PDF: it is a figure, or another file next to it is the same paper."""
    stem, suffix = posixpath.splitext(name)
    if suffix.lower() not in BINARY:
        return ""
    if _FIGURES.search(name):
        return "it is in a folder of figures"
    better = (".bbl", *BINARY)[: (".bbl", *BINARY).index(suffix.lower())]
    twins = (f"{stem}{one}" for one in better if f"{stem}{one}" in names)
    readable = (twin for twin in twins if _has_references(folder / twin) or not _has_references(folder / name))
    return next((f"{twin} is read instead" for twin in readable), "")


def _has_references(path: Path) -> bool:
    """Return True if a document can be read."""
    reader = reader_for(str(path))
    try:
        return reader is not None and bool(reader.read(path.name, path.read_bytes()).references)
    except (OSError, UnreadableDocumentError):
        return False


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


def _names(root: Path, excluded: Callable[[Path], str], left_out: dict[Path, str]) -> Iterator[str]:
    """Yield the names of the files below a folder, with ``/``; links to folders are not followed.

    left_out: gets the files and folders that are excluded, and virtual environments, with the reason.
    """
    count = 0
    for place, folders, files in os.walk(root):
        if place != str(root) and "pyvenv.cfg" in files:
            left_out[Path(place)] = "it is a virtual environment"
            folders.clear()
            continue
        kept = sorted(name for name in folders if not name.startswith(".") and name not in _NEVER)
        left_out |= {Path(place, name): why for name in (*kept, *files) if (why := excluded(Path(place, name)))}
        folders[:] = [name for name in kept if Path(place, name) not in left_out]
        for name in sorted(files):
            if (name.startswith(".") and name not in _SOFTWARE_JSON) or Path(place, name) in left_out:
                continue
            if why := _why_never_opened(Path(place, name)):
                left_out[Path(place, name)] = why
                continue
            yield Path(place, name).relative_to(root).as_posix()
            count += 1
            if count > _MOST_FILES:
                return


def _why_never_opened(path: Path) -> str:
    """Return the reason not to open a file at all: reading a pipe never ends, nor a device; pytest reads some names otherwise."""
    if not path.is_file() and path.exists():
        return "it is a pipe or a device"
    if "::" in path.name:
        return "its name contains “::”, which pytest takes for the name of a test: rename it"
    return ""


def _head(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return None
