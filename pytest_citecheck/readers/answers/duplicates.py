"""The same work cited twice in one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_citecheck.model import Reference
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.titles.comparison import title_key

__all__ = ["duplicates"]

_FEWEST_LETTERS = 8
"""Of a title that may stand for its work: "Editorial" and "Reply" head many."""


def duplicates(references: Sequence[Reference]) -> list[str]:
    """For each reference the key of the first one before it that cites the same work; empty if there is none.

    Two references cite the same work if they state the same DOI or arXiv id, or titles of the same normal form. References
    that cannot be read are never duplicates.
    """
    first: dict[tuple[str, str], str] = {}
    found = []
    for reference in references:
        marks = list(_marks(reference)) if reference.readable else []
        original = next((first[mark] for mark in marks if mark in first), "")
        for mark in marks:
            first.setdefault(mark, original or reference.key)
        found.append(original)
    return found


def _marks(reference: Reference) -> Iterator[tuple[str, str]]:
    cited = cited_metadata(reference)
    if cited.identifiers.doi:
        yield "doi", cited.identifiers.doi
    if cited.identifiers.arxiv:
        yield "arxiv", cited.identifiers.arxiv
    key = title_key(cited.title)
    if len(key) >= _FEWEST_LETTERS:
        yield "title", key
