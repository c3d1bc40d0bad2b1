"""INSPIRE-HEP: papers, theses, reports and books of high-energy physics and its neighbours, by identifier and title.

Documentation: github.com/inspirehep/rest-api-doc (records, ``q``, ``fields``, ``size``) and the search syntax of
inspirehep.net (help.inspirehep.net, "INSPIRE search"). It harvests arXiv and publishers and curates what it takes, so the
registry of the DOI or e-print that it names is asked for its word; its own only shows that a work exists. Absence: no
evidence; it is complete for one field, and a work may be there under another identifier. Author order: as published; of
collaborations all members, with the collaboration beside them. Limits: 15 requests in 5 seconds for each address, then 429.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import find_isbns, lazy_pattern
from pytest_citecheck.model import Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources.base import Rate, Role, Terms, TitleSearch
from pytest_citecheck.sources.field_catalogues import FieldCatalogue
from pytest_citecheck.sources.parsing import (
    Fields,
    arxiv_id,
    doi_name,
    mapping,
    stated_name,
    undivided,
    unique,
    year_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_citecheck.sources.field_catalogues import Named


class Inspire(FieldCatalogue):
    """The REST API of INSPIRE-HEP as a source of records (see the module)."""

    name = "inspire"
    label = "INSPIRE-HEP"
    base_url = "https://inspirehep.net/api"
    documentation = "https://github.com/inspirehep/rest-api-doc"
    batch: Mapping[QueryKind, int] = {"doi": 25, "arxiv": 25, "texkey": 25, "title": 5, "place": 25}
    rate = Rate(per_second=2.5, concurrency=1)
    limits = "15 requests in 5 seconds, then 429"
    absence = "no evidence: it covers one field, and other sources are queried anyway"
    derives_from = ("arxiv", "crossref")
    terms = Terms("CC0, may be redistributed")
    unconfirmed = "alternatives in one query (`doi:a or doi:b`), and words of titles joined by `and`"
    role = Role(
        catalogue=("doi", "arxiv", "texkey"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 40, ("physics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # The paper on the AdS/CFT correspondence, and one of Higgs: among the most cited that it has.
    controls: Mapping[QueryKind, Query] = {
        "doi": Query("doi", "10.1103/physrevlett.13.508"),
        "arxiv": Query("arxiv", "hep-th/9711200"),
        "texkey": Query("texkey", "Maldacena:1997re"),
        "title": Query("title", "The Large N limit of superconformal field theories and supergravity", ("Maldacena",)),
    }

    path = "literature"
    unquotable = lazy_pattern(r"[\s\"'\\()]")
    clauses: Mapping[QueryKind, str] = {"doi": "doi:{}", "arxiv": "arxiv:{}", "texkey": "texkeys:{}", "place": "j {}"}
    title_word, author, both, either = "t {}", "a {}", " and ", " or "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:

        return ("q", query), ("size", hits), ("fields", FIELDS)

    def page(self, body: Fields) -> tuple[object, object, object]:
        hits = body.at("hits")
        return hits.get("hits"), hits.get("total"), body.text("message")

    def read(self, result: object) -> Named | None:

        return inspire_record(result)


INSPIRE = Inspire()


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


def inspire_record(hit: object) -> Named | None:
    """The record of one hit with all its identifiers; None if it has no title or does not say what it is of."""
    fields = mapping(hit).at("metadata")
    number = fields.text("control_number") or mapping(hit).text("id")
    titles = [_titled(title) for title in fields.parts("titles")]
    titles = [title for title in titles if title[0]]
    dois = _dois(fields)
    eprints = [arxiv_id(value) for value in _values(fields, "arxiv_eprints")]
    keys = fields.texts("texkeys")
    names = {("doi", doi) for doi, _ in dois} | {("arxiv", name) for name in eprints if name}
    names |= {("texkey", key) for key in keys}
    if not number or not titles:
        return None
    places = [place for place in fields.parts("publication_info") if not _is_beside(place)]
    place = next((one for one in places if one.text("journal_title")), places[0] if places else mapping(None))
    own = [doi for doi, beside in dois if not beside]
    authors = tuple(_authors(fields))
    count = fields.number("author_count") or 0
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
        publisher=next(filter(None, _values(fields, "imprints", "publisher")), ""),
        doi=own[0] if own else "",
        arxiv=next(filter(None, eprints), ""),
        volume=place.text("journal_volume"),
        number=place.text("journal_issue"),
        pages=_pages(place),
        isbn=tuple(number for value in _values(fields, "isbns") for number in find_isbns(value)[0]),
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _values(fields: Fields, name: str, key: str = "value") -> list[str]:
    return [mapping(item).text(key) for item in fields.all(name)]


def _titled(title: Fields) -> tuple[str, str]:
    return title.plain("title"), title.plain("subtitle")


def _is_beside(item: Fields) -> bool:
    return item.text("material").lower() in _BESIDE


def _dois(fields: Fields) -> list[tuple[str, bool]]:
    """DOIs, each with True if it belongs to an erratum or similar notice."""
    stated = [(doi_name(item.text("value")), _is_beside(item)) for item in fields.parts("dois")]
    return [(doi, beside) for doi, beside in dict.fromkeys(stated) if doi]


def _people(fields: Fields) -> Iterator[tuple[Person, str]]:
    for author in fields.parts("authors"):
        roles = {role.lower() for role in author.texts("inspire_roles")}
        role = "editor" if "editor" in roles else "supervisor" if "supervisor" in roles else "author"
        yield _person(stated_name(author.get("full_name"))), role


def _person(name: str) -> Person:
    """``Family, Given`` or ``Family, Given, Jr.``; a name without a comma is not divided."""
    family, *rest = [part.strip() for part in name.split(",")]
    suffix = rest.pop() if len(rest) > 1 and _SUFFIX.fullmatch(rest[-1]) else ""
    return Person(family=family, given=" ".join(rest), suffix=suffix) if rest else undivided(family)


def _authors(fields: Fields) -> Iterator[Person]:
    """The authors, and after them the collaborations for which they sign."""
    yield from (person for person, role in _people(fields) if role == "author")
    for collaboration in fields.parts("collaborations"):
        if name := stated_name(collaboration.get("value")):
            yield Person(literal=name if "ollaboration" in name else f"{name} Collaboration", group=True)
    yield from (Person(literal=name, group=True) for name in map(stated_name, fields.all("corporate_author")) if name)


def _years(fields: Fields, places: list[Fields]) -> tuple[int, ...]:
    stated = [place.get("year") for place in places]
    stated += [mapping(item).get("date") for item in fields.all("imprints")]
    stated += [fields.at("thesis_info").get("date"), fields.get("preprint_date")]
    return unique(map(year_of, stated))


def _venues(fields: Fields, places: list[Fields]) -> Iterator[str]:
    for place in places:
        if name := place.plain("journal_title"):
            yield name
    for school in fields.at("thesis_info").all("institutions"):
        if name := mapping(school).plain("name"):
            yield name


def _type(fields: Fields, *, published: bool, eprint: bool) -> RecordType:
    kind: RecordType = next((_TYPES[kind] for kind in fields.texts("document_type") if kind in _TYPES), "other")
    return "preprint" if kind == "article" and eprint and not published else kind


def _pages(place: Fields) -> str:
    first, last = place.text("page_start"), place.text("page_end")
    return f"{first}-{last}" if first and last else first or place.text("artid")
