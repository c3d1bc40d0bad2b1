"""The local Europe PMC: searches by identifier and title; and what the source reads in them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import EUROPE_PMC, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.europe_pmc import EuropePmc

FACTS = load_facts(FACTS_FILE)
SERVICE = EuropePmc(FACTS)
HELD = [work for work in FACTS.works if work.pmid]
QUESTIONS = {"doi": "10.1038/nature14539", "pmid": "26017442", "pmcid": "PMC8371605"}


def ask(*queries: Query, service: EuropePmc = SERVICE) -> dict[Query, Answer]:
    url = urlsplit(EUROPE_PMC.request(queries).url)
    reply = service.answer(url.path.removeprefix("/europepmc/webservices/rest"), dict(parse_qsl(url.query)))
    return EUROPE_PMC.parse(queries, Response(reply.status, reply.body))


def search(query: str, **parameters: str) -> Any:
    reply = SERVICE.answer("/search", {"query": query, "resultType": "core", "format": "json"} | parameters)
    return json.loads(reply.body)


def test_every_work_is_read_as_the_facts_have_it() -> None:
    queries = [Query("pmid", work.pmid) for work in HELD]
    answers = ask(*queries)
    for query, work in zip(queries, HELD, strict=True):
        answer = answers[query]
        assert isinstance(answer, Found), work.id
        (record,) = answer.records
        assert record.title == work.title.removesuffix(".")
        assert (record.doi, record.pmid) == (work.doi.lower(), work.pmid)
        assert [person.family or person.literal for person in record.authors] == [
            name.family or name.literal for name in work.authors
        ]
        assert record.years[0] == (work.print or work.issued)[0]
        assert work.container in record.venues
        assert [notice.doi for notice in record.notices] == [notice.doi.lower() for notice in work.notices]
        assert not record.compiled


@pytest.mark.parametrize(("kind", "value"), QUESTIONS.items())
def test_identifiers(kind: Any, value: str) -> None:
    known, nobody = Query(kind, value), Query(kind, value[:-1] + "1")
    answers = ask(known, nobody)
    assert isinstance(answers[known], Found)
    assert answers[nobody] == Absent()


@pytest.mark.parametrize(("kind", "value"), QUESTIONS.items())
def test_a_service_that_misfiles_is_never_believed(kind: Any, value: str) -> None:
    query = Query(kind, value)
    assert ask(query, service=EuropePmc(FACTS, shift=1)) == {query: Absent()}


def test_titles_together() -> None:
    alphafold = Query("title", "Highly accurate protein structure prediction with AlphaFold")
    nothing = Query("title", "Quantum basket weaving under water for beginners")
    answers = ask(alphafold, nothing)
    found = answers[alphafold]
    assert isinstance(found, Found)
    assert [record.pmid for record in found.records] == ["34265844"]
    assert answers[nothing] == Absent()


def test_a_preprint_of_crossref() -> None:
    body = search('DOI:"10.1101/002832"')
    (result,) = body["resultList"]["result"]
    assert (result["source"], result["bookOrReportDetails"]["publisher"]) == ("PPR", "bioRxiv")
    query = Query("doi", "10.1101/002832")
    answer = ask(query)[query]
    assert isinstance(answer, Found)
    assert (answer.records[0].type, answer.records[0].compiled) == ("preprint", True)


def test_a_page_counts_what_it_leaves_out() -> None:
    body = search("SRC:MED", pageSize="2")
    assert len(body["resultList"]["result"]) == 2 < body["hitCount"]
    assert "nextCursorMark" in body
    assert "nextCursorMark" not in search('DOI:"10.1038/nature14539"')


def test_what_is_refused() -> None:
    assert search("(TITLE:x")["errCode"] == 404
    assert SERVICE.answer("/search", {"query": "x", "format": "xml"}).status == 400
    assert SERVICE.answer("/fields", {}).status == 404
