"""The protocol of a reader: the bytes of a file in, references out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pytest_citecheck.model import Defect, Reference

__all__ = ["NO_USAGE", "NO_WORKS", "AnswerGroup", "Answered", "Bibliography", "Reader", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer took, as far as it is known.

    calls: of the model. searches, iterations: of its tool. fallback: whether it is that of a call without the tool. tokens and
    cost (US dollars): None if unknown. finish: why the answer ends; ``length``: it is cut off. failure: why the call failed.
    """

    calls: int = 1
    searches: int = 0
    iterations: int = 0
    fallback: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    finish: str = ""
    failure: str = ""


NO_USAGE = Usage()
NO_WORKS = frozenset({"xdata", "set"})
"""Entries of biblatex that contain parts of other entries and are not works (biblatex manual, section 2.1.1)."""


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """One answer of a model to a query: what the references in it have in common.

    number: of the query in its file, from 1. sample: of this model's answers to this query, from 1.
    discipline: ``other`` if none is stated. requested: how many references were asked for, None if that is not known.
    earliest, latest: the publication years that the query allows, inclusive, None where it sets no bound. tool: whether the model
    could search. served: its name at its provider.
    """

    model: str
    query: str
    number: int
    sample: int = 1
    discipline: str = "other"
    language: str = ""
    requested: int | None = None
    earliest: int | None = None
    latest: int | None = None
    id: str = ""
    tool: bool = False
    served: str = ""
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Answered:
    """Where in a file of answers a reference belongs.

    duplicate_of: the key of the reference of the same answer that cites the same work before it, empty if there is none.
    """

    group: AnswerGroup
    duplicate_of: str = ""


@dataclass(frozen=True, slots=True)
class Bibliography:
    """All references of a file in their order, and what is to be said about the file as a whole.

    Every entry of the file is one reference; an entry that cannot be read is a reference with a fatal defect.
    answered: of a file of answers, one for each of the references, None for a line that is no answer; else empty.
    sources: the bibliographies that a document takes its references from; empty of any other file.
    benchmark: whether these are entries of a benchmark, of which many are wrong.
    """

    path: str
    references: tuple[Reference, ...]
    notes: tuple[Defect, ...] = ()
    answered: tuple[Answered | None, ...] = ()
    sources: tuple[str, ...] = ()
    benchmark: bool = False


class Reader(Protocol):
    """One file format.

    suffixes: of the file names that it reads, in lower case, with the dot (``.bib``).
    format: what such a file is, as a message names it (``a BibTeX file``).
    lenient: an entry that cannot be read is a failing item, and folders are searched for such files, as for a bibliography
    that an author keeps. If false, a line that cannot be read stops the run (see ``--citecheck-lenient``), as for benchmarks.
    """

    @property
    def suffixes(self) -> frozenset[str]: ...

    @property
    def format(self) -> str: ...

    @property
    def lenient(self) -> bool: ...

    def reads(self, head: bytes) -> bool:
        """Whether a file of one of these endings is in this format, by its first bytes (64 KiB, or all if it is shorter)."""
        ...

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations. Never raises on account of the content."""
        ...
