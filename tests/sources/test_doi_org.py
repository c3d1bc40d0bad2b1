"""doi.org: handles and registration agencies."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import unquote

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryResult, Record
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import DOI_ORG, DOI_RA, MalformedAnswerError, Rate, Response
from tests.stand_ins.server import LocalServices
from tests.support.transport_support import reply, serving

DOI = Query("doi", "10.1038/nature14539")
PREFIX = Query("prefix", "10.1038")
VALUES = [
    {"index": 100, "type": "HS_ADMIN", "data": {"format": "admin", "value": {"handle": "0.na/10.1038"}}},
    {"index": 1, "type": "URL", "data": {"format": "string", "value": "https://www.nature.com/articles/nature14539"}},
]


def handle(status: int = 200, **body: object) -> Answer:
    full = {"responseCode": 1, "handle": "10.1038/NATURE14539", **body}
    return DOI_ORG.parse([DOI], Response(status, json.dumps(full).encode()))[DOI]


def agency(item: object) -> Answer:
    return DOI_RA.parse([PREFIX], Response(200, json.dumps([item]).encode()))[PREFIX]


def test_a_registered_doi() -> None:
    target = "https://www.nature.com/articles/nature14539"
    assert handle(values=VALUES) == Found((Record(source="doi_org", id=DOI.value, url=target, doi=DOI.value),))


@pytest.mark.parametrize("values", [None, [], [3], [{"type": "URL"}], [{"type": "URL", "data": {"value": 3.5}}], "x"])
def test_a_handle_without_a_target_is_registered_as_well(values: object) -> None:
    answer = handle(values=values)
    assert isinstance(answer, Found)
    assert answer.records[0].title == ""
    assert answer.records[0].url == "https://doi.org/10.1038/nature14539"


@pytest.mark.parametrize("status", [200, 404])
def test_values_not_found_means_that_the_handle_exists(status: int) -> None:
    assert isinstance(handle(status, responseCode=200), Found)


def test_handle_not_found_is_an_absence_with_a_scope() -> None:
    assert handle(404, responseCode=100) == Absent("doi.org: the Handle System has no such DOI")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"responseCode": 2}),
        (200, {"responseCode": 100}),
        (404, {"responseCode": 1}),
        (404, {"responseCode": 301}),
        (404, {"responseCode": None}),
        (404, {"responseCode": 100, "handle": "10.1038/other"}),
        (200, {"handle": None}),
        (200, {"handle": ["10.1038/nature14539"]}),
    ],
)
def test_errors_and_other_handles_are_refused(status: int, body: dict[str, object]) -> None:
    with pytest.raises(MalformedAnswerError):
        handle(status, **body)


def test_requests() -> None:
    strange = Query("doi", "10.1002/(sici)1097-4571(1999)50:1<2::aid#3>3.0.co;2-a%")
    url = DOI_ORG.request([strange]).url
    assert url == (
        "https://doi.org/api/handles/10.1002/%28sici%291097-4571%281999%2950%3A1%3C2%3A%3Aaid%233%3E3.0.co%3B2-a%25"
    )
    assert DOI_ORG.singles(DOI_ORG.request([strange])) == (DOI_ORG.request([strange]),)
    assert DOI_RA.request([PREFIX]).url == "https://doi.org/ra/10.1038"
    assert not DOI_ORG.accepts(Query("doi", "not a doi"))
    assert not DOI_RA.accepts(Query("prefix", "10.1038/nature14539"))
    assert not DOI_RA.accepts(Query("prefix", "../etc"))


@pytest.mark.parametrize("name", ["Crossref", "DataCite", "mEDRA", "JaLC", "KISTI", "OP"])
def test_the_agency_of_a_prefix(name: str) -> None:
    answer = agency({"DOI": "10.1038", "RA": name})
    assert isinstance(answer, Found)
    assert (answer.records[0].agency, answer.records[0].title) == (name, "")


@pytest.mark.parametrize("status", ["DOI does not exist", "Invalid DOI"])
def test_a_denied_prefix_is_an_absence_with_a_scope(status: str) -> None:
    assert agency({"DOI": "10.1038", "status": status}) == Absent("doi.org: no registration agency has this prefix")


def test_an_unknown_agency_is_no_evidence() -> None:
    assert agency({"DOI": "10.1038", "status": "Unknown"}) == Absent("")


@pytest.mark.parametrize("item", [{"DOI": "10.1038"}, {"DOI": "10.9", "RA": "Crossref"}, {"RA": "Crossref"}, 3, None])
def test_other_answers_are_refused(item: object) -> None:
    with pytest.raises(MalformedAnswerError):
        agency(item)


@pytest.mark.parametrize("body", [b"[]", b"{}", b"<html>", b'[{"DOI": "10.1038"}]'])
def test_no_agency_can_be_read_from_other_bodies(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        DOI_RA.parse([PREFIX], Response(200, body))


def test_prefixes_are_asked_together() -> None:
    queries = [Query("prefix", prefix) for prefix in ("10.1038", "10.5012", "10.1000.10")]
    request = DOI_RA.request(queries)
    assert request.url == "https://doi.org/ra/10.1038,10.5012,10.1000.10"
    assert DOI_RA.singles(request) == tuple(DOI_RA.request([query]) for query in queries)
    stated = [{"DOI": "10.5012", "RA": "KISTI"}, {"DOI": "10.1038", "RA": "Crossref"}]
    stated.append({"DOI": "10.1000.10", "status": "DOI does not exist"})
    answers = DOI_RA.parse(queries, Response(200, json.dumps(stated).encode()))
    named = [answer.records[0].agency if isinstance(answer, Found) else answer for answer in answers.values()]
    assert named == ["Crossref", "KISTI", Absent("doi.org: no registration agency has this prefix")]
    with pytest.raises(MalformedAnswerError):
        DOI_RA.parse(queries, Response(200, json.dumps(stated[:2]).encode()))


SEVERAL = [Query("doi", name) for name in ("10.1038/nature14539", "10.1000/nowhere", "10.3000/x(1)")]


def test_several_dois_are_asked_for_in_the_list_of_agencies() -> None:
    request = DOI_ORG.request(SEVERAL)
    assert request.url == "https://doi.org/doiRA/10.1038/nature14539%2C10.1000/nowhere%2C10.3000/x%281%29"
    assert DOI_ORG.singles(request) == tuple(DOI_ORG.request([one]) for one in SEVERAL)
    alone = DOI_ORG.request(SEVERAL[:1])
    assert alone.url == "https://doi.org/api/handles/10.1038/nature14539"
    assert DOI_ORG.singles(alone) == (alone,)
    short = Query("doi", "10/bqf3tz")
    assert DOI_ORG.accepts(short)
    assert DOI_ORG.request([short]).url == "https://doi.org/api/handles/10/bqf3tz"
    assert len({DOI_ORG.group(query) for query in (*SEVERAL, short, Query("doi", "10/bqf3tx"))}) == 3
    comma = Query("doi", "10.1000/a,b")
    assert DOI_ORG.singles(DOI_ORG.request([comma, SEVERAL[0]])) == (DOI_ORG.request([comma]),)


def test_the_list_of_agencies_says_which_dois_are_registered() -> None:
    items = [
        {"DOI": "10.1038/NATURE14539", "RA": "Crossref"},
        {"DOI": "10.1000/nowhere", "status": "DOI does not exist"},
    ]
    response = Response(200, json.dumps(items).encode())
    answers = DOI_ORG.parse(SEVERAL[:2], response)
    assert isinstance(answers[SEVERAL[0]], Found)
    assert answers[SEVERAL[1]] == Absent("doi.org: the Handle System has no such DOI")
    with pytest.raises(MalformedAnswerError, match="no agency"):
        DOI_ORG.parse(SEVERAL, response)
    with pytest.raises(MalformedAnswerError, match="no agency"):
        DOI_ORG.parse(SEVERAL[:1], Response(200, b'[{"DOI": "10.1038/nature14539", "status": "Unknown"}]'))


def test_many_dois_are_asked_for_in_one_list_and_the_handle_only_confirms_a_denial(services: LocalServices) -> None:
    known = [Query("doi", value) for value in ("10.1038/nature14539", "10.1109/cvpr.2016.90", "10.18653/v1/n19-1423")]
    denied = Query("doi", "10.1038/nature99999999")
    comma = Query("doi", "10.1000/a,b")

    async def main() -> dict[Query, QueryResult]:
        settings = TransportSettings(base_urls=services.base_urls, rates={"doi_org": Rate(1000, 1)})
        async with Transport(settings) as transport:
            return await transport.ask(DOI_ORG, [*known, denied, comma])

    answers = asyncio.run(main())
    assert all(isinstance(answers[query].answer, Found) for query in known)
    for query in (denied, comma):
        assert answers[query].answer == Absent("doi.org: the Handle System has no such DOI")
    paths = [unquote(request.path) for request in services.requests]
    assert len([path for path in paths if path.startswith("/doiRA/")]) <= 2
    assert "/api/handles/10.1038/nature99999999" in paths
    assert not any(f"/api/handles/{query.value}" in paths for query in known)


def test_a_denial_of_the_list_that_the_handle_contradicts_is_none() -> None:
    query = Query("doi", "10.1038/nature14539")
    other = Query("doi", "10.1109/cvpr.2016.90")
    denied = json.dumps([
        {"DOI": query.value, "status": "DOI does not exist"},
        *({"DOI": known.value, "RA": "Crossref"} for known in (other, DOI_ORG.controls["doi"])),
    ])  # fmt: skip
    whole = json.dumps({"responseCode": 1, "handle": query.value, "values": VALUES})

    async def main(url: str) -> Answer:
        async with Transport(TransportSettings(base_urls={"doi_org": url})) as transport:
            return (await transport.ask(DOI_ORG, [query, other]))[query].answer

    with serving(lambda path: reply(denied if "/doiRA/" in path else whole)) as server:
        assert isinstance(asyncio.run(main(server.url)), Found)
