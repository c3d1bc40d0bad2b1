"""The files that a document may name: those of a folder, or those of an archive in memory."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from pytest_citecheck.readers.documents.base import LARGEST

__all__ = ["ArchiveFiles", "Files", "FolderFiles", "NoFiles"]

_NAMED = frozenset(
    {".tex", ".bib", ".bbl", ".aux", ".bcf", ".json", ".yaml", ".yml", ".ris", ".md", ".qmd", ".rmd", ".ltx"}
)
"""Endings of what documents of the formats read name; a document names no other file of the machine."""
_MOST = 2000  # names in a folder that are looked at


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
        yield from found[:_MOST]


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
