"""Overlong records are rejected; long author lists are truncated and marked."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pytest_citecheck.matching import MOST_AUTHORS, MOST_STATED, longest
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryResult, Record, Unavailable
from pytest_citecheck.net import AnswerJsonError, decode, encode, read_response
from pytest_citecheck.sources import Response, Source, within_lengths

QUESTION = Query("title", "On Nothing")


def record(**stated: Any) -> Record:
    return Record("crossref", "1", **{"title": "On Nothing", **stated})


@pytest.mark.parametrize(
    "stated",
    [
        {"title": "a" * longest("title")},
        {"venues": ("v" * longest("venues"),)},
        {"venues": ("v",) * MOST_STATED},
        {"doi": "1" * longest("doi")},
        {"authors": (Person(literal="n" * longest("literal")),)},
        {"authors": (Person(family="Li"),) * MOST_AUTHORS},
    ],
)
def test_up_to_the_limit_a_record_is_as_it_was(stated: dict[str, Any]) -> None:
    answer = Found((record(**stated),), "scope")
    assert within_lengths(answer) is answer


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"title": "a" * (longest("title") + 1)}, "5,001 characters as its title"),
        ({"venues": ("v" * (longest("venues") + 1),)}, "characters in its venues"),
        ({"venues": ("v",) * (MOST_STATED + 1)}, "1,001 venues"),
        ({"other_titles": ("a" * 10**6,)}, "1,000,000 characters in its other_titles"),
        ({"doi": "1" * (longest("doi") + 1)}, "characters as its doi"),
        ({"authors": (Person(given="n" * (longest("given") + 1)),)}, "a name of 5,001 characters"),
    ],
)
def test_beyond_it_the_answer_is_malformed_and_never_an_absence(stated: dict[str, Any], told: str) -> None:
    answer = within_lengths(Found((record(), record(**stated)), "scope"))
    assert isinstance(answer, Unavailable)
    assert answer.reason == "malformed"
    assert told in answer.detail
    assert len(answer.detail) < 300


def test_a_longer_list_of_authors_is_cut_and_accuses_nobody() -> None:
    answer = within_lengths(Found((record(authors=(Person(family="Li"),) * (MOST_AUTHORS + 1)),)))
    assert isinstance(answer, Found)
    (cut,) = answer.records
    assert len(cut.authors) == MOST_AUTHORS
    assert not cut.authors_complete


@pytest.mark.parametrize("answer", [Absent("all"), Unavailable("timeout")])
def test_other_answers_pass(answer: Answer) -> None:
    assert within_lengths(answer) is answer


class Hostile:
    """A service that returns a title of ten million characters in every record."""

    name = label = "hostile"

    def parse(self, queries: list[Query], response: Response) -> dict[Query, Answer]:
        return dict.fromkeys(queries, Found((record(title="word " * 2_000_000),)))


def test_what_a_service_answers_is_measured_where_it_enters() -> None:
    answers = read_response(cast("Source", Hostile()), [QUESTION], Response(200, b"{}"))
    assert isinstance(answers, dict)
    answer = answers[QUESTION]
    assert isinstance(answer, Unavailable)
    assert answer.reason == "malformed"


def test_no_longer_record_comes_out_of_a_cache() -> None:
    stored = encode(QueryResult("crossref", QUESTION, Found((record(title="a" * 10**6),))))
    with pytest.raises(AnswerJsonError, match="longer"):
        decode(stored)
