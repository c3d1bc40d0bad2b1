"""An entry of an index as evidence. By itself, because the data model takes longer to import than all of the reading side."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.model import Person, Record

if TYPE_CHECKING:
    from pytest_citecheck.index.entry import Entry
    from pytest_citecheck.model import RecordType

__all__ = ["record"]

_TYPES: dict[str, RecordType] = {
    "article": "article",
    "article-journal": "article",
    "journal-article": "article",
    "review": "article",
    "letter": "article",
    "editorial": "article",
    "inproceedings": "inproceedings",
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


@lru_cache(maxsize=1 << 14)
def _person(name: str) -> Person:
    """The same one in all records that were read lately."""
    return Person(literal=name)


def record(entry: Entry) -> Record:
    """The entry as a record: its collection is the source, identifiers without a field of their own are ``related``."""
    return Record(
        source=entry.source,
        id=entry.id,
        url=entry.url,
        title=entry.title,
        authors=tuple(map(_person, entry.authors)),
        authors_complete=entry.complete,
        editors=tuple(map(_person, entry.editors)),
        years=() if entry.year is None else (entry.year,),
        venues=tuple(dict.fromkeys(name for name in (entry.venue, *entry.venues) if name)),
        type=_TYPES.get(entry.type, "other"),
        doi=entry.doi,
        arxiv=entry.arxiv,
        pmid=entry.pmid,
        volume=entry.volume,
        number=entry.number,
        pages=entry.pages,
        isbn=entry.isbn,
        related=tuple(
            (kind, value)
            for kind, value in (("acl", entry.acl), ("openreview", entry.openreview), ("dblp", entry.dblp))
            if value
        ),
    )
