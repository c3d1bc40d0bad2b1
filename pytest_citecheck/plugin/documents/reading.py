"""Reading a document with the files around it, once a process."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.plugin.documents.standard_input import shown_path
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.reader import BIBTEX
from pytest_citecheck.readers.documents.base import (
    LARGEST,
    Surroundings,
    UnreadableDocumentError,
    megabytes,
    unreadable,
)
from pytest_citecheck.readers.documents.files import FolderFiles

if TYPE_CHECKING:
    from pytest_citecheck.plugin.settings.resolved import Settings
    from pytest_citecheck.readers.documents.base import DocumentReader

__all__ = ["Documents"]


class Documents:
    """Reads documents. What cannot be read is not read twice."""

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
        from pytest_citecheck.plugin.documents.grobid import ask_grobid  # noqa: PLC0415

        return ask_grobid(address, data)
