"""The titles of a corpus that a model may have been trained on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.hallmark.title_duplicates import sorted_words
from pytest_citecheck.cli.screen import UsageError
from pytest_citecheck.readers import reader_for, why_unread

if TYPE_CHECKING:
    from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["known_titles", "title_known"]


def known_titles(paths: Iterable[Path]) -> frozenset[str]:
    """The titles of these files, as sorted words. Raises UsageError for a file that cannot be read."""
    return frozenset(words for path in paths for title in _titles(path) if (words := sorted_words(title)))


def _titles(path: Path) -> Iterable[str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if path.suffix.lower() == ".txt":
        return data.decode("utf-8", errors="replace").splitlines()
    reader = reader_for(str(path))
    if reader is None:
        raise UsageError(f"{why_unread(str(path))}, nor a .txt file with a title per line")
    return [reference.fields.get("title", "") for reference in reader.read(str(path), data).references]


def title_known(entry: LabelledEntry, titles: Collection[str]) -> bool | None:
    """Whether the title of an entry is among these; None if it has none."""
    words = sorted_words(entry.fields.get("title", ""))
    return words in titles if words else None
