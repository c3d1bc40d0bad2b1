"""Facts that the local services serve: the true data of each work, for all services.

Each service module renders these as the response bodies of its service; `facts_file` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

DateParts = tuple[int, ...]
"""Year, year and month, or year, month and day; empty if unknown."""

ARXIV_PREFIX = "10.48550"


@dataclass(frozen=True, slots=True)
class Name:
    """An author or editor: ``given``, ``family`` and ``suffix``, or one ``literal`` string."""

    given: str = ""
    family: str = ""
    suffix: str = ""
    literal: str = ""

    def __str__(self) -> str:
        return self.literal or " ".join(part for part in (self.given, self.family, self.suffix) if part)


@dataclass(frozen=True, slots=True)
class Event:
    """A conference: its full name and its acronym."""

    name: str = ""
    acronym: str = ""


@dataclass(frozen=True, slots=True)
class DblpRecord:
    """One publication record of DBLP; ``authors`` as DBLP prints them, with homonym numbers."""

    key: str
    year: str
    type: str
    title: str
    authors: tuple[str, ...]
    venues: tuple[str, ...] = ()
    volume: str = ""
    number: str = ""
    pages: str = ""
    publisher: str = ""
    doi: str = ""
    ee: str = ""


@dataclass(frozen=True, slots=True)
class ArxivRecord:
    """One arXiv submission: first and latest version, with what its authors stated about publication.

    ``earlier_titles`` are those of the versions from the first one on that had another title than the latest.
    """

    id: str
    version: int
    published: DateParts
    updated: DateParts
    title: str
    authors: tuple[Name, ...]
    category: str
    comment: str = ""
    journal_ref: str = ""
    doi: str = ""
    earlier_titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A publisher's announcement about a work: ``kind`` (retraction, removal, concern, correction), date and notice."""

    kind: str
    date: DateParts
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """One intellectual work with everything that the services know of it.

    ``package`` and ``repository`` are named as in the questions about them; then ``title`` is the name of the project,
    ``summary`` its description, ``issued`` the date of its first release and ``last_year`` the year of its last. ``w3c`` names
    a version of a report (``xml/20081126``).
    ``vernacular`` is the title in the language of the work, where ``title`` is a translation; the same if there is none.
    ``published`` is the DOI of the publication of a preprint, as its server knows it.
    """

    id: str
    title: str
    type: str
    subtitle: str = ""
    crossref_title: str = ""
    authors: tuple[Name, ...] = ()
    editors: tuple[Name, ...] = ()
    container: str = ""
    short_container: str = ""
    event: Event | None = None
    publisher: str = ""
    issued: DateParts = ()
    print: DateParts = ()
    online: DateParts = ()
    volume: str = ""
    issue: str = ""
    pages: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    doi: str = ""
    agency: str = ""
    resource_type: str = ""
    pmid: str = ""
    pmcid: str = ""
    vernacular: str = ""
    acl: str = ""
    openreview: str = ""
    hal: str = ""
    nnt: str = ""
    rfc: str = ""
    w3c: str = ""
    package: str = ""
    repository: str = ""
    summary: str = ""
    last_year: str = ""
    texkey: str = ""
    zbl: str = ""
    bibcode: str = ""
    published: str = ""
    notices: tuple[Notice, ...] = ()
    dblp: tuple[DblpRecord, ...] = ()
    arxiv: ArxivRecord | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All works, the registration agency of every DOI prefix, and the moment the services pretend it is."""

    works: tuple[Work, ...]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    recorded: dt.datetime | None = None

    def joined_with(self, other: Facts) -> Facts:
        """All works of both, at the moment of the first."""
        return Facts(self.works + other.works, {**self.prefixes, **other.prefixes}, self.recorded)


def arxiv_doi(arxiv_id: str) -> str:
    """The DOI that arXiv registers with DataCite for each of its submissions."""
    return f"{ARXIV_PREFIX}/arXiv.{arxiv_id}"
