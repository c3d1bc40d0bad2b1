"""One work as OpenAlex describes it, as a record.

Source: the work object of the OpenAlex API (docs.openalex.org/api-entities/works/work-object), its locations and
authorships, and its list of types. Of the two names of an author, ``raw_author_name`` is the one that the publication
prints; ``display_name`` is that of the profile to which OpenAlex assigned the author, at times of somebody else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.names.groups import looks_like_group
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import is_preprint_venue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["SELECT", "parse_work"]

SELECT = "id,doi,title,ids,publication_year,type,authorships,primary_location,locations,biblio,is_retracted"
"""What is asked of every work."""

_TYPES: Mapping[str, RecordType] = {
    "article": "article",
    "conference-paper": "inproceedings",
    "review": "article",
    "letter": "article",
    "editorial": "article",
    "erratum": "article",
    "preprint": "preprint",
    "book": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
_PAPERS = frozenset({"article", "review"})
_WORK = lazy_pattern(r"(?:https?://openalex\.org/)?(W\d+)", re.IGNORECASE)
_PMID = lazy_pattern(r"(?:https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)?(\d+)/?")
_ARXIV_PAGE = lazy_pattern(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/(\S+?)(?:\.pdf)?")
# Lists of works are cut there; a work that is fetched alone has them all.
_MOST_AUTHORS = 100


def _person(authorship: object) -> Person | None:
    fields = mapping(authorship)
    name = stated_name(fields.get("raw_author_name")) or stated_name(mapping(fields.get("author")).get("display_name"))
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given and not looks_like_group(name):
        return Person(family=family, given=given)
    return undivided(name) if name else None


def _locations(work: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The primary location, then the others."""
    return [mapping(item) for item in (work.get("primary_location"), *listing(work.get("locations")))]


def _venues(locations: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    names: list[str] = []
    for location in locations:
        source = mapping(location.get("source"))
        names.append(text(source.get("display_name")))
        # Repositories put whole citations there, aggregators other names.
        stated = text(location.get("raw_source_name"))
        if source.get("type") != "repository" and "://" not in stated:
            names.append(stated)
    return tuple(dict.fromkeys(name for name in map(without_markup, names) if name))


def _type(work: Mapping[str, Any], source: Mapping[str, Any]) -> RecordType:
    """Papers of conferences are articles for OpenAlex, so only the place can tell what an article is."""
    stated = text(work.get("type"))
    if stated in _PAPERS:
        place = source.get("type")
        if place == "conference":
            return "inproceedings"
        if is_preprint_venue(text(source.get("display_name"))):
            return "preprint"
        if place != "journal":
            return ""
    return _TYPES.get(stated, "other")


def _arxiv(doi: str, locations: Sequence[Mapping[str, Any]]) -> str:
    found = arxiv_id_of_doi(doi)
    for location in locations:
        page = text(location.get("landing_page_url"))
        match = _ARXIV_PAGE.fullmatch(page)
        found = found or arxiv_id_of_doi(doi_name(page)) or (arxiv_id(match[1]) if match else "")
    return found


def _pages(biblio: Mapping[str, Any]) -> str:
    first, last = without_markup(text(biblio.get("first_page"))), without_markup(text(biblio.get("last_page")))
    return f"{first}-{last}" if first and last and first != last else first


def parse_work(work: object) -> Record | None:
    """The record of one work (an item of ``results`` or a work fetched alone).

    None if the value is no work, that is an object without an id of OpenAlex. Fields of an unexpected type count as absent.
    """
    fields = mapping(work)
    name = _WORK.fullmatch(text(fields.get("id")))
    if not name:
        return None
    doi = doi_name(text(fields.get("doi")))
    pmid = _PMID.fullmatch(text(mapping(fields.get("ids")).get("pmid")))
    year = year_of(fields.get("publication_year"))
    locations = _locations(fields)
    source = mapping(locations[0].get("source"))
    biblio = mapping(fields.get("biblio"))
    authorships = listing(fields.get("authorships"))
    cut = fields.get("is_authors_truncated") is True or len(authorships) == _MOST_AUTHORS
    repository = source.get("type") == "repository"
    return Record(
        source="openalex",
        id=name[1].upper(),
        url=f"https://openalex.org/{name[1].upper()}",
        title=without_markup(text(fields.get("title")) or text(fields.get("display_name"))),
        authors=tuple(person for person in map(_person, authorships) if person),
        authors_complete=not cut,
        years=(year,) if year else (),
        venues=_venues(locations),
        type=_type(fields, source),
        publisher="" if repository else without_markup(text(source.get("host_organization_name"))),
        doi=doi,
        arxiv=_arxiv(doi, locations),
        pmid=pmid[1] if pmid else "",
        volume=without_markup(text(biblio.get("volume"))),
        number=without_markup(text(biblio.get("issue"))),
        pages=_pages(biblio),
        issn=tuple(dict.fromkeys(texts(source.get("issn")))),
        notices=(Notice("retraction", "openalex"),) if fields.get("is_retracted") is True else (),
        compiled=True,
    )
