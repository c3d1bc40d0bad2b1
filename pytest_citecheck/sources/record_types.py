"""The types of records in the words of BibTeX, CSL, Crossref, OpenAlex and the Astrophysics Data System."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.model import RecordType

_WORDS: Mapping[RecordType, str] = {
    "article": "article article-journal article-magazine article-newspaper journal-article review letter editorial",
    "inproceedings": "inproceedings conference paper-conference conference-paper proceedings-article",
    "book": "book monograph edited-book reference-book",
    "chapter": "chapter incollection inbook book-chapter book-section book-part book-track reference-entry entry "
    "entry-dictionary entry-encyclopedia",
    "proceedings": "proceedings",
    "preprint": "preprint posted-content eprint",
    "submission": "submission",
    "thesis": "thesis phdthesis mastersthesis dissertation",
    "report": "report techreport report-component",
    "dataset": "dataset database",
    "software": "software",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def record_type(stated: str) -> RecordType:
    """Map the type that a collection states in its own words; ``other`` if it is unknown, empty if there is none."""
    return _TYPES.get(stated, "other") if stated else ""
