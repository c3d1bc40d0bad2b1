"""Records for tests of the index, and lines of the project's own format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import CATALOGUES
from pytest_citecheck.model import Person, Record

if TYPE_CHECKING:
    from pytest_citecheck.model import RecordType


def work(
    source: str,
    id: str,  # noqa: A002 - as the field of the record
    title: str,
    authors: tuple[str, ...] = (),
    year: int | None = None,
    venue: str = "",
    doi: str = "",
    arxiv: str = "",
    url: str = "",
    type: RecordType = "",  # noqa: A002
    *,
    acl: str = "",
    openreview: str = "",
    dblp: str = "",
    venues: tuple[str, ...] = (),
    editors: tuple[str, ...] = (),
    complete: bool = True,
    **others: Any,
) -> Record:
    """The record with one year, names in one piece, and further ``venues``."""
    keys = zip(CATALOGUES, (acl, openreview, dblp), strict=True)
    return Record(
        source=source,
        id=id,
        url=url,
        title=title,
        authors=tuple(map(Person, authors)),
        authors_complete=complete,
        editors=tuple(map(Person, editors)),
        years=() if year is None else (year,),
        venues=tuple(filter(None, (venue, *venues))),
        type=type,
        doi=doi,
        arxiv=arxiv,
        related=tuple((kind, key) for kind, key in keys if key),
        **others,
    )


def names(record: Record) -> tuple[str, ...]:
    """The authors as text."""
    return tuple(map(str, record.authors))


def own_key(record: Record, kind: str) -> str:
    """Return the record's key in the ACL Anthology, OpenReview or dblp, or `""`."""
    return dict(record.related).get(kind, "")


def as_line(record: Record) -> dict[str, Any]:
    """The record as an object of the line format, which has one year and names in one piece."""
    others = {
        "venues": list(record.venues[1:]),
        "editors": [str(person) for person in record.editors],
        "notices": [
            {"kind": one.kind, "stated_by": one.stated_by, "date": one.date, "doi": one.doi} for one in record.notices
        ],
        **{name: getattr(record, name) for name in ("pmid", "volume", "number", "pages", "subtitle", "publisher")},
        **{name: list(getattr(record, name)) for name in ("isbn", "issn", "other_titles")},
        **{kind: own_key(record, kind) for kind in CATALOGUES},
        **({} if record.authors_complete else {"complete": False}),
    }
    return {
        "source": record.source,
        "id": record.id,
        "title": record.title,
        "authors": list(names(record)),
        "year": record.year,
        "venue": record.venue,
        "doi": record.doi,
        "arxiv": record.arxiv,
        "url": record.url,
        "type": record.type,
        **{name: value for name, value in others.items() if value or value is False},
    }
