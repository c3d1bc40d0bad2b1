"""DataCite's description of one DOI: the ``attributes`` of a record of its JSON:API.

DataCite has the works whose agency it is, and the DOI that arXiv registers for each of its submissions. Members and conventions
follow real responses and the DataCite Metadata Schema 4.6; data that the facts lack is derived from the DOI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.stand_ins.facts import ArxivRecord, DateParts, Facts, Name, Work, arxiv_doi
from tests.stand_ins.replies import stable_number

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPES = {
    # resourceTypeGeneral: (ris, bibtex, citeproc, schemaOrg)
    "Dataset": ("DATA", "misc", "dataset", "Dataset"),
    "Software": ("COMP", "misc", "article", "SoftwareSourceCode"),
    "Preprint": ("GEN", "misc", "article", "CreativeWork"),
    "JournalArticle": ("JOUR", "article", "article-journal", "ScholarlyArticle"),
    "ConferencePaper": ("CPAPER", "inproceedings", "paper-conference", "Article"),
    "Dissertation": ("THES", "phdthesis", "thesis", "Thesis"),
    "Book": ("BOOK", "book", "book", "Book"),
    "BookChapter": ("CHAP", "inbook", "chapter", "Chapter"),
    "Report": ("RPRT", "techreport", "report", "Report"),
    "Text": ("RPRT", "article", "article-journal", "ScholarlyArticle"),
}
_RESOURCE_TYPES = {
    "dataset": "Dataset",
    "posted-content": "Preprint",
    "journal-article": "JournalArticle",
    "proceedings-article": "ConferencePaper",
    "dissertation": "Dissertation",
    "book": "Book",
    "monograph": "Book",
    "edited-book": "Book",
    "book-chapter": "BookChapter",
    "report": "Report",
    "software": "Software",
}
_CONTAINER_TYPES = {"JournalArticle": "Journal", "ConferencePaper": "Series", "BookChapter": "Book"}


@dataclass(frozen=True, slots=True)
class Registered:
    """One DOI of DataCite with the work or the submission behind it."""

    doi: str
    work: Work
    arxiv: ArxivRecord | None = None

    @property
    def title(self) -> str:
        return self.arxiv.title if self.arxiv else self.work.title

    @property
    def creators(self) -> tuple[Name, ...]:
        return self.arxiv.authors if self.arxiv else self.work.authors

    @property
    def issued(self) -> DateParts:
        return self.arxiv.published if self.arxiv else self.work.issued

    @property
    def publisher(self) -> str:
        return "arXiv" if self.arxiv else self.work.publisher


def registered(facts: Facts) -> tuple[Registered, ...]:
    """Return all of DataCite's works, in file order."""
    held = []
    for work in facts.works:
        if work.agency == "DataCite":
            held.append(Registered(work.doi.lower(), work))
        if work.arxiv:
            held.append(Registered(arxiv_doi(work.arxiv.id).lower(), work, work.arxiv))
    return tuple(held)


def resource(record: Registered) -> dict[str, Any]:
    """One resource object of type ``dois``."""
    prefix, _, suffix = record.doi.partition("/")
    arxiv = record.arxiv
    kind = "Preprint" if arxiv else record.work.resource_type or _RESOURCE_TYPES.get(record.work.type, "Text")
    identifiers = [{"identifier": arxiv.id, "identifierType": "arXiv"}] if arxiv else []
    registered_at = f"{_iso((*record.issued, 1, 1)[:3])}T09:12:44.000Z"
    attributes = {
        "doi": record.doi,
        "prefix": prefix,
        "suffix": suffix,
        "identifiers": identifiers,
        "alternateIdentifiers": [
            {"alternateIdentifierType": one["identifierType"], "alternateIdentifier": one["identifier"]}
            for one in identifiers
        ],
        "creators": [_creator(name) for name in record.creators],
        "titles": _titles(record),
        "publisher": record.publisher,
        "container": _container(record.work, kind),
        "publicationYear": record.issued[0],
        "subjects": [{"subject": arxiv.category, "lang": "en", "subjectScheme": "arXiv"}] if arxiv else [],
        "contributors": []
        if arxiv
        else [_creator(name) | {"contributorType": "Editor"} for name in record.work.editors],
        "dates": _dates(record),
        "language": "en",
        "types": _types(kind),
        "relatedIdentifiers": _related(arxiv),
        "relatedItems": [],
        "sizes": [],
        "formats": [],
        "version": str(arxiv.version) if arxiv else None,
        "rightsList": [],
        "descriptions": [],
        "geoLocations": [],
        "fundingReferences": [],
        "url": f"https://arxiv.org/abs/{arxiv.id}" if arxiv else f"https://repository.example/{suffix}",
        "contentUrl": None,
        "metadataVersion": stable_number(record.doi, 6),
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "source": "api",
        "isActive": True,
        "state": "findable",
        "reason": None,
        "viewCount": 0,
        "downloadCount": 0,
        "referenceCount": 0,
        "citationCount": stable_number(record.doi + "cited", 90),
        "partCount": 0,
        "partOfCount": 0,
        "versionCount": 0,
        "versionOfCount": 0,
        "created": registered_at,
        "registered": registered_at,
        "published": str(record.issued[0]),
        "updated": "2026-03-02T08:30:01.000Z",
    }
    client = "arxiv.content" if arxiv else "example.repository"
    return {
        "id": record.doi,
        "type": "dois",
        "attributes": attributes,
        "relationships": {"client": {"data": {"id": client, "type": "clients"}}},
    }


def _creator(name: Name) -> dict[str, Any]:
    if name.literal:
        person: dict[str, Any] = {"name": name.literal, "nameType": "Organizational"}
    else:
        given = " ".join(part for part in (name.given, name.suffix) if part)
        person = {"name": f"{name.family}, {given}" if given else name.family, "nameType": "Personal"}
        if given:
            person["givenName"] = given
        person["familyName"] = name.family
    return person | {"affiliation": [], "nameIdentifiers": []}


def _titles(record: Registered) -> list[dict[str, str]]:
    titles = [{"title": record.title}]
    if record.work.subtitle and not record.arxiv:
        titles.append({"title": record.work.subtitle, "titleType": "Subtitle"})
    return titles


def _container(work: Work, kind: str) -> dict[str, str]:
    if kind not in _CONTAINER_TYPES or not work.container:
        return {}
    first, _, last = work.pages.partition("-")
    stated = {
        "type": _CONTAINER_TYPES[kind],
        "title": work.container,
        "volume": work.volume,
        "issue": work.issue,
        "firstPage": first,
        "lastPage": last,
    }
    return {key: value for key, value in stated.items() if value}


def _dates(record: Registered) -> list[dict[str, str]]:
    if not record.arxiv:
        return [{"date": _iso(record.issued), "dateType": "Issued"}]
    first = _iso(record.arxiv.published)
    latest = f"v{record.arxiv.version}"
    return [
        {"date": first, "dateType": "Submitted", "dateInformation": "v1"},
        {"date": _iso(record.arxiv.updated), "dateType": "Updated", "dateInformation": latest},
        {"date": first[:7], "dateType": "Available", "dateInformation": "v1"},
        {"date": first[:4], "dateType": "Issued"},
    ]


def _types(kind: str) -> dict[str, str]:
    ris, bibtex, citeproc, schema_org = _TYPES.get(kind, _TYPES["Text"])
    return {
        "ris": ris,
        "bibtex": bibtex,
        "citeproc": citeproc,
        "schemaOrg": schema_org,
        "resourceType": "Article" if kind == "Preprint" else "",
        "resourceTypeGeneral": kind,
    }


def _related(arxiv: ArxivRecord | None) -> list[dict[str, str]]:
    if not arxiv or not arxiv.doi:
        return []
    return [{"relationType": "IsVersionOf", "relatedIdentifier": arxiv.doi, "relatedIdentifierType": "DOI"}]


def _iso(date: Sequence[int]) -> str:
    return "-".join(f"{part:02}" for part in date)
