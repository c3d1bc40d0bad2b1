"""The protocol of a reader: the bytes of a file in, references out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pytest_citecheck.model import Defect, Reference

__all__ = ["Bibliography", "Reader"]


@dataclass(frozen=True, slots=True)
class Bibliography:
    """All references of a file in their order, and what is to be said about the file as a whole.

    Every entry of the file is one reference; an entry that cannot be read is a reference with a fatal defect.
    """

    path: str
    references: tuple[Reference, ...]
    notes: tuple[Defect, ...] = ()


class Reader(Protocol):
    """One file format.

    suffixes: the endings of file names that it reads, in lower case, with the dot (``.bib``).
    """

    @property
    def suffixes(self) -> frozenset[str]: ...

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations. Never raises on account of the content."""
        ...
