"""The local Open Library, and what the source reads from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, Unavailable
from pytest_citecheck.sources import OPEN_LIBRARY, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.open_library import OpenLibrary

if TYPE_CHECKING:
    from collections.abc import Sequence

FACTS = load_facts(FACTS_FILE)
BOOKS = [work for work in FACTS.works if work.isbn and work.type in ("book", "monograph")]
DEEP = "9780262035613"


def ask(queries: Sequence[Query], facts: Facts = FACTS, *, shift: int = 0) -> dict[Query, Answer]:
    url = urlsplit(OPEN_LIBRARY.request(queries).url)
    reply = OpenLibrary(facts, shift=shift).answer(url.path, dict(parse_qsl(url.query)))
    return OPEN_LIBRARY.parse(queries, Response(reply.status, reply.body))


def test_there_are_enough_books() -> None:
    assert len(BOOKS) > 3


def test_every_number_of_a_book_leads_to_it_and_what_is_no_book_is_left_out() -> None:
    chapter = next(work for work in FACTS.works if work.isbn and work.type == "book-chapter")
    owners = {Query("isbn", isbn): book for book in BOOKS for isbn in book.isbn}
    missing = [Query("isbn", isbn) for isbn in chapter.isbn]
    answers = ask([*owners, *missing])
    for query, book in owners.items():
        answer = answers[query]
        assert isinstance(answer, Found)
        (record,) = answer.records
        assert record.title + (f": {record.subtitle}" if record.subtitle else "") == book.title
        assert list(map(str, record.authors)) == list(map(str, book.authors))
        assert record.years == book.issued[:1]
        assert (record.publisher, record.isbn) == (book.publisher, book.isbn)
    assert all(answers[query] == Absent() for query in missing)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.id)
def test_books_are_found_by_title_and_author(book: Work) -> None:
    query = Query("title", book.title, (book.authors[0].family,))
    answer = ask([query])[query]
    assert isinstance(answer, Found)
    assert (book.issued[0], book.publisher) in [(record.years[0], record.publisher) for record in answer.records]
    for other in (Query("title", book.title, ("Nobody",)), Query("title", "Zyzzyva", (book.authors[0].family,))):
        assert ask([other])[other] == Absent()


def test_who_edited_a_book_is_stated_in_words() -> None:
    editor = Name(given="Ada", family="O'Neil")
    book = Work(
        "x", "Essays", "edited-book", editors=(editor,), publisher="P", issued=(2001, 2, 3), isbn=(DEEP, "0262035618")
    )
    query = Query("isbn", DEEP)
    answer = ask([query], Facts((book,)))[query]
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert (record.authors, list(map(str, record.editors)), record.years) == ((), ["Ada O'Neil"], (2001,))


def test_a_search_sends_the_fields_that_are_asked_for() -> None:
    reply = OpenLibrary(FACTS).answer("/search.json", {"title": "deep learning", "fields": "key,title", "limit": "1"})
    assert [sorted(doc) for doc in json.loads(reply.body)["docs"]] == [["key", "title"]]


def test_everything_else_is_a_page() -> None:
    reply = OpenLibrary(FACTS).answer("/api/books", {"bibkeys": f"ISBN:{DEEP}"})
    assert (reply.status, reply.content_type) == (404, "text/html; charset=utf-8")


def test_misfiled_answers_are_refused() -> None:
    query = Query("isbn", DEEP)
    assert isinstance(ask([query], shift=1)[query], Unavailable)
