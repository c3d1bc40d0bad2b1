"""The protocol of a reader of documents: files that cite other files, or that hold a list of references in running text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_citecheck.readers.documents.files import Files

__all__ = ["LARGEST", "DocumentReader", "Surroundings", "UnreadableDocumentError", "megabytes", "unreadable"]

LARGEST = 200_000_000
"""Bytes of a file that is read: the largest thesis in PDF has some tens of megabytes."""


class UnreadableDocumentError(Exception):
    """A document of which no reference can be read; its text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a document may look at besides itself.

    files: those that it may name. everything: take entries in that it does not cite. given: paths of bibliographies that
    were given with it, for a document that names none. tei: turns a PDF into GROBID's TEI; None if no GROBID is there.
    """

    files: Files
    everything: bool = False
    given: tuple[str, ...] = ()
    tei: Callable[[bytes], bytes] | None = field(default=None, compare=False)


@runtime_checkable
class DocumentReader(Protocol):
    """A reader that needs the files around a document (see `readers.base.Reader` for the other attributes)."""

    @property
    def suffixes(self) -> frozenset[str]: ...

    @property
    def format(self) -> str: ...

    @property
    def lenient(self) -> bool: ...

    def reads(self, head: bytes) -> bool: ...

    def read(self, path: str, data: bytes) -> Bibliography: ...

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Read a document. Raises UnreadableDocumentError."""
        ...


def unreadable(path: str, reason: str) -> Bibliography:
    """A submission that cannot be read is one failing item, so that the others are checked."""
    defect = Defect("unreadable-document", reason, 1, fatal=True)
    return Bibliography(path, (Reference("document", "", {}, Location(path, 1, 1), defects=(defect,)),))


def megabytes(count: int) -> str:
    """A size in words, as messages state it."""
    return f"{count / 1e9:.1f} GB" if count >= 1_000_000_000 else f"{-(-count // 1_000_000)} MB"
