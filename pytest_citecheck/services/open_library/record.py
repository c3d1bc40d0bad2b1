"""Books as Open Library describes them, editions (by ISBN) and works (by title), as records.

Source: Open Library Books API, ``jscmd=data`` (openlibrary.org/dev/docs/api/books), and Search API with the schema of its
``docs`` (openlibrary.org/dev/docs/api/search).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["FIELDS", "parse_edition", "parse_work"]

FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher"
"""What is asked of every work that a search finds."""

# A classic has hundreds of editions; the first publishers are the ones that people cite.
_MOST_PUBLISHERS = 10
_EDITED = lazy_pattern(r"\s*(?:\[?edited|editors?\b|\(?eds?\.)", re.IGNORECASE)


def parse_edition(edition: object) -> Record | None:
    """The record of one edition (the value of a ``bibkey``), or None if it has no key or no title."""
    fields = mapping(edition)
    people = _people(text(mapping(author).get("name")) for author in listing(fields.get("authors")))
    publishers = [text(mapping(publisher).get("name")) for publisher in listing(fields.get("publishers"))]
    edited = _EDITED.match(text(fields.get("by_statement"))) is not None
    numbers = mapping(fields.get("identifiers"))
    return _book(
        fields,
        authors=() if edited else people,
        editors=people if edited else (),
        years=(year_of(fields.get("publish_date")), year_of(fields.get("first_publish_year"))),
        publishers=publishers,
        isbn=_isbns([*texts(numbers.get("isbn_13")), *texts(numbers.get("isbn_10"))]),
    )


def parse_work(work: object) -> Record | None:
    """The record of one work (an item of ``docs``), or None if it has no key or no title.

    It stands for all editions: the year of the first comes first, then those of all.
    """
    fields = mapping(work)
    return _book(
        fields,
        authors=_people(texts(fields.get("author_name"))),
        editors=(),
        years=[year_of(fields.get("first_publish_year")), *sorted(_years(fields.get("publish_year")))],
        publishers=texts(fields.get("publisher")),
        isbn=(),
    )


def _book(
    fields: Any,
    *,
    authors: tuple[Person, ...],
    editors: tuple[Person, ...],
    years: Iterable[int | None],
    publishers: Iterable[str],
    isbn: tuple[str, ...],
) -> Record | None:
    key, title = text(fields.get("key")), without_markup(text(fields.get("title")))
    if not key.startswith("/") or not title:
        return None
    names = list(dict.fromkeys(filter(None, map(without_markup, publishers))))
    return Record(
        source="open_library",
        id=key,
        url=f"https://openlibrary.org{key}",
        title=title,
        subtitle=without_markup(text(fields.get("subtitle"))),
        authors=authors,
        # Users enter one author of a book and put the others among the contributors, which are not given.
        authors_complete=False,
        editors=editors,
        years=tuple(dict.fromkeys(year for year in years if year)),
        type="book",
        publisher="; ".join(names[:_MOST_PUBLISHERS]),
        isbn=isbn,
        compiled=True,
    )


def _people(names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(undivided(name) for name in map(stated_name, names) if name)


def _years(values: object) -> set[int]:
    return {year for year in map(year_of, listing(values)) if year}


def _isbns(values: Iterable[str]) -> tuple[str, ...]:
    """All valid numbers, as 13 digits."""
    return tuple(dict.fromkeys(number for value in values for number in find_isbns(value)[0]))
