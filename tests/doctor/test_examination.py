"""A control is found at every source, and a record that lacks a field of it is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.doctor import judged
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record, Unavailable
from pytest_citecheck.net import Reply, as_response
from pytest_citecheck.sources import SOURCES, MalformedAnswerError, Response, Source
from tests.stand_ins.facts import Facts
from tests.stand_ins.server import HOLDING_WORKS, LocalServices
from tests.stand_ins.venue_year_lists import LISTS
from tests.support.transport_support import FakeSource

DOI, TITLE = Query("doi", "10.1/x"), Query("title", "Tides of the sea")
WHOLE = Record(
    "fake", "10.1/x", title="Tides of the sea", authors=(Person("Lovelace", "Ada"),), years=(1999,), venues=("Sea",)
)


class Reader(FakeSource):
    """Gives the same answer to every response; raises it if it is an exception."""

    authoritative_for = ("identifier", "title", "authors", "year", "venue")

    def __init__(self, answer: Answer | Exception) -> None:
        super().__init__()
        self.answer = answer

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict.fromkeys(queries, self.answer)


def state(
    answer: Answer | Exception, query: Query = DOI, status: int = 200, *, walled: bool = False
) -> tuple[str, str]:
    found = judged(Reader(answer), query, Reply("", None, Response(status, b"{}"), walled=walled), has_key=False)
    return found.state, found.detail


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ({"title": ""}, "title"),
        ({"authors": ()}, "authors"),
        ({"years": ()}, "year"),
        ({"venues": (), "years": ()}, "year, venue"),
    ],
)
def test_a_field_that_is_no_longer_read_is_named(lost: dict[str, object], said: str) -> None:
    assert state(Found((replace(WHOLE, **lost),))) == ("shape changed", f"no longer read: {said}")  # type: ignore[arg-type]
    assert state(Found((replace(WHOLE, **lost), WHOLE))) == ("reachable", "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "query", "expected"),
    [
        (Found((WHOLE,)), DOI, "reachable"),
        (Found((Record("fake", "7", pmid="7"),)), TITLE, "reachable"),  # a search that gives identifiers alone
        (Found((Record("fake", "7", pmid="7"),)), DOI, "shape changed"),
        (Found((replace(WHOLE, title="Looms and engines"),)), TITLE, "control not found"),
        (Absent("it has none"), DOI, "control not found"),
        (Found(()), DOI, "control not found"),
        (MalformedAnswerError("no DOI"), DOI, "shape changed"),
        (KeyError("DOI"), DOI, "shape changed"),
        (Unavailable("malformed", "cut"), DOI, "shape changed"),
    ],
)
def test_the_state_of_an_answer(answer: Answer | Exception, query: Query, expected: str) -> None:
    assert state(answer, query)[0] == expected


@pytest.mark.parametrize(
    ("status", "walled", "expected"),
    [
        (200, True, "walled"),
        (429, False, "rate-limited"),
        (401, False, "refused"),
        (500, False, "failing"),
        (404, False, "failing"),
    ],
)
def test_the_state_of_a_refusal(status: int, walled: bool, expected: str) -> None:
    assert state(MalformedAnswerError("no DOI"), DOI, status, walled=walled)[0] == expected


def test_each_source_with_works_has_a_sample_of_one_kind_at_least() -> None:
    assert [source.name for source in SOURCES if not source.samples()] == ["web_page"]  # which answers for any address


def standing_in(services: LocalServices, source: Source, query: Query) -> Response:
    """The answer of the local service to this query alone."""
    request = source.request([query])
    path = f"/{source.name}{request.url.removeprefix(source.base_url)}"
    method = "POST" if request.body else "GET"
    _, reply = services.respond(method, path, {"host": urlsplit(request.url).netloc}, request.body)
    return as_response(reply.status, {"content-type": reply.content_type, **reply.headers}, reply.body)


@pytest.mark.parametrize(
    "source",
    [one for one in SOURCES if one.samples() and one.name in {*HOLDING_WORKS, *LISTS}],
    ids=lambda one: one.name,
)
def test_each_source_shows_its_controls_with_all_their_fields(source: Source) -> None:
    with LocalServices(Facts(())) as services:
        for query in source.samples().values():
            reply = Reply("", None, standing_in(services, source, query))
            found = judged(source, query, reply, has_key=False)
            assert (found.state, found.detail) == ("reachable", ""), query
