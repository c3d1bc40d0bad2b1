"""Readers: one file format each. A new format is one module and one entry in ``READERS``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.readers.answers.reader import ANSWERS
from pytest_citecheck.readers.bibtex.reader import BIBTEX
from pytest_citecheck.readers.hallmark.reader import HALLMARK

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["READERS", "reader_for", "why_unread"]

READERS: tuple[Reader, ...] = (BIBTEX, HALLMARK, ANSWERS)
_HEAD = 1 << 16


def reader_for(path: str) -> Reader | None:
    """The reader for a file, by the ending of its name in any case and by what it begins with; None if no reader claims it.

    Of a file that cannot be opened only the name counts: whoever reads it will be told why it cannot.
    """
    file = Path(path)
    claiming = [reader for reader in READERS if file.suffix.lower() in reader.suffixes]
    if not claiming or not file.is_file():  # a pipe can be read only once
        return claiming[0] if claiming else None
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
    except OSError:
        return claiming[0]
    return next((reader for reader in claiming if reader.reads(head)), None)


def why_unread(path: str) -> str:
    """Why no reader claims a file, in words."""
    file = Path(path)
    endings = sorted({suffix for reader in READERS for suffix in reader.suffixes})
    if file.suffix.lower() not in endings:
        return f"no reader for files like {path}; there are readers for {', '.join(endings)}"
    try:
        empty = file.stat().st_size == 0
    except OSError:
        empty = False
    if empty:
        return f"{path} is empty"
    return (
        f"{path} is neither a split (lines with “bibtex_key” and “fields”) nor a file of answers (“query” with “answer” or "
        "“responses”)"
    )
