"""Open Library: books by ISBN and by title.

Written from the documentation (openlibrary.org/developers/api) and not from recorded answers, so it accepts documented
forms only. Users contribute its records and machines import them, so it compiles. Absence: a book that no user has entered
yet is left out of the answer; so it is no evidence. Author order: as somebody entered it, says nothing. Limits: 1 request a
second, 3 for those whose User-Agent names an address.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import find_isbns, lazy_pattern, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record, Unavailable
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response, Role, Source, TitleSearch
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    mapping,
    parameter,
    parse_json,
    query_url,
    stated_name,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_HITS = 5
_OPERATORS = frozenset({"AND", "OR", "NOT"})  # of its queries
_MOST_WORDS = 25


class OpenLibrary(Source):
    """Open Library's Books and Search APIs as a source of records (see the module)."""

    name = "open_library"
    label = "Open Library"
    base_url = "https://openlibrary.org"
    documentation = "https://openlibrary.org/developers/api"
    batch: Mapping[QueryKind, int] = {"isbn": 40, "title": 1}
    keeps_author_order = False
    rate = Rate(per_second=1.0, concurrency=1)
    contact_rate = Rate(per_second=3.0, concurrency=1)
    limits = "1 request a second; 3 with a contact address"
    absence = "no evidence: users enter its records, and other sources are queried anyway; titles have no control"
    derives_from = ("loc",)
    role = Role(looks_up=("isbn",), titles=(TitleSearch("single", 8, works=("book",)),))
    # The book in the examples of the documentation.
    controls: Mapping[QueryKind, Query] = {"isbn": Query("isbn", "9780201558029")}

    def request(self, queries: Sequence[Query]) -> Request:
        """``api/books?bibkeys=ISBN:…`` for ISBNs, else ``search.json`` for the title without its subtitle."""

        first = queries[0]
        if first.kind == "isbn":
            url = query_url(
                f"{self.base_url}/api/books",
                ("bibkeys", ",".join(map(_bibkey, queries))),
                ("format", "json"),
                ("jscmd", "data"),
            )
            return Request(self.name, url)
        words = (word.lower() if word in _OPERATORS else word for word in _title_words(first)[:_MOST_WORDS])
        wanted = [("title", " ".join(words))]
        wanted += [("author", " ".join(plain_words(name))) for name in first.authors[:1] if plain_words(name)]
        url = query_url(f"{self.base_url}/search.json", *wanted, ("fields", FIELDS), ("limit", _HITS))
        return Request(self.name, url)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but editions by ``bibkey`` and whole lists of works."""
        body = parse_json(response.body)
        if response.status >= 300 or not isinstance(body, dict) or "error" in body:
            raise MalformedAnswerError(f"Open Library refused the request with status {response.status}")
        if queries[0].kind == "isbn":
            if any(not name.startswith("ISBN:") for name in body):
                raise MalformedAnswerError("Open Library's answer contains other things than books by ISBN")
            return {query: _edition(query, mapping(body)) for query in queries}
        return answered(
            self.label, queries, _works(mapping(body)), open_library_record, lambda _, records: answer_with(records)
        )

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that look up each ISBN of a list alone."""
        keys = parameter(request.url, "bibkeys")
        if not keys:
            return (request,)
        return tuple(self.request([Query("isbn", key.removeprefix("ISBN:"))]) for key in keys.split(","))


def _bibkey(query: Query) -> str:
    return f"ISBN:{query.value}"


def _title_words(query: Query) -> tuple[str, ...]:
    """Those before the colon, as titles and subtitles are kept apart, if an author makes up for the rest."""
    title = plain_words(query.value.partition(":")[0]) if query.authors else ()
    return title or plain_words(query.value)


def _edition(query: Query, body: Fields) -> Answer:

    if _bibkey(query) not in body:
        return Absent()
    record = parse_edition(body[_bibkey(query)])
    if record is None or query.value not in record.isbn:
        # A misplaced book is no evidence about the others in the answer.
        return Unavailable("malformed", f"Open Library's book for {query.value} is another one or has no title")
    return Found((record,))


def _works(body: Fields) -> list[Any]:
    """Works of a search; their number must match its count."""

    docs, total = body.get("docs"), body.number("numFound")
    if not isinstance(docs, list) or total is None:
        raise MalformedAnswerError("Open Library's answer is not a list of works")
    if len(docs) < min(total, _HITS):
        raise MalformedAnswerError(f"Open Library's answer contains {len(docs)} of {total} works")
    return docs


OPEN_LIBRARY = OpenLibrary()


FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher"
"""Requested fields of each work that a search finds."""

# A classic has hundreds of editions; the first publishers are the ones that people cite.
_MOST_PUBLISHERS = 10
_EDITED = lazy_pattern(r"\s*(?:\[?edited|editors?\b|\(?eds?\.)", re.IGNORECASE)


def parse_edition(edition: object) -> Record | None:
    """The record of one edition (the value of a ``bibkey``), or None if it has no key or no title."""
    fields = mapping(edition)
    people = _people(mapping(author).text("name") for author in fields.all("authors"))
    publishers = [mapping(publisher).text("name") for publisher in fields.all("publishers")]
    edited = _EDITED.match(fields.text("by_statement")) is not None
    numbers = fields.at("identifiers")
    return _book(
        fields,
        authors=() if edited else people,
        editors=people if edited else (),
        years=(fields.year("publish_date"), fields.year("first_publish_year")),
        publishers=publishers,
        isbn=_isbns([*numbers.texts("isbn_13"), *numbers.texts("isbn_10")]),
    )


def open_library_record(work: object) -> Record | None:
    """The record of one work (an item of ``docs``), or None if it has no key or no title.

    It represents all editions: the year of the first edition comes first, then all years.
    """
    fields = mapping(work)
    return _book(
        fields,
        authors=_people(fields.texts("author_name")),
        editors=(),
        years=[fields.year("first_publish_year"), *sorted(unique(map(year_of, fields.all("publish_year"))))],
        publishers=fields.texts("publisher"),
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
    key, title = fields.text("key"), fields.plain("title")
    if not key.startswith("/") or not title:
        return None
    names = list(dict.fromkeys(filter(None, map(without_markup, publishers))))
    return Record(
        source="open_library",
        id=key,
        url=f"https://openlibrary.org{key}",
        title=title,
        subtitle=fields.plain("subtitle"),
        authors=authors,
        # Users enter one author of a book and put the others among the contributors, which the answer lacks.
        authors_complete=False,
        editors=editors,
        years=unique(years),
        type="book",
        publisher="; ".join(names[:_MOST_PUBLISHERS]),
        isbn=isbn,
        compiled=True,
    )


def _people(names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(undivided(name) for name in map(stated_name, names) if name)


def _isbns(values: Iterable[str]) -> tuple[str, ...]:
    """All valid numbers, as 13 digits."""
    return tuple(dict.fromkeys(number for value in values for number in find_isbns(value)[0]))
