"""The types of records in the words of BibTeX, CSL and Crossref."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.model import RecordType

_TYPES: Mapping[str, RecordType] = {
    "article": "article",
    "article-journal": "article",
    "journal-article": "article",
    "review": "article",
    "letter": "article",
    "editorial": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "paper-conference": "inproceedings",
    "proceedings-article": "inproceedings",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "chapter": "chapter",
    "incollection": "chapter",
    "inbook": "chapter",
    "book-chapter": "chapter",
    "proceedings": "proceedings",
    "preprint": "preprint",
    "posted-content": "preprint",
    "submission": "submission",
    "thesis": "thesis",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "dissertation": "thesis",
    "report": "report",
    "techreport": "report",
    "dataset": "dataset",
    "software": "software",
    "": "",
}


def record_type(stated: str) -> RecordType:
    """Map the type that a collection states in its own words; ``other`` if it is unknown."""
    return _TYPES.get(stated, "other")
