"""The local Open Library: ``/api/books`` by ISBN with ``jscmd=data``, and ``/search.json``.

Written after the documentation (openlibrary.org/dev/docs/api/books and /search): books that it does not have are left out
of an answer, every number of an edition leads to it, and a search wants all words of the title and of the author.
"""

from __future__ import annotations

import calendar
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_BOOKS = frozenset({"book", "monograph", "edited-book", "reference-book"})
_DEFAULT_LIMIT = 100
_LENGTH_OF_ISBN_13 = 13


class OpenLibrary:
    """Open Library's answers to GET requests. With ``shift``, every book found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._books = [work for work in facts.works if work.type in _BOOKS]
        self._shift = shift
        self._positions = {isbn: position for position, book in enumerate(self._books) for isbn in book.isbn}

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path == "/api/books" and parameters.get("jscmd") == "data" and parameters.get("format") == "json":
            asked = parameters.get("bibkeys", "").split(",")
            known = {key: self._positions.get(key.removeprefix("ISBN:")) for key in asked}
            found = {key: _edition(self._book(position)) for key, position in known.items() if position is not None}
            return json_reply(200, _JSON, found)
        if path == "/search.json":
            return self._search(parameters)
        return Reply(404, "text/html; charset=utf-8", b"<!DOCTYPE html><html><body>404 - Page Not Found</body></html>")

    def _book(self, position: int) -> Work:
        return self._books[(position + self._shift) % len(self._books)]

    def _search(self, parameters: Parameters) -> Reply:
        title, author = set(words(parameters.get("title", ""))), set(words(parameters.get("author", "")))
        found = [i for i, book in enumerate(self._books) if _matches(book, title, author)]
        fields = parameters.get("fields", "key,title").split(",")
        shown = [_work(self._book(i), fields) for i in found[: int(parameters.get("limit", _DEFAULT_LIMIT))]]
        counts = {"numFound": len(found), "start": 0, "numFoundExact": True, "num_found": len(found)}
        return json_reply(200, _JSON, counts | {"q": "", "offset": None, "docs": shown})


def _matches(book: Work, title: set[str], author: set[str]) -> bool:
    names = {word for name in (*book.authors, *book.editors) for word in words(str(name))}
    return title <= set(words(book.title)) and author <= names


def _titles(book: Work) -> dict[str, str]:
    title, _, subtitle = book.title.partition(": ")
    return {"title": title} | ({"subtitle": subtitle} if subtitle else {})


def _key(book: Work, letter: str) -> str:
    return f"OL{1_000_000 + stable_number(book.id + letter, 30_000_000)}{letter}"


def _edition(book: Work) -> dict[str, Any]:
    key = _key(book, "M")
    short = [isbn for isbn in book.isbn if len(isbn) < _LENGTH_OF_ISBN_13]
    long = [isbn for isbn in book.isbn if len(isbn) == _LENGTH_OF_ISBN_13]
    numbers = {"isbn_10": short, "isbn_13": long, "openlibrary": [key]}
    year, month, day = (*book.issued, 0, 0)[:3]
    date = f"{calendar.month_abbr[month]} {day}, {year}" if day else f"{calendar.month_name[month]} {year}".strip()
    edition: dict[str, Any] = {"url": f"https://openlibrary.org/books/{key}/{book.id}", "key": f"/books/{key}"}
    edition |= _titles(book)
    people: Sequence[Any] = book.authors or book.editors
    addresses = [f"https://openlibrary.org/authors/OL{stable_number(str(name), 9_000_000)}A" for name in people]
    edition["authors"] = [{"url": url, "name": str(name)} for url, name in zip(addresses, people, strict=True)]
    if not book.authors:
        edition["by_statement"] = "edited by " + ", ".join(map(str, people))
    edition["identifiers"] = {name: values for name, values in numbers.items() if values}
    return edition | {"publishers": [{"name": book.publisher}], "publish_date": date}


def _work(book: Work, fields: Sequence[str]) -> dict[str, Any]:
    work: dict[str, Any] = {"key": f"/works/{_key(book, 'W')}"} | _titles(book)
    work["author_name"] = [str(name) for name in book.authors]
    work |= {"first_publish_year": book.issued[0], "publish_year": [book.issued[0]], "publisher": [book.publisher]}
    return {name: value for name, value in work.items() if name in fields}
