"""One work as Europe PMC describes it, as a record.

Source: Europe PMC RESTful web service, "resultType=core" and its list of fields (europepmc.org/RestfulWebService,
europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import doi_name, pmc_id, pubmed_id
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.medline import (
    cited_doi,
    journal_names,
    medline_notices,
    medline_title,
    other_version,
)
from pytest_citecheck.services.parsing.stated_names import stated_name, stated_parts, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["parse_result"]

# Sources whose metadata are those of PubMed and PubMed Central; all others are collected from elsewhere.
_OF_PUBMED = frozenset({"MED", "PMC"})
_TYPES: Mapping[str, RecordType] = {
    "preprint": "preprint",
    "book": "book",
    "book chapter": "chapter",
    "book-chapter": "chapter",
    "thesis": "thesis",
    "dissertation": "thesis",
    "academic dissertation": "thesis",
    "conference proceedings": "proceedings",
    "technical report": "report",
}
_INITIALS = lazy_pattern(r"(.+\S)\s+([A-Z]{1,4})")


def parse_result(result: object) -> Record | None:
    """The record of one item of ``resultList.result``; None if it does not say what it is of (``source`` and ``id``).

    The first year is that of the issue. A work that was listed in an earlier year was out by then, so that year counts
    as well: some issues are dated a year late.
    """
    fields = mapping(result)
    source, identifier = text(fields.get("source")), text(fields.get("id"))
    if not source or not identifier:
        return None
    journal_info, book = mapping(fields.get("journalInfo")), mapping(fields.get("bookOrReportDetails"))
    journal = mapping(journal_info.get("journal"))
    types = texts(mapping(fields.get("pubTypeList")).get("pubType"))
    links = [
        (text(mapping(link).get("type")), text(mapping(link).get("reference")))
        for link in listing(mapping(fields.get("commentCorrectionList")).get("commentCorrection"))
    ]
    kind = _type(source, types, in_journal=bool(journal))
    publisher = without_markup(text(book.get("publisher")))
    venues = journal_names(*(text(journal.get(name)) for name in ("title", "isoabbreviation", "medlineAbbreviation")))
    venues += _unique(
        without_markup(text(book.get("comprisingTitle"))),
        without_markup(text(book.get("seriesName"))),
        # The "publisher" of a preprint is its server, that of a thesis its university.
        publisher if kind in ("preprint", "thesis") else "",
    )
    return Record(
        source="europe_pmc",
        id=f"{source}:{identifier}",
        url=f"https://europepmc.org/article/{source}/{identifier}",
        title=medline_title(text(fields.get("title"))),
        authors=_people(mapping(fields.get("authorList")).get("author")),
        years=_years(fields, journal_info, book),
        venues=tuple(dict.fromkeys(venues)),
        type=kind,
        publisher=publisher,
        doi=doi_name(text(fields.get("doi"))),
        pmid=pubmed_id(text(fields.get("pmid"))),
        volume=text(journal_info.get("volume")),
        number=text(journal_info.get("issue")),
        pages=text(fields.get("pageInfo")),
        isbn=_unique(text(book.get("isbn13")), text(book.get("isbn10"))),
        issn=_unique(text(journal.get("issn")), text(journal.get("essn"))),
        related=_related(fields, links),
        notices=medline_notices(links, types, "europe_pmc"),
        compiled=source not in _OF_PUBMED,
    )


def _unique(*values: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _type(source: str, types: Iterable[str], *, in_journal: bool) -> RecordType:
    stated = [kind.lower() for kind in types]
    if source == "PPR" or "preprint" in stated:
        return "preprint"
    if in_journal:
        return "article"
    return next((_TYPES[kind] for kind in stated if kind in _TYPES), "other")


def _people(authors: object) -> tuple[Person, ...]:
    return tuple(person for person in map(_person, listing(authors)) if person)


def _person(author: object) -> Person | None:
    fields = mapping(author)
    group = stated_name(fields.get("collectiveName"))
    if group:
        return Person(literal=group, group=True)
    given = stated_name(fields.get("firstName")) or stated_name(fields.get("initials"))
    family, given = stated_parts(fields.get("lastName"), given)
    if family:
        return Person(family=family, given=given, suffix=without_markup(text(fields.get("suffix"))))
    full = stated_name(fields.get("fullName")) or given
    match = _INITIALS.fullmatch(full)
    if match:
        return Person(family=match.group(1), given=match.group(2))
    return undivided(full) if full else None


def _years(fields: Mapping[str, Any], journal_info: Mapping[str, Any], book: Mapping[str, Any]) -> tuple[int, ...]:
    stated = [
        journal_info.get("yearOfPublication"),
        fields.get("pubYear"),
        book.get("yearOfPublication"),
        journal_info.get("dateOfPublication"),
        journal_info.get("printPublicationDate"),
        fields.get("electronicPublicationDate"),
        fields.get("firstPublicationDate"),
    ]
    years = [year for year in map(year_of, stated) if year]
    listed = year_of(fields.get("dateOfCreation"))
    if listed and years and listed < min(years):
        years.append(listed)
    return tuple(dict.fromkeys(years))


def _related(fields: Mapping[str, Any], links: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The id in PubMed Central, preprint and publication of the same work."""
    related = [("pmcid", pmc_id(text(fields.get("pmcid"))))]
    related += [(other_version(link), cited_doi(reference)) for link, reference in links]
    return tuple(dict.fromkeys((relation, target) for relation, target in related if relation and target))
