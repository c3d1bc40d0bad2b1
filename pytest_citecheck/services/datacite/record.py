"""One work as DataCite describes it, as a record.

Source: the DataCite Metadata Schema 4.6 (schema.datacite.org) in the JSON form of the DataCite REST API
(support.datacite.org/docs/api).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, year_of
from pytest_citecheck.services.parsing.notices import announced
from pytest_citecheck.services.parsing.relations import hyphenated
from pytest_citecheck.services.parsing.stated_names import is_unknown, stated_name, stated_parts, undivided
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FIELDS", "names_of", "parse_work"]

FIELDS = (
    "doi,identifiers,alternateIdentifiers,creators,contributors,titles,publisher,container,publicationYear,types,"
    "relatedIdentifiers,relatedItems,dates"
)
"""What is asked of every work."""

_TYPES: Mapping[str, RecordType] = {
    "Audiovisual": "other",
    "Book": "book",
    "BookChapter": "chapter",
    "Collection": "dataset",
    "ComputationalNotebook": "software",
    "ConferencePaper": "inproceedings",
    "ConferenceProceeding": "proceedings",
    "DataPaper": "article",
    "Dataset": "dataset",
    "Dissertation": "thesis",
    "JournalArticle": "article",
    "Model": "software",
    "Preprint": "preprint",
    "Report": "report",
    "Software": "software",
}
# What depositors write beside the type Text, which 15 of 35 works have.
_WORDS: tuple[tuple[str, RecordType], ...] = (
    ("thesis|dissertation|thèse|habilitation", "thesis"),
    ("conference ?paper|proceedings paper|conference contribution", "inproceedings"),
    ("book chapter|chapter|book section|book part", "chapter"),
    ("pre-?print|e-?print", "preprint"),
    ("journal ?article|article|review", "article"),
    ("report|working paper|technical note", "report"),
    ("proceedings", "proceedings"),
    ("book|monograph", "book"),
)
_TEXTS = tuple((lazy_pattern(rf"(?i:\b(?:{words})\b)"), kind) for words, kind in _WORDS)
# Years of the Buddhist era, as repositories in Thailand state them.
_BUDDHIST = lazy_pattern(r"25\d\d|2600")
_BEFORE_CHRIST = 543
# The publisher of these is the repository, which is how they are cited; of an article it is a publishing
# house.
_HELD_BY_PUBLISHER: frozenset[RecordType] = frozenset({"dataset", "software", "preprint"})
_PUBLICATION_DATES = ("Issued", "Available", "Submitted", "Copyrighted")
_SAME_WORK_RELATIONS = frozenset(
    (
        "IsVersionOf",
        "HasVersion",
        "IsNewVersionOf",
        "IsPreviousVersionOf",
        "IsIdenticalTo",
        "IsVariantFormOf",
        "IsOriginalFormOf",
        "IsPublishedIn",
        "IsTranslationOf",
        "HasTranslation",
        "Obsoletes",
        "IsObsoletedBy",
    )
)
# "GMS Journal for Medical Education; 34(2):Doc25": series information that continues after the series.
_SERIES_TAIL = lazy_pattern(
    MAYBE_BLANKS + r"[;,]\s*+(?:vol\.?|no\.?|bd\.?|issue)?\s*+\d.*\Z", re.IGNORECASE | re.DOTALL
)


def _known(value: object) -> str:
    stated = without_markup(text(value))
    return "" if is_unknown(stated) else stated


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _person(creator: object) -> Person | None:
    fields = mapping(creator)
    name = stated_name(fields.get("name")) or stated_name(creator)
    if fields.get("nameType") == "Organizational":
        return Person(literal=name, group=True) if name else None
    family, given = stated_parts(fields.get("familyName"), fields.get("givenName"))
    if family and given:
        return Person(family=family, given=given)
    if fields.get("nameType") == "Personal" and name.count(",") == 1:
        family, given = (part.strip() for part in name.split(","))
        if family and given:
            return Person(family=family, given=given)
    name = name or family or given
    return undivided(name) if name else None


def _people(creators: Iterable[object]) -> tuple[Person, ...]:
    return tuple(person for person in map(_person, creators) if person)


def _titles(fields: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """Main title, subtitle, other titles (translated, alternative, main title in another language)."""
    main: list[str] = []
    subtitles: list[str] = []
    others: list[str] = []
    for item in listing(fields.get("titles")):
        stated = _known(mapping(item).get("title")) or _known(item)
        kind = text(mapping(item).get("titleType"))
        if stated:
            (subtitles if kind == "Subtitle" else others if kind else main).append(stated)
    if not main and others:
        main.append(others.pop(0))
    title = main[0] if main else ""
    subtitle = subtitles[0] if subtitles else ""
    return title, subtitle, _unique(other for other in [*main[1:], *others] if other != title)


def _years(fields: Mapping[str, Any]) -> tuple[int, ...]:
    stated = text(fields.get("publicationYear"))
    years = [int(stated) - _BEFORE_CHRIST if _BUDDHIST.fullmatch(stated) else year_of(stated)]
    dates = [mapping(item) for item in listing(fields.get("dates"))]
    for kind in _PUBLICATION_DATES:
        years += [year_of(date.get("date")) for date in dates if date.get("dateType") == kind]
    return tuple(dict.fromkeys(year for year in years if year))


def _publisher(fields: Mapping[str, Any]) -> str:
    stated = fields.get("publisher")
    return stated_name(mapping(stated).get("name")) or stated_name(stated)


def _venues(fields: Mapping[str, Any], kind: RecordType) -> tuple[str, ...]:
    names: list[str] = []
    container = _known(mapping(fields.get("container")).get("title"))
    names += [_SERIES_TAIL.sub("", container), container]
    for item in listing(fields.get("relatedItems")):
        if mapping(item).get("relationType") == "IsPublishedIn":
            names += [_known(mapping(title).get("title")) for title in listing(mapping(item).get("titles"))]
    if kind in _HELD_BY_PUBLISHER:
        names.append(_publisher(fields))
    return _unique(names)


def _stated(identifier: Mapping[str, Any]) -> str:
    kind, value = text(identifier.get("relatedIdentifierType")), text(identifier.get("relatedIdentifier"))
    if kind == "DOI":
        return doi_name(value)
    return arxiv_id(value) if kind == "arXiv" else ""


def _related(fields: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    related: list[tuple[str, str]] = []
    for item in map(mapping, listing(fields.get("relatedIdentifiers"))):
        relation, identifier = text(item.get("relationType")), _stated(item)
        if relation in _SAME_WORK_RELATIONS and identifier:
            related.append((hyphenated(relation), identifier))
    return tuple(dict.fromkeys(related))


def _type(types: Mapping[str, Any]) -> RecordType:
    general, stated = text(types.get("resourceTypeGeneral")), text(types.get("resourceType"))
    if general != "Text":
        return _TYPES.get(general, "other")
    return next((kind for words, kind in _TEXTS if words.search(stated)), "other")


def _numbers(fields: Mapping[str, Any], wanted: str) -> tuple[str, ...]:
    """ISBNs or ISSNs among the container, the identifiers and the related identifiers."""
    container = mapping(fields.get("container"))
    found = [text(container.get("identifier"))] if container.get("identifierType") == wanted else []
    for name in ("identifiers", "alternateIdentifiers"):
        for item in map(mapping, listing(fields.get(name))):
            kind = text(item.get("identifierType")) or text(item.get("alternateIdentifierType"))
            if kind == wanted:
                found.append(text(item.get("identifier")) or text(item.get("alternateIdentifier")))
    found += [
        text(item.get("relatedIdentifier"))
        for item in map(mapping, listing(fields.get("relatedIdentifiers")))
        if item.get("relatedIdentifierType") == wanted and item.get("relationType") == "IsPartOf"
    ]
    return _unique(found)


def _notices(fields: Mapping[str, Any], title: str) -> tuple[tuple[Notice, ...], str]:
    """The notices on this work, and its title without what announces one.

    Removal is a date of type Withdrawn (DataCite Metadata Schema 4.4). That a new version made it obsolete is none.
    """
    dates = [mapping(item) for item in listing(fields.get("dates"))]
    withdrawn = [text(date.get("date"))[:10] for date in dates if date.get("dateType") == "Withdrawn"]
    notices = tuple(Notice("removal", "datacite", date) for date in dict.fromkeys(withdrawn))
    said = announced(title)
    if said is None:
        return notices, ""
    kind, bare = said
    return notices if any(notice.kind == kind for notice in notices) else (*notices, Notice(kind, "datacite")), bare


def names_of(work: object) -> frozenset[str]:
    """The DOIs under which DataCite knows this work: its own, and those it states as identical."""
    fields = _attributes(work)
    names = {doi_name(text(fields.get("doi")))}
    for item in map(mapping, listing(fields.get("identifiers"))):
        if item.get("identifierType") == "DOI":
            names.add(doi_name(text(item.get("identifier"))))
    names.update(identifier for relation, identifier in _related(fields) if relation == "is-identical-to")
    return frozenset(name for name in names if name)


def _attributes(work: object) -> Mapping[str, Any]:
    """The attributes of a JSON:API resource, or the object itself where it came by content negotiation."""
    resource = mapping(work)
    attributes = mapping(resource.get("attributes")) or resource
    return attributes if attributes.get("doi") else {**attributes, "doi": resource.get("id")}


def parse_work(work: object) -> Record | None:
    """The record of one work: a resource of type ``dois`` (an item of ``data``) or bare DataCite JSON.

    None if the value states no DOI. Fields of an unexpected type count as absent.
    """
    fields = _attributes(work)
    doi = doi_name(text(fields.get("doi")))
    if not doi:
        return None
    title, subtitle, others = _titles(fields)
    kind = _type(mapping(fields.get("types")))
    container = mapping(fields.get("container"))
    first, last = text(container.get("firstPage")), text(container.get("lastPage"))
    related = _related(fields)
    notices, bare = _notices(fields, title)
    contributors = listing(fields.get("contributors"))
    return Record(
        source="datacite",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=subtitle,
        other_titles=_unique((bare, *others)),
        authors=_people(listing(fields.get("creators"))),
        editors=_people(item for item in contributors if mapping(item).get("contributorType") == "Editor"),
        years=_years(fields),
        venues=_venues(fields, kind),
        type=kind,
        publisher=_publisher(fields),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or next((name for _, name in related if not name.startswith("10.")), ""),
        volume=text(container.get("volume")),
        number=text(container.get("issue")),
        pages=f"{first}-{last}" if first and last else first,
        isbn=_numbers(fields, "ISBN"),
        issn=_numbers(fields, "ISSN"),
        agency="DataCite",
        related=related,
        notices=notices,
    )
