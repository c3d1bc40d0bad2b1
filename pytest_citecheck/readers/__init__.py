"""Readers: one file format each. A new format is one module and one entry in ``READERS``."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_citecheck.readers.bibtex import BIBTEX

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["READERS", "reader_for"]

READERS: tuple[Reader, ...] = (BIBTEX,)


def reader_for(path: str) -> Reader | None:
    """The reader for a file, by the ending of its name in any case; None if no reader claims it."""
    suffix = PurePath(path).suffix.lower()
    return next((reader for reader in READERS if suffix in reader.suffixes), None)
