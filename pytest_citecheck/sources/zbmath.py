"""zbMATH Open: the publications of mathematics since 1868, catalogued by its editors, by number, DOI and title.

Documentation: api.zbmath.org/v1 and zbmath.org/general-help (``an:``, ``en:``, ``ti:``, ``au:``, ``|`` for or, ``&``
for and). Absence: no evidence; a work may be indexed under another number, or not yet. First word: data that its
editors catalogue from the publication. If a work has a DOI, its registry has the first word; if it is not in English,
the title is a translation and the names are transliterated. Such records count as compiled. Author order: as published;
names in the form of its authority file. Limits: none are published; one request a second is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import find_isbns, lazy_pattern, zbl_number
from pytest_citecheck.model import Absent, Answer, Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources.base import Rate, Response, Role, Terms, TitleSearch
from pytest_citecheck.sources.field_catalogues import FieldCatalogue
from pytest_citecheck.sources.parsing import (
    Fields,
    arxiv_id,
    doi_name,
    inverted,
    listing,
    mapping,
    parse_json,
    plain_text,
    stated_name,
    unique,
    year_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_citecheck.sources.field_catalogues import Named


class ZbMath(FieldCatalogue):
    """The API of zbMATH Open as a source of records (see the module)."""

    name = "zbmath"
    label = "zbMATH Open"
    base_url = "https://api.zbmath.org/v1"
    documentation = "https://api.zbmath.org/v1/"
    batch: Mapping[QueryKind, int] = {"zbl": 25, "doi": 25, "title": 5}
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published; 1 request a second is used"
    absence = "no evidence: a work may be indexed under another number, or not yet"
    authoritative_for = ("title", "authors", "year", "venue")
    terms = Terms("CC BY-SA 4.0, unless a publisher's licence forbids it")
    unconfirmed = "alternatives in one query (`an:a | an:b`), DOIs as `en:`, and the form of an empty result"
    role = Role(
        catalogue=("zbl", "doi"),
        disciplines=("mathematics",),
        titles=(TitleSearch("batch", 45, ("mathematics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # Wiles on Fermat's Last Theorem.
    controls: Mapping[QueryKind, Query] = {
        "zbl": Query("zbl", "0823.11029"),
        "doi": Query("doi", "10.2307/2118559"),
        "title": Query("title", "Modular elliptic curves and Fermat's Last Theorem", ("Wiles",)),
    }

    path, query = "document/_search", "search_string"
    unquotable = lazy_pattern(r"[\s\"'\\()|&!]")
    clauses: Mapping[QueryKind, str] = {"zbl": "an:{}", "doi": "en:{}"}
    title_word, author, both, either = "ti:{}", 'au:"{}"', " & ", " | "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:
        return ("search_string", query), ("page", 0), ("results_per_page", hits)

    def page(self, body: Fields) -> tuple[object, object, object]:
        status = body.at("status")
        return body.get("result"), status.get("nr_total_results"), status.text("internal_code")

    def read(self, result: object) -> Named | None:

        return zbmath_record(result)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """As all catalogues of a field; what was not found has its own 404."""
        if response.status == 404 and _found_nothing(mapping(parse_json(response.body))):
            return dict.fromkeys(queries, Absent())
        return super().parse(queries, response)


def _found_nothing(body: Fields) -> bool:
    """Return True if a 404 is the service's own word for an empty result."""
    code = body.at("status").number("status_code")
    return body.get("result") in (None, []) and "result" in body and code == 404


ZBMATH = ZbMath()


_WITHHELD = lazy_pattern(r"contents? (?:is |are )?unavailable due to conflicting licen[sc]es", re.IGNORECASE)
_TYPES: Mapping[str, RecordType] = {"j": "article", "a": "chapter", "b": "book", "p": "preprint"}
_SERIES = lazy_pattern(
    r"\.? (?:First|Second|Third|Fourth|Fifth|New) Series\.?\Z|\.? (?:Series|Ser\.) [A-Z]\Z", re.IGNORECASE
)


def zbmath_record(document: object) -> Named | None:
    """The record of one document with its identifiers; None if it has no number or no title that may be shown."""
    fields = mapping(document)
    number = zbl_number(_shown(fields.get("identifier"))) or fields.text("id")
    titles = fields.at("title")
    title = _shown(titles.get("title"))
    if not number or not title:
        return None
    links = {mapping(link).text("type"): mapping(link).text("identifier") for link in fields.all("links")}
    doi, eprint = doi_name(links.get("doi", "")), arxiv_id(links.get("arxiv", ""))
    source = fields.at("source")
    series = source.parts("series")
    books = source.parts("book")
    first = series[0] if series else mapping(None)
    people = fields.at("contributors")
    languages = [language.lower() for language in fields.at("language").texts("languages")]
    years = [fields.get("year"), *(item.get("year") for item in (*series, *books))]
    isbn = tuple(isbn for book in books for item in book.all("isbn") for isbn in find_isbns(_number(item))[0])
    record = Record(
        source="zbmath",
        id=number,
        url=fields.text("zbmath_url") or f"https://zbmath.org/{number}",
        title=title,
        subtitle=_shown(titles.get("subtitle")),
        other_titles=tuple(filter(None, (_shown(titles.get("original")), _shown(titles.get("addition"))))),
        authors=tuple(_people(people.get("authors"))),
        editors=tuple(_people(people.get("editors"))),
        years=unique(map(year_of, years)),
        venues=tuple(dict.fromkeys(_venues(series, books))),
        type=_TYPES.get(fields.at("document_type").text("code"), "other"),
        publisher=next((name for book in books if (name := _shown(book.get("publisher")))), ""),
        doi=doi,
        arxiv=eprint,
        volume=_shown(first.get("volume")),
        number=_shown(first.get("issue")),
        pages=_shown(source.get("pages")),
        isbn=isbn,
        issn=unique(_number(item) for item in first.all("issn")),
        compiled=bool(doi or eprint) or languages != ["english"],
    )
    return frozenset({("zbl", number), ("doi", doi), ("arxiv", eprint)}), record


def _shown(value: object) -> str:
    """The value as plain text; empty where a licence forbids to show it."""
    stated = plain_text(value)
    return "" if _WITHHELD.search(stated) else stated


def _number(item: object) -> str:
    """An ISBN or ISSN: a string, or an object with its ``number``."""
    return _shown(mapping(item).get("number")) or _shown(item)


def _people(stated: object) -> Iterator[Person]:
    yield from (inverted(stated_name(_shown(mapping(person).get("name")))) for person in listing(stated))


def _venues(series: list[Fields], books: list[Fields]) -> Iterator[str]:
    """Names of the journal, with and without the number of its series, and of the book."""
    for item in series:
        for name in filter(None, (_shown(item.get("title")), _shown(item.get("short_title")))):
            bare = _SERIES.sub("", name)
            yield from (bare, name)
    for book in books:
        yield from filter(None, [_shown(book.get("title"))])
