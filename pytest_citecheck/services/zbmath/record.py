"""One document as zbMATH Open describes it, as a record.

Source: the model ``DisplayDocument`` of api.zbmath.org/v1. What a publisher's licence forbids to show is replaced by a sentence
("… contents unavailable due to conflicting licenses"), which is no title and no name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import zbl_number
from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, doi_name
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["parse_document"]

_WITHHELD = lazy_pattern(r"contents? (?:is |are )?unavailable due to conflicting licen[sc]es", re.IGNORECASE)
_TYPES: Mapping[str, RecordType] = {"j": "article", "a": "chapter", "b": "book", "p": "preprint"}
_SERIES = lazy_pattern(
    r"\.? (?:First|Second|Third|Fourth|Fifth|New) Series\.?\Z|\.? (?:Series|Ser\.) [A-Z]\Z", re.IGNORECASE
)


def parse_document(document: object) -> Named | None:
    """The record of one document with its identifiers; None if it has no number or no title that may be shown."""
    fields = mapping(document)
    number = zbl_number(_shown(fields.get("identifier"))) or text(fields.get("id"))
    titles = mapping(fields.get("title"))
    title = _shown(titles.get("title"))
    if not number or not title:
        return None
    links = {
        text(mapping(link).get("type")): text(mapping(link).get("identifier")) for link in listing(fields.get("links"))
    }
    doi, eprint = doi_name(links.get("doi", "")), arxiv_id(links.get("arxiv", ""))
    source = mapping(fields.get("source"))
    series = [mapping(item) for item in listing(source.get("series"))]
    books = [mapping(item) for item in listing(source.get("book"))]
    first: Mapping[str, Any] = series[0] if series else {}
    people = mapping(fields.get("contributors"))
    languages = [language.lower() for language in texts(mapping(fields.get("language")).get("languages"))]
    years = [fields.get("year"), *(item.get("year") for item in (*series, *books))]
    isbn = tuple(isbn for book in books for item in listing(book.get("isbn")) for isbn in find_isbns(_number(item))[0])
    record = Record(
        source="zbmath",
        id=number,
        url=text(fields.get("zbmath_url")) or f"https://zbmath.org/{number}",
        title=title,
        subtitle=_shown(titles.get("subtitle")),
        other_titles=tuple(filter(None, (_shown(titles.get("original")), _shown(titles.get("addition"))))),
        authors=tuple(_people(people.get("authors"))),
        editors=tuple(_people(people.get("editors"))),
        years=tuple(dict.fromkeys(year for year in map(year_of, years) if year)),
        venues=tuple(dict.fromkeys(_venues(series, books))),
        type=_TYPES.get(text(mapping(fields.get("document_type")).get("code")), "other"),
        publisher=next((name for book in books if (name := _shown(book.get("publisher")))), ""),
        doi=doi,
        arxiv=eprint,
        volume=_shown(first.get("volume")),
        number=_shown(first.get("issue")),
        pages=_shown(source.get("pages")),
        isbn=isbn,
        issn=tuple(dict.fromkeys(filter(None, (_number(item) for item in listing(first.get("issn")))))),
        compiled=bool(doi or eprint) or languages != ["english"],
    )
    return frozenset({("zbl", number), ("doi", doi), ("arxiv", eprint)}), record


def _shown(value: object) -> str:
    """The value as plain text; empty where a licence forbids to show it."""
    stated = without_markup(text(value))
    return "" if _WITHHELD.search(stated) else stated


def _number(item: object) -> str:
    """An ISBN or ISSN: a string, or an object with its ``number``."""
    return _shown(mapping(item).get("number")) or _shown(item)


def _people(stated: object) -> Iterator[Person]:
    for person in listing(stated):
        name = stated_name(_shown(mapping(person).get("name")))
        family, comma, given = name.partition(",")
        if name:
            yield Person(family=family.strip(), given=given.strip()) if comma else undivided(name)


def _venues(series: list[Mapping[str, Any]], books: list[Mapping[str, Any]]) -> Iterator[str]:
    """The names of the journal, with and without the number of its series, and those of the book."""
    for item in series:
        for name in filter(None, (_shown(item.get("title")), _shown(item.get("short_title")))):
            bare = _SERIES.sub("", name)
            yield from (bare, name)
    for book in books:
        yield from filter(None, [_shown(book.get("title"))])
