"""The registry of readers: one file format each. A new format is one module and one entry in ``READERS``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.readers.answers.reader import ANSWERS
from pytest_citecheck.readers.archives.reader import ArchiveReader
from pytest_citecheck.readers.bibtex.reader import BIBTEX
from pytest_citecheck.readers.exchange.csl import CSL_JSON
from pytest_citecheck.readers.exchange.endnote import ENDNOTE
from pytest_citecheck.readers.exchange.tagged import NBIB, RIS
from pytest_citecheck.readers.exchange.wikitext import WIKITEXT
from pytest_citecheck.readers.hallmark.reader import HALLMARK
from pytest_citecheck.readers.latex.aux import AUX, BCF
from pytest_citecheck.readers.latex.bbl import BBL
from pytest_citecheck.readers.latex.reader import LATEX
from pytest_citecheck.readers.office.docx import DOCX
from pytest_citecheck.readers.office.odt import ODT
from pytest_citecheck.readers.pdf.reader import PDF
from pytest_citecheck.readers.prose.html import HTML
from pytest_citecheck.readers.prose.markdown import MARKDOWN
from pytest_citecheck.readers.prose.plain_text import PLAIN_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.readers.base import Reader

__all__ = ["READERS", "reader_for", "why_unread"]

READERS: tuple[Reader, ...] = (
    *(BIBTEX, HALLMARK, ANSWERS, LATEX, BBL, AUX, BCF, PDF, MARKDOWN, DOCX, ODT, HTML, CSL_JSON, RIS, NBIB, ENDNOTE),
    *(WIKITEXT, PLAIN_TEXT, ArchiveReader(lambda: READERS)),
)
_HEAD = 1 << 16
_ADVICE = {
    **dict.fromkeys((".doc", ".rtf", ".pages", ".wpd"), "save it as .docx or .pdf"),
    **dict.fromkeys((".typ", ".rst", ".org", ".adoc", ".lyx"), "check its .bib file, or the PDF that is made of it"),
    **dict.fromkeys((".enl", ".enlx", ".sqlite"), "export its references as RIS or BibTeX"),
}
"""What to do with files of programs that keep or make references."""


def reader_for(path: str, further: Iterable[Reader] = ()) -> Reader | None:
    """The reader for a file, by the suffix of its name in any case and by its first bytes; None if no reader claims it.

    The readers in ``further`` come before those of this package. If the file cannot be opened, only its name counts: the
    error is reported when the file is read.
    """
    file = Path(path)
    claiming = _claiming(file, further)
    if not claiming or not file.is_file():  # a pipe can be read only once
        return claiming[0] if claiming else None
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
    except OSError:
        return claiming[0]
    return next((reader for reader in claiming if reader.reads(head)), None)


def why_unread(path: str, further: Iterable[Reader] = ()) -> str:
    """Why no reader claims a file, in words."""
    file, further = Path(path), tuple(further)
    claiming = _claiming(file, further)
    if not claiming:
        suffixes = sorted({suffix for reader in (*further, *READERS) for suffix in reader.suffixes})
        advice = f"; {_ADVICE[file.suffix.lower()]}" if file.suffix.lower() in _ADVICE else ""
        return f"no reader for files like {path}{advice}; there are readers for {', '.join(suffixes)}"
    try:
        empty = file.stat().st_size == 0
    except OSError:
        empty = False
    if empty:
        return f"{path} is empty"
    formats = [reader.format for reader in claiming]
    return f"{path} is neither {' nor '.join(formats)}" if len(formats) > 1 else f"{path} is not {formats[0]}"


def _claiming(file: Path, further: Iterable[Reader]) -> list[Reader]:
    suffix = file.suffix.lower()
    return [reader for reader in (*further, *READERS) if suffix in reader.suffixes]
