"""Open Library: requests, editions and works as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record, Unavailable
from pytest_citecheck.sources import OPEN_LIBRARY, MalformedAnswerError, Response, open_library_record, parse_edition

DEEP, ELEMENTS = Query("isbn", "9780262035613"), Query("isbn", "9780387848570")
TITLE = Query("title", "The Elements of Statistical Learning: Data Mining", ("Hastie",))

EDITION: dict[str, Any] = {
    "url": "https://openlibrary.org/books/OL25981733M/Deep_Learning",
    "key": "/books/OL25981733M",
    "title": "Deep &amp; Learning",
    "subtitle": "a textbook",
    "authors": [{"url": "https://openlibrary.org/authors/OL1A", "name": "Ian Goodfellow"}, {"name": "Yoshua Bengio"}],
    "identifiers": {"isbn_10": ["0262035618"], "openlibrary": ["OL25981733M"]},
    "publishers": [{"name": "The MIT Press"}, {"name": "MIT Press"}],
    "publish_date": "Nov 18, 2016",
}
WORK: dict[str, Any] = {
    "key": "/works/OL1W",
    "title": "The Elements of Statistical Learning",
    "author_name": ["Trevor Hastie", "Robert Tibshirani"],
    "first_publish_year": 2001,
    "publish_year": [2017, 2009, 2001, "unknown"],
    "publisher": ["Springer", "Springer New York", "Springer"],
}


def edition(**changes: Any) -> Record:
    parsed = parse_edition(EDITION | changes)
    assert parsed is not None
    return parsed


def ask(query: Query, body: object, status: int = 200) -> Answer:
    return OPEN_LIBRARY.parse([query], Response(status, json.dumps(body).encode()))[query]


def listed(*docs: object, total: object = None) -> dict[str, object]:
    return {"numFound": len(docs) if total is None else total, "start": 0, "docs": docs}


def test_an_edition() -> None:
    assert edition() == Record(
        source="open_library",
        id="/books/OL25981733M",
        url="https://openlibrary.org/books/OL25981733M",
        title="Deep & Learning",
        subtitle="a textbook",
        authors=(Person(literal="Ian Goodfellow"), Person(literal="Yoshua Bengio")),
        authors_complete=False,
        years=(2016,),
        type="book",
        publisher="The MIT Press; MIT Press",
        isbn=("9780262035613",),
        compiled=True,
    )


def test_a_work_stands_for_all_its_editions() -> None:
    found = open_library_record(WORK)
    assert found is not None
    assert found.years == (2001, 2009, 2017)
    assert found.publisher == "Springer; Springer New York"
    assert list(map(str, found.authors)) == ["Trevor Hastie", "Robert Tibshirani"]
    assert (found.type, found.compiled, found.isbn) == ("book", True, ())


@pytest.mark.parametrize(
    ("date", "years"),
    [("2016", (2016,)), ("November 2016", (2016,)), ("2016-11-18", (2016,)), ("18/11/16", ()), (None, ())],
)
def test_dates(date: object, years: tuple[int, ...]) -> None:
    assert edition(publish_date=date).years == years


@pytest.mark.parametrize(
    "statement", ["edited by Ian Goodfellow", "[edited by] X", "Editors, X", "(eds.) X", "ed. by X"]
)
def test_who_edited_is_no_author(statement: str) -> None:
    found = edition(by_statement=statement)
    assert (found.authors, len(found.editors)) == ((), 2)


def test_other_statements_leave_the_authors() -> None:
    for statement in ("by Ian Goodfellow", "Ian Goodfellow ; edited by X", "Edith Wharton"):
        assert len(edition(by_statement=statement).authors) == 2


def test_books_are_found_by_any_of_their_numbers_and_the_others_are_absent() -> None:
    body = json.dumps({"ISBN:9780262035613": EDITION}).encode()
    answers = OPEN_LIBRARY.parse([DEEP, ELEMENTS], Response(200, body))
    assert answers == {DEEP: Found((edition(),)), ELEMENTS: Absent()}
    assert ask(DEEP, {}) == Absent()


@pytest.mark.parametrize(
    "wrong",
    [
        EDITION | {"identifiers": {"isbn_13": ["9780387848570"]}},
        EDITION | {"identifiers": {"isbn_10": ["0262035619"]}},
        EDITION | {"identifiers": None},
        EDITION | {"title": ""},
        EDITION | {"key": None},
        None,
        [],
    ],
)
def test_another_book_is_never_the_answer_and_leaves_the_rest_of_the_batch(wrong: object) -> None:
    good = EDITION | {"identifiers": {"isbn_13": ["978-0-387-84857-0"]}}
    body = json.dumps({"ISBN:9780262035613": wrong, "ISBN:9780387848570": good}).encode()
    answers = OPEN_LIBRARY.parse([DEEP, ELEMENTS], Response(200, body))
    assert isinstance(answers[DEEP], Unavailable)
    assert isinstance(answers[ELEMENTS], Found)


def test_works_of_a_search() -> None:
    answer = ask(TITLE, listed(WORK, {"key": "/works/OL2W"}))
    assert isinstance(answer, Found)
    assert [found.id for found in answer.records] == ["/works/OL1W"]
    assert ask(TITLE, listed()) == Absent()
    assert isinstance(ask(TITLE, listed(*[WORK] * 5, total=80)), Found)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (listed(WORK, total=3), 200),
        (listed(total=3), 200),
        (listed(total="many"), 200),
        (listed(1, None, {"title": "X"}), 200),
        ({"numFound": 0}, 200),
        ({"error": "Solr is down", "numFound": 0, "docs": []}, 200),
        (listed(), 404),
        ([], 200),
    ],
)
def test_searches_that_are_not_whole_are_refused(body: object, status: int) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, body, status)


@pytest.mark.parametrize(
    ("body", "status"),
    [({"error": "notfound", "key": "/api/books"}, 200), ({"OL1M": EDITION}, 200), ({}, 404), ({}, 400), ([], 200)],
)
def test_other_answers_to_numbers_are_refused(body: object, status: int) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(DEEP, body, status)


def query(*queries: Query) -> dict[str, list[str]]:
    return parse_qs(urlsplit(OPEN_LIBRARY.request(queries).url).query)


def test_requests() -> None:
    assert query(DEEP, ELEMENTS) == {
        "bibkeys": ["ISBN:9780262035613,ISBN:9780387848570"],
        "format": ["json"],
        "jscmd": ["data"],
    }
    assert query(TITLE)["title"] == ["The Elements of Statistical Learning"]
    assert query(TITLE)["author"] == ["Hastie"]
    assert query(TITLE)["limit"] == ["5"]
    without_author = query(Query("title", "Probability: Theory and Examples", ("?",)))
    assert "author" not in without_author
    assert query(Query("title", "Probability: Theory and Examples"))["title"] == ["Probability Theory and Examples"]


def test_a_batch_is_made_of_its_single_questions() -> None:
    singles = OPEN_LIBRARY.singles(OPEN_LIBRARY.request([DEEP, ELEMENTS]))
    assert singles == tuple(OPEN_LIBRARY.request([query]) for query in (DEEP, ELEMENTS))


@pytest.mark.parametrize("value", ["", "0262035618", "9780262035614", "978-0262035613", "9780262035613,9780387848570"])
def test_only_normal_valid_numbers_are_asked(value: str) -> None:
    assert not OPEN_LIBRARY.accepts(Query("isbn", value))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "isbn_13"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@pytest.mark.exhaustive
@given(st.dictionaries(st.sampled_from([*EDITION, *WORK, "by_statement"]), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, Any]) -> None:
    for parse, stated in ((parse_edition, EDITION), (open_library_record, WORK)):
        found = parse({**stated, **fields, "key": "/books/OL1M", "title": "T"})
        assert found is not None
        assert (found.title, found.compiled) == ("T", True)
        assert all(1400 <= year < 2100 for year in found.years)


def test_operators_in_a_title_are_words() -> None:
    url = OPEN_LIBRARY.request([Query("title", "WAR AND PEACE OR NOT")]).url
    assert parse_qs(urlsplit(url).query)["title"] == ["WAR and PEACE or not"]
