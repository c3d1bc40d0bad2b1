"""The bibliographies that a document names: BibTeX files together, and those of the formats of exchange."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.reader import BIBTEX
from pytest_citecheck.readers.bibtex.together import read_together
from pytest_citecheck.readers.documents.files import Files
from pytest_citecheck.readers.exchange.csl import CSL_JSON
from pytest_citecheck.readers.exchange.tagged import NBIB, RIS

__all__ = ["named_sources"]

_EXCHANGED = {suffix: reader for reader in (CSL_JSON, RIS, NBIB) for suffix in reader.suffixes}


def named_sources(files: Files, names: Iterable[str], folder: str) -> tuple[list[Bibliography], list[str]]:
    """The bibliographies with these names, BibTeX files first, and the names of those that are not there or of no known format.

    folder: that the names start from, as it is shown.
    """
    bibtex: list[tuple[str, bytes]] = []
    others: list[Bibliography] = []
    absent: list[str] = []
    for name in dict.fromkeys(names):
        suffix = posixpath.splitext(name)[1].lower()
        data = files.read(name)
        shown = posixpath.normpath(posixpath.join(folder, name))
        if data is None or (suffix not in BIBTEX.suffixes and suffix not in _EXCHANGED):
            absent.append(name)
        elif suffix in BIBTEX.suffixes:
            bibtex.append((shown, data))
        else:
            others.append(_EXCHANGED[suffix].read(shown, data))
    return [*read_together(bibtex), *others], absent
