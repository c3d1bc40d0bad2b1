"""Registry of readers, one file format each. A new format is one module and one row in `_FORMATS`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_citecheck.inputs.base import Reader

_FORMATS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("bibtex.reader", "BIBTEX", (".bib", ".biblatex", ".bibtex")),
    ("hallmark", "HALLMARK", (".jsonl",)),
    ("citation_files", "SOFTWARE_JSON", (".json",)),
    ("answers", "ANSWERS", (".json", ".jsonl")),
    ("latex", "LATEX", (".tex", ".ltx")),
    ("bbl", "BBL", (".bbl",)),
    ("latex", "AUX", (".aux",)),
    ("latex", "BCF", (".bcf",)),
    ("pdf", "PDF", (".pdf",)),
    ("markdown", "MARKDOWN", (".md", ".markdown", ".qmd", ".rmd")),
    ("office", "DOCX", (".docx", ".docm")),
    ("office", "ODT", (".odt",)),
    ("html", "HTML", (".html", ".htm", ".xhtml")),
    ("exchange", "CSL_JSON", (".json", ".csljson")),
    ("exchange", "RIS", (".ris",)),
    ("exchange", "NBIB", (".nbib", ".medline")),
    ("exchange", "ENDNOTE", (".xml",)),
    ("wikitext", "WIKITEXT", (".wiki", ".mediawiki", ".wikitext")),
    ("markdown", "PLAIN_TEXT", (".txt", ".ids", ".lst", ".text")),
    ("docstrings", "DOCSTRINGS", (".py", ".pyi", ".pyx")),
    ("restructured_text", "RESTRUCTURED_TEXT", (".rst",)),
    ("notebooks", "NOTEBOOK", (".ipynb",)),
    ("typst", "TYPST", (".typ",)),
    ("citation_files", "CFF", (".cff",)),
    ("archives", "", (".zip", ".tar", ".gz", ".tgz", ".xz", ".txz")),
)
"""Module, name and suffixes of each reader. A module is imported on its first use."""


@cache
def _reader(module: str, name: str) -> Reader:
    loaded = import_module(f"pytest_citecheck.inputs.{module}")
    reader: Reader = getattr(loaded, name) if name else loaded.ArchiveReader(all_readers)
    return reader


def benchmark_reader() -> Reader:
    """Return the reader for benchmark splits."""
    return _reader("hallmark", "HALLMARK")


def all_readers() -> list[Reader]:
    """Import and return every reader, in the order in which they are asked."""
    return [_reader(module, name) for module, name, _ in _FORMATS]


_HEAD = 1 << 16
_ADVICE = {
    **dict.fromkeys((".doc", ".rtf", ".pages", ".wpd"), "save it as .docx or .pdf"),
    **dict.fromkeys((".org", ".adoc", ".lyx"), "check its .bib file, or the PDF made from it"),
    **dict.fromkeys((".enl", ".enlx", ".sqlite"), "export its references as RIS or BibTeX"),
}
"""Advice for files of programs that manage or create references."""


def reader_for(path: str, further: Iterable[Reader] = ()) -> Reader | None:
    """Return the reader for a file, by its suffix (in any case) and first bytes; None if no reader accepts it.

    The readers in ``further`` come first. If the file cannot be opened, only its name counts; the error is reported when the
    file is read.
    """
    file = Path(path)
    claiming = _claiming(file, further)
    if not file.is_file():  # a pipe can be read only once
        return next(claiming, None)
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
    except OSError:
        return next(claiming, None)
    return next((reader for reader in claiming if reader.reads(head)), None)


def why_unread(path: str, further: Iterable[Reader] = (), *, called: str = "") -> str:
    """Explain why no reader accepts a file.

    called: name for the file instead of its path, for a list that already shows the path.
    """
    file, further, name = Path(path), tuple(further), called or path
    claiming = list(_claiming(file, further))
    if not claiming:
        advice = f"; {_ADVICE[file.suffix.lower()]}" if file.suffix.lower() in _ADVICE else ""
        if called:
            return f"no reader for {f'{file.suffix} files' if file.suffix else 'files without an ending'}{advice}"
        suffixes = sorted({suffix for reader in (*further, *all_readers()) for suffix in reader.suffixes})
        return f"no reader for files like {path}{advice}; there are readers for {', '.join(suffixes)}"
    try:
        empty = file.stat().st_size == 0
    except OSError:
        empty = False
    if empty:
        return f"{name} is empty"
    formats = [reader.format for reader in claiming]
    return f"{name} is neither {' nor '.join(formats)}" if len(formats) > 1 else f"{name} is not {formats[0]}"


def reader_named(path: str, further: Iterable[Reader] = ()) -> Reader | None:
    """Return the first reader for this suffix, regardless of the file's content."""
    return next(_claiming(Path(path), further), None)


def _claiming(file: Path, further: Iterable[Reader]) -> Iterator[Reader]:
    """Readers of files with this suffix. A module is imported when its reader is tried."""
    suffix = file.suffix.lower()
    yield from (reader for reader in further if suffix in reader.suffixes)
    yield from (_reader(module, name) for module, name, suffixes in _FORMATS if suffix in suffixes)


_NO_BIBLIOGRAPHY: Final[tuple[tuple[bytes, str], ...]] = (
    (b"version https://git-lfs.github.com/", ": it is a pointer of Git LFS (git lfs pull fetches the file)"),
    (b"<!doctype html", ": it is a web page, perhaps an error page of the server it came from"),
    (b"<html", ": it is a web page, perhaps an error page of the server it came from"),
    (b"<?xml", ": it is an XML file"),
)
"""How a file begins that was saved under the name of a bibliography, in small letters, and what it is."""


def why_empty(path: Path) -> str:
    """Return what a file without entries is, as the end of a sentence; empty if nothing is known about it."""
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError:
        return ""
    if not head.strip():
        return ": the file is empty"
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return next((said for known, said in _NO_BIBLIOGRAPHY if begin.startswith(known)), "")
