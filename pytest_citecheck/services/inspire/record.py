"""One work as INSPIRE-HEP describes it, as a record.

Source: the schema of literature records, inspire-schemas.readthedocs.io ("hep"). Titles are listed as each source has them;
journals are abbreviated without spaces and carry the letter of their section (``Phys.Lett.B``, volume ``716``). An erratum
stands among the publications and DOIs as ``material: erratum``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, whole_number, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["FIELDS", "parse_hit"]

FIELDS = (
    "titles,authors.full_name,authors.inspire_roles,author_count,collaborations,corporate_author,publication_info,dois,"
    "arxiv_eprints,texkeys,document_type,imprints,isbns,thesis_info,preprint_date,control_number"
)
_TYPES: Mapping[str, RecordType] = {
    "article": "article",
    "conference paper": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "book chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "note": "report",
    "activity report": "report",
}
# Notes on a work have its identifiers in their own names.
_BESIDE = frozenset({"erratum", "addendum", "editorial note", "corrigendum"})
_SUFFIX = lazy_pattern(r"(?:Jr|Sr|I{2,3}|IV)\.?", re.IGNORECASE)


def parse_hit(hit: object) -> Named | None:
    """The record of one hit with all its identifiers; None if it has no title or does not say what it is of."""
    fields = mapping(mapping(hit).get("metadata"))
    number = text(fields.get("control_number")) or text(mapping(hit).get("id"))
    titles = [_titled(title) for title in map(mapping, listing(fields.get("titles")))]
    titles = [title for title in titles if title[0]]
    dois = _dois(fields)
    eprints = [arxiv_id(text(mapping(item).get("value"))) for item in listing(fields.get("arxiv_eprints"))]
    keys = texts(fields.get("texkeys"))
    names = {("doi", doi) for doi, _ in dois} | {("arxiv", name) for name in eprints if name}
    names |= {("texkey", key) for key in keys}
    if not number or not titles:
        return None
    places = [place for place in map(mapping, listing(fields.get("publication_info"))) if not _is_beside(place)]
    place: Mapping[str, Any] = next(
        (one for one in places if text(one.get("journal_title"))), places[0] if places else {}
    )
    own = [doi for doi, beside in dois if not beside]
    authors = tuple(_authors(fields))
    count = whole_number(fields.get("author_count")) or 0
    isbn = tuple(
        number for item in listing(fields.get("isbns")) for number in find_isbns(text(mapping(item).get("value")))[0]
    )
    record = Record(
        source="inspire",
        id=number,
        url=f"https://inspirehep.net/literature/{number}",
        title=titles[0][0],
        subtitle=titles[0][1],
        other_titles=tuple(dict.fromkeys(title for title, _ in titles[1:])),
        authors=authors,
        authors_complete=len(authors) >= count,
        editors=tuple(person for person, role in _people(fields) if role == "editor"),
        years=_years(fields, places),
        venues=tuple(dict.fromkeys(_venues(fields, places))),
        type=_type(fields, published=bool(place), eprint=any(eprints)),
        publisher=next(
            (name for item in listing(fields.get("imprints")) if (name := text(mapping(item).get("publisher")))), ""
        ),
        doi=own[0] if own else "",
        arxiv=next(filter(None, eprints), ""),
        volume=text(place.get("journal_volume")),
        number=text(place.get("journal_issue")),
        pages=_pages(place),
        isbn=isbn,
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _titled(title: Mapping[str, Any]) -> tuple[str, str]:
    return without_markup(text(title.get("title"))), without_markup(text(title.get("subtitle")))


def _is_beside(item: Mapping[str, Any]) -> bool:
    return text(item.get("material")).lower() in _BESIDE


def _dois(fields: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The DOIs, and of each whether it is that of an erratum or the like."""
    stated = [
        (doi_name(text(item.get("value"))), _is_beside(item)) for item in map(mapping, listing(fields.get("dois")))
    ]
    return [(doi, beside) for doi, beside in dict.fromkeys(stated) if doi]


def _people(fields: Mapping[str, Any]) -> Iterator[tuple[Person, str]]:
    for author in map(mapping, listing(fields.get("authors"))):
        name = stated_name(author.get("full_name"))
        if name:
            roles = {role.lower() for role in texts(author.get("inspire_roles"))}
            yield _person(name), "editor" if "editor" in roles else "supervisor" if "supervisor" in roles else "author"


def _person(name: str) -> Person:
    """``Family, Given`` or ``Family, Given, Jr.``; a name without a comma is not divided."""
    family, *rest = [part.strip() for part in name.split(",")]
    suffix = rest.pop() if len(rest) > 1 and _SUFFIX.fullmatch(rest[-1]) else ""
    return Person(family=family, given=" ".join(rest), suffix=suffix) if rest else undivided(family)


def _authors(fields: Mapping[str, Any]) -> Iterator[Person]:
    """The authors, and after them the collaborations for which they sign."""
    yield from (person for person, role in _people(fields) if role == "author")
    for collaboration in map(mapping, listing(fields.get("collaborations"))):
        if name := stated_name(collaboration.get("value")):
            yield Person(literal=name if "ollaboration" in name else f"{name} Collaboration", group=True)
    yield from (
        Person(literal=name, group=True) for name in map(stated_name, listing(fields.get("corporate_author"))) if name
    )


def _years(fields: Mapping[str, Any], places: list[Mapping[str, Any]]) -> tuple[int, ...]:
    stated = [place.get("year") for place in places]
    stated += [mapping(item).get("date") for item in listing(fields.get("imprints"))]
    stated += [mapping(fields.get("thesis_info")).get("date"), fields.get("preprint_date")]
    return tuple(dict.fromkeys(year for year in map(year_of, stated) if year))


def _venues(fields: Mapping[str, Any], places: list[Mapping[str, Any]]) -> Iterator[str]:
    for place in places:
        if name := without_markup(text(place.get("journal_title"))):
            yield name
    for school in listing(mapping(fields.get("thesis_info")).get("institutions")):
        if name := without_markup(text(mapping(school).get("name"))):
            yield name


def _type(fields: Mapping[str, Any], *, published: bool, eprint: bool) -> RecordType:
    kind: RecordType = next((_TYPES[kind] for kind in texts(fields.get("document_type")) if kind in _TYPES), "other")
    return "preprint" if kind == "article" and eprint and not published else kind


def _pages(place: Mapping[str, Any]) -> str:
    first, last = text(place.get("page_start")), text(place.get("page_end"))
    return f"{first}-{last}" if first and last else first or text(place.get("artid"))
