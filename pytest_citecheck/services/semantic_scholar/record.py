"""One paper as Semantic Scholar describes it, as a record.

Source: the paper object of the Academic Graph API (api.semanticscholar.org/api-docs/graph). Versions of a work are merged
into one paper: it may carry the DOI of the publication beside the arXiv id, and one year for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Person, QuestionKind, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import is_preprint_venue

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FIELDS", "identifiers_of", "kept_fields", "parse_paper"]

FIELDS = "externalIds,title,authors,year,publicationDate,venue,publicationVenue,journal,publicationTypes"
"""What is asked of every paper; ``paperId`` always comes, ``authors`` with id and name."""

_KEPT: Mapping[str, tuple[str, ...]] = {
    "paperId": (), "title": (), "year": (), "publicationDate": (), "venue": (), "publicationTypes": (),
    "externalIds": ("DOI", "ArXiv", "PubMed", "ACL"), "authors": ("name",), "journal": ("name", "volume", "pages"),
    "publicationVenue": ("name", "alternate_names", "type"),
}  # fmt: skip
"""What is read of a paper, and of the objects in it."""
# In this order: a paper has several types, the first of these says where it was printed.
_TYPES: Mapping[str, RecordType] = {
    "Conference": "inproceedings",
    "BookSection": "chapter",
    "Book": "book",
    "Dataset": "dataset",
    "JournalArticle": "article",
}
_PLACES: Mapping[str, RecordType] = {"conference": "inproceedings", "journal": "article"}
_ACL_DOI = lazy_pattern(r"10\.18653/v1/(\S+)|10\.3115/v1/(\S+)")
_RANGE = lazy_pattern(MAYBE_BLANKS + r"[-\u2013]\s*")
_MOST_AUTHORS = 500  # more are not sent with a paper


def identifiers_of(paper: object) -> dict[QuestionKind, frozenset[str]]:
    """The identifiers that the paper carries, by kind, as questions state them; those of the ACL Anthology in lower case."""
    stated = mapping(mapping(paper).get("externalIds"))
    doi, arxiv = doi_name(text(stated.get("DOI"))), arxiv_id(text(stated.get("ArXiv")))
    acl = _ACL_DOI.fullmatch(doi)
    found: dict[QuestionKind, tuple[str, ...]] = {
        "doi": (doi, f"10.48550/arxiv.{arxiv}" if arxiv else ""),
        "arxiv": (arxiv, arxiv_id_of_doi(doi)),
        "pmid": (text(stated.get("PubMed")),),
        "acl": (text(stated.get("ACL")).lower(), (acl[1] or acl[2]) if acl else ""),
    }
    return {kind: frozenset(filter(None, names)) for kind, names in found.items()}


def kept_fields(paper: object) -> object:
    """The paper with the fields that are read; what is no paper as it is."""
    if not isinstance(paper, dict):
        return paper
    return {name: _kept_value(paper[name], parts) for name, parts in _KEPT.items() if name in paper}


def _kept_value(value: object, parts: tuple[str, ...]) -> object:
    if isinstance(value, list):
        return [_kept_value(item, parts) for item in value]
    if not parts or not isinstance(value, dict):
        return value
    return {name: value[name] for name in parts if name in value}


def _people(paper: Mapping[str, Any]) -> tuple[Person, ...]:
    names = (stated_name(mapping(author).get("name")) for author in listing(paper.get("authors")))
    return tuple(undivided(name) for name in names if name)


def _venues(paper: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the place of publication before those of preprint archives, other names of the place last."""
    place = mapping(paper.get("publicationVenue"))
    stated = (place.get("name"), paper.get("venue"), mapping(paper.get("journal")).get("name"))
    names = [name for name in map(without_markup, map(text, stated)) if name]
    names.sort(key=is_preprint_venue)
    names += filter(None, map(without_markup, texts(place.get("alternate_names"))))
    return tuple(dict.fromkeys(names))


def _type(paper: Mapping[str, Any], venues: tuple[str, ...]) -> RecordType:
    if venues and is_preprint_venue(venues[0]):
        return "preprint"
    stated = texts(paper.get("publicationTypes"))
    place = _PLACES.get(text(mapping(paper.get("publicationVenue")).get("type")), "")
    return next((kind for name, kind in _TYPES.items() if name in stated), place)


def _years(paper: Mapping[str, Any]) -> tuple[int, ...]:
    years = (year_of(paper.get("year")), year_of(paper.get("publicationDate")))
    return tuple(dict.fromkeys(year for year in years if year))


def parse_paper(paper: object) -> Record | None:
    """The record of one paper (an item of a batch or of ``data``).

    None if the value is no paper, that is an object without a ``paperId``. Fields of an unexpected type count as absent.
    """
    fields = mapping(paper)
    name = text(fields.get("paperId"))
    if not name:
        return None
    stated, journal = mapping(fields.get("externalIds")), mapping(fields.get("journal"))
    doi = doi_name(text(stated.get("DOI")))
    venues = _venues(fields)
    volume = without_markup(text(journal.get("volume")))
    return Record(
        source="semantic_scholar",
        id=name,
        url=f"https://www.semanticscholar.org/paper/{name}",
        title=without_markup(text(fields.get("title"))),
        authors=_people(fields),
        authors_complete=len(listing(fields.get("authors"))) < _MOST_AUTHORS,
        years=_years(fields),
        venues=venues,
        type=_type(fields, venues),
        doi=doi,
        arxiv=arxiv_id(text(stated.get("ArXiv"))) or arxiv_id_of_doi(doi),
        pmid=text(stated.get("PubMed")),
        # arXiv's number stands there in papers that were deposited with dblp's CoRR.
        volume="" if volume.startswith("abs/") else volume,
        pages=_RANGE.sub("-", without_markup(text(journal.get("pages")))),
        compiled=True,
    )
