"""One item of CSL-JSON, as registration agencies serve it for a DOI, as a record.

Source: the CSL-JSON schema 1.0.2 (github.com/citation-style-language/schema) and the CSL specification 1.0.2, appendices III
and IV. Agencies put their own fields and types beside those of CSL; Crossref serves nearly the works of its REST API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.crossref.record import WORK_TYPES, names_of, related_works, work_notices
from pytest_citecheck.services.parsing.identifiers import arxiv_id_of_doi, doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import first_text, listing, mapping, text, texts
from pytest_citecheck.services.parsing.partial_date import partial_year
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["item_names", "parse_item"]

# "article" is whatever is on its own (DataCite says so of preprints, others of articles), so it means nothing here.
_TYPES: Mapping[str, RecordType] = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "review": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "chapter",
    "entry": "chapter",
    "entry-dictionary": "chapter",
    "entry-encyclopedia": "chapter",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
# CSL's own dates of publication, and those that Crossref keeps beside them.
_DATES = ("issued", "published", "published-print", "published-online", "posted")
_VENUES = (
    "container-title",
    "container-title-short",
    "short-container-title",
    "journalAbbreviation",
    "collection-title",
)
_SEPARATOR = lazy_pattern(r"[\s,;]+")


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _plain_texts(value: object) -> tuple[str, ...]:
    return _unique(map(without_markup, texts(value)))


def _person(stated: object) -> Person | None:
    fields = mapping(stated)
    family, given = stated_name(fields.get("family")), stated_name(fields.get("given"))
    if family and given:
        particles = (stated_name(fields.get(f"{kind}-particle")) for kind in ("dropping", "non-dropping"))
        return Person(
            family=family,
            given=given,
            particle=" ".join(filter(None, particles)),
            suffix=without_markup(text(fields.get("suffix"))),
        )
    group = stated_name(fields.get("name"))
    if group and not family and not given:
        return Person(literal=group, group=True)
    single = stated_name(fields.get("literal")) or family or given
    return undivided(single) if single else None


def _people(stated: object) -> tuple[Person, ...]:
    return tuple(person for person in map(_person, listing(stated)) if person)


def _venues(item: Mapping[str, Any]) -> tuple[str, ...]:
    event = item.get("event")
    names = [name for field in _VENUES for name in texts(item.get(field))]
    names += [text(item.get("event-title")), text(event), text(mapping(event).get("name"))]
    names.append(first_text(mapping(event).get("acronym")))
    return _unique(map(without_markup, names))


def _numbers(value: object) -> tuple[str, ...]:
    """Several numbers stand in an array, or in one string (``1234-5678, 2345-6789``)."""
    return _unique(part for stated in texts(value) for part in _SEPARATOR.split(stated.rpartition("/")[2]))


def item_names(item: object) -> frozenset[str]:
    """The DOIs under which the item describes its work; of an item without the field, that of its ``URL`` or ``id``."""
    fields = mapping(item)
    if text(fields.get("DOI")):
        return names_of(fields)
    return frozenset(filter(None, (doi_name(text(fields.get(field))) for field in ("URL", "id"))))


def parse_item(item: object, doi: str) -> Record:
    """The record of an item that describes the work with this DOI (see `item_names`), perhaps under another one.

    Fields of an unexpected type count as absent; without a title, the record only says that the DOI is registered.
    """
    fields = mapping(item)
    doi = doi_name(text(fields.get("DOI"))) or doi
    titles = _plain_texts(fields.get("title"))
    title = titles[0] if titles else ""
    subtitle = ": ".join(_plain_texts(fields.get("subtitle")))
    if subtitle.casefold() in title.casefold():
        subtitle = ""
    notices, bare = work_notices(fields, title, doi)
    others = [bare, *titles[1:]]
    for field in ("original-title", "title-short", "short-title"):
        others += _plain_texts(fields.get(field))
    stated = text(fields.get("type"))
    years = [partial_year(fields.get(field)) for field in _DATES]
    years.append(partial_year(mapping(fields.get("event")).get("start")))
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=_unique(other for other in others if other != title),
        authors=_people(fields.get("author")),
        editors=_people(fields.get("editor")),
        years=tuple(dict.fromkeys(year for year in years if year)),
        venues=_venues(fields),
        type=_TYPES.get(stated) or WORK_TYPES.get(stated, "other"),
        publisher=without_markup(first_text(fields.get("publisher"))),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi),
        volume=without_markup(text(fields.get("volume"))),
        number=without_markup(text(fields.get("issue")) or text(fields.get("number"))),
        pages=without_markup(text(fields.get("page")) or text(fields.get("article-number"))),
        isbn=isbn_numbers(texts(fields.get("ISBN"))),
        issn=_numbers(fields.get("ISSN")),
        related=related_works(fields),
        notices=notices,
    )
