"""The submissions of a folder: its subfolders, PDFs, Word documents and archives, or the folder itself if a paper lies in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_citecheck.readers.documents.choice import BINARY, main_documents

__all__ = ["Submission", "submissions_in"]

_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".txz", ".xz")
_HEAD = 1 << 20
_MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Submission:
    """One of several papers: its name, its documents, and the folder whose bibliographies are theirs (None for a file)."""

    name: str
    documents: tuple[Path, ...]
    folder: Path | None = None


def submissions_in(folder: Path) -> list[Submission]:
    """The submissions in their order; empty if the folder holds bibliographies only."""
    beside = [one.name for one in _entries(folder) if one.is_file()]
    own = main_documents(
        [name for name in beside if not name.lower().endswith(BINARY)], lambda name: _head(folder / name)
    )
    if own:
        return [Submission(folder.resolve().name, tuple(folder / name for name in own), folder)]
    keeps_library = any(name.lower().endswith((".bib", ".bibtex")) for name in beside)
    found = []
    for one in _entries(folder):
        if one.is_dir() and not one.is_symlink():
            names = list(_names(one))
            documents = main_documents(names, lambda name, root=one: _head(root / name))  # type: ignore[misc]
            if documents:
                found.append(Submission(one.name, tuple(one / name for name in documents), one))
        # Papers are kept beside a bibliography of them.
        elif one.suffix.lower() in (*BINARY, *_ARCHIVES) and not keeps_library:
            found.append(Submission(one.name, (one,)))
    return found


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if not one.name.startswith(".") and one.name != "node_modules")
    except OSError:
        return []


def _names(root: Path) -> Iterator[str]:
    """The names of the files below a folder, with ``/``; links to folders are not followed."""
    count = 0
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(files):
            count += 1
            if count > _MOST_FILES:
                return
            yield Path(place, name).relative_to(root).as_posix()


def _head(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return None
