"""INSPIRE, zbMATH and ADS answer many queries with one page: assignment of the results, and no false absences."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, Unavailable
from pytest_citecheck.sources import MalformedAnswerError, Response, source

HIGGS = Query("doi", "10.1103/physrevlett.13.508")
OTHER = Query("doi", "10.1103/physrevlett.13.999")
NAMES = ("inspire", "zbmath", "ads")
RESULT: dict[str, dict[str, Any]] = {
    "inspire": {
        "id": "12",
        "metadata": {
            "control_number": 12,
            "titles": [{"title": "Broken Symmetries and the Masses of Gauge Bosons"}],
            "dois": [{"value": "10.1103/PhysRevLett.13.508"}],
        },
    },
    "zbmath": {
        "id": 12,
        "identifier": "1234.56789",
        "title": {"title": "Broken Symmetries and the Masses of Gauge Bosons"},
        "links": [{"type": "doi", "identifier": "10.1103/PhysRevLett.13.508"}],
    },
    "ads": {
        "bibcode": "1964PhRvL..13..508H",
        "title": ["Broken Symmetries and the Masses of Gauge Bosons"],
        "doi": ["10.1103/PhysRevLett.13.508"],
    },
}


def page(name: str, results: list[Any], total: object) -> bytes:
    bodies: dict[str, Any] = {
        "inspire": {"hits": {"hits": results, "total": total}},
        "zbmath": {"result": results, "status": {"nr_total_results": total, "status_code": 200}},
        "ads": {"responseHeader": {"status": 0}, "response": {"numFound": total, "docs": results}},
    }
    return json.dumps(bodies[name]).encode()


def parse(name: str, body: bytes, *queries: Query, status: int = 200) -> dict[Query, Answer]:
    return source(name).parse(queries, Response(status, body))


@pytest.mark.parametrize("name", NAMES)
def test_a_result_answers_the_question_whose_identifier_it_names_and_the_others_are_absent_from_no_scope(
    name: str,
) -> None:
    answers = parse(name, page(name, [RESULT[name]], 1), HIGGS, OTHER)
    assert isinstance(found := answers[HIGGS], Found)
    assert [record.doi for record in found.records] == [HIGGS.value]
    assert found.records[0].compiled
    assert answers[OTHER] == Absent()
    assert found.scope == ""


@pytest.mark.parametrize("name", NAMES)
def test_beside_a_result_that_cannot_be_read_nothing_is_absent(name: str) -> None:
    answers = parse(name, page(name, [RESULT[name], {"id": 7}], 2), HIGGS, OTHER)
    assert isinstance(answers[HIGGS], Found)
    assert isinstance(answers[OTHER], Unavailable)


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_fit_on_the_page_is_asked_again(name: str) -> None:
    answers = parse(name, page(name, [RESULT[name]] * 100, 140), HIGGS, OTHER)
    assert answers[OTHER] == Unavailable("not-asked", answers[OTHER].detail)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("results", "total"), [([], 3), ([1, None], 2), ([], None), ("x", 0), ([], "many")], ids=repr)
def test_a_page_that_is_not_whole_is_no_answer(name: str, results: list[Any], total: object) -> None:
    with pytest.raises(MalformedAnswerError):
        parse(name, page(name, results, total), HIGGS, OTHER)


def test_only_its_own_404_says_that_zbmath_has_nothing() -> None:
    none = b'{"result": null, "status": {"status_code": 404, "internal_code": "x"}}'
    assert parse("zbmath", none, HIGGS, status=404) == {HIGGS: Absent()}
    for body in (b'{"detail": "Not Found"}', b'{"result": [1], "status": {"status_code": 404}}', b"{}"):
        with pytest.raises(MalformedAnswerError):
            parse("zbmath", body, HIGGS, status=404)


@pytest.mark.parametrize("name", NAMES)
def test_batches_come_apart_into_the_requests_of_their_questions(name: str) -> None:
    asked = source(name)
    titles = [
        Query("title", "Anti de Sitter space and holography in four dimensions", ("Witten",)),
        Query("title", "Particle creation by black holes", ("Hawking",)),
    ]
    for queries in ([HIGGS, OTHER], titles):
        request = asked.request(queries)
        assert asked.singles(request) == tuple(asked.request([query]) for query in queries)
    short = Query("title", "Supergravity", ("O'Raifeartaigh",))
    assert asked.request([titles[0], short]) == asked.request([titles[0]])
    assert "raifeartaigh" in asked.request([short]).url


@pytest.mark.parametrize("name", NAMES)
def test_a_doi_that_would_bend_the_query_is_not_asked_for(name: str) -> None:
    assert not source(name).accepts(Query("doi", '10.1000/a" or doi:10.1000/b'))
